package model

import "syscall"

// resets are what a connection dies of, by the system's own words: the sockets' numbers, not the POSIX ones that package
// syscall makes up on Windows.
var resets = []error{syscall.WSAECONNRESET, syscall.Errno(10053)} // WSAECONNABORTED

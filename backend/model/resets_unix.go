//go:build !windows

package model

import "syscall"

// resets are what a connection dies of, by the system's own words.
var resets = []error{syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED}

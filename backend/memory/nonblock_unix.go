//go:build unix

package memory

import "syscall"

// nonBlocking keeps the opening of a named pipe from waiting for a writer that never comes.
const nonBlocking = syscall.O_NONBLOCK

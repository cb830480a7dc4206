package deno

import "golang.org/x/sys/unix"

// peerOf gives the process at the other end of a local socket. A worker is what sandbox-exec became, so it is the same one.
func peerOf(fd int) (pid int, err error) {
	return unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
}

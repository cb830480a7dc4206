package deno

import "golang.org/x/sys/unix"

// peerOf gives the process at the other end of a local socket.
func peerOf(fd int) (pid int, err error) {
	peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(peer.Pid), nil
}

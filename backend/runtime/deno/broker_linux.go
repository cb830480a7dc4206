package deno

import (
	"net"

	"golang.org/x/sys/unix"
)

// connectedBy says whether a connection is a process's.
func connectedBy(connection net.Conn, pid int) bool {
	local, ok := connection.(*net.UnixConn)
	if !ok {
		return false
	}
	raw, err := local.SyscallConn()
	if err != nil {
		return false
	}
	var peer *unix.Ucred
	controlled := raw.Control(func(fd uintptr) {
		peer, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	return controlled == nil && err == nil && int(peer.Pid) == pid
}

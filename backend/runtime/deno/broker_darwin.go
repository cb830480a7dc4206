package deno

import (
	"net"

	"golang.org/x/sys/unix"
)

// connectedBy says whether a connection is a process's. The worker may be a child of sandbox-exec, which becomes it.
func connectedBy(connection net.Conn, pid int) bool {
	local, ok := connection.(*net.UnixConn)
	if !ok {
		return false
	}
	raw, err := local.SyscallConn()
	if err != nil {
		return false
	}
	var peer int
	controlled := raw.Control(func(fd uintptr) {
		peer, err = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	})
	return controlled == nil && err == nil && peer == pid
}

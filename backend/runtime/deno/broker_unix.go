//go:build unix

package deno

import (
	"net"
	"os"
	"path/filepath"
)

// brokerListener listens in a folder of its own that nobody else may enter.
func brokerListener() (address string, listener net.Listener, release func(), err error) {
	folder, err := os.MkdirTemp("", "portico-")
	if err != nil {
		return "", nil, nil, err
	}
	release = func() { os.RemoveAll(folder) }
	address = filepath.Join(folder, "broker")
	if listener, err = net.Listen("unix", address); err != nil {
		release()
		return "", nil, nil, err
	}
	return address, listener, release, nil
}

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
	peer := 0
	controlled := raw.Control(func(fd uintptr) { peer, err = peerOf(int(fd)) })
	return controlled == nil && err == nil && peer == pid
}

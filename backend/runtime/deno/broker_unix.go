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

//go:build !production && !browser

package main

import (
	"errors"
	"io/fs"
)

// assets: a plain `go build` or `go vet` asks for no built frontend and gives the command line alone.
func assets() (fs.FS, error) {
	return nil, errors.New("this build has no window; `go run ./build binary` makes one that has")
}

package confine

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"

	"portico/backend/extension"
)

// launchers holds the static launcher, built by the build driver ahead of this package. The folder is there without it,
// so that a fresh checkout compiles.
//
//go:embed all:launcher/bin
var launchers embed.FS

var unpacked = struct {
	sync.Mutex
	byCache map[string]string
	binary  []byte // instead of the embedded one
}{byCache: map[string]string{}}

// UseLauncher has another launcher used from now on instead of the embedded one. It is for tests (confinetest).
func UseLauncher(binary []byte) {
	unpacked.Lock()
	defer unpacked.Unlock()
	unpacked.binary = binary
	clear(unpacked.byCache)
}

func launcherBinary() ([]byte, error) {
	if unpacked.binary != nil {
		return unpacked.binary, nil
	}
	return launchers.ReadFile("launcher/bin/confine-linux-" + runtime.GOARCH)
}

// unpack gives the launcher's path below the cache folder. The file is written whole beside its place and moved there, so
// that no start, in this process or another, meets one that is being written ("text file busy"); one that was changed is
// replaced.
func unpack(cache string) (string, error) {
	unpacked.Lock()
	defer unpacked.Unlock()
	if path, ok := unpacked.byCache[cache]; ok {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	binary, err := launcherBinary()
	if err != nil {
		return "", extension.NewProblem("confine.no-launcher", "This build of Portico lacks its launcher for {arch}.", "Build it with `go run ./build binary`.", "arch", runtime.GOARCH).Because(err)
	}
	sum := sha256.Sum256(binary)
	path := filepath.Join(cache, "bin", "confine-"+hex.EncodeToString(sum[:8]))
	if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, binary) {
		if err := place(path, binary); err != nil {
			return "", extension.NewProblem("confine.not-unpacked", "The launcher that confines extensions could not be written to {path}.", "Make that folder writable.", "path", path).Because(err)
		}
	}
	unpacked.byCache[cache] = path
	return path, nil
}

// place writes the launcher. Nothing is forked meanwhile: a child that holds the file open for writing, until it executes
// something else, would make its execution fail ("text file busy").
func place(path string, binary []byte) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	syscall.ForkLock.RLock()
	file, err := os.CreateTemp(folder, ".confine-")
	if err != nil {
		syscall.ForkLock.RUnlock()
		return err
	}
	_, err = file.Write(binary)
	err = errors.Join(err, file.Chmod(0o500), file.Close())
	syscall.ForkLock.RUnlock()
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		if removeErr := os.Remove(file.Name()); removeErr != nil && !errors.Is(removeErr, fs.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

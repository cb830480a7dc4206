// Package whole replaces files as a whole. Whoever reads one meanwhile, in this process or another, has the old content or
// the new; what was written is durable when Write returns.
package whole

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes a file beside its place, makes it durable, and moves it there: a crash leaves the old file or the new one.
// Its folder has to be there.
func Write(file string, data []byte, mode fs.FileMode) (err error) {
	temporary, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-")
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	defer func() {
		if err != nil {
			os.Remove(temporary.Name())
		}
	}()
	_, err = temporary.Write(data)
	err = errors.Join(err, temporary.Chmod(mode), temporary.Sync(), temporary.Close())
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	if err := os.Rename(temporary.Name(), file); err != nil {
		return fmt.Errorf("put %s in place: %w", file, err)
	}
	return SyncFolder(filepath.Dir(file))
}

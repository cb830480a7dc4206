//go:build !linux

package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// syncPackages makes packages durable, file by file, and then their names.
func syncPackages(folder string) error {
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		opened, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(opened.Sync(), opened.Close())
	})
	return errors.Join(err, syncTree(folder))
}

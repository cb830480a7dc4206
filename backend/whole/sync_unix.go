//go:build unix

package whole

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// SyncFolder makes a rename in the folder durable.
func SyncFolder(folder string) error {
	opened, err := os.Open(folder)
	if err != nil {
		return fmt.Errorf("make %s durable: %w", folder, err)
	}
	defer opened.Close()
	if err := opened.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) { // some file systems know no fsync of folders
		return fmt.Errorf("make %s durable: %w", folder, err)
	}
	return nil
}

package install

import (
	"os"

	"golang.org/x/sys/unix"
)

// exchange puts the staged folder in place. Where the file system can, the two folders trade places in one step, and
// staged then holds the old files; otherwise (NFS, overlayfs and others say so each in their own way) the old folder is
// moved to old first.
func exchange(staged, target, old string) error {
	if _, err := os.Lstat(target); err == nil {
		if unix.Renameat2(unix.AT_FDCWD, staged, unix.AT_FDCWD, target, unix.RENAME_EXCHANGE) == nil {
			return nil
		}
	}
	return moveAside(staged, target, old)
}

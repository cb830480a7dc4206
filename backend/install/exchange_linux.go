package install

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange puts the staged folder in place. Where the file system can, the two folders trade places in one step, and
// staged then holds the old files; otherwise the old folder is moved to old first.
func exchange(staged, target, old string) error {
	if _, err := os.Lstat(target); err == nil {
		err := unix.Renameat2(unix.AT_FDCWD, staged, unix.AT_FDCWD, target, unix.RENAME_EXCHANGE)
		if err == nil || !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) {
			return err
		}
	}
	return moveAside(staged, target, old)
}

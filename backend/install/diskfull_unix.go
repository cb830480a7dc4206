//go:build unix

package install

import (
	"errors"
	"syscall"
)

// diskFull also means a person's quota.
func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

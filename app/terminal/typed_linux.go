package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// ForgetTyped drops what was typed and not read yet. A terminal that can't is left as it is.
func ForgetTyped() { _ = unix.IoctlSetInt(int(os.Stdin.Fd()), unix.TCFLSH, unix.TCIFLUSH) }

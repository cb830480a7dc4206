// Package terminal is what the command line needs of the system it is typed on: a console to print to, and a way to forget
// what was typed too early.
package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// ForgetTyped drops what was typed and not read yet. A terminal that can't is left as it is.
func ForgetTyped() { _ = unix.IoctlSetInt(int(os.Stdin.Fd()), unix.TCFLSH, unix.TCIFLUSH) }

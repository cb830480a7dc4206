package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// reads names the direction that is dropped (FREAD of sys/fcntl.h).
const reads = 1

// ForgetTyped drops what was typed and not read yet. A terminal that can't is left as it is.
func ForgetTyped() { _ = unix.IoctlSetPointerInt(int(os.Stdin.Fd()), unix.TIOCFLUSH, reads) }

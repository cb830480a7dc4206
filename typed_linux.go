package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// forgetTyped drops what was typed and not read yet. A terminal that can't is left as it is.
func forgetTyped() { _ = unix.IoctlSetInt(int(os.Stdin.Fd()), unix.TCFLSH, unix.TCIFLUSH) }

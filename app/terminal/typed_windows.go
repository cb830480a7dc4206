package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// ForgetTyped drops what was typed and not read yet. A console that can't is left as it is.
func ForgetTyped() { _ = windows.FlushConsoleInputBuffer(windows.Handle(os.Stdin.Fd())) }

package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// forgetTyped drops what was typed and not read yet. A console that can't is left as it is.
func forgetTyped() { _ = windows.FlushConsoleInputBuffer(windows.Handle(os.Stdin.Fd())) }

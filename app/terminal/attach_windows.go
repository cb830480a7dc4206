package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// attachParent is ATTACH_PARENT_PROCESS.
const attachParent = ^uintptr(0)

// Attach gives the command line the console it was called from: a program with a window has none of its own. What
// was redirected (a pipe, a file) stays as it is.
func Attach() {
	if _, err := windows.GetFileType(windows.Handle(os.Stdout.Fd())); err == nil {
		return
	}
	attach := windows.NewLazySystemDLL("kernel32.dll").NewProc("AttachConsole")
	if ok, _, _ := attach.Call(attachParent); ok == 0 {
		return
	}
	if out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0); err == nil {
		os.Stdout, os.Stderr = out, out
	}
	if in, err := os.OpenFile("CONIN$", os.O_RDWR, 0); err == nil {
		os.Stdin = in
	}
}

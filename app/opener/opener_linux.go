package opener

import "os/exec"

func command(what string) *exec.Cmd { return exec.Command("xdg-open", what) }

// application starts a desktop entry by its name.
func application(name string) *exec.Cmd { return exec.Command("gtk-launch", name) }

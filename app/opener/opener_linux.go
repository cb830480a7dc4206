package opener

import "os/exec"

func command(what string) *exec.Cmd { return exec.Command("xdg-open", what) }

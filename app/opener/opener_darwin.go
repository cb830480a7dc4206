package opener

import "os/exec"

func command(what string) *exec.Cmd { return exec.Command("open", what) }

package opener

import "os/exec"

func command(what string) *exec.Cmd { return exec.Command("open", what) }

func application(name string) *exec.Cmd { return exec.Command("open", "-a", name) }

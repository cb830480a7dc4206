package opener

import "os/exec"

// rundll32 takes the address as one argument; `cmd /c start` would read & and ^ in it.
func command(what string) *exec.Cmd {
	return exec.Command("rundll32", "url.dll,FileProtocolHandler", what)
}

// application is asked for by nobody: on Windows extensions start applications as the system does.
func application(name string) *exec.Cmd { return exec.Command("explorer", name) }

package confine

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
)

const sandboxExec = "/usr/bin/sandbox-exec"

func inForce() Level {
	if _, err := exec.LookPath(sandboxExec); err != nil {
		return Level{"runtime", "no sandbox-exec: Deno's own permissions alone"}
	}
	return Level{"partial", "seatbelt: files and ports; what a started program leaves behind is ended with its group"}
}

// Start starts a child under a seatbelt profile. macOS tells no child that its parent died: the child's standard input
// ends with us, and a worker ends with that.
func Start(policy Policy, c Command) (*Process, error) {
	path, args := c.Path, c.Args
	if InForce().Name != "runtime" {
		path, args = sandboxExec, append([]string{"-p", seatbeltProfile(policy), c.Path}, c.Args...)
	}
	cmd := exec.Command(path, args...)
	cmd.Env, cmd.Dir, cmd.Stderr = c.Env, c.Dir, c.Stderr
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p := &Process{exited: make(chan struct{})}
	var err error
	if p.Stdin, err = cmd.StdinPipe(); err == nil {
		p.Stdout, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	p.Pid = cmd.Process.Pid
	p.kill = func() { syscall.Kill(-p.Pid, syscall.SIGKILL) }
	go func() { // ends with the child
		state, err := cmd.Process.Wait()
		if err == nil && !state.Success() {
			err = &exec.ExitError{ProcessState: state}
		}
		p.err = err
		if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			p.err = errors.Join(p.err, err)
		}
		close(p.exited)
	}()
	return p, nil
}

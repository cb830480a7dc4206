package confine

import (
	"fmt"
	"os/exec"
	"sync"
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
	if InForce().Name != "runtime" && !policy.Free {
		path, args = sandboxExec, append([]string{"-p", seatbeltProfile(policy), c.Path}, c.Args...)
	}
	cmd := exec.Command(path, args...)
	cmd.Env, cmd.Dir = c.Env, c.Dir
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would mean all of ours
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdio, err := openStreams(cmd)
	if err == nil {
		if err = cmd.Start(); err != nil {
			stdio.failed()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	stdio.started(c.Stderr)
	group := &group{leader: cmd.Process.Pid}
	p := &Process{Stdin: stdio.in, Stdout: stdio.out, Pid: cmd.Process.Pid, exited: make(chan struct{}), kill: group.end}
	go func() { // ends with the child
		p.err = cmd.Wait()
		group.end()
		group.forget()
		stdio.ended()
		close(p.exited)
	}()
	return p, nil
}

// group is a child's process group, for as long as its number is surely its own.
type group struct {
	mu     sync.Mutex
	leader int
}

func (g *group) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.leader != 0 {
		syscall.Kill(-g.leader, syscall.SIGKILL)
	}
}

func (g *group) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leader = 0
}

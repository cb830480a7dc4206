package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"

	seccomp "github.com/elastic/go-seccomp-bpf"
)

// Landlock's versions from which it knows something (kernel.org, Landlock: unprivileged access control).
const (
	abiFiles = 1
	abiTCP   = 4
)

// superviseGrace is how long a supervisor has to end what was started, before it is ended itself.
const superviseGrace = 2 * time.Second

func inForce() Level {
	abi, err := llsys.LandlockGetABIVersion()
	filter := seccomp.Supported()
	switch {
	case err != nil || abi < abiFiles:
		return Level{"runtime", "no Landlock in this kernel: Deno's own permissions alone"}
	case abi < abiTCP || !filter:
		return Level{"partial", fmt.Sprintf("Landlock ABI %d: files, not the network", abi)}
	}
	return Level{"full", fmt.Sprintf("Landlock ABI %d, seccomp", abi)}
}

// order is what the launcher is told, over a pipe: it names paths, and a command line is everybody's to read.
type order struct {
	Policy Policy   `json:"policy"`
	Path   string   `json:"path"`
	Args   []string `json:"args"`
	Parent int      `json:"parent"` // who must be alive: a parent that died before the launcher asked to die with it
}

// Start starts a child under the policy.
func Start(policy Policy, c Command) (*Process, error) {
	launcher, err := unpack(c.Cache)
	if err != nil {
		return nil, err
	}
	told, tell, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	cmd := &exec.Cmd{Path: launcher, Args: []string{"portico-confine"}, Env: c.Env, Dir: c.Dir, Stderr: c.Stderr, ExtraFiles: []*os.File{told}}
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would mean all of ours
	}
	death := syscall.SIGKILL
	if policy.Starts {
		death = syscall.SIGTERM // the supervisor ends what was started before it goes
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: death}
	cmd.WaitDelay = superviseGrace // a descendant that keeps the pipes open is no reason to wait for ever
	p := &Process{exited: make(chan struct{})}
	if p.Stdin, err = cmd.StdinPipe(); err == nil {
		p.Stdout, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = spawn(cmd)
	}
	told.Close()
	if err != nil {
		tell.Close()
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	p.Pid = cmd.Process.Pid
	p.kill = killer(cmd, policy.Starts)
	data, err := json.Marshal(order{policy, c.Path, append([]string{c.Path}, c.Args...), os.Getpid()})
	if err == nil {
		_, err = tell.Write(data)
	}
	err = errors.Join(err, tell.Close())
	go func() { // ends with the child
		p.err = waitFor(cmd)
		syscall.Kill(-p.Pid, syscall.SIGKILL) // what is left of its group
		close(p.exited)
	}()
	if err != nil {
		p.Kill()
		return nil, errors.Join(fmt.Errorf("tell the launcher what %s may do: %w", c.Path, err), p.Wait())
	}
	return p, nil
}

// waitFor waits for the process alone: its pipes are read by their owner until they end, and closing them here would lose
// what a child said last.
func waitFor(cmd *exec.Cmd) error {
	state, err := cmd.Process.Wait()
	if err != nil {
		return err
	}
	cmd.ProcessState = state
	if !state.Success() {
		return &exec.ExitError{ProcessState: state}
	}
	return nil
}

// killer ends the whole group. A supervisor is asked first: only it reaches what left the group.
func killer(cmd *exec.Cmd, supervised bool) func() {
	pid := cmd.Process.Pid
	if !supervised {
		return func() { syscall.Kill(-pid, syscall.SIGKILL) }
	}
	var once sync.Once
	return func() {
		once.Do(func() {
			syscall.Kill(pid, syscall.SIGTERM)
			time.AfterFunc(superviseGrace, func() { syscall.Kill(-pid, syscall.SIGKILL) })
		})
	}
}

// spawn starts commands from one thread that lives as long as this process: Linux ends a child with the *thread* that
// started it, and Go's threads come and go.
func spawn(cmd *exec.Cmd) error {
	spawner.Do(func() {
		go func() {
			runtime.LockOSThread()
			for s := range spawns {
				s.done <- s.cmd.Start()
			}
		}()
	})
	s := spawning{cmd, make(chan error, 1)}
	spawns <- s
	return <-s.done
}

type spawning struct {
	cmd  *exec.Cmd
	done chan error
}

var (
	spawner sync.Once
	spawns  = make(chan spawning) // unbuffered: the caller waits for its start anyway
)

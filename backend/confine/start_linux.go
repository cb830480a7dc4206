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
	"golang.org/x/sys/unix"
)

// Landlock's versions from which it knows something (kernel.org, Landlock: unprivileged access control).
const (
	abiFiles = 1
	abiTCP   = 4
)

// superviseGrace is how long a supervisor has to end what was started, before it is ended itself and what left the group
// lives on. Thousands that a bomb has started take a second or two.
const superviseGrace = 10 * time.Second

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
	defer tell.Close()
	cmd := &exec.Cmd{Path: launcher, Args: []string{"portico-confine"}, Env: c.Env, Dir: c.Dir, ExtraFiles: []*os.File{told}}
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would mean all of ours
	}
	death := syscall.SIGKILL
	if policy.Starts {
		death = syscall.SIGTERM // the supervisor ends what was started before it goes
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: death}
	stdio, err := openStreams(cmd)
	if err == nil {
		if err = spawn(cmd); err != nil {
			stdio.failed()
		}
	}
	told.Close()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	stdio.started(c.Stderr)
	ending := &ending{pid: cmd.Process.Pid, supervised: policy.Starts}
	p := &Process{Stdin: stdio.in, Stdout: stdio.out, Pid: cmd.Process.Pid, exited: make(chan struct{}), kill: ending.begin}
	go func() { // ends with the child
		p.err = ending.await(cmd)
		stdio.ended()
		close(p.exited)
	}()
	data, err := json.Marshal(order{policy, c.Path, append([]string{c.Path}, c.Args...), os.Getpid()})
	if err == nil {
		_, err = tell.Write(data)
	}
	if err != nil {
		p.Kill()
		return nil, errors.Join(fmt.Errorf("tell the launcher what %s may do: %w", c.Path, err), p.Wait(), p.Close())
	}
	return p, nil
}

// ending ends a child's whole group, and never a group that is not its own any more: once the child is collected its
// number may be given to another.
type ending struct {
	pid        int
	supervised bool

	mu        sync.Mutex
	begun     bool
	collected bool
}

// begin ends the group. A supervisor is asked first: only it reaches what left the group.
func (e *ending) begin() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.collected || e.begun && e.supervised {
		return
	}
	e.begun = true
	if !e.supervised {
		syscall.Kill(-e.pid, syscall.SIGKILL)
		return
	}
	syscall.Kill(e.pid, syscall.SIGTERM)
	syscall.Kill(e.pid, syscall.SIGCONT) // a kernel that does not hold signals apart lets it be stopped
	time.AfterFunc(superviseGrace, e.force)
}

func (e *ending) force() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.collected {
		syscall.Kill(-e.pid, syscall.SIGKILL)
	}
}

// await waits for the child, ends what is left of its group while the child still holds the group's number, and collects
// it.
func (e *ending) await(cmd *exec.Cmd) error {
	for {
		err := unix.Waitid(unix.P_PID, e.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	syscall.Kill(-e.pid, syscall.SIGKILL)
	e.collected = true
	return cmd.Wait() // the streams are files of ours, so that it waits for the process alone
}

// spawn starts commands from one thread that lives as long as this process: Linux ends a child with the *thread* that
// started it, and Go's threads come and go.
func spawn(cmd *exec.Cmd) error {
	spawner.Do(func() {
		go spawnLoop()
	})
	s := spawning{cmd, make(chan error, 1)}
	spawns <- s
	return <-s.done
}

// spawnLoop lives as long as this process.
func spawnLoop() {
	runtime.LockOSThread()
	for s := range spawns {
		s.done <- s.cmd.Start()
	}
}

type spawning struct {
	cmd  *exec.Cmd
	done chan error
}

var (
	spawner sync.Once
	spawns  = make(chan spawning) // unbuffered: the caller waits for its start anyway
)

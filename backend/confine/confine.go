// Package confine starts children that the operating system holds to a policy, and ends them with everything they
// started. What holds is the system's to say: InForce tells, and nothing here pretends to more. It decides nothing about
// what is allowed; it is given the policy.
//
// A child and its descendants die with this process, also when it is killed. What a child says on its standard error has
// reached its writer when Wait returns.
package confine

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Policy is what a child may do. What is not named is refused where the system can refuse it.
type Policy struct {
	Read    []string `json:"read,omitempty"`    // files and folders, absolute
	Write   []string `json:"write,omitempty"`   // files and folders, absolute; a folder with all below it. Does not imply Read
	Exec    []string `json:"exec,omitempty"`    // files and folders that may be executed; implies Read
	Fixed   []string `json:"fixed,omitempty"`   // of Read and Write: those that count only where no link stands on the way
	Network Network  `json:"network"`           // outgoing connections
	Limits  Limits   `json:"limits"`            //
	Starts  bool     `json:"starts,omitempty"`  // it may start programs: a supervisor stays to end them
	Netlink bool     `json:"netlink,omitempty"` // it may ask the kernel about network interfaces
	Socket  string   `json:"socket,omitempty"`  // a local socket that it may connect to; the filter of Linux knows no names, so there it may make any
	Free    bool     `json:"-"`                 // no seatbelt: a program of the system's that reaches its services, ended as a whole all the same
}

// Network is what a child may connect to. Hosts are not the system's to hold (Landlock knows ports); the runtime does.
type Network struct {
	All   bool     `json:"all,omitempty"`
	Ports []uint16 `json:"ports,omitempty"` // TCP
}

// None says whether there is no network at all; then no sockets but local ones can be made.
func (n Network) None() bool { return !n.All && len(n.Ports) == 0 }

// Limits bound a child; 0 is no bound.
type Limits struct {
	DataBytes  uint64 `json:"dataBytes,omitempty"` // private writable memory
	CPUSeconds uint64 `json:"cpuSeconds,omitempty"`
	FileBytes  uint64 `json:"fileBytes,omitempty"` // the largest file it may write
	OpenFiles  uint64 `json:"openFiles,omitempty"`
}

// Level is what holds on this computer.
type Level struct {
	Name string // full: files and network are held by the system; partial: some of it; runtime: the runtime's flags alone
	What string // "Landlock ABI 7, seccomp"
}

// InForce gives the level. It is found once.
var InForce = sync.OnceValue(inForce)

// Command is a child to start. Env is all of its environment.
type Command struct {
	Path   string
	Args   []string // without the program's own name
	Env    []string
	Dir    string
	Stderr io.Writer // nil: dropped
	// Cache is where the launcher is unpacked.
	Cache string
}

// Process is a started child. Stdin and Stdout are pipes; who started it reads Stdout to its end and calls Close.
type Process struct {
	Stdin  *os.File
	Stdout *os.File
	Pid    int

	exited chan struct{}
	err    error // of the wait, once exited is closed
	kill   func()
}

// Wait returns when the child is gone with all it started, with its exit as os/exec gives it.
func (p *Process) Wait() error {
	<-p.exited
	return p.err
}

// Exited is closed when the child is gone.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Kill ends the child and all it started; it does not wait. It may be called at any time, and more than once.
func (p *Process) Kill() { p.kill() }

// Close lets go of the pipes. A child that still lives sees its input end.
func (p *Process) Close() error { return errors.Join(p.Stdin.Close(), p.Stdout.Close()) }

// stderrGrace is how long after a child's end its standard error may still be held open, by something it started that is
// being ended too.
const stderrGrace = 2 * time.Second

// streams are a child's three standard streams, both ends of each.
type streams struct {
	in, inChild   *os.File
	out, outChild *os.File
	err, errChild *os.File
	copied        chan struct{} // closed when standard error ended
}

func openStreams(cmd *exec.Cmd) (*streams, error) {
	s := &streams{copied: make(chan struct{})}
	var errs [3]error
	s.inChild, s.in, errs[0] = os.Pipe()
	s.out, s.outChild, errs[1] = os.Pipe()
	s.err, s.errChild, errs[2] = os.Pipe()
	if err := errors.Join(errs[:]...); err != nil {
		s.close(s.inChild, s.in, s.out, s.outChild, s.err, s.errChild)
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.inChild, s.outChild, s.errChild
	return s, nil
}

func (s *streams) close(files ...*os.File) {
	for _, file := range files {
		if file != nil {
			file.Close()
		}
	}
}

// started lets go of the child's ends and hands its standard error on. failed lets go of everything.
func (s *streams) started(to io.Writer) {
	s.close(s.inChild, s.outChild, s.errChild)
	if to == nil {
		to = io.Discard
	}
	go func() { // ends with the stream, at the latest stderrGrace after the child
		defer close(s.copied)
		defer s.err.Close()
		// A writer that fails must not stop the child: it would block on a full pipe.
		if _, err := io.Copy(to, s.err); err != nil {
			io.Copy(io.Discard, s.err)
		}
	}()
}

func (s *streams) failed() { s.close(s.inChild, s.in, s.out, s.outChild, s.err, s.errChild) }

// ended waits until what the child said last has reached its writer.
func (s *streams) ended() {
	s.err.SetReadDeadline(time.Now().Add(stderrGrace))
	<-s.copied
}

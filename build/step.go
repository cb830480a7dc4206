package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// errReported is a failure whose words are on the screen already.
var errReported = errors.New("reported")

// failure is what ends the driver: what did not work, why, and what the person does next.
type failure struct {
	what, next string
	why        error
	output     string // what the failed program printed
}

func failed(what string, why error, next string) *failure {
	return &failure{what: what, why: why, next: next}
}

func (f *failure) Error() string {
	if f.why == nil {
		return f.what
	}
	return f.what + ": " + f.why.Error()
}

func (f *failure) Unwrap() error { return f.why }

func (f *failure) text() string {
	var b strings.Builder
	if out := strings.TrimRight(f.output, "\n"); out != "" {
		fmt.Fprintln(&b, out)
	}
	fmt.Fprintf(&b, "build: %s\n", f.Error())
	if f.next != "" {
		fmt.Fprintf(&b, "  next: %s\n", f.next)
	}
	return b.String()
}

// say prints a step's one line.
func say(format string, args ...any) { fmt.Printf("• "+format+"\n", args...) }

// skip prints the one line of a step that is done already.
func skip(format string, args ...any) { fmt.Printf("✓ "+format+"\n", args...) }

// steps runs one step after the other, up to the first that fails.
func (d *driver) steps(steps ...func() error) error {
	for _, step := range steps {
		if err := d.ctx.Err(); err != nil {
			return failed("stopped", nil, "Run the command again; what is done is not done twice.")
		}
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// stopLimit is how long a program has to end after it was asked to.
const stopLimit = 5 * time.Second

func (d *driver) command(dir string, env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(d.ctx, name, args...)
	cmd.Dir, cmd.Env = d.path(dir), env
	cmd.Cancel = func() error { return end(cmd.Process) }
	cmd.WaitDelay = stopLimit
	return cmd
}

// end asks a program to end, and where the system cannot ask (Windows), ends it.
func end(p *os.Process) error {
	if p.Signal(syscall.SIGTERM) == nil {
		return nil
	}
	return p.Kill()
}

// quiet runs a program and shows what it printed only when it fails.
func (d *driver) quiet(dir string, env []string, next, name string, args ...string) error {
	var out bytes.Buffer
	cmd := d.command(dir, env, name, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return &failure{what: "`" + shown(name, args) + "` failed", why: err, next: next, output: out.String()}
	}
	return nil
}

// pass runs a program whose output the person sees as it comes.
func (d *driver) pass(dir string, env []string, name string, args ...string) error {
	cmd := d.command(dir, env, name, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// output runs a program for its standard output.
func (d *driver) output(dir string, env []string, name string, args ...string) (string, error) {
	cmd := d.command(dir, env, name, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("`%s`: %w: %s", shown(name, args), err, strings.TrimSpace(said.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

// shownLimit keeps a failed command's line readable.
const shownLimit = 160

func shown(name string, args []string) string {
	line := strings.Join(append([]string{name}, args...), " ")
	if len(line) > shownLimit {
		line = line[:shownLimit] + "…"
	}
	return line
}

// withEnv is this process's environment with some variables set.
func withEnv(pairs ...string) []string { return append(os.Environ(), pairs...) }

// goEnv is the environment of every Go command. A checkout that belongs to another user, as in a container, must not
// end the build because git refuses to describe it.
func (d *driver) goEnv(pairs ...string) []string {
	flags := os.Getenv("GOFLAGS")
	if !strings.Contains(flags, "-buildvcs") {
		flags = strings.TrimSpace(flags + " -buildvcs=false")
	}
	return withEnv(append([]string{"GOFLAGS=" + flags}, pairs...)...)
}

func closing(c io.Closer, err *error) { *err = errors.Join(*err, c.Close()) }

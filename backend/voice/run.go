package voice

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"portico/backend/confine"
	"portico/backend/extension"
)

// program is one run of a program.
type program struct {
	policy confine.Policy
	path   string
	args   []string
	env    []string
	folder string // where it starts
	in     []byte // its standard input
	max    int64  // bytes of its standard output
}

// anything is what a program of the person's may do: all they may. It is in a policy so that it ends with all it started.
func anything() confine.Policy {
	return confine.Policy{Read: []string{"/"}, Write: []string{"/"}, Exec: []string{"/"}, Network: confine.Network{All: true}, Starts: true, Netlink: true, Free: true}
}

// clean is the environment that programs get: what they need to find themselves and their files, and nothing that somebody
// put there for another.
func clean() []string {
	env := []string{}
	for _, name := range []string{"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
		"SystemRoot", "SystemDrive", "windir", "TEMP", "TMP", "USERPROFILE", "USERNAME", "APPDATA", "LOCALAPPDATA", "ProgramFiles", "ProgramData", "PATHEXT", "ComSpec", "PSModulePath"} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	if runtime.GOOS != "windows" {
		env = append(env, "LANG=C.UTF-8")
	}
	return env
}

var errTooMuch = errors.New("it says more than there can be to say")

// run starts a program, hands it its input, and gives what it says. When the context ends it is ended with all that it
// started, and is gone when run returns.
func (v *Voice) run(ctx context.Context, p program) ([]byte, error) {
	words := &tail{}
	process, err := confine.Start(p.policy, confine.Command{Path: p.path, Args: p.args, Env: p.env, Dir: p.folder, Stderr: words, Cache: v.options.Cache})
	if err != nil {
		return nil, failed(p, err, "")
	}
	defer process.Close()
	unwatch := context.AfterFunc(ctx, process.Kill)
	defer unwatch()
	go func() { // ends with the program: its end of the pipe closes
		process.Stdin.Write(p.in)
		process.Stdin.Close()
	}()
	out, readErr := io.ReadAll(io.LimitReader(process.Stdout, p.max+1))
	if int64(len(out)) > p.max {
		readErr = errTooMuch
		process.Kill()
	}
	err = process.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err = errors.Join(readErr, err); err != nil {
		return nil, failed(p, err, words.String())
	}
	return out, nil
}

func failed(p program, err error, words string) *extension.Problem {
	problem := extension.NewProblem("voice.program-failed", "{program} failed.", "The details have its last words. Settings › Voice has what it is called with.",
		"program", filepath.Base(p.path)).At(p.path).Because(err)
	if words = strings.TrimSpace(words); words != "" {
		problem.Detail += "\n" + words
	}
	return problem
}

// tail keeps the last words of a program.
type tail struct {
	mu   sync.Mutex
	kept bytes.Buffer
}

func (t *tail) Write(data []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept.Write(data[max(0, len(data)-maxWordsBytes):])
	t.kept.Next(max(0, t.kept.Len()-maxWordsBytes))
	return len(data), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(t.kept.String(), "�")
}

func makeScratch(cache string) (string, error) {
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", err
	}
	return os.MkdirTemp(cache, "voice-")
}

//go:build unix

package deno

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"portico/backend/capability"
	"portico/backend/confine"
	"portico/backend/extension"
)

const (
	askFile = "ask" // a pipe: each line names a request
	// maxCommandBytes bounds what is asked to be opened; browsers take addresses of a few thousand.
	maxCommandBytes = 64 << 10
)

// openers are one worker's stand-ins, and the host's ear for them. The worker may run what is in bin, and write in talk.
type openers struct {
	folder, bin, talk string
	files             *os.Root // talk: what the worker puts there leads nowhere else
	ask               *os.File
	heard             chan struct{} // closed when nobody listens any more
	closing           sync.Once
}

// standIn asks by three files: its command line, its number down the pipe, and the answer that it waits for, 20 s at most.
const standIn = `#!/bin/sh
# Asks Portico to do this on the desktop: what is opened is not held to the tool's permissions, and outlives it.
talk=%s
real=%s
[ "${0##*/}" = gio ] && [ "$1" != open ] && exec "$real" "$@"
{ printf '%%s\0' "${0##*/}" "$@" > "$talk/$$.asked" && echo $$ > "$talk/ask"; } || exit 4
waited=0
while [ ! -e "$talk/$$.said" ]; do
  [ $waited -lt 400 ] || { echo "Portico did not answer." >&2; exit 4; }
  waited=$((waited + 1))
  sleep 0.05
done
{
  read -r code
  if [ "$code" = 0 ]; then cat; else cat >&2; fi
} < "$talk/$$.said"
exit "$code"
`

func newOpeners(names []string, to capability.Opener) (o *openers, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	folder, err := os.MkdirTemp("", "portico-open-")
	if err != nil {
		return nil, fmt.Errorf("make the tool's openers: %w", err)
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil { // /tmp may be a link, and rules don't follow it
		folder = real
	}
	o = &openers{folder: folder, bin: filepath.Join(folder, "bin"), talk: filepath.Join(folder, "talk"), heard: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("make the tool's openers: %w", err), os.RemoveAll(folder))
			o = nil
		}
	}()
	if err := errors.Join(os.Mkdir(o.bin, 0o700), os.Mkdir(o.talk, 0o700)); err != nil {
		return o, err
	}
	for _, name := range names {
		real, _ := exec.LookPath(name) // there is one, or the permission was refused
		if err := os.WriteFile(filepath.Join(o.bin, name), fmt.Appendf(nil, standIn, quoted(o.talk), quoted(real)), 0o500); err != nil {
			return o, err
		}
	}
	pipe := filepath.Join(o.talk, askFile)
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		return o, err
	}
	// For both, so that it does not end when a stand-in has gone; not to wait, so that closing it wakes the reader.
	if o.ask, err = os.OpenFile(pipe, os.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err != nil {
		return o, err
	}
	if o.files, err = os.OpenRoot(o.talk); err != nil {
		return o, errors.Join(err, o.ask.Close())
	}
	go o.listen(to) // ends with close
	return o, nil
}

// environment puts the stand-ins before the system's own programs.
func (o *openers) environment(env []string) []string {
	for n, pair := range env {
		if o != nil && strings.HasPrefix(pair, "PATH=") {
			env[n] = "PATH=" + o.bin + ":" + strings.TrimPrefix(pair, "PATH=")
		}
	}
	return env
}

// policy lets a worker reach them.
func (o *openers) policy(held confine.Policy) confine.Policy {
	if o != nil {
		held.Exec = append(held.Exec, o.bin)
		held.Read = append(held.Read, o.talk)
		held.Write = append(held.Write, o.talk)
	}
	return held
}

var requestNumber = regexp.MustCompile(`^[0-9]{1,10}$`)

func (o *openers) listen(to capability.Opener) {
	defer close(o.heard)
	lines := bufio.NewScanner(o.ask)
	lines.Buffer(make([]byte, 64), 64) // a line that is longer names nothing
	for lines.Scan() {
		if number := lines.Text(); requestNumber.MatchString(number) {
			printed, err := o.obey(number, to)
			o.answer(number, printed, err)
		}
	}
}

func (o *openers) obey(number string, to capability.Opener) ([]byte, error) {
	file, err := o.files.OpenFile(number+".asked", os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, errors.New("the request can't be read")
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !isPlain(info) || info.Size() > maxCommandBytes {
		return nil, errors.New("the request can't be read")
	}
	data, err := io.ReadAll(io.LimitReader(file, maxCommandBytes))
	if err != nil || !bytes.HasSuffix(data, []byte{0}) {
		return nil, errors.New("the request can't be read")
	}
	return obey(to, strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00"))
}

// answer writes whole what a stand-in waits for: its exit code on a line, and what it prints. One that is gone gets none.
func (o *openers) answer(number string, printed []byte, failed error) {
	text := "0\n" + string(printed)
	if failed != nil {
		text = "4\n" + extension.AsProblem(failed, "open.failed", failed.Error(), "").What + "\n"
	}
	_ = o.files.Remove(number + ".asked")
	draft, err := o.files.OpenFile(number+".saying", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return
	}
	_, err = io.WriteString(draft, text)
	if errors.Join(err, draft.Close()) == nil {
		_ = o.files.Rename(number+".saying", number+".said")
	}
}

// close ends the listening and removes the stand-ins; the worker is gone.
func (o *openers) close() error {
	if o == nil {
		return nil
	}
	var err error
	o.closing.Do(func() {
		err = o.ask.Close()
		<-o.heard
		err = errors.Join(err, o.files.Close(), os.RemoveAll(o.folder))
	})
	return err
}

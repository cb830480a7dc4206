package deno

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"portico/backend/confine"
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/npm"
)

// worker is one process that takes one call.
type worker struct {
	process       *confine.Process
	heapMegabytes int // that it was started with
	mark          []byte
	frames        chan frame // closed when its output ended
	quit          chan struct{}
	once          sync.Once
	stderr        *tail
	noise         func(line string)
	broker        *broker      // nil: it runs on flags
	openers       *openers     // nil: it may run none
	dropped       atomic.Int64 // frames that were no frames
}

// environment is all that a worker sees: what Deno and common programs need, and nothing of ours but folders and language.
func environment(cache string, granted []string) []string {
	given := slices.DeleteFunc(slices.Clone(granted), func(pair string) bool { name, _, _ := strings.Cut(pair, "="); return steers(name) })
	env := append([]string{"DENO_DIR=" + cache, "DENO_NO_UPDATE_CHECK=1", "DENO_NO_PACKAGE_JSON=1", "NO_COLOR=1"}, npm.Environ()...)
	if runtime.GOOS != "windows" {
		env = append(env, "PATH=/usr/local/bin:/usr/bin:/bin")
	} else {
		env = append(env, `PATH=`+os.Getenv("SystemRoot")+`\System32;`+os.Getenv("SystemRoot"))
	}
	for _, name := range []string{"HOME", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SystemRoot", "SystemDrive", "TEMP", "TMP", "USERPROFILE"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	env = slices.DeleteFunc(env, func(pair string) bool { name, _, _ := strings.Cut(pair, "="); return granting(given, name) })
	return append(env, given...)
}

// steers says whether a variable changes what a worker loads or whom it asks: Deno's own, and those of what loads it. Such a
// variable is the host's, whatever a manifest names.
func steers(name string) bool {
	switch name {
	case "DENO_DEPLOY_TOKEN": // of a service, and not for the program
		return false
	case "JSR_URL", "NODE_OPTIONS", "GLIBC_TUNABLES":
		return true
	}
	return slices.ContainsFunc([]string{"DENO_", "NPM_CONFIG_", "LD_", "DYLD_"}, func(prefix string) bool { return strings.HasPrefix(strings.ToUpper(name), prefix) })
}

func granting(granted []string, name string) bool {
	return slices.ContainsFunc(granted, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
}

// command is the whole command line of a worker. The own folder joins the granted ones: Deno refuses a flag that stands
// there twice. It is named as ".", since a path with a comma can't be told to Deno.
func command(p *prepared, layers grant.Layers, heapMegabytes int) []string {
	args := append([]string{"run", "--no-prompt", "--no-check", "--no-code-cache", fmt.Sprintf("--v8-flags=--max-old-space-size=%d", heapMegabytes)}, p.modules...)
	if p.importMap != "" {
		args = append(args, "--import-map="+p.importMap)
	}
	own := "--allow-read=."
	if p.packages != "" && !strings.Contains(p.packages, ",") {
		own += "," + p.packages
	}
	for _, flag := range layers.Deno {
		if more, ok := strings.CutPrefix(flag, "--allow-read="); ok {
			own += "," + more
			continue
		}
		args = append(args, flag)
	}
	return append(args, own, p.worker)
}

// policy is the base with what was granted.
func policy(base confine.Policy, granted confine.Policy) confine.Policy {
	granted.Read = append(slices.Clone(base.Read), granted.Read...)
	granted.Write = append(slices.Clone(base.Write), granted.Write...)
	granted.Exec = append(slices.Clone(base.Exec), granted.Exec...)
	granted.Limits = base.Limits
	return granted
}

// boot starts a worker and returns when it has loaded the extension's entry module.
func (i *instance) boot(ctx context.Context, p *prepared, pl plan) (w *worker, err error) {
	secret := make([]byte, 16)
	if _, err := rand.Read(secret); err != nil {
		return nil, fmt.Errorf("make a worker's mark: %w", err)
	}
	mark := hex.EncodeToString(secret) + " "
	w = &worker{heapMegabytes: pl.limits.Megabytes, mark: []byte(mark), frames: make(chan frame), quit: make(chan struct{}), stderr: newTail(stderrTailBytes)}
	out := &noise{level: "print", write: i.note}
	errs := &noise{level: "error", write: i.note}
	w.noise = out.line
	layers, said := pl.layers, io.MultiWriter(w.stderr, errs)
	env := environment(filepath.Join(p.dir, denoDir), layers.Env)
	if w.openers, err = newOpeners(openersIn(pl.decided), i.runtime.options.Opener); err != nil {
		return nil, notStarted(err)
	}
	env = w.openers.environment(env)
	if pl.watched {
		if w.broker, err = openBroker(); err != nil {
			return nil, notStarted(errors.Join(err, w.openers.close()))
		}
		w.broker.use(i.beforeCall(grant.NewJudge(pl.decided, i.places, p.packages)))
		layers.System.Socket = w.broker.address
		env, said = append(env, brokerAddress+"="+w.broker.address), &withoutNotice{to: said}
	}
	held := w.openers.policy(policy(p.base, layers.System))
	held.Limits = pl.limits.ofProcess()
	process, err := confine.Start(held, confine.Command{
		Path: p.binary, Args: command(p, layers, pl.limits.Megabytes), Env: env, Dir: i.root, Stderr: said, Cache: i.runtime.options.Cache,
	})
	if err != nil {
		if w.broker != nil {
			close(w.broker.served)
			err = errors.Join(err, w.broker.close())
			w.broker.release()
		}
		return nil, notStarted(errors.Join(err, w.openers.close()))
	}
	w.process = process
	if w.broker != nil {
		go w.broker.serve(process.Pid) // ends with the process, which end waits for
	}
	go w.read() // ends with the process's output
	limit := time.NewTimer(bootLimit)
	defer limit.Stop()
	if err := w.send(map[string]any{"mark": mark, "entry": p.entry}); err != nil {
		return nil, w.failed(i.ext, err)
	}
	for {
		select {
		case f, ok := <-w.frames:
			switch {
			case !ok:
				return nil, w.failed(i.ext, nil)
			case f.Type == "ready":
				return w, nil
			case f.Type == "unloadable":
				w.end()
				return nil, extension.NewProblem("call.unloadable", "The code of {extension} can't be loaded: {error}.", "Its author has to mend it.", "extension", i.ext.DisplayName, "error", sentence(f.Message)).Because(thrown(f))
			case f.Type == "log": // of the module's own top level, before there is a call
				i.note(f.level(), "%s", f.Message)
			}
		case <-limit.C:
			w.end()
			return nil, extension.NewProblem("call.boot-limit", "The code of {extension} did not load within {seconds} seconds.", "Try again when this computer is less busy; if it stays so, its author has to mend it.", "extension", i.ext.DisplayName, "seconds", fmt.Sprint(int(bootLimit.Seconds())))
		case <-ctx.Done():
			w.end()
			return nil, ctx.Err()
		}
	}
}

func notStarted(err error) error {
	return extension.AsProblem(err, "call.not-started", "The tool could not be started.", "Look at `portico doctor`.")
}

// failed ends a worker that said nothing more, and puts its end into words.
func (w *worker) failed(ext *extension.Copy, cause error) error {
	w.process.Kill()
	return crashed(ext, w.end(), w.stderr.lines(), w.heapMegabytes, cause)
}

// exitTooMuch is how the launcher ends when it ended what a tool had started because that was too much; it says what.
const exitTooMuch = "124"

// outputGrace is how long a process's output may stay open after its end, held by something that outlived it.
const outputGrace = 5 * time.Second

// crashed says how a process ended that should not have.
func crashed(ext *extension.Copy, exit error, stderr []byte, heapMegabytes int, cause error) *extension.Problem {
	how, code := "ended with code 0 before it gave a result", "0"
	var status *exec.ExitError
	if errors.As(exit, &status) {
		code = fmt.Sprint(status.ExitCode())
		how = "ended with code " + code
		if status.ExitCode() < 0 {
			code = status.ProcessState.String()
			how = "was ended (" + code + ")"
		}
	}
	if bytes.Contains(stderr, []byte("heap out of memory")) || bytes.Contains(stderr, []byte("memory allocation of")) || bytes.Contains(stderr, []byte("Fatal JavaScript out of memory")) {
		how = fmt.Sprintf("needed more memory than the %d MB it may have", heapMegabytes)
	}
	if _, why, ok := bytes.Cut(stderr, []byte("portico-confine: ")); ok && code == exitTooMuch {
		why, _, _ = bytes.Cut(why, []byte("\n"))
		how = "was ended: " + string(why)
	}
	p := extension.NewProblem("call.crashed", "The process of {extension} {how}.", "Try again; its log has what it said.", "extension", ext.DisplayName, "how", how, "exit", code)
	p.Detail = strings.TrimSpace(string(stderr))
	return p.Because(errors.Join(exit, cause))
}

// read takes the worker's output apart, until it ends. It never waits for anybody but the call, and not for that once the
// worker is being ended.
func (w *worker) read() {
	defer close(w.frames)
	lines := bufio.NewReaderSize(w.process.Stdout, 64<<10)
	for {
		line, tooLong, err := readLine(lines, maxFrameBytes)
		if rest, ok := bytes.CutPrefix(line, w.mark); ok {
			f, valid := decodeFrame(rest, tooLong)
			if !valid {
				w.dropped.Add(1)
			} else {
				select {
				case w.frames <- f:
				case <-w.quit:
				}
			}
		} else if len(line) > 0 {
			w.noise(string(line[:min(len(line), maxCell)]))
		}
		if err != nil {
			return
		}
	}
}

// readLine reads one line without its end; of one that is longer than max, the beginning.
func readLine(from *bufio.Reader, max int) (line []byte, tooLong bool, err error) {
	for {
		part, err := from.ReadSlice('\n')
		if len(line)+len(part) > max {
			tooLong = true
		} else {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return bytes.TrimRight(line, "\r\n"), tooLong, err
	}
}

// send writes one frame, as fast as the worker reads; its end ends the writing too.
func (w *worker) send(frame any) error {
	data, err := json.Marshal(frame)
	if err != nil {
		return fmt.Errorf("write to the worker: %w", err)
	}
	if _, err := w.process.Stdin.Write(append(data, '\n')); err != nil {
		return fmt.Errorf("write to the worker: %w", err)
	}
	return nil
}

// end ends the process with all it started and returns when it is gone, with its exit.
func (w *worker) end() error {
	w.once.Do(func() { close(w.quit) })
	w.process.Kill()
	go func() { // ends with the process
		<-w.process.Exited()
		w.process.Stdout.SetReadDeadline(time.Now().Add(outputGrace))
	}()
	for range w.frames { // let the reader come to its end
	}
	err := w.process.Wait()
	if w.broker != nil {
		err = errors.Join(err, w.broker.close())
	}
	return errors.Join(err, w.openers.close(), ignoreClosed(w.process.Close()))
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

func (w *worker) gone() bool {
	select {
	case <-w.process.Exited():
		return true
	default:
		return false
	}
}

// nominalBytes is what a booted worker is taken for where the system does not tell.
const nominalBytes = 64 << 20

// memory is what the worker holds now.
func (w *worker) memory() int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", w.process.Pid))
	if err != nil {
		return nominalBytes
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(data), &size, &resident); err != nil {
		return nominalBytes
	}
	return resident * int64(os.Getpagesize())
}

// noise is what a worker prints that is no frame. Its first lines are kept.
type noise struct {
	level string
	write func(level, format string, args ...any)

	mu      sync.Mutex
	bytes   int
	partial []byte
}

func (n *noise) line(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.keep(text)
}

func (n *noise) keep(text string) {
	if n.bytes > maxNoiseBytes || strings.TrimSpace(text) == "" {
		return
	}
	if n.bytes += len(text) + 1; n.bytes > maxNoiseBytes {
		text = "(what it prints from here on is not kept)"
	}
	n.write(n.level, "%s", text)
}

// Write takes a stream apart into lines.
func (n *noise) Write(data []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.partial = append(n.partial, data...)
	for {
		end := bytes.IndexByte(n.partial, '\n')
		if end < 0 {
			break
		}
		n.keep(string(n.partial[:end]))
		n.partial = n.partial[end+1:]
	}
	if len(n.partial) > maxCell {
		n.keep(string(n.partial))
		n.partial = nil
	}
	return len(data), nil
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	max  int
	data []byte
}

func newTail(max int) *tail { return &tail{max: max} }

func (t *tail) Write(data []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, data...)
	if len(t.data) > 2*t.max {
		t.data = append([]byte(nil), t.data[len(t.data)-t.max:]...)
	}
	return len(data), nil
}

// lines gives the last lines.
func (t *tail) lines() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	data := t.data
	if len(data) > t.max {
		data = data[len(data)-t.max:]
	}
	all := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	if len(all) > stderrTailLines {
		all = all[len(all)-stderrTailLines:]
	}
	return bytes.ToValidUTF8(bytes.Join(all, []byte("\n")), []byte("?"))
}

// withoutNotice passes a worker's standard error on without the line in which Deno says that it has a broker.
type withoutNotice struct {
	to   io.Writer
	seen []byte
	past bool
}

func (n *withoutNotice) Write(data []byte) (int, error) {
	if n.past {
		return n.to.Write(data)
	}
	n.seen = append(n.seen, data...)
	end := bytes.IndexByte(n.seen, '\n')
	if end < 0 && len(n.seen) < maxShortText {
		return len(data), nil
	}
	n.past = true
	if rest := n.seen[end+1:]; end >= 0 && bytes.HasSuffix(n.seen[:end], []byte("Permission broker is an experimental feature")) {
		n.seen = rest
	}
	_, err := n.to.Write(n.seen)
	n.seen = nil
	return len(data), err
}

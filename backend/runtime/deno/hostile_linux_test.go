package deno

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/backend/capability"
	"portico/backend/confine"
	"portico/backend/extension"
	"portico/backend/format/loca"
)

const (
	playApp      = "PORTICO_TEST_APP"      // the test's own binary plays the app: an extension's folder
	playLauncher = "PORTICO_TEST_LAUNCHER" // the launcher that it uses
)

// starting is an extension whose tool "t" runs a shell script, and says each line of it in its log; "wait" waits in a session.
func starting(t *testing.T) string {
	return author(t, `
export async function t({ script }: { script: string }, ctx: any) {
  const { stdout } = new Deno.Command("sh", { args: ["-c", script], stdout: "piped" }).spawn();
  let pending = "";
  for await (const part of stdout.pipeThrough(new TextDecoderStream())) {
    const lines = (pending + part).split("\n");
    pending = lines.pop()!;
    for (const line of lines) if (line) ctx.log("info", line);
  }
  return "done";
}
`, map[string]string{"loca.json": `{"name":"starting","displayName":"Starting","description":"D","tools":[
		{"name":"t","description":"d","parameters":{"type":"object"},"function":"t","permissions":{"run":[{"binary":"sh","reason":"r"}]}},
		{"name":"wait","description":"d","parameters":{"type":"object"},"function":"t"}]}`})
}

// app does what Portico does with an extension, says the numbers of the processes that it started, and waits to be killed.
func app(folder string) error {
	binary, err := os.ReadFile(os.Getenv(playLauncher))
	if err != nil {
		return err
	}
	confine.UseLauncher(binary)
	files, _, err := loca.New().Load(os.DirFS(folder))
	if err != nil {
		return err
	}
	data, err := os.MkdirTemp(filepath.Dir(folder), "data-")
	if err != nil {
		return err
	}
	r, err := New(Options{Data: data, Cache: filepath.Join(data, "cache"), Logs: filepath.Join(data, "logs")})
	if err != nil {
		return err
	}
	ext := &extension.Copy{Extension: *files, Scope: extension.Agent, Origin: extension.Installed, Root: folder, Enabled: true}
	host := &telling{}
	host.allow("run:sh")
	started, err := r.Start(context.Background(), ext, host)
	if err != nil {
		return err
	}
	i := started.(*instance)
	i.Warm(capability.Call{Tool: "wait", Extension: ext.Ref()}, "wait")
	i.busy.Wait()
	fmt.Println(r.ahead.waiting[0].worker.process.Pid)
	_, err = i.Call(context.Background(), capability.Call{Tool: "t", Extension: ext.Ref()}, "t", json.RawMessage(os.Getenv("PORTICO_TEST_ARGS")))
	return err
}

// telling is a person to whom what a tool logs is told on the standard output.
type telling struct{ person }

func (*telling) Log(_ capability.Call, _, message string) { fmt.Println(message) }

// leaving are scripts that leave processes behind, each of which says its number.
const leaving = `sleep 600 & echo $!
setsid sleep 600 & sleep 0.2; echo $!
(setsid sh -c 'trap "" TERM HUP INT QUIT; echo $$; while :; do sleep 600; done' &)
sleep 0.5; echo started; wait`

func scripted(script string) string {
	data, err := json.Marshal(map[string]string{"script": script})
	if err != nil {
		panic(err)
	}
	return string(data)
}

// alive says whether a process runs; one that waits to be collected does not.
func alive(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(data), ") ")
	return err == nil && after != "" && after[0] != 'Z' && after[0] != 'X'
}

// gone waits for processes to end.
func gone(t *testing.T, when string, pids []int) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for slices.ContainsFunc(pids, alive) && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
	}
	for _, pid := range pids {
		if alive(pid) {
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			t.Errorf("%s: %d lives on: %q", when, pid, line)
			if process, err := os.FindProcess(pid); err == nil {
				process.Kill()
			}
		}
	}
}

// below gives all processes below one.
func below(t *testing.T, of int) []int {
	t.Helper()
	var all []int
	for pending := []int{of}; len(pending) > 0; pending = pending[1:] {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pending[0]))
		for _, task := range tasks {
			data, _ := os.ReadFile(task)
			for _, field := range strings.Fields(string(data)) {
				pid, err := strconv.Atoi(field)
				if err != nil {
					t.Fatal(err)
				}
				all, pending = append(all, pid), append(pending, pid)
			}
		}
	}
	return all
}

func TestNothingOfAnExtensionOutlivesAnAppThatIsKilled(t *testing.T) {
	s := onStage(t, starting(t)) // unpacks the launcher
	s.warm("wait")
	launchers, err := filepath.Glob(filepath.Join(s.data, "cache", "bin", "confine-*"))
	if err != nil || len(launchers) != 1 {
		t.Fatalf("got %v, %v", launchers, err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	app := exec.Command(self)
	app.Env = append(os.Environ(), playApp+"="+starting(t), playLauncher+"="+launchers[0], "PORTICO_TEST_ARGS="+scripted(leaving))
	app.Stderr = os.Stderr
	out, err := app.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := app.Start(); err != nil {
		t.Fatal(err)
	}
	defer app.Process.Kill()
	var pids []int
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "started"; {
		pid, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatal(lines.Text())
		}
		pids = append(pids, pid)
	}
	if len(pids) != 4 {
		t.Fatalf("got %v, want the worker that waits and three that were left behind", pids)
	}
	pids = append(pids, below(t, app.Process.Pid)...)
	for _, pid := range pids {
		if !alive(pid) {
			t.Errorf("%d did not live", pid)
		}
	}
	app.Process.Kill()
	app.Wait()
	gone(t, "after kill -9", pids)
}

func TestWhatAToolStartedEndsWithItsCall(t *testing.T) {
	for name, end := range map[string]func(s *stage, cancel func()){
		"it is cancelled":           func(_ *stage, cancel func()) { cancel() },
		"its extension is stopped":  func(s *stage, _ func()) { s.instance.Stop(context.Background()) },
		"it comes to its end":       nil,
		"it exceeds its time limit": func(s *stage, _ func()) {},
	} {
		s := onStage(t, starting(t))
		s.person.allow("run:sh")
		script := leaving
		if end == nil {
			script = strings.TrimSuffix(leaving, "; wait")
			script = strings.ReplaceAll(script, "sleep 600", "sleep 600 >/dev/null") // the tool reads to the end of the pipe
			script = strings.ReplaceAll(script, "echo $$;", "echo $$; exec >/dev/null;")
		}
		s.ext.Tool("t").TimeLimit = 3 * time.Second
		if name != "it exceeds its time limit" {
			s.ext.Tool("t").TimeLimit = time.Minute
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := s.callWith(ctx, capability.Call{}, "t", scripted(script))
			done <- err
		}()
		deadline := time.Now().Add(20 * time.Second)
		for !s.person.logged("info: started") && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		var pids []int
		s.person.mu.Lock()
		for _, line := range s.person.logs {
			if pid, err := strconv.Atoi(strings.TrimPrefix(line, "info: ")); err == nil {
				pids = append(pids, pid)
			}
		}
		s.person.mu.Unlock()
		if len(pids) != 3 {
			t.Errorf("%s: got %v", name, pids)
		}
		if end != nil {
			end(s, cancel)
		}
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Errorf("%s: the call does not return", name)
			cancel()
			<-done
		}
		cancel()
		gone(t, name, pids)
	}
}

// play plays the app when the test's binary was started for that.
func play() bool {
	folder := os.Getenv(playApp)
	if folder == "" {
		return false
	}
	fmt.Println("the call ended:", app(folder))
	return true
}

// An update, a removal, the switch and quitting all end an instance in this way: what waits for a call ends with it.
func TestWhatWaitsEndsWithItsExtension(t *testing.T) {
	s := onStage(t, starting(t))
	if s.warm("wait") != 1 {
		t.Fatal("none waits")
	}
	pids := append(below(t, s.waits().process.Pid), s.waits().process.Pid)
	if err := s.instance.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if slices.ContainsFunc(pids, alive) {
		t.Error("it lives on after Stop")
	}
	s.instance.Warm(capability.Call{}, "wait")
	if n := s.runtime.ahead.settle(); n != 0 {
		t.Errorf("%d were booted for an extension that was stopped", n)
	}
}

// The bomb burns out by itself: four hundred that sleep for a minute.
func TestABombOfAToolEndsItsCallInWords(t *testing.T) {
	s := onStage(t, starting(t))
	s.person.allow("run:sh")
	s.ext.Tool("t").TimeLimit = time.Minute
	p := s.fails("t", scripted(`n=0; while [ $n -lt 400 ]; do setsid sleep 60 & n=$((n+1)); done; wait`), "call.crashed")
	if !strings.Contains(p.What, "more than 256 processes at the same time") {
		t.Errorf("got %s", detailed(p))
	}
	s.works("t", scripted("echo and on"), `"done"`)
	if !s.person.logged("info: and on") {
		t.Errorf("the next call said %q", s.person.logs)
	}
}

// What Portico was started with is not for what a tool starts: keys, sessions, the bus, the display.
func TestAProgramThatAToolStartsSeesNothingOfPorticosEnvironment(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "PORTICO_VAULT_PASSPHRASE", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "DISPLAY", "WAYLAND_DISPLAY", "HTTPS_PROXY", "LD_PRELOAD_SECRET"} {
		t.Setenv(name, "a secret")
	}
	s := onStage(t, starting(t))
	s.person.allow("run:sh")
	s.works("t", scripted(`env; echo; tr '\0' '\n' </proc/self/environ; tr '\0' '\n' </proc/$PPID/environ; ls /proc/*/environ; cat /proc/1/cmdline`), `"done"`)
	said := strings.Join(s.person.logs, "\n")
	if strings.Contains(said, "a secret") || !strings.Contains(said, "PATH=") {
		t.Errorf("it sees %s", said)
	}
}

package confine_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"portico/backend/confine"
)

// The bombs of these tests burn out by themselves: each generation knows its number and starts no more after the last, and
// everything ends after bombSeconds. A supervisor that fails leaves a slow minute, not a computer that has to be switched off.
const bombSeconds = 60

// bomb runs a script that should be ended, and gives what it said on its standard error and how it ended.
func bomb(t *testing.T, limits confine.Limits, script string) (said string, code int, took time.Duration) {
	t.Helper()
	policy := everywhere()
	policy.Read = append(policy.Read, "/dev/zero")
	policy.Starts, policy.Limits = true, limits
	var stderr bytes.Buffer
	began := time.Now()
	p, err := confine.Start(policy, confine.Command{Path: "/bin/sh", Args: []string{"-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Cache: t.TempDir(), Stderr: &stderr})
	if err != nil {
		t.Fatal(err)
	}
	watchdog := time.AfterFunc(bombSeconds/2*time.Second, p.Kill)
	defer watchdog.Stop()
	if _, err := io.Copy(io.Discard, p.Stdout); err != nil {
		t.Error(err)
	}
	var exit *exec.ExitError
	if err := p.Wait(); errors.As(err, &exit) {
		code = exit.ExitCode()
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	return stderr.String(), code, time.Since(began)
}

const exitTooMuch = 124 // of the launcher

func TestAForkBombIsEnded(t *testing.T) {
	for name, script := range map[string]string{
		"each starts two, and leaves":        `b='[ $1 -lt 9 ] && for k in 1 2; do setsid sh -c "$0" "$0" $(($1+1)) & done; trap "" TERM HUP INT; sleep 60 & wait'; exec sh -c "$b" "$b" 0`,
		"one starts many":                    `n=0; while [ $n -lt 1000 ]; do setsid sleep 60 & n=$((n+1)); done; wait`,
		"each computes and asks for no rest": `b='[ $1 -lt 9 ] && for k in 1 2; do sh -c "$0" "$0" $(($1+1)) & done; end=$(($(date +%s)+60)); while [ $(date +%s) -lt $end ]; do :; done'; exec sh -c "$b" "$b" 0`,
	} {
		said, code, took := bomb(t, confine.Limits{}, script)
		if code != exitTooMuch || !strings.Contains(said, "more than 256 processes") || took > bombSeconds/2*time.Second {
			t.Errorf("%s: it ended with %d after %v: %s", name, code, took, said)
		}
		left, err := exec.Command("pgrep", "-xf", "sleep 60").Output()
		if err == nil {
			t.Errorf("%s: these live on: %q", name, left)
		}
	}
}

func TestMemoryThatIsSharedOutAmongManyProcessesIsLimited(t *testing.T) {
	// Each of them stays below its own limit; together they hold four times as much as one may.
	const script = `for n in 1 2 3 4 5 6 7 8; do (x=$(head -c 32000000 /dev/zero | tr '\0' x); sleep 60) & done; wait`
	policy := confine.Limits{DataBytes: 128 << 20}
	said, code, took := bomb(t, policy, script)
	if code != exitTooMuch || !strings.Contains(said, "more memory than the 256 MB") || took > bombSeconds/2*time.Second {
		t.Errorf("it ended with %d after %v: %s", code, took, said)
	}
}

func TestWhatAProgramUsuallyStartsIsNotTooMuch(t *testing.T) {
	said, code, _ := bomb(t, confine.Limits{DataBytes: 1 << 30}, `n=0; while [ $n -lt 200 ]; do sleep 0.5 & n=$((n+1)); done; wait; for n in 1 2 3 4 5; do /bin/true; done`)
	if code != 0 || said != "" {
		t.Errorf("it ended with %d: %s", code, said)
	}
}

func TestAProgramCannotEndItsSupervisor(t *testing.T) {
	policy := everywhere()
	policy.Starts = true
	p, out := sh(t, policy, `kill -9 $PPID || echo refused; kill -STOP $PPID || echo refused; setsid sleep 600 & echo $!; wait`)
	for range 2 {
		if got := line(t, out); got != "refused" {
			t.Fatalf("got %q: it reached its supervisor", got)
		}
	}
	pid := number(t, line(t, out))
	p.Kill()
	p.Wait()
	gone(t, "what it started", pid)
}

// The kernel's own limit holds everybody but the system's owner, so this one runs as somebody else when it can.
func TestTheKernelRefusesABombOfSomebodyWhoIsNotTheOwner(t *testing.T) {
	launcher := builtLauncher(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	app := exec.Command(filepath.Join(cache, "app"))
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(app.Path, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		const nobody = 65534
		app.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		for _, folder := range []string{cache, filepath.Dir(launcher)} {
			for ; strings.HasPrefix(folder, os.TempDir()+"/"); folder = filepath.Dir(folder) {
				if err := os.Chmod(folder, 0o777); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := os.Chmod(launcher, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	app.Env = []string{playApp + "=" + cache, "PORTICO_TEST_SCRIPT=ulimit -H -p; exec sleep 60", "PORTICO_TEST_STARTS=yes", "PORTICO_TEST_LAUNCHER=" + launcher}
	out, err := app.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	app.Stderr = os.Stderr
	if err := app.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { app.Process.Kill(); app.Wait() }()
	first := line(t, bufio.NewReader(out))
	most, err := strconv.Atoi(first)
	if err != nil || most <= 0 || most > 1<<20 {
		t.Errorf("it may start %q", first)
	}
}

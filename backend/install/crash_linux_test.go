package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"portico/backend/extension"
)

func TestACancelledInstallChangesNothing(t *testing.T) {
	for _, step := range []string{"read", "copy", "check", "fingerprint"} {
		t.Run("at "+step, func(t *testing.T) {
			in, from := fixture(t)
			before := install(t, in, from)
			write(t, from, "index.ts", "export function t() { return 'second'; }\n")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err := in.Install(ctx, from, extension.Agent, "", "", func(s string, _ float64, _ string) {
				if s == step {
					cancel()
				}
			})
			if code(err) != "install.cancelled" {
				t.Errorf("got %v", err)
			}
			if now := onlyOne(t, in); now.Fingerprint != before.Fingerprint || now.Problem != nil {
				t.Errorf("got %+v", now)
			}
			if left := leftBehind(t, in, "one"); left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// crashed ends a real process at one step of an install; each way of putting files in place has its own steps.
func crashed(t *testing.T, data, from, step string) {
	t.Helper()
	crash := exec.Command(os.Args[0], "-test.run", "^TestACrashLeavesTheOldOrTheNew$")
	crash.Env = append(os.Environ(), "PORTICO_TEST_CRASH="+step, "PORTICO_TEST_DATA="+data, "PORTICO_TEST_FROM="+from)
	if out, err := crash.CombinedOutput(); !strings.Contains(fmt.Sprint(err), "killed") {
		t.Fatalf("the process was not killed: %v\n%s", err, out)
	}
}

// dieAt installs, and is killed at the step.
func dieAt(t *testing.T, step string) {
	die := func() error { return syscall.Kill(os.Getpid(), syscall.SIGKILL) }
	in := at(os.Getenv("PORTICO_TEST_DATA"))
	aside := strings.HasSuffix(step, ", aside")
	step = strings.TrimSuffix(step, ", aside")
	if aside {
		in.exchange = func(staged, target, old string) error {
			if step == "between" {
				return errors.Join(os.Rename(target, old), die())
			}
			return moveAside(staged, target, old)
		}
	}
	in.before = func(s string) error {
		if s == step {
			return die()
		}
		return nil
	}
	_, err := in.Install(t.Context(), os.Getenv("PORTICO_TEST_FROM"), extension.Agent, "", "", quiet)
	t.Fatalf("the process outlived its end: %v", err)
}

func TestACrashLeavesTheOldOrTheNew(t *testing.T) {
	if step := os.Getenv("PORTICO_TEST_CRASH"); step != "" {
		dieAt(t, step)
	}
	for _, c := range []struct {
		step    string
		wantNew bool
	}{
		{"copy", false}, {"journal", false}, {"exchange", false}, {"lock", true}, {"tidy", true},
		{"exchange, aside", false}, {"between, aside", false}, {"lock, aside", true}, {"tidy, aside", true},
	} {
		for _, replacing := range []bool{false, true} {
			for _, running := range []bool{false, true} { // a Portico that starts afterwards, or one that ran all the time
				if running && !replacing {
					continue
				}
				t.Run(fmt.Sprintf("%s, replacing %v, running %v", c.step, replacing, running), func(t *testing.T) {
					in, from := fixture(t)
					var before string
					if replacing {
						before = install(t, in, from).Fingerprint
						write(t, from, "index.ts", "export function t() { return 'second'; }\n")
					}
					crashed(t, in.options.Data, from, c.step)
					next := at(in.options.Data)
					if running {
						next = in
						if err := next.SetEnabled(t.Context(), ref("one"), true); err != nil {
							t.Fatal(err)
						}
					} else if err := next.Recover(t.Context()); err != nil {
						t.Fatal(err)
					}
					copies, err := next.List(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					switch {
					case !replacing && !c.wantNew:
						if len(copies) != 0 {
							t.Errorf("half an extension is listed: %+v", copies)
						}
					case len(copies) != 1 || copies[0].Problem != nil:
						t.Errorf("got %+v", copies)
					case (copies[0].Fingerprint != before) != c.wantNew:
						t.Errorf("got the new files: %v, want %v", copies[0].Fingerprint != before, c.wantNew)
					}
					if left := leftBehind(t, next, "one"); left != nil {
						t.Errorf("left behind: %v", left)
					}
					install(t, next, from)
				})
			}
		}
	}
}

func TestAFullDiskChangesNothing(t *testing.T) {
	if os.Getuid() != 0 {
		t.Log("a disk of its own needs root; the message is checked without one")
		if p := unwritable(syscall.ENOSPC); code(p) != "install.disk-full" {
			t.Errorf("got %v", p)
		}
		return
	}
	base := t.TempDir()
	if err := syscall.Mount("tmpfs", base, "tmpfs", 0, "size=256k"); err != nil {
		t.Logf("no disk of its own here (%v); the message is checked without one", err)
		if p := unwritable(syscall.ENOSPC); code(p) != "install.disk-full" {
			t.Errorf("got %v", p)
		}
		return
	}
	defer syscall.Unmount(base, 0)
	in := at(filepath.Join(base, "data"))
	from := example(t, t.TempDir(), "one", "first")
	before := install(t, in, from)
	write(t, from, "large.bin", strings.Repeat("x", 1<<20))
	if _, err := in.Install(t.Context(), from, extension.Agent, "", "", quiet); code(err) != "install.disk-full" {
		t.Errorf("got %v", err)
	}
	if now := onlyOne(t, in); now.Fingerprint != before.Fingerprint || now.Problem != nil {
		t.Errorf("got %+v", now)
	}
	if left := leftBehind(t, in, "one"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

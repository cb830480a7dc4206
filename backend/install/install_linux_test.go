package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"portico/backend/extension"
	"portico/backend/format"
	"portico/backend/format/loca"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func quiet(string, float64, string) {}

// fixture is an installer on an empty data folder, and a folder to install from.
func fixture(t *testing.T) (in *Installer, from string) {
	t.Helper()
	base := t.TempDir()
	return at(filepath.Join(base, "data")), example(t, filepath.Join(base, "from"), "one", "first")
}

func at(data string) *Installer {
	return New(Options{Data: data, Formats: []format.Format{loca.New()}, Now: func() time.Time { return noon }})
}

func example(t *testing.T, folder, id, text string) string {
	t.Helper()
	write(t, folder, "loca.json", fmt.Sprintf(`{"name":%q,"displayName":"Name %s","description":"D","tools":[{"name":"t","description":"d","parameters":{},"function":"t"}]}`, id, id))
	write(t, folder, "index.ts", "export function t() { return '"+text+"'; }\n")
	write(t, folder, "lib/deep/a.ts", "export const a = 1;\n")
	return folder
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	file := filepath.Join(folder, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func install(t *testing.T, in *Installer, from string) extension.Copy {
	t.Helper()
	c, err := in.Install(t.Context(), from, extension.Agent, "", "", quiet)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ref(id string) extension.Ref {
	return extension.Ref{Scope: extension.Agent, Format: extension.Loca, ID: id}
}

// onlyOne gives the one extension that is listed.
func onlyOne(t *testing.T, in *Installer) extension.Copy {
	t.Helper()
	copies, err := in.List(t.Context())
	if err != nil || len(copies) != 1 {
		t.Fatalf("got %d extensions, %v", len(copies), err)
	}
	return copies[0]
}

func code(err error) string {
	var p *extension.Problem
	if errors.As(err, &p) {
		return p.Code
	}
	return fmt.Sprint(err)
}

// leftBehind lists what lies in the scope's folder beside the lock and the extensions named.
func leftBehind(t *testing.T, in *Installer, but ...string) []string {
	t.Helper()
	scope := filepath.Join(in.options.Data, "extensions")
	var left []string
	_ = filepath.WalkDir(scope, func(name string, entry fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(scope, name)
		if err != nil || rel == "." || rel == stagingFolder || rel == LockFile || rel == turnFile {
			return nil
		}
		for _, id := range but {
			if rel == id || strings.HasPrefix(rel, id+string(filepath.Separator)) {
				return nil
			}
		}
		left = append(left, rel)
		return nil
	})
	return left
}

func TestTheFingerprintIsTheOneOfTheFormat(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"a.txt": "A", "b/c.txt": "C", "b.txt": "B", ".git/x": "x", "b/.git/y": "y"} {
		write(t, folder, name, text)
	}
	if err := errors.Join(os.Mkdir(filepath.Join(folder, "empty"), 0o755), os.Symlink("a.txt", filepath.Join(folder, "link"))); err != nil {
		t.Fatal(err)
	}
	got, err := Fingerprint(os.DirFS(folder))
	if err != nil || got.Fingerprint != "8617dfd7ba79b872078d030e37ad594e8d08b67aaa455a5b0edec87b7ae2e2a8" || got.Files != 3 || got.Bytes != 3 {
		t.Errorf("got %+v %v", got, err)
	}
	if len(got.Irregular) != 1 || got.Irregular[0] != "link" {
		t.Errorf("the link was not seen: %v", got.Irregular)
	}
}

func TestAnInstallCopiesLocksAndLists(t *testing.T) {
	in, from := fixture(t)
	write(t, from, ".git/config", "secret")
	var steps []string
	last := 0.0
	c, err := in.Install(t.Context(), from, extension.Agent, "", "", func(step string, fraction float64, _ string) {
		if len(steps) == 0 || steps[len(steps)-1] != step {
			steps = append(steps, step)
		}
		if fraction < last {
			t.Errorf("the bar went back from %f to %f", last, fraction)
		}
		last = fraction
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(steps, " "); got != "read copy check fingerprint swap done" || last != 1 {
		t.Errorf("got the steps %s, to %f", got, last)
	}
	if listed := onlyOne(t, in); listed.ID != "one" || !listed.Usable() || listed.Fingerprint != c.Fingerprint || listed.Files != 3 || listed.Source != from || len(listed.Tools) != 1 {
		t.Errorf("got %+v", listed)
	}
	if _, err := os.Stat(filepath.Join(c.Root, ".git")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(".git was copied")
	}
	data, err := os.ReadFile(filepath.Join(in.options.Data, "extensions", LockFile))
	want := fmt.Sprintf("{\n  \"one\": {\n    \"enabled\": true,\n    \"format\": \"loca\",\n    \"installed\": \"2026-03-01T12:00:00Z\",\n    \"sha256\": %q,\n    \"source\": %q\n  }\n}\n", c.Fingerprint, from)
	if err != nil || string(data) != want {
		t.Errorf("the lock is\n%s\nwant\n%s", data, want)
	}
	if left := leftBehind(t, in, "one"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

func TestInstallingAgainReplacesEverything(t *testing.T) {
	in, from := fixture(t)
	before := install(t, in, from)
	write(t, from, "index.ts", "export function t() { return 'second'; }\n")
	if err := os.RemoveAll(filepath.Join(from, "lib")); err != nil {
		t.Fatal(err)
	}
	review, err := in.Review(t.Context(), from, extension.Agent, "")
	if err != nil || review.Replaces == nil || review.Replaces.Fingerprint != before.Fingerprint || review.Fingerprint == before.Fingerprint {
		t.Fatalf("got %+v %v", review, err)
	}
	after := install(t, in, from)
	if after.Fingerprint != review.Fingerprint || onlyOne(t, in).Files != 2 {
		t.Errorf("got %+v", onlyOne(t, in))
	}
	if left := leftBehind(t, in, "one"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

func TestWhatIsRefusedLeavesNothingBehind(t *testing.T) {
	for _, c := range []struct {
		name, code, says string
		spoil            func(t *testing.T, from string)
	}{
		{"no marker", "install.no-marker", "loca.json", func(t *testing.T, from string) { os.Remove(filepath.Join(from, "loca.json")) }},
		{"broken rules", "loca.broken-rules", "rules", func(t *testing.T, from string) { write(t, from, "loca.json", `{}`) }},
		{"no JSON", "loca.unreadable", "line 1", func(t *testing.T, from string) { write(t, from, "loca.json", `{`) }},
		{"not there", "install.no-folder", "not there", func(t *testing.T, from string) { os.RemoveAll(from) }},
		{"a file", "install.unreadable", "it is a file", func(t *testing.T, from string) { os.RemoveAll(from); os.WriteFile(from, nil, 0o644) }},
		{"a symbolic link", "install.refused", "a link", func(t *testing.T, from string) { os.Symlink("/etc/passwd", filepath.Join(from, "passwd")) }},
		{"a link inside", "install.refused", "a link", func(t *testing.T, from string) { os.Symlink("index.ts", filepath.Join(from, "lib", "same.ts")) }},
		{"a link to a folder", "install.refused", "a link", func(t *testing.T, from string) { os.Symlink("/", filepath.Join(from, "root")) }},
		{"a pipe", "install.refused", "a pipe", func(t *testing.T, from string) { syscall.Mkfifo(filepath.Join(from, "pipe"), 0o644) }},
		{"names that differ in case", "install.refused", "the same name", func(t *testing.T, from string) { write(t, from, "Index.ts", "") }},
		{"names that differ in composition", "install.refused", "the same name", func(t *testing.T, from string) { write(t, from, "\u00e9.ts", ""); write(t, from, "e\u0301.ts", "") }},
		{"a device of Windows", "install.refused", "device", func(t *testing.T, from string) { write(t, from, "lib/NUL.ts", "") }},
		{"a name that Windows shortens", "install.refused", "dot or a space", func(t *testing.T, from string) { write(t, from, "x.", "") }},
		{"a backslash", "install.refused", "character", func(t *testing.T, from string) { write(t, from, `a\b`, "") }},
		{"a line break in a name", "install.refused", "character", func(t *testing.T, from string) { write(t, from, "a\nb", "") }},
		{"nested without end", "install.refused", "nested deeper", func(t *testing.T, from string) { write(t, from, strings.Repeat("d/", maxDepth+1)+"f", "") }},
		{"a path without end", "install.refused", "longer than", func(t *testing.T, from string) {
			write(t, from, strings.Repeat("x", 150)+"/"+strings.Repeat("y", 100), "")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in, from := fixture(t)
			c.spoil(t, from)
			_, err := in.Install(t.Context(), from, extension.Agent, "", "", quiet)
			if code(err) != c.code || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %s about %q", err, c.code, c.says)
			}
			if _, reviewErr := in.Review(t.Context(), from, extension.Agent, ""); code(reviewErr) != c.code {
				t.Errorf("the review says %v", reviewErr)
			}
			if copies, err := in.List(t.Context()); err != nil || len(copies) != 0 {
				t.Errorf("it is listed: %v %v", copies, err)
			}
			if left := leftBehind(t, in); left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestPorticosOwnFoldersAreNoSource(t *testing.T) {
	in, from := fixture(t)
	c := install(t, in, from)
	around := example(t, filepath.Dir(in.options.Data), "around", "x")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(c.Root, link); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{c.Root, around, link, filepath.Join(in.options.Data, "extensions")} {
		example(t, source, "x", "x")
		if _, err := in.Install(t.Context(), source, extension.Agent, "", "", quiet); code(err) != "install.own-folder" {
			t.Errorf("%s: got %v", source, err)
		}
	}
	// A project can't be installed into itself: the second time its own copy would be in the copy.
	if _, err := in.Install(t.Context(), from, extension.Project, from, "", quiet); code(err) != "install.own-folder" {
		t.Errorf("got %v", err)
	}
}

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

func TestChangedFilesStopAnExtension(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, root string)
	}{
		{"another content", func(t *testing.T, root string) {
			write(t, root, "index.ts", "export function t() { return 'evil!'; }\n")
		}},
		{"the same size, and the times set back", func(t *testing.T, root string) {
			file := filepath.Join(root, "index.ts")
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			write(t, root, "index.ts", "export function t() { return 'fir5t'; }\n")
			if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}},
		{"one more file", func(t *testing.T, root string) { write(t, root, "lib/more.ts", "") }},
		{"one file less", func(t *testing.T, root string) { os.Remove(filepath.Join(root, "lib/deep/a.ts")) }},
		{"a link", func(t *testing.T, root string) { os.Symlink("/etc/passwd", filepath.Join(root, "p")) }},
		{"a file that became a link", func(t *testing.T, root string) {
			os.Rename(filepath.Join(root, "index.ts"), filepath.Join(filepath.Dir(root), "moved"))
			os.Symlink(filepath.Join(filepath.Dir(root), "moved"), filepath.Join(root, "index.ts"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in, from := fixture(t)
			root := install(t, in, from).Root
			if err := in.Verify(t.Context(), ref("one")); err != nil {
				t.Fatal(err)
			}
			c.spoil(t, root)
			for _, installer := range []*Installer{in, at(in.options.Data)} { // this process, and one that starts later
				if err := installer.Verify(t.Context(), ref("one")); err == nil {
					t.Error("the change was not seen")
				}
				if onlyOne(t, installer).Problem == nil {
					t.Error("it is listed as if nothing had happened")
				}
			}
			install(t, in, from)
			if err := in.Verify(t.Context(), ref("one")); err != nil {
				t.Errorf("installing again does not help: %v", err)
			}
		})
	}
}

func TestRemovingLeavesNothing(t *testing.T) {
	in, from := fixture(t)
	install(t, in, from)
	if err := in.Remove(t.Context(), ref("one")); err != nil {
		t.Fatal(err)
	}
	if left := leftBehind(t, in); left != nil {
		t.Errorf("left behind: %v", left)
	}
	if err := in.Remove(t.Context(), ref("one")); code(err) != "extension.missing" {
		t.Errorf("got %v", err)
	}
	for _, id := range []string{"../one", "a/b/c", "..", ""} {
		if err := in.Remove(t.Context(), ref(id)); code(err) != "extension.missing" {
			t.Errorf("%q: got %v", id, err)
		}
	}
}

func TestTheSwitchIsKept(t *testing.T) {
	in, from := fixture(t)
	install(t, in, from)
	if err := in.SetEnabled(t.Context(), ref("one"), false); err != nil {
		t.Fatal(err)
	}
	if onlyOne(t, at(in.options.Data)).Enabled {
		t.Error("it is still on")
	}
}

func TestALockKeepsWhatItDoesNotKnow(t *testing.T) {
	in, from := fixture(t)
	install(t, in, from)
	file := filepath.Join(in.options.Data, "extensions", LockFile)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	more := strings.Replace(string(data), `"enabled": true`, `"enabled": true, "pinned": {"by": [1.50]}`, 1)
	if err := os.WriteFile(file, []byte(more), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := in.SetEnabled(t.Context(), ref("one"), false); err != nil {
		t.Fatal(err)
	}
	install(t, in, from)
	data, err = os.ReadFile(file)
	if err != nil || !strings.Contains(string(data), "1.50") || !json.Valid(data) {
		t.Errorf("got %s %v", data, err)
	}
}

func TestABrokenLockIsSetAsideAndNeverOverwritten(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON": "{", "null": "null", "a list": "[]", "an entry that is null": `{"one":null}`, "an entry of another shape": `{"one":{"enabled":"yes"}}`,
		"a name that leads out": `{"../../etc":{}}`, "empty": "",
	} {
		t.Run(name, func(t *testing.T) {
			in, from := fixture(t)
			install(t, in, from)
			file := filepath.Join(in.options.Data, "extensions", LockFile)
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := in.List(t.Context()); code(err) != "lock.set-aside" {
				t.Errorf("got %v", err)
			}
			aside, err := filepath.Glob(file + ".broken-*")
			if err != nil || len(aside) != 1 {
				t.Fatalf("set aside: %v %v", aside, err)
			}
			if kept, err := os.ReadFile(aside[0]); err != nil || string(kept) != text {
				t.Errorf("what was set aside is %q %v", kept, err)
			}
			if err := os.WriteFile(file, []byte("{{"), 0o644); err != nil { // and once more in the same second
				t.Fatal(err)
			}
			if _, err := in.List(t.Context()); code(err) != "lock.set-aside" {
				t.Errorf("got %v", err)
			}
			if kept, err := os.ReadFile(aside[0]); err != nil || string(kept) != text {
				t.Errorf("what was set aside first is %q %v", kept, err)
			}
			install(t, in, from)
		})
	}
}

func TestInstallsOfOneNameQueue(t *testing.T) {
	in, from := fixture(t)
	other := example(t, filepath.Join(filepath.Dir(from), "other"), "one", "other!")
	var all sync.WaitGroup
	for n := range 16 {
		all.Go(func() {
			installer, source := in, from
			if n%2 == 1 {
				installer, source = at(in.options.Data), other // as another process would
			}
			if _, err := installer.Install(t.Context(), source, extension.Agent, "", "", quiet); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if c := onlyOne(t, at(in.options.Data)); c.Problem != nil {
		t.Errorf("got %v", c.Problem)
	}
	if left := leftBehind(t, in, "one"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

func TestAProjectsExtensionsCountOnlyWhenConfirmedHere(t *testing.T) {
	in, from := fixture(t)
	confirmed := map[string]bool{}
	in.options.Confirmed = func(_ context.Context, _ extension.Ref, sha string) (bool, error) { return confirmed[sha], nil }
	in.options.Confirm = func(_ context.Context, _ extension.Ref, sha string) error { confirmed[sha] = true; return nil }
	project := t.TempDir()
	if _, err := in.Install(t.Context(), from, extension.Project, project, "", quiet); err != nil {
		t.Fatal(err)
	}
	listed := func() *extension.Problem {
		copies, err := in.List(t.Context(), project)
		if err != nil || len(copies) != 1 {
			t.Fatalf("got %v %v", copies, err)
		}
		return copies[0].Problem
	}
	if p := listed(); p != nil {
		t.Errorf("what the person installed is off: %v", p)
	}
	clear(confirmed) // the same project on another computer
	if p := listed(); p == nil || p.Code != "extension.unconfirmed" {
		t.Errorf("got %v", p)
	}
	in.options.Confirmed = nil // a Portico that keeps no such list
	if p := listed(); p == nil || p.Code != "extension.unconfirmed" {
		t.Errorf("got %v", p)
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

func TestWhatIsInstalledIsWhatWasReviewed(t *testing.T) {
	in, from := fixture(t)
	review, err := in.Review(t.Context(), from, extension.Agent, "")
	if err != nil {
		t.Fatal(err)
	}
	write(t, from, "index.ts", "export function t() { return 'exchanged'; }\n")
	if _, err := in.Install(t.Context(), from, extension.Agent, "", review.Fingerprint, quiet); code(err) != "install.changed" {
		t.Errorf("got %v", err)
	}
	if copies, err := in.List(t.Context()); err != nil || len(copies) != 0 {
		t.Errorf("it is listed: %v %v", copies, err)
	}
	if review, err = in.Review(t.Context(), from, extension.Agent, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Install(t.Context(), from, extension.Agent, "", review.Fingerprint, quiet); err != nil {
		t.Error(err)
	}
}

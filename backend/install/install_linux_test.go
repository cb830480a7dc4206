package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
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

package install

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"portico/backend/extension"
)

// A project may come from anyone: none of these may make Portico read, write or remove anything outside of it.
func TestAProjectsLinksAreNotFollowed(t *testing.T) {
	for _, part := range []string{".portico", ".portico/extensions", ".portico/extensions/.staging", ".portico/extensions/extensions.lock.json", ".portico/extensions/.install.lock"} {
		t.Run(part, func(t *testing.T) {
			in, from := fixture(t)
			project, outside := t.TempDir(), t.TempDir()
			write(t, outside, "in-1/journal.json", `{"key":"one","entry":{}}`)
			write(t, outside, "extensions.lock.json", `{}`)
			target := outside
			if strings.HasSuffix(part, "lock.json") {
				target = filepath.Join(outside, "extensions.lock.json")
			}
			if strings.HasSuffix(part, ".install.lock") {
				target = filepath.Join(outside, "made")
			}
			link := filepath.Join(project, filepath.FromSlash(part))
			if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(target, link)); err != nil {
				t.Fatal(err)
			}
			r := extension.Ref{Scope: extension.Project, Project: project, Format: extension.Loca, ID: "one"}
			_, installErr := in.Install(t.Context(), from, extension.Project, project, "", quiet)
			_, reviewErr := in.Review(t.Context(), from, extension.Project, project)
			_, listErr := in.List(t.Context(), project)
			for does, err := range map[string]error{"install": installErr, "review": reviewErr, "list": listErr, "remove": in.Remove(t.Context(), r), "verify": in.Verify(t.Context(), r)} {
				if code(err) != "install.linked-scope" {
					t.Errorf("%s: got %v", does, err)
				}
			}
			left, err := filepath.Glob(filepath.Join(outside, "*"))
			if err != nil || len(left) != 2 {
				t.Errorf("outside there is now %v %v", left, err)
			}
			if data, err := os.ReadFile(filepath.Join(outside, "in-1", "journal.json")); err != nil || len(data) == 0 {
				t.Errorf("what lay outside is gone: %v", err)
			}
		})
	}
}

func TestAProjectsOwnStagesHoldNothingUp(t *testing.T) {
	in, from := fixture(t)
	project := t.TempDir()
	staging := filepath.Join(project, ".portico", "extensions", stagingFolder)
	write(t, staging, "pipe/x", "")
	write(t, staging, "busy/x", "")
	write(t, staging, "nothing/x", "")
	write(t, staging, "file", "")
	outside := filepath.Join(t.TempDir(), "outside")
	write(t, outside, "x", "")
	err := errors.Join(syscall.Mkfifo(filepath.Join(staging, "pipe", journalFile), 0o644), syscall.Mkfifo(filepath.Join(staging, "busy", busyFile), 0o644),
		os.Symlink(outside, filepath.Join(staging, "link")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Install(t.Context(), from, extension.Project, project, "", quiet); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(outside, "x")); err != nil {
		t.Errorf("what a link led to is gone: %v", err)
	}
	if _, err := os.Stat(filepath.Join(staging, "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was left behind is still there: %v", err)
	}
}

func TestAProjectsExtensionThatIsALinkIsNotRead(t *testing.T) {
	in, from := fixture(t)
	in.options.Confirmed = func(context.Context, extension.Ref, string) (bool, error) { return true, nil }
	project := t.TempDir()
	c, err := in.Install(t.Context(), from, extension.Project, project, "", quiet)
	if err != nil || c.Problem != nil {
		t.Fatal(err, c.Problem)
	}
	moved := filepath.Join(t.TempDir(), "moved")
	if err := errors.Join(os.Rename(c.Root, moved), os.Symlink(moved, c.Root)); err != nil {
		t.Fatal(err)
	}
	if err := in.Verify(t.Context(), c.Ref()); code(err) != "extension.drift" {
		t.Errorf("got %v", err)
	}
	if _, err := in.Files(t.Context(), c.Ref()); err == nil {
		t.Error("its files are listed")
	}
	if _, err := in.ReadFile(t.Context(), c.Ref(), "index.ts"); err == nil {
		t.Error("its files are read")
	}
	if _, err := in.Install(t.Context(), from, extension.Project, project, "", quiet); err != nil {
		t.Fatal(err)
	}
	if err := in.Verify(t.Context(), c.Ref()); err != nil {
		t.Errorf("installing again does not help: %v", err)
	}
	if _, err := os.Stat(filepath.Join(moved, "loca.json")); err != nil {
		t.Errorf("what the link led to was touched: %v", err)
	}
}

func TestAnExtensionBeyondAllLimitsIsNotReadToItsEnd(t *testing.T) {
	in, from := fixture(t)
	root := install(t, in, from).Root
	write(t, root, strings.Repeat("d/", maxDepth+1)+"f", "")
	if err := in.Verify(t.Context(), ref("one")); code(err) != "extension.drift" {
		t.Errorf("got %v", err)
	}
	if err := os.RemoveAll(filepath.Join(root, "d")); err != nil {
		t.Fatal(err)
	}
	large, err := os.Create(filepath.Join(root, "large"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(large.Truncate(1<<40), large.Close()); err != nil { // a hole: it takes no room, only time
		t.Fatal(err)
	}
	if err := in.Verify(t.Context(), ref("one")); code(err) != "extension.drift" {
		t.Errorf("got %v", err)
	}
}

func TestALockThatIsNoFileIsRefused(t *testing.T) {
	in, _ := fixture(t)
	if err := os.MkdirAll(filepath.Join(in.options.Data, "extensions", LockFile), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := in.List(t.Context()); code(err) != "lock.unreadable" {
		t.Errorf("got %v", err)
	}
}

package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"portico/backend/extension"
	"portico/backend/format"
)

func TestAFailureAtAnyStepLeavesTheOld(t *testing.T) {
	ways := map[string]func(staged, target, old string) error{
		"trading places": exchange,
		"moving aside":   moveAside,
		"moving aside, half of it": func(_, target, old string) error {
			if err := os.Rename(target, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return syscall.EIO
		},
	}
	for way, put := range ways {
		for _, step := range []string{"copy", "journal", "exchange", "lock", "none"} {
			if step == "none" && !strings.Contains(way, "half") {
				continue // nothing fails
			}
			for _, replacing := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, replacing %v", way, step, replacing), func(t *testing.T) {
					in, from := fixture(t)
					var before string
					if replacing {
						before = install(t, in, from).Fingerprint
						write(t, from, "index.ts", "export function t() { return 'second'; }\n")
					}
					in.exchange = put
					in.before = func(s string) error {
						if s == step {
							return syscall.EIO
						}
						return nil
					}
					if _, err := in.Install(t.Context(), from, extension.Agent, "", "", quiet); code(err) != "install.unwritable" {
						t.Errorf("got %v", err)
					}
					copies, err := in.List(t.Context())
					if err != nil || replacing != (len(copies) == 1) || replacing && (copies[0].Fingerprint != before || copies[0].Problem != nil) {
						t.Errorf("got %+v %v", copies, err)
					}
					if left := leftBehind(t, in, "one"); left != nil {
						t.Errorf("left behind: %v", left)
					}
				})
			}
		}
	}
}

func TestWhatCanNotBePutBackNowIsNotThrownAway(t *testing.T) {
	in, from := fixture(t)
	install(t, in, from)
	write(t, from, "index.ts", "export function t() { return 'second'; }\n")
	in.before = func(s string) error {
		if s == "lock" || s == "undo" {
			return syscall.EIO
		}
		return nil
	}
	if _, err := in.Install(t.Context(), from, extension.Agent, "", "", quiet); code(err) != "install.unwritable" {
		t.Errorf("got %v", err)
	}
	if left := leftBehind(t, in, "one"); left == nil {
		t.Fatal("the stage with the old files is gone")
	}
	next := at(in.options.Data) // the disk is well again
	if err := next.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := onlyOne(t, next); c.Problem != nil {
		t.Errorf("got %v", c.Problem)
	}
	if left := leftBehind(t, next, "one"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

func TestOneThatWaitsItsTurnCanBeCancelled(t *testing.T) {
	in, from := fixture(t)
	next, err := in.wait(t.Context(), filepath.Join(in.options.Data, "extensions", "one"))
	if err != nil {
		t.Fatal(err)
	}
	defer next()
	ctx, cancel := context.WithCancel(t.Context())
	_, err = in.Install(ctx, from, extension.Agent, "", "", func(string, float64, string) { cancel() })
	if code(err) != "install.cancelled" {
		t.Errorf("got %v", err)
	}
}

// other is a second format, which reads what other.json says its name is.
type other struct{ format.Format }

func (other) Name() extension.Format { return extension.Plugin }
func (other) Marker() string         { return "other.json" }
func (other) Detect(files fs.FS) bool {
	_, err := fs.Stat(files, "other.json")
	return err == nil
}

func (other) Load(files fs.FS) (*extension.Extension, []extension.Issue, error) {
	name, err := fs.ReadFile(files, "other.json")
	return &extension.Extension{ID: string(name), DisplayName: "Other", Format: extension.Plugin, Tools: []extension.Tool{}}, nil, err
}

func TestANameIsTakenOnce(t *testing.T) {
	in, from := fixture(t)
	in.options.Formats = append(in.options.Formats, other{})
	install(t, in, from)
	base := filepath.Dir(from)
	for _, c := range []struct{ id, code, says string }{
		{"one", "install.name-taken", "loca"}, {"ONE", "install.name-similar", "one is installed"}, {"two", "", ""},
		{"extensions.lock.json", "install.bad-name", "extensions.lock.json"}, {"Extensions.lock.json.broken-1", "install.bad-name", ""},
		{"con", "install.bad-name", "con"}, {"nul.x", "install.bad-name", ""}, {"@a/one", "", ""},
	} {
		folder := filepath.Join(base, "from-"+strings.ReplaceAll(c.id, "/", "-"))
		write(t, folder, "other.json", c.id)
		_, err := in.Install(t.Context(), folder, extension.Agent, "", "", quiet)
		if c.code == "" && err != nil || c.code != "" && (code(err) != c.code || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: got %v", c.id, err)
		}
		if _, reviewErr := in.Review(t.Context(), folder, extension.Agent, ""); c.code != "" && code(reviewErr) != c.code {
			t.Errorf("%s: the review says %v", c.id, reviewErr)
		}
	}
	copies, err := in.List(t.Context())
	if err != nil || len(copies) != 3 {
		t.Errorf("got %+v %v", copies, err)
	}
}

func TestANameThatIsTakenMeanwhileIsNotOverwritten(t *testing.T) {
	in, from := fixture(t)
	second := at(in.options.Data) // another process
	second.options.Formats = append(second.options.Formats, other{})
	folder := filepath.Join(filepath.Dir(from), "second")
	write(t, folder, "other.json", "one")
	in.before = func(step string) error {
		if step == "copy" {
			install(t, second, folder)
		}
		return nil
	}
	if _, err := in.Install(t.Context(), from, extension.Agent, "", "", quiet); code(err) != "install.name-taken" {
		t.Errorf("got %v", err)
	}
	if c := onlyOne(t, second); c.Format != extension.Plugin || c.Problem != nil {
		t.Errorf("got %+v", c)
	}
}

// A file that is written twice within one tick of the file system's clock may have the same times both times.
func TestOnlyFilesThatRestedAreNotReadAgain(t *testing.T) {
	in, from := fixture(t)
	root := install(t, in, from).Root
	is, err := stampTree(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after      time.Duration
		remembered bool
	}{{-time.Hour, false}, {0, false}, {settled, false}, {settled + 1, true}} {
		fresh := at(in.options.Data)
		if err := os.RemoveAll(fresh.checked.folder); err != nil {
			t.Fatal(err)
		}
		fresh.checked.now = func() time.Time { return is.newest.Add(c.after) }
		if err := fresh.Verify(t.Context(), ref("one")); err != nil {
			t.Fatal(err)
		}
		for _, installer := range []*Installer{fresh, at(in.options.Data)} { // this process, and one that starts later
			if have := installer.checked.recall(root); (have.Stamp == is.text) != c.remembered {
				t.Errorf("%v after the last change: remembered %+v", c.after, have)
			}
		}
	}
}

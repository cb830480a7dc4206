package install

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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

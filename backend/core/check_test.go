package core

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/backend/extension"
)

// What `check` lets through installs, and what it refuses does not: an author who checked is not surprised.
func TestCheckingAndInstallingAgree(t *testing.T) {
	c := open(t, t.TempDir())
	for name, add := range map[string]func(folder string) error{
		"nothing": func(string) error { return nil },
		"a huge file": func(f string) error {
			return errors.Join(os.WriteFile(f+"/big", nil, 0o600), os.Truncate(f+"/big", 600<<20))
		},
		"a device's name": func(f string) error { return os.WriteFile(f+"/con.ts", nil, 0o600) },
		"a name for one":  func(f string) error { return os.WriteFile(f+"/a.", nil, 0o600) },
		"two for one": func(f string) error {
			return errors.Join(os.WriteFile(f+"/A.md", nil, 0o600), os.WriteFile(f+"/a.md", nil, 0o600))
		},
		"a deep folder":     func(f string) error { return os.MkdirAll(f+strings.Repeat("/d", 40), 0o700) },
		"a link":            func(f string) error { return os.Symlink("index.ts", f+"/link.ts") },
		"a link to nowhere": func(f string) error { return os.Symlink("/nowhere", f+"/link.ts") },
		"no manifest":       func(f string) error { return os.Remove(f + "/loca.json") },
		"a broken manifest": func(f string) error { return os.WriteFile(f+"/loca.json", []byte("{"), 0o600) },
		"a hidden path": func(f string) error {
			manifest, err := os.ReadFile(f + "/loca.json")
			changed := strings.Replace(string(manifest), `"function"`, `"permissions": {"read": [{"path": "$home/\u202ex", "reason": "r"}]}, "function"`, 1)
			return errors.Join(err, os.WriteFile(f+"/loca.json", []byte(changed), 0o600))
		},
		"what git keeps": func(f string) error { return errors.Join(os.Mkdir(f+"/.git", 0o700), os.Symlink("/x", f+"/.git/link")) },
	} {
		folder := t.TempDir()
		if err := errors.Join(os.CopyFS(folder, os.DirFS(filepath.Join("..", "..", "testdata", "loca", "wordcount"))), add(folder)); err != nil {
			t.Fatal(err)
		}
		_, _, checked := CheckFolder(t.Context(), folder)
		_, installed := c.Install(t.Context(), InstallRequest{Source: folder, Scope: extension.Agent})
		var p, q *extension.Problem
		if (checked == nil) != (installed == nil) || checked != nil && (!errors.As(checked, &p) || !errors.As(installed, &q) || p.Code != q.Code) {
			t.Errorf("%s: check says %v, install %v", name, checked, installed)
		}
	}
}

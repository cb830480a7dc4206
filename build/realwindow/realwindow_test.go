//go:build realwindow

package realwindow

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// limit is for the whole drive: two starts of the app, one install, one run of a tool, on a slow machine.
const limit = 5 * time.Minute

// outcome is one case of drive.py.
type outcome struct {
	Case string `json:"case"`
	OK   bool   `json:"ok"`
	Why  string `json:"why"` // of a failure: what was looked for and what was there
}

func TestRealWindow(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(root, "build", "bin", "portico")
	if _, err := os.Stat(binary); err != nil {
		t.Fatalf("there is no binary to drive: %v; `go run ./build binary` makes it", err)
	}
	artefacts := filepath.Join(root, "artefacts")
	if err := os.MkdirAll(artefacts, 0o755); err != nil {
		t.Fatal(err)
	}
	// A session bus of its own: the accessibility bus hangs off it, and no other program's windows are on it.
	drive := exec.CommandContext(t.Context(), "dbus-run-session", "--", "/usr/bin/python3", "-u", "drive.py",
		"--binary", binary, "--example", filepath.Join(root, "testdata", "loca", "wordcount"), "--scratch", t.TempDir(), "--artefacts", artefacts)
	drive.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1") // nothing is written into the repository
	var said bytes.Buffer
	drive.Stderr = &said
	drive.WaitDelay = 5 * time.Second
	out, err := drive.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := drive.Start(); err != nil {
		t.Fatalf("start the drive: %v", err)
	}
	late := time.AfterFunc(limit, func() { drive.Process.Kill() })
	defer late.Stop()
	cases := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var o outcome
		if json.Unmarshal(lines.Bytes(), &o) != nil {
			t.Log(lines.Text())
			continue
		}
		cases++
		t.Run(o.Case, func(t *testing.T) {
			if !o.OK {
				t.Error(o.Why)
			}
		})
	}
	if err := drive.Wait(); err != nil {
		t.Errorf("the drive ended with %v:\n%s", err, said.String())
	}
	if cases == 0 {
		t.Errorf("no case was driven:\n%s", said.String())
	}
}

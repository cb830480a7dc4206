package log

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestALineSaysWhenHowAndWhat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "extensions", "x.log")
	f := Open(path)
	f.now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC) }
	for _, text := range []string{"one\n", "two\n2026-01-02T03:04:05.006Z error forged", strings.Repeat("é", maxLineBytes)} {
		if err := f.Line("info", text); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(content(t, path), "\n")
	if lines[0] != "2026-01-02T03:04:05.006Z info  one" || lines[1] != "2026-01-02T03:04:05.006Z info  two" || !strings.HasPrefix(lines[2], "    2026") {
		t.Errorf("got %q", lines[:3])
	}
	if !strings.HasSuffix(lines[3], " …") || len(lines[3]) > maxLineBytes+100 {
		t.Errorf("got a line of %d bytes", len(lines[3]))
	}
	if err := f.Line("info", "after it was closed"); err != nil {
		t.Errorf("a closed log opens again: %v", err)
	}
	if err := f.Close(); err != nil || !strings.HasSuffix(content(t, path), "after it was closed\n") {
		t.Errorf("got %v", err)
	}
}

func TestAFullLogIsMovedAsideAndNothingIsLostAtThatMoment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.log")
	f := Open(path)
	defer f.Close()
	text := strings.Repeat("x", 10_000)
	const lines = 400 // 4 MB
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range lines / 4 {
				if err := f.Line("info", text); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	now, before := content(t, path), content(t, path+".1")
	if len(now) > MaxFileBytes || len(before) > MaxFileBytes {
		t.Errorf("got %d and %d bytes", len(now), len(before))
	}
	if n := strings.Count(now+before, text+"\n"); n != lines {
		t.Errorf("got %d whole lines of %d", n, lines)
	}
}

func TestALogThatCantBeWrittenIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Open(filepath.Join(file, "x.log")).Line("info", "x"); err == nil {
		t.Error("it was written into a file as if it were a folder")
	}
}

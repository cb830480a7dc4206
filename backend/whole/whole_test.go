package whole

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestAFileIsReplacedAsAWhole(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "f")
	for _, text := range []string{"first, and longer", "second"} {
		if err := Write(file, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		if have, err := os.ReadFile(file); err != nil || string(have) != text {
			t.Errorf("got %q %v", have, err)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

func TestWhatCantBePutInPlaceLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "f", "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(folder, "f"), nil, 0o600); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, err)
	}
	if err := Write(filepath.Join(folder, "none", "f"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

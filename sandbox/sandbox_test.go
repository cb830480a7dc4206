package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestTheTypesThatExtensionsCarryAreTheHosts(t *testing.T) {
	host, err := Files.ReadFile("types.ts")
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob("extensions/*/types.ts")
	if err != nil || len(found) == 0 {
		t.Fatalf("no extension carries a copy: %v", err)
	}
	for _, path := range found {
		if text, err := os.ReadFile(path); err != nil || !bytes.Equal(text, host) {
			t.Errorf("%s is not types.ts, %v: copy it again", path, err)
		}
	}
}

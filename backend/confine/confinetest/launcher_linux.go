package confinetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"portico/backend/confine"
)

// use builds the launcher and has it used. Building it again costs a look at Go's cache.
func use() (clean func(), err error) {
	folder, err := os.MkdirTemp("", "portico-launcher-")
	if err != nil {
		return nil, err
	}
	clean = func() { os.RemoveAll(folder) }
	path := filepath.Join(folder, "confine")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "portico/backend/confine/launcher")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		clean()
		return nil, fmt.Errorf("build the launcher: %w: %s", err, said)
	}
	binary, err := os.ReadFile(path)
	if err != nil {
		clean()
		return nil, err
	}
	confine.UseLauncher(binary)
	return clean, nil
}

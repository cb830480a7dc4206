package deno

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"portico/backend/extension"
)

// Version is the Deno that Portico is made with; what it does was measured.
const Version = "2.9.6"

// versionLimit bounds asking a Deno for its version.
const versionLimit = 5 * time.Second

// Find gives the path of Deno: beside the executable, where the installer puts it; for a test, build/bin of the checkout;
// else on the PATH, when it is the same version.
func Find() (string, error) { return found() }

var found = sync.OnceValues(func() (string, error) {
	executable, err := os.Executable()
	if err == nil {
		executable, err = filepath.EvalSymlinks(executable)
	}
	if err != nil {
		return "", noDeno().Because(err)
	}
	working, err := os.Getwd()
	if err != nil {
		working = ""
	}
	return find(executable, working, exec.LookPath, versionOf)
})

func find(executable, working string, lookPath func(string) (string, error), version func(string) (string, error)) (string, error) {
	name := "deno"
	if runtime.GOOS == "windows" {
		name = "deno.exe"
	}
	beside := filepath.Dir(executable)
	for _, folder := range []string{beside, filepath.Join(beside, "..", "Resources"), filepath.Join(beside, "..", "lib", "portico")} {
		if path := filepath.Join(folder, name); isProgram(path) {
			return path, nil
		}
	}
	// Only a test looks around where it was started: a project's folder is a stranger's, and so is what lies in it.
	if test := strings.TrimSuffix(filepath.Base(executable), ".exe"); strings.HasSuffix(test, ".test") {
		for folder := working; filepath.Dir(folder) != folder; folder = filepath.Dir(folder) {
			if path := filepath.Join(folder, "build", "bin", name); isFile(filepath.Join(folder, "go.mod")) && isProgram(path) {
				return path, nil
			}
		}
	}
	path, err := lookPath(name)
	if err != nil { // also exec.ErrDot: a program of the current folder
		return "", noDeno().Because(err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", noDeno().Because(err)
	}
	if have, err := version(path); err != nil || have != Version {
		p := noDeno().At(path)
		if err == nil {
			p.Detail = "it is version " + have
		}
		return "", p.Because(err)
	}
	return path, nil
}

// versionOf asks a Deno for its version: "deno 2.9.6 (stable, release, x86_64-unknown-linux-gnu)".
func versionOf(path string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), versionLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = []string{"NO_COLOR=1"}
	cmd.WaitDelay = time.Second
	said, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", path, err)
	}
	fields := strings.Fields(string(said))
	if len(fields) < 2 || fields[0] != "deno" {
		return "", fmt.Errorf("ask %s for its version: it says %q", path, strings.TrimSpace(string(said)))
	}
	return fields[1], nil
}

func noDeno() *extension.Problem {
	return extension.NewProblem("deno.missing", "Deno, which runs these extensions, is not there.", "Reinstall Portico: Deno {version} comes with it. In a checkout, `go run ./build setup` fetches it.", "version", Version)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

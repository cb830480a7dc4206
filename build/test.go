package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// stage is one kind of test. Stages run to the end even when one before failed, so that one run names everything.
type stage struct {
	say string
	dir string
	env []string
	run []string
}

// test sets everything up and runs every test there is. The runners' own words come last, and nothing after them.
func (d *driver) test([]string) error {
	err := d.steps(d.checkGo, d.checkNode, d.installBuildPackages, d.installTestPackages, d.fetchDeno, d.fetchVoice, d.installNodeModules,
		d.buildLauncher, d.buildFrontend, d.buildApp, d.buildDev, d.checkFormatting)
	if err != nil {
		return err
	}
	failed := false
	for _, s := range d.stages() {
		if d.ctx.Err() != nil {
			return errReported
		}
		say("%s", s.say)
		if err := d.pass(s.dir, s.env, s.run[0], s.run[1:]...); err != nil {
			fmt.Fprintf(os.Stderr, "build: FAILED: %s (`%s`: %v)\n", s.say, shown(s.run[0], s.run[1:]), err)
			failed = true
		}
	}
	if failed {
		return errReported
	}
	return nil
}

func (d *driver) stages() []stage {
	vet := func(say string, tags string, env []string, packages ...string) stage {
		run := []string{"go", "vet"}
		if tags != "" {
			run = append(run, "-tags", tags)
		}
		return stage{say, "", env, append(run, packages...)}
	}
	stages := []stage{
		{"compare the frontend's types with the Go API", "", d.goEnv(), []string{"go", "run", "./build/apitypes", "-check"}},
		vet("vet the Go code", "", d.goEnv(), "./..."),
		vet("vet the window", d.host.windowTags(), d.goEnv(), ".", "./app/..."),
		vet("vet the browser mode", "browser", d.goEnv(), ".", "./app/..."),
		{"build the Go code for Windows", "", d.goEnv("GOOS=windows", "CGO_ENABLED=0"), []string{"go", "build", "-tags", "desktop,production", "./..."}},
		vet("vet the Go code for Windows", "desktop,production", d.goEnv("GOOS=windows", "CGO_ENABLED=0"), "./..."),
		vet("vet the Go code for macOS", "", d.goEnv("GOOS=darwin", "CGO_ENABLED=0"), "./..."),
		{"check the frontend's types", "frontend", nil, []string{d.npm(), "run", "--silent", "check"}},
		{"run the Go tests", "", d.goEnv(), []string{"go", "test", "-race", "-tags", "browser", "./..."}},
	}
	// Each extension of ours stands alone, as an author's does: its tests need no network and no Portico.
	extensions, _ := filepath.Glob(d.path("sandbox", "extensions", "*", "loca.json"))
	for _, manifest := range extensions {
		folder := filepath.Dir(manifest)
		stages = append(stages, stage{"run the tests of " + filepath.Base(folder), filepath.Join("sandbox", "extensions", filepath.Base(folder)), nil,
			[]string{d.path("build", "bin", d.host.exe("deno")), "test", "--quiet", "--allow-all", "--no-remote"}})
	}
	if d.host.os == "linux" {
		stages = append(stages, stage{"drive the real window", "", d.goEnv(), []string{"go", "test", "-count=1", "-tags", "realwindow", "./build/realwindow"}})
	} else {
		say("the real window is driven on Linux only: its accessibility tree is reached over AT-SPI")
	}
	return append(stages,
		stage{"run the frontend's unit tests", "frontend", nil, []string{d.npm(), "run", "--silent", "test"}},
		stage{"run the end-to-end tests", "frontend", nil, []string{d.npm(), "run", "--silent", "e2e"}},
	)
}

// checkFormatting fails on Go files that gofmt would change.
func (d *driver) checkFormatting() error {
	say("check the Go code's formatting")
	var unformatted []string
	skipped := skipNames(".git", "node_modules", "build/bin", "build/cache", "artefacts")
	err := filepath.WalkDir(d.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(d.root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() && skipped(filepath.ToSlash(rel), true) {
			return filepath.SkipDir
		}
		if !entry.Type().IsRegular() || filepath.Ext(path) != ".go" {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if want, err := format.Source(source); err != nil || !bytes.Equal(source, want) {
			unformatted = append(unformatted, rel)
		}
		return nil
	})
	if err == nil && len(unformatted) > 0 {
		err = errors.New(strings.Join(unformatted, ", "))
	}
	if err != nil {
		return failed("some Go files are not formatted", err, "Run `gofmt -w` on them.")
	}
	return nil
}

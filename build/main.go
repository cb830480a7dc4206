// Command build is Portico's build driver: `go run ./build VERB`. It needs Go and Node and nothing else of ours: it is made
// of the standard library alone, so that it compiles at once on a fresh machine, and sets the rest up itself.
//
// It promises that every step says on one line what it does, that a step whose inputs did not change is skipped, and that
// a step that fails says what to do next. What a person has is never changed silently: system packages are installed
// only where apt does it, and named on the screen before.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
)

// verb is one word of the command line with what it does.
type verb struct {
	name, what string
	run        func(*driver, []string) error
}

var verbs = []verb{
	{"app", "set everything up, build Portico and open it", (*driver).app},
	{"test", "set everything up and run every test there is", (*driver).test},
	{"binary", "build the release binary at build/bin/portico", (*driver).binary},
	{"dev", "build the browser-mode binary at build/bin/portico-dev (`portico-dev browser` serves the page)", (*driver).dev},
	{"bench", "measure speed and memory against floors", (*driver).bench},
	{"types", "write the frontend's types anew from the Go API", (*driver).types},
	{"sign", "sign the built-in extension anew (docs/signing.md)", (*driver).sign},
	{"setup", "set everything up and build nothing", (*driver).setup},
}

// driver is one run: where the repository is, and what ends it.
type driver struct {
	ctx  context.Context
	root string
	host platform
}

// platform names a system and a processor in Go's words.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

// exe is a program's file name on the platform.
func (p platform) exe(name string) string {
	if p.os == "windows" {
		return name + ".exe"
	}
	return name
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:]))
}

func run(ctx context.Context, args []string) int {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		usage(os.Stdout)
		return 0
	}
	root, err := findRoot()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	d := &driver{ctx: ctx, root: root, host: platform{runtime.GOOS, runtime.GOARCH}}
	for _, v := range verbs {
		if v.name != args[0] {
			continue
		}
		err := v.run(d, args[1:])
		var failed *failure
		switch {
		case err == nil:
			return 0
		case errors.Is(err, errReported):
		case errors.As(err, &failed):
			fmt.Fprint(os.Stderr, failed.text())
		default:
			fmt.Fprintf(os.Stderr, "build: %v\n", err)
		}
		return 1
	}
	fmt.Fprintf(os.Stderr, "build: there is no verb %q\n\n", args[0])
	usage(os.Stderr)
	return 2
}

func usage(to *os.File) {
	fmt.Fprintln(to, "usage: go run ./build VERB")
	fmt.Fprintln(to)
	for _, v := range verbs {
		fmt.Fprintf(to, "  %-8s %s\n", v.name, v.what)
	}
}

// findRoot is the folder of go.mod, upwards from where the command was given.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "wails.json")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s is not inside Portico's repository; change into it first", dir)
		}
	}
}

func (d *driver) path(parts ...string) string {
	return filepath.Join(append([]string{d.root}, parts...)...)
}

func (d *driver) app(args []string) error {
	if err := d.binary(nil); err != nil {
		return err
	}
	say("open Portico")
	cmd := exec.CommandContext(d.ctx, d.appBinary(), args...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = d.root, os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return end(cmd.Process) }
	if err := cmd.Run(); err != nil && d.ctx.Err() == nil {
		return failed("Portico ended with an error", err, "What it said is above; `build/bin/portico doctor` says what works here.")
	}
	return nil
}

// setup does everything that comes before a build.
func (d *driver) setup([]string) error {
	return d.steps(d.checkGo, d.checkNode, d.installBuildPackages, d.installTestPackages, d.fetchDeno, d.fetchVoice, d.installNodeModules, d.buildLauncher)
}

func (d *driver) binary([]string) error {
	return d.steps(d.checkGo, d.checkNode, d.installBuildPackages, d.fetchDeno, d.installNodeModules, d.buildLauncher, d.buildFrontend, d.buildApp)
}

func (d *driver) dev([]string) error {
	return d.steps(d.checkGo, d.checkNode, d.installBuildPackages, d.fetchDeno, d.installNodeModules, d.buildLauncher, d.buildFrontend, d.buildDev)
}

func (d *driver) bench(args []string) error {
	if err := d.binary(nil); err != nil {
		return err
	}
	if err := d.installTestPackages(); err != nil {
		return err
	}
	say("measure")
	if err := d.pass("", d.goEnv(), "go", append([]string{"run", "./build/bench"}, args...)...); err != nil {
		return failed("the measures did not finish", err, "What failed is above.")
	}
	return nil
}

func (d *driver) sign(args []string) error {
	say("sign the built-in extension")
	if err := d.pass("", d.goEnv(), "go", append([]string{"run", "./build/sign"}, args...)...); err != nil {
		return failed("nothing was signed", err, "What is missing is above; docs/signing.md says how it is signed.")
	}
	return nil
}

func (d *driver) types([]string) error {
	say("write frontend/src/host/api.gen.ts from the Go API")
	return d.quiet("", d.goEnv(), "Mend the Go code that does not compile.", "go", "run", "./build/apitypes")
}

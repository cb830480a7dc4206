package main

import (
	"fmt"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// minimumNode is the oldest Node whose npm and Vite build the frontend.
const minimumNode = 20

// checkGo: the Go that runs the driver is the one that builds; go.mod names the version, and the go command has fetched it
// already when it was allowed to.
func (d *driver) checkGo() error {
	if _, err := exec.LookPath("go"); err != nil {
		return failed("the go command is not on the PATH", err, "Install Go from https://go.dev/dl and open a new terminal.")
	}
	skip("Go %s", strings.TrimPrefix(runtime.Version(), "go"))
	return nil
}

func (d *driver) checkNode() error {
	const next = "Install Node 20 or newer, with npm, from https://nodejs.org and open a new terminal."
	said, err := d.output("", nil, "node", "--version")
	if err != nil {
		return failed("Node is not on the PATH", err, next)
	}
	major, err := nodeMajor(said)
	if err != nil {
		return failed("Node's version can't be read", err, next)
	}
	if major < minimumNode {
		return failed(fmt.Sprintf("Node %s is too old: the frontend needs %d or newer", said, minimumNode), nil, next)
	}
	if _, err := exec.LookPath("npm"); err != nil {
		return failed("npm is not on the PATH", err, next)
	}
	skip("Node %s", strings.TrimPrefix(said, "v"))
	return nil
}

// nodeMajor reads "v20.20.2" as 20.
func nodeMajor(said string) (int, error) {
	major, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(said), "v"), ".")
	n, err := strconv.Atoi(major)
	if err != nil {
		return 0, fmt.Errorf("node says %q: %w", said, err)
	}
	return n, nil
}

// npm is the name by which npm is started: on Windows it is a script.
func (d *driver) npm() string {
	if d.host.os == "windows" {
		return "npm.cmd"
	}
	return "npm"
}

// Command portico is the app and its command line in one binary.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/term"

	"portico/app/cli"
	"portico/app/opener"
	"portico/app/terminal"
	"portico/app/window"
	"portico/backend/core"
	"portico/backend/planted"
)

//go:embed build/appicon-256.png
var icon []byte

// closeLimit is how long turns and extensions have to end when the window was closed.
const closeLimit = 10 * time.Second

// main decides what this process is: a call of the command line, or the app.
func main() {
	if args := os.Args[1:]; cli.IsCommand(args) {
		os.Exit(command(args))
	}
	if err := open(); err != nil {
		fmt.Fprint(os.Stderr, cli.Describe(err))
		os.Exit(1)
	}
}

func command(args []string) int {
	terminal.Attach()
	t := cli.Terminal{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Version: core.Version(), Brings: planted.BuiltIn(),
		Interactive: term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())),
	}
	if t.Interactive {
		t.Forget = terminal.ForgetTyped
	}
	if page, err := assets(); err == nil {
		t.Assets = page
	}
	return cli.Main(args, t)
}

// open runs the app until its window is closed.
func open() error {
	page, err := assets()
	if err != nil {
		return err
	}
	data, err := core.DataFolder()
	if err != nil {
		return err
	}
	ctx := context.Background()
	c, err := core.Open(ctx, core.Options{Data: data, Present: true, Opener: opener.System{}, Brings: planted.BuiltIn()})
	if err != nil {
		return err
	}
	err = window.Run(ctx, c, page, icon)
	closing, cancel := context.WithTimeout(ctx, closeLimit)
	defer cancel()
	return errors.Join(err, c.Close(closing))
}

// Package cli is the command line: the same core as the window, without one. What it prints on standard output, its flags
// and its exit codes are a contract (0 done, 1 failed, 2 wrong usage); later versions add to it and change nothing.
package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"portico/app/opener"
	"portico/backend/core"
	"portico/backend/extension"
	"portico/backend/planted"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// usageError is a call that was put wrongly, as opposed to one that failed.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func wrongUsage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Terminal is what the command line talks to.
type Terminal struct {
	In          io.Reader
	Out, Err    io.Writer
	Interactive bool   // a person is there to answer questions
	Forget      func() // drops what was typed before now; nil: nothing is typed ahead
	Version     string
	Brings      planted.Archive // the extension that the program installs at its first start
	Assets      fs.FS           // the frontend, for the browser mode of development builds
}

// development holds the commands that only a development build has.
var development []func(Terminal) *cobra.Command

// Main runs one command line and gives its exit code.
func Main(args []string, t Terminal) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	out, errs := &plainWriter{to: t.Out}, &plainWriter{to: t.Err}
	t.Out, t.Err = out, errs
	root := newRoot(t)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if lost := out.lost(); err == nil && lost != nil {
		err = extension.NewProblem("cli.output-lost", "What the command gave could not be written.", "").Because(lost)
	}
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, new(usageError)):
		fmt.Fprintf(t.Err, "portico: %s\n", indented(err.Error()))
		return exitUsage
	}
	if !errors.As(err, new(reportedError)) {
		fmt.Fprint(t.Err, Describe(err))
	}
	return exitFailed
}

// reportedError was printed already, as its command's output.
type reportedError struct{ error }

// IsCommand says whether a process with these arguments is a call of the command line rather than the app.
func IsCommand(args []string) bool {
	return len(args) > 0
}

func newRoot(t Terminal) *cobra.Command {
	root := &cobra.Command{
		Use: "portico", Short: "Portico runs agent extensions of four formats. Without a command it opens its window.",
		Version: t.Version, SilenceErrors: true, SilenceUsage: true,
		RunE: func(c *cobra.Command, args []string) error {
			return wrongUsage("say what to do; `portico --help` lists the commands")
		},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return wrongUsage("there is no command %q; `portico --help` lists them", args[0])
			}
			return nil
		},
	}
	root.SetIn(t.In)
	root.SetOut(t.Out)
	root.SetErr(t.Err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return wrongUsage("%w; see `%s --help`", err, c.CommandPath())
	})
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(&cobra.Command{Use: "help [COMMAND]", Short: "Say how a command is used", RunE: func(c *cobra.Command, args []string) error {
		about, rest, err := root.Find(args)
		if err != nil || len(rest) > 0 {
			return wrongUsage("there is no command %q; `portico --help` lists them", strings.Join(args, " "))
		}
		return about.Help()
	}})
	root.AddCommand(newExtension(t), newCheck(t), newRun(t), newChat(t), newDoctor(t))
	for _, command := range development {
		root.AddCommand(command(t))
	}
	return root
}

// exactly is cobra.ExactArgs with our exit code and words.
func exactly(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return wrongUsage("%s needs %s; see `%s --help`", c.CommandPath(), names[len(args)], c.CommandPath())
		}
		if len(args) > len(names) {
			return wrongUsage("%s can't use %q; see `%s --help`", c.CommandPath(), args[len(names)], c.CommandPath())
		}
		return nil
	}
}

// withCore opens a core for one command and closes it.
func withCore(ctx context.Context, t Terminal, use func(*core.Core) error) error {
	data, err := core.DataFolder()
	if err != nil {
		return err
	}
	c, err := core.Open(ctx, core.Options{Data: data, Present: t.Interactive, Opener: opener.System{}, Brings: t.Brings})
	if err != nil {
		return err
	}
	err = use(c)
	return errors.Join(err, c.Close(context.WithoutCancel(ctx)))
}

// Describe is an error as a person reads it on a terminal: what and where, what next, and the broken rules.
func Describe(err error) string {
	var p *extension.Problem
	if !errors.As(err, &p) {
		if errors.Is(err, context.Canceled) {
			return "portico: It was interrupted.\n"
		}
		return fmt.Sprintf("portico: %s\n", indented(err.Error()))
	}
	text := fmt.Sprintf("portico: %s\n", indented(p.Error()))
	for _, issue := range p.Issues {
		text += "  " + oneLine(issue.String()) + "\n"
	}
	if p.Detail != "" && p.Detail != p.What {
		text += "  (" + indented(p.Detail) + ")\n"
	}
	return text
}

// tools counts tools in words.
func tools(n int) string {
	if n == 1 {
		return "1 tool"
	}
	return fmt.Sprintf("%d tools", n)
}

// printJSON writes one value, indented, for a program to read.
func printJSON(w io.Writer, value any) error {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	if _, err := w.Write(escaped(data.Bytes())); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// printResult prints a tool's result as one line of JSON, with its numbers and names as the tool wrote them.
func printResult(w io.Writer, result json.RawMessage) error {
	var line bytes.Buffer
	if err := json.Compact(&line, result); err != nil {
		return fmt.Errorf("read the result: %w", err)
	}
	if _, err := fmt.Fprintf(w, "%s\n", escaped(line.Bytes())); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

// scopeFlags are --project[=DIR] and --agent.
type scopeFlags struct {
	project string
	agent   bool
}

func (s *scopeFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&s.project, "project", "", "the project's extensions; without a folder, this one's")
	c.Flags().Lookup("project").NoOptDefVal = "."
	c.Flags().BoolVar(&s.agent, "agent", false, "the agent's extensions, which every project has")
}

// folder is the project's folder, absolute; empty when none was named.
func (s *scopeFlags) folder() (string, error) {
	switch {
	case s.project != "" && s.agent:
		return "", wrongUsage("say --project or --agent, not both")
	case s.project == "":
		return "", nil
	}
	folder, err := filepath.Abs(s.project)
	if err != nil {
		return "", fmt.Errorf("find the project's folder %s: %w", s.project, err)
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return "", extension.NewProblem("cli.no-project", "{folder} is not a folder.", "Name the project's folder after --project=.", "folder", folder).Because(err)
	}
	return folder, nil
}

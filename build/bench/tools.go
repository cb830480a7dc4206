package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"portico/backend/capability"
	"portico/backend/core"
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/runtime"
	"portico/backend/runtime/deno"
	"portico/backend/schedule"
)

const (
	coldCalls = 15
	warmCalls = 40
	// noop is a tool of the example that needs no permission and does nothing.
	noop = "needs_nothing"
	// bootTime is given to a worker that is booted ahead before it is measured: a person's next call is not nearer.
	bootTime = 150 * time.Millisecond
)

// benchTools measures calls of a tool that does next to nothing, through the whole core: arguments checked, files
// verified, permissions decided, a confined process, and the answer.
func benchTools(ctx context.Context) (measures []measure, err error) {
	folder, err := os.MkdirTemp("", "portico-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	c, err := core.Open(ctx, core.Options{Data: filepath.Join(folder, "data")})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close(context.WithoutCancel(ctx))) }()
	source, err := filepath.Abs("testdata/loca/permissions")
	if err != nil {
		return nil, err
	}
	installed, err := c.Install(ctx, core.InstallRequest{Source: source})
	if err != nil {
		return nil, err
	}
	path, err := deno.Find()
	if err != nil {
		return nil, err
	}
	call := func() (float64, error) {
		begin := time.Now()
		_, err := c.RunDirect(ctx, core.Direct{Ref: installed.Ref(), Tool: noop, Args: json.RawMessage(`{}`),
			Host: func(core.Beside) capability.Host { return nobody{} }})
		return milliseconds(time.Since(begin)), err
	}
	if _, err := call(); err != nil { // the first call of all fills the caches
		return nil, err
	}
	var cold, coldFloor, warm, warmFloor []float64
	empty := filepath.Join(folder, "empty.ts")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		return nil, err
	}
	for range coldCalls {
		for _, on := range []bool{false, true} { // off ends what was booted ahead
			if _, err := c.SetEnabled(ctx, installed.Ref(), on); err != nil {
				return nil, err
			}
		}
		ms, err := call()
		if err != nil {
			return nil, err
		}
		begin := time.Now()
		run := exec.CommandContext(ctx, path, "run", "--no-prompt", empty)
		run.Env = append(os.Environ(), "DENO_DIR="+filepath.Join(folder, "deno"))
		if out, err := run.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("run an empty file: %w: %s", err, out)
		}
		cold, coldFloor = append(cold, ms), append(coldFloor, milliseconds(time.Since(begin)))
	}
	instance, err := startInstance(ctx, folder, &installed.Copy)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, instance.Stop(context.WithoutCancel(ctx))) }()
	of := capability.Call{ID: "bench", Extension: installed.Ref(), Tool: noop, Origin: capability.FromPerson}
	for range warmCalls {
		instance.Warm(of, noop)
		echo, end, err := startEcho(ctx, path, folder)
		if err != nil {
			return nil, err
		}
		time.Sleep(bootTime)
		begin := time.Now()
		if _, err := instance.Call(ctx, of, noop, json.RawMessage(`{}`)); err != nil {
			return nil, err
		}
		ms := milliseconds(time.Since(begin))
		floor, err := echo()
		end()
		if err != nil {
			return nil, err
		}
		warm, warmFloor = append(warm, ms), append(warmFloor, floor)
	}
	return []measure{
		{"tool-cold", median(cold), median(coldFloor), "ms", 1.5, "a call that starts its process, against `deno run` of an empty file"},
		{"tool-booted", median(warm), median(warmFloor), "ms", 2, "a call on a process booted ahead, against a line echoed by Deno"},
	}, nil
}

// startInstance starts the runtime alone: what a booted call costs beside the core's own checks.
func startInstance(ctx context.Context, folder string, ext *extension.Copy) (runtime.Instance, error) {
	tools, err := deno.New(deno.Options{Data: filepath.Join(folder, "data"), Cache: filepath.Join(folder, "data", "cache"), Logs: filepath.Join(folder, "data", "logs"),
		Models: filepath.Join(folder, "data", "models"), Sessions: filepath.Join(folder, "data", "sessions")})
	if err != nil {
		return nil, err
	}
	return tools.Start(ctx, ext, nobody{})
}

// startEcho starts a Deno that gives each line back, and measures one there and back. A new one for each measure: a booted
// worker's call is the first line of its process too.
func startEcho(ctx context.Context, path, folder string) (echo func() (float64, error), end func(), err error) {
	script := filepath.Join(folder, "echo.ts")
	const source = "const b = new Uint8Array(65536); for (;;) { const n = await Deno.stdin.read(b); if (n === null) break; Deno.stdout.writeSync(b.subarray(0, n)); }\n"
	if _, err := os.Stat(script); err != nil { // not again: another echo may be reading it
		if err := os.WriteFile(script, []byte(source), 0o600); err != nil {
			return nil, nil, err
		}
	}
	cmd := exec.CommandContext(ctx, path, "run", "--no-prompt", script)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("start the echo: %w", err)
	}
	lines := bufio.NewReader(out)
	echo = func() (float64, error) {
		begin := time.Now()
		if _, err := io.WriteString(in, `{"type":"call","args":"{}"}`+"\n"); err != nil {
			return 0, err
		}
		_, err := lines.ReadString('\n')
		return milliseconds(time.Since(begin)), err
	}
	return echo, func() { in.Close(); cmd.Wait() }, nil
}

// nobody is a host for a tool that asks for nothing.
type nobody struct{ *capability.Gate }

func (nobody) Decided(_ context.Context, _ capability.Call, tool extension.Tool) ([]grant.Decided, error) {
	return grant.Decide(tool.Permissions, nil), nil
}

func (nobody) Permit(context.Context, capability.Call, extension.Tool, []extension.Permission) ([]grant.Answer, error) {
	return nil, errors.New("it asks for a permission")
}

func (nobody) Ask(context.Context, capability.Call, []capability.Question) ([]json.RawMessage, error) {
	return nil, errors.New("it asks a question")
}

func (nobody) Propose(context.Context, capability.Call, schedule.Draft) (schedule.Answer, error) {
	return schedule.Answer{}, errors.New("it proposes a schedule")
}

func (nobody) Display(capability.Call, capability.Display)   {}
func (nobody) Progress(capability.Call, capability.Progress) {}
func (nobody) Log(capability.Call, string, string)           {}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"portico/backend/capability"
	"portico/backend/core"
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/runtime/deno"
)

const (
	manyCalls   = 1_000
	manyTools   = 100
	atOnce      = 4     // booted ahead, as many as wait at the same time
	manyLooks   = 2_000 // accesses within one call
	brokerCalls = 9
)

// benchLoad measures many calls: on workers that were booted ahead, with the boot counted, of a hundred tools at the same
// time, and what it costs that a broker is asked about each access.
func benchLoad(ctx context.Context) (measures []measure, err error) {
	folder, err := os.MkdirTemp("", "portico-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path, err := deno.Find()
	if err != nil {
		return nil, err
	}
	source := filepath.Join(folder, "many")
	if err := writeMany(source); err != nil {
		return nil, err
	}
	c, err := core.Open(ctx, core.Options{Data: filepath.Join(folder, "data")})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close(context.WithoutCancel(ctx))) }()
	installed, err := c.Install(ctx, core.InstallRequest{Source: source})
	if err != nil {
		return nil, err
	}
	instance, err := startInstance(ctx, folder, &installed.Copy)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, instance.Stop(context.WithoutCancel(ctx))) }()
	call := func(tool int) (float64, error) {
		of := capability.Call{ID: "bench", Extension: installed.Ref(), Tool: toolName(tool), Origin: capability.FromPerson}
		begin := time.Now()
		_, err := instance.Call(ctx, of, of.Tool, json.RawMessage(`{}`))
		return milliseconds(time.Since(begin)), err
	}
	if _, err := call(0); err != nil { // fills the caches
		return nil, err
	}
	bare := bareDeno(ctx, path, folder)
	if _, err := bare(); err != nil {
		return nil, err
	}

	var booted, echoed []float64
	for range manyCalls / atOnce {
		echoes := make([]func() (float64, error), 0, atOnce)
		ends := make([]func(), 0, atOnce)
		for n := range atOnce {
			instance.Warm(capability.Call{ID: "bench", Extension: installed.Ref(), Tool: toolName(n)}, toolName(n))
			echo, end, err := startEcho(ctx, path, folder)
			if err != nil {
				return nil, err
			}
			echoes, ends = append(echoes, echo), append(ends, end)
		}
		time.Sleep(atOnce * bootTime)
		for n := range atOnce {
			ms, err := call(n)
			if err != nil {
				return nil, err
			}
			floor, err := echoes[n]()
			if err != nil {
				return nil, err
			}
			booted, echoed = append(booted, ms), append(echoed, floor)
		}
		for _, end := range ends {
			end()
		}
	}

	var whole, wholeFloor []float64
	for n := range manyCalls {
		ms, err := call(n % manyTools)
		if err != nil {
			return nil, err
		}
		floor, err := bare()
		if err != nil {
			return nil, err
		}
		whole, wholeFloor = append(whole, ms), append(wholeFloor, floor)
	}

	side, err := together(manyTools, manyTools, call)
	if err != nil {
		return nil, err
	}
	sideFloor, err := together(manyTools, deno.StandardLimits.Running, func(int) (float64, error) { return bare() })
	if err != nil {
		return nil, err
	}
	measures = []measure{
		{"call-booted-p50", part(booted, 50), part(echoed, 50), "ms", 2, "1,000 calls on processes booted ahead, against a line echoed by Deno: the median"},
		{"call-booted-p95", part(booted, 95), part(echoed, 95), "ms", 2, "the same: nineteen of twenty are faster"},
		{"call-whole-p50", part(whole, 50), part(wholeFloor, 50), "ms", 1.5, "1,000 calls that start their process, against `deno run` of an empty file: the median"},
		{"call-whole-p95", part(whole, 95), part(wholeFloor, 95), "ms", 1.5, "the same: nineteen of twenty are faster"},
		{"tools-together", side, sideFloor, "ms", 1.5, "a hundred tools called at once, cold, against a hundred bare Deno, eight at a time: until the last has ended"},
	}
	asked, plain, err := accesses(ctx, folder)
	if err != nil {
		return measures, err
	}
	return append(measures, measure{"broker-check", asked, plain, "µs", 40, "one look at a file under the permission broker, against one under Deno's flags"}), nil
}

func toolName(n int) string { return fmt.Sprintf("does_nothing_%d", n) }

// writeMany writes an extension with manyTools tools that do nothing.
func writeMany(folder string) error {
	var tools []map[string]any
	var code strings.Builder
	for n := range manyTools {
		tools = append(tools, map[string]any{"name": toolName(n), "function": fmt.Sprintf("t%d", n), "description": "Does nothing."})
		fmt.Fprintf(&code, "export const t%d = () => %d;\n", n, n)
	}
	return writeExtension(folder, map[string]any{"name": "loca-extension-many", "displayName": "Many", "tools": tools}, code.String())
}

// writeExtension writes one with the common parts of its manifest.
func writeExtension(folder string, manifest map[string]any, code string) error {
	manifest["description"] = "For measuring."
	for _, tool := range manifest["tools"].([]map[string]any) {
		tool["parameters"] = map[string]any{"type": "object", "properties": map[string]any{}}
	}
	data, err := json.Marshal(manifest)
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "loca.json"), data, 0o600), os.WriteFile(filepath.Join(folder, "index.ts"), []byte(code), 0o600))
}

// bareDeno runs an empty file, and gives what it took in milliseconds.
func bareDeno(ctx context.Context, path, folder string) func() (float64, error) {
	empty := filepath.Join(folder, "empty.ts")
	written := os.WriteFile(empty, nil, 0o600)
	return func() (float64, error) {
		if written != nil {
			return 0, written
		}
		begin := time.Now()
		run := exec.CommandContext(ctx, path, "run", "--no-prompt", empty)
		run.Env = append(os.Environ(), "DENO_DIR="+filepath.Join(folder, "deno"))
		if out, err := run.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("run an empty file: %w: %s", err, out)
		}
		return milliseconds(time.Since(begin)), nil
	}
}

// together does something n times, at most so many at once, and gives the milliseconds until the last has ended.
func together(n, most int, do func(int) (float64, error)) (float64, error) {
	errs := make([]error, n)
	places := make(chan struct{}, most)
	var all sync.WaitGroup
	begin := time.Now()
	for at := range n {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			_, errs[at] = do(at)
		})
	}
	all.Wait()
	return milliseconds(time.Since(begin)), errors.Join(errs...)
}

// part gives the value that so many percent do not exceed.
func part(values []float64, percent int) float64 {
	slices.Sort(values)
	return values[min(len(values)*percent/100, len(values)-1)]
}

// accesses measures, from within a tool, one look at a file that is granted: by a broker, because another permission of the
// tool is not decided yet, and by flags. Both in microseconds.
func accesses(ctx context.Context, folder string) (asked, plain float64, err error) {
	source := filepath.Join(folder, "looks")
	looked := filepath.Join(folder, "looked-at")
	if err := os.WriteFile(looked, nil, 0o600); err != nil {
		return 0, 0, err
	}
	if looked, err = filepath.EvalSymlinks(looked); err != nil {
		return 0, 0, err
	}
	reads := map[string]any{"path": looked, "reason": "To look at it."}
	permitted := func(more map[string]any) map[string]any {
		all := map[string]any{"read": []any{reads}}
		for kind, entries := range more {
			all[kind] = entries
		}
		return all
	}
	code := fmt.Sprintf(`export function looks() {
  const begin = performance.now();
  for (let n = 0; n < %d; n++) Deno.statSync(%q);
  return (performance.now() - begin) * 1000 / %d;
}
`, manyLooks, looked, manyLooks)
	err = writeExtension(source, map[string]any{"name": "loca-extension-looks", "displayName": "Looks", "tools": []map[string]any{
		{"name": "by_flags", "function": "looks", "description": "Looks.", "permissions": permitted(nil)},
		{"name": "by_broker", "function": "looks", "description": "Looks.", "permissions": permitted(map[string]any{"net": []any{map[string]any{"host": "example.invalid", "ports": []any{443}, "reason": "Never.", "optional": true}}})},
	}}, code)
	if err != nil {
		return 0, 0, err
	}
	c, err := core.Open(ctx, core.Options{Data: filepath.Join(folder, "looking")})
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, c.Close(context.WithoutCancel(ctx))) }()
	installed, err := c.Install(ctx, core.InstallRequest{Source: source})
	if err != nil {
		return 0, 0, err
	}
	var by [2][]float64
	for range brokerCalls {
		for n, tool := range []string{"by_broker", "by_flags"} {
			result, err := c.RunDirect(ctx, core.Direct{Ref: installed.Ref(), Tool: tool, Args: json.RawMessage(`{}`), Host: func(core.Beside) capability.Host { return readers{} }})
			if err != nil {
				return 0, 0, err
			}
			var took float64
			if err := json.Unmarshal(result, &took); err != nil {
				return 0, 0, err
			}
			by[n] = append(by[n], took)
		}
	}
	return median(by[0]), median(by[1]), nil
}

// readers allows reading, and leaves everything else undecided.
type readers struct{ nobody }

func (readers) Decided(_ context.Context, _ capability.Call, tool extension.Tool) ([]grant.Decided, error) {
	all := grant.Decide(tool.Permissions, nil)
	for n := range all {
		if all[n].Permission.Kind == extension.Read {
			all[n].Decision = grant.Allow
		}
	}
	return all, nil
}

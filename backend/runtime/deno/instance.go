package deno

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/runtime"
	extlog "portico/backend/runtime/log"
)

// instance is one extension that is ready to be called.
type instance struct {
	runtime *Runtime
	ext     *extension.Copy
	root    string // without links
	host    capability.Host
	places  grant.Places
	log     *extlog.File
	changed chan struct{}

	ctx  context.Context // ends with Stop
	stop context.CancelFunc

	ready once[prepared]

	mu         sync.Mutex
	stopped    bool
	generation int            // counts Refresh
	refreshed  chan struct{}  // closed by the next Refresh
	busy       sync.WaitGroup // calls and warmings
}

var _ runtime.Instance = (*instance)(nil)

func (i *instance) Tools() []extension.Tool  { return slices.Clone(i.ext.Tools) }
func (i *instance) Changed() <-chan struct{} { return i.changed }

func (i *instance) Health() *extension.Problem {
	if err := i.ready.failed(); err != nil {
		return extension.AsProblem(err, "extension.not-ready", "It could not be made ready to run.", "Install it again.")
	}
	return nil
}

// enter takes part in what Stop waits for; false after Stop.
func (i *instance) enter() (generation int, ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stopped {
		return 0, false
	}
	i.busy.Add(1)
	return i.generation, true
}

func (i *instance) current() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.generation
}

// Refresh ends what was booted ahead under older grants. A worker's key names its grants too, so that one which is being
// booted right now is not used either.
func (i *instance) Refresh() {
	i.mu.Lock()
	i.generation++
	if i.refreshed != nil {
		close(i.refreshed)
		i.refreshed = nil
	}
	i.mu.Unlock()
	i.runtime.ahead.drop(i)
}

func (i *instance) Stop(ctx context.Context) error {
	i.mu.Lock()
	first := !i.stopped
	i.stopped = true
	i.mu.Unlock()
	i.stop()
	done := make(chan struct{})
	go func() { // ends with the calls, which i.stop cancelled
		i.busy.Wait()
		i.runtime.ahead.drop(i)
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		return fmt.Errorf("stop %s: %w", i.ext.ID, ctx.Err())
	}
	if first {
		close(i.changed)
	}
	return i.log.Close()
}

// note writes to the extension's log. A log that can't be written is no reason to fail a call.
func (i *instance) note(level, format string, args ...any) {
	_ = i.log.Line(level, fmt.Sprintf(format, args...))
}

func (i *instance) prepare(ctx context.Context) (*prepared, error) {
	broken := func(err error) bool {
		var p *extension.Problem
		return errors.As(err, &p) && ctx.Err() == nil && p.Code != "deno.missing"
	}
	return i.ready.get(broken, func() (*prepared, error) {
		ctx, cancel := context.WithTimeout(ctx, prepareLimit)
		defer cancel()
		return prepare(ctx, i)
	})
}

// Warm boots a worker ahead when everything that is asked about before a start is decided: what the answer will be can't be
// known.
func (i *instance) Warm(call capability.Call, name string) {
	tool := i.ext.Tool(name)
	generation, ok := i.enter()
	if tool == nil || !ok {
		if ok {
			i.busy.Done()
		}
		return
	}
	go func() { // ends with the boot, at the latest with Stop
		defer i.busy.Done()
		decided, err := i.host.Decided(i.ctx, call, *tool)
		if err != nil || len(firstAsked(decided)) > 0 || missing(decided) != nil {
			return
		}
		p, err := i.prepare(i.ctx)
		if err != nil {
			return // the call tells it
		}
		pl := i.plan(decided)
		key := i.key(p, *tool, pl)
		if !i.runtime.ahead.reserve(i, key) {
			return
		}
		w, err := i.boot(i.ctx, p, pl)
		if err != nil || i.current() != generation {
			i.runtime.ahead.cancel(i, key)
			if w != nil {
				w.end()
			}
			return
		}
		i.runtime.ahead.put(i, key, w)
	}()
}

// plan is how a worker is held: on flags where everything is decided, by a broker where something is asked about when it
// is used.
type plan struct {
	layers  grant.Layers
	watched bool
	decided []grant.Decided
	limits  Limits
}

func (i *instance) plan(decided []grant.Decided) plan {
	pl := plan{decided: decided, watched: grant.Watched(decided, i.places), limits: *i.runtime.limits.Load()}
	if pl.watched {
		pl.layers = grant.CompileWatched(decided, i.places)
	} else {
		pl.layers = grant.Compile(decided, i.places)
	}
	return pl
}

// firstAsked gives the places of what the person has to be asked about before a worker starts: programs, foreign code and
// variables; everything, where programs or foreign code are allowed, since those go past a broker. A capability is asked
// for when it is used.
func firstAsked(decided []grant.Decided) []int {
	all := grant.StartsCode(decided)
	var first []int
	for n, d := range decided {
		if d.Decision == grant.Ask && !d.Permission.Kind.Capability() && (all || !grant.AskedInUse(d.Permission.Kind)) {
			first = append(first, n)
		}
	}
	return first
}

func missing(decided []grant.Decided) *extension.Permission {
	for n := range decided {
		if decided[n].Decision == grant.Deny && !decided[n].Permission.Optional {
			return &decided[n].Permission
		}
	}
	return nil
}

// key names what a worker was booted for: these files, this tool, exactly these grants and limits.
func (i *instance) key(p *prepared, tool extension.Tool, pl plan) string {
	data, err := json.Marshal(struct {
		Prepared, Tool, Function string
		Layers                   grant.Layers
		Watched                  bool
		Limits                   Limits
	}{p.dir, tool.Name, tool.Function, pl.layers, pl.watched, pl.limits})
	if err != nil { // plain values have JSON
		panic(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

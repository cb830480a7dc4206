package deno

import (
	"context"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/grant"
)

// heed ends a worker when something that it was started with is taken back: what a process has on flags can't be made less.
// A broker is asked with each access, so that a watched worker goes on. The function that is returned ends the heeding, and
// says why the worker was ended, if it was.
func (i *instance) heed(ctx context.Context, call capability.Call, tool extension.Tool, pl plan, generation int, w *worker) (end func() error) {
	if pl.watched || len(tool.Permissions) == 0 {
		return func() error { return nil }
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- i.revoked(ctx, call, tool, pl, generation, w) }() // ends with end
	return func() error {
		stop()
		return <-ended
	}
}

func (i *instance) revoked(ctx context.Context, call capability.Call, tool extension.Tool, pl plan, generation int, w *worker) error {
	for {
		next, now := i.nextRefresh()
		if now != generation {
			generation = now
			decided, err := i.host.Decided(ctx, call, tool)
			if err != nil {
				return nil // the call is over; or nobody can tell what counts, and the next call says so
			}
			if p := lost(pl.decided, decided); p != nil {
				w.process.Kill()
				return extension.NewProblem("call.revoked", "{key} was taken back while {tool} ran, so the call was ended.", "Run it again; it is held to what is allowed now.",
					"key", p.Key(), "tool", extension.Address(i.ext.ID, tool.Name))
			}
		}
		select {
		case <-next:
		case <-ctx.Done():
			return nil
		}
	}
}

// nextRefresh gives what the next Refresh closes, and the generation until then.
func (i *instance) nextRefresh() (next <-chan struct{}, generation int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.refreshed == nil {
		i.refreshed = make(chan struct{})
	}
	return i.refreshed, i.generation
}

// lost gives the first permission of a worker's that is not allowed any more. A capability is looked up with each request.
func lost(had, now []grant.Decided) *extension.Permission {
	allowed := map[string]bool{}
	for _, d := range now {
		allowed[d.Permission.Key()] = d.Decision == grant.Allow
	}
	for n, d := range had {
		if d.Decision == grant.Allow && !d.Permission.Kind.Capability() && !allowed[d.Permission.Key()] {
			return &had[n].Permission
		}
	}
	return nil
}

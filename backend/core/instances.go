package core

import (
	"context"
	"errors"
	"sync"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/runtime"
)

// instances holds the running extensions. One is started when it is first needed and ends when its copy is gone, off, or
// has other files: reconcile decides, a small loop acts.
type instances struct {
	runtimes map[extension.Format]runtime.Runtime

	mu      sync.Mutex
	running map[extension.Ref]running
	closed  bool
}

type running struct {
	fingerprint string
	instance    runtime.Instance
}

func newInstances(runtimes map[extension.Format]runtime.Runtime) *instances {
	return &instances{runtimes: runtimes, running: map[extension.Ref]running{}}
}

// get gives the instance of a usable copy, started when it was not.
func (i *instances) get(ctx context.Context, ext *extension.Copy, host func() capability.Host) (runtime.Instance, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return nil, context.Canceled
	}
	ref := ext.Ref()
	have, ok := i.running[ref]
	if ok && have.fingerprint == ext.Fingerprint && have.instance.Health() == nil {
		return have.instance, nil
	}
	if ok {
		delete(i.running, ref)
		if err := have.instance.Stop(ctx); err != nil {
			return nil, err
		}
	}
	started, err := i.runtimes[ext.Format].Start(ctx, ext, host())
	if err != nil {
		return nil, err
	}
	i.running[ref] = running{ext.Fingerprint, started}
	return started, nil
}

// reconcile says which of the running instances have to end, given the copies that are there now.
func reconcile(running map[extension.Ref]string, wanted []extension.Copy) []extension.Ref {
	keep := map[extension.Ref]string{}
	for _, ext := range wanted {
		if ext.Usable() {
			keep[ext.Ref()] = ext.Fingerprint
		}
	}
	var stop []extension.Ref
	for ref, fingerprint := range running {
		if wantedPrint, ok := keep[ref]; !ok || wantedPrint != fingerprint {
			stop = append(stop, ref)
		}
	}
	return stop
}

// settle ends what should not run any more.
func (i *instances) settle(ctx context.Context, wanted []extension.Copy) error {
	i.mu.Lock()
	have := make(map[extension.Ref]string, len(i.running))
	for ref, r := range i.running {
		have[ref] = r.fingerprint
	}
	var ending []runtime.Instance
	for _, ref := range reconcile(have, wanted) {
		ending = append(ending, i.running[ref].instance)
		delete(i.running, ref)
	}
	i.mu.Unlock()
	return stopAll(ctx, ending)
}

// refresh makes the instance forget what it prepared under older grants.
func (i *instances) refresh(ref extension.Ref) {
	i.mu.Lock()
	have, ok := i.running[ref]
	i.mu.Unlock()
	if ok {
		have.instance.Refresh()
	}
}

// end ends one instance, if it runs.
func (i *instances) end(ctx context.Context, ref extension.Ref) error {
	i.mu.Lock()
	have, ok := i.running[ref]
	delete(i.running, ref)
	i.mu.Unlock()
	if !ok {
		return nil
	}
	return have.instance.Stop(ctx)
}

func (i *instances) close(ctx context.Context) error {
	i.mu.Lock()
	i.closed = true
	var ending []runtime.Instance
	for ref, r := range i.running {
		ending = append(ending, r.instance)
		delete(i.running, ref)
	}
	i.mu.Unlock()
	return stopAll(ctx, ending)
}

func stopAll(ctx context.Context, ending []runtime.Instance) error {
	errs := make([]error, len(ending))
	var all sync.WaitGroup
	for n, instance := range ending {
		all.Go(func() { errs[n] = instance.Stop(ctx) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// Package deno runs Loca tools: each call in a Deno process of its own, held to what the person allowed by Deno's flags
// and by the operating system, booted ahead while the tool is in use (architecture.md, Enforcement, twice).
//
// What it promises: a call ends, by its result, an error in words, its time limit or its cancelling, and with it every
// process it started; the next call works. What a tool sends is believed only as far as it was checked here. A worker
// that was booted under other grants is never used. What a tool prints is kept in its extension's log.
//
// It leaves to others: the arguments' schema, drift of the installed files, who may call, and what the person is shown.
package deno

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/npm"
	"portico/backend/runtime"
	extlog "portico/backend/runtime/log"
)

// Options are where things lie. All are absolute folders.
type Options struct {
	Data     string // Portico's own data, in no grant
	Cache    string
	Logs     string
	Models   string            // what $models names
	Sessions string            // what $sessions names
	Binary   string            // Deno; empty: Find
	Opener   capability.Opener // nil: there is no desktop to open things on

	Registries npm.Surroundings // where npm's configuration is read
	Fetching   *npm.Limits      // nil: npm.Standard
}

func (o *Options) limits() npm.Limits {
	if o.Fetching != nil {
		return *o.Fetching
	}
	return npm.Standard
}

// Runtime starts Loca extensions. It is safe for concurrent use.
type Runtime struct {
	options Options
	places  grant.Places
	ahead   *ahead
	running *slots
	limits  atomic.Pointer[Limits]
}

var _ runtime.Runtime = (*Runtime)(nil)

// New makes a runtime. It looks for nothing yet: a missing Deno is told by the first call.
func New(options Options) (*Runtime, error) {
	for _, folder := range []*string{&options.Data, &options.Cache, &options.Logs, &options.Models, &options.Sessions} {
		if *folder == "" {
			continue
		}
		abs, err := filepath.Abs(*folder)
		if err != nil {
			return nil, err
		}
		*folder = abs
	}
	places := grant.SystemPlaces()
	places.Data, places.Models, places.Sessions = options.Data, options.Models, options.Sessions
	r := &Runtime{options: options, places: places, ahead: newAhead(StandardLimits.Ahead, aheadBytes), running: newSlots(StandardLimits.Running)}
	r.limits.Store(&StandardLimits)
	return r, nil
}

// Limit changes what workers may use, at once for those that are not booted yet. No call is ended; a worker that was booted
// ahead under other limits is.
func (r *Runtime) Limit(l Limits) {
	if *r.limits.Load() == l {
		return
	}
	r.limits.Store(&l)
	r.running.resize(l.Running)
	r.ahead.resize(l.Ahead)
}

// LogFile is where an extension's processes' words are kept.
func LogFile(logs string, ref extension.Ref) string {
	return filepath.Join(logs, "extensions", ref.Key()+".log")
}

// CacheFolder is where an extension's prepared modules are, below the cache folder.
func CacheFolder(cache string, ref extension.Ref) string {
	return filepath.Join(cache, "deno", ref.Key())
}

// Start gives an instance. No code of the extension runs until it is first called or warmed.
func (r *Runtime) Start(_ context.Context, ext *extension.Copy, host capability.Host) (runtime.Instance, error) {
	root, err := filepath.EvalSymlinks(ext.Root)
	if err != nil {
		return nil, extension.NewProblem("extension.files-missing", "The files of {extension} can't be read.", "Install it again.", "extension", ext.DisplayName).At(ext.Root).Because(err)
	}
	places := r.places
	places.Extension = root
	ctx, stop := context.WithCancel(context.Background())
	return &instance{
		runtime: r, ext: ext, root: root, host: host, places: places, log: extlog.Open(LogFile(r.options.Logs, ext.Ref())),
		changed: make(chan struct{}), ctx: ctx, stop: stop,
	}, nil
}

func (r *Runtime) binary() (string, error) {
	if r.options.Binary != "" {
		if !isProgram(r.options.Binary) {
			return "", noDeno().At(r.options.Binary)
		}
		return r.options.Binary, nil
	}
	return Find()
}

// once is a value that is made when it is first asked for. A failure to be kept is kept, any other is tried again.
type once[T any] struct {
	mu    sync.Mutex
	value *T
	err   error
}

func (o *once[T]) get(keep func(error) bool, do func() (*T, error)) (*T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.value != nil || o.err != nil {
		return o.value, o.err
	}
	value, err := do()
	if err == nil {
		o.value = value
	} else if keep(err) {
		o.err = err
	}
	return value, err
}

// failed gives the failure that was kept, if there is one.
func (o *once[T]) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

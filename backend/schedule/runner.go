package schedule

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"portico/backend/extension"
)

const (
	// longestSleep is after how long the clock is looked at again: it may have been set, the computer may have slept, or
	// another process may have added a schedule. None of these ends a wait.
	longestSleep = 10 * time.Second
	// maxRunning is how many runs go on at the same time; the others wait for one to end.
	maxRunning = 4
	// endLimit is how long the end of a run may take to be written when Portico closes.
	endLimit = 5 * time.Second
)

// Do is what a run does: it opens a session, says so, sends the instruction and returns when the turn is over. The error is
// why it failed. since is when the run was claimed; it may have waited for others.
type Do func(ctx context.Context, s Schedule, since time.Time, opened func(session string) error) error

// Runner runs schedules: those that are due while Keep goes on, and those that the person wants now. It is safe for concurrent
// use, also beside the runners of other processes.
type Runner struct {
	store *Store
	do    Do
	after func(time.Duration) (<-chan time.Time, func())

	ctx     context.Context
	stop    context.CancelFunc
	seats   chan struct{} // a token for each run that goes on
	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

// NewRunner makes a runner. Close it to end its runs.
func NewRunner(store *Store, do Do) *Runner {
	r := &Runner{store: store, do: do, seats: make(chan struct{}, maxRunning)}
	r.after = func(d time.Duration) (<-chan time.Time, func()) {
		timer := time.NewTimer(d)
		return timer.C, func() { timer.Stop() }
	}
	r.ctx, r.stop = context.WithCancel(context.Background())
	return r
}

// Close ends what runs, writes that it was interrupted, and returns when that is done.
func (r *Runner) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.stop()
	r.running.Wait()
}

// Keep runs what becomes due, until ctx ends or the runner is closed. What it started goes on.
func (r *Runner) Keep(ctx context.Context) {
	for ctx.Err() == nil && r.ctx.Err() == nil {
		timeout, stop := r.after(r.step(ctx))
		select {
		case <-timeout:
		case <-r.store.wake:
		case <-ctx.Done():
		case <-r.ctx.Done():
		}
		stop()
	}
}

// step starts what is due, and gives how long to wait then. An error of the file is met again at the next step; what is
// due stays due.
func (r *Runner) step(ctx context.Context) time.Duration {
	if err := r.store.Recover(ctx); err != nil {
		return longestSleep
	}
	for more := true; more; {
		var taken []claimed
		var err error
		if taken, more, err = r.store.claim(ctx); err != nil {
			return longestSleep
		}
		for _, one := range taken {
			r.begin(one)
		}
	}
	if err := r.store.notice(ctx); err != nil {
		return longestSleep
	}
	next, err := r.store.next(ctx)
	if err != nil || next.IsZero() {
		return longestSleep
	}
	return min(longestSleep, max(0, next.Sub(r.store.Now())))
}

// RunNow runs a schedule because the person wants it; schedule.running while it runs. It returns when that is on disk.
func (r *Runner) RunNow(ctx context.Context, id string) (Run, error) {
	taken, line, err := r.store.claimNow(ctx, id)
	if err != nil {
		return Run{}, err
	}
	r.begin(taken)
	return line, nil
}

func (r *Runner) begin(taken claimed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		r.end(taken, r.ctx.Err())
		return
	}
	r.running.Go(func() { // ends with the run; Close waits for it
		select {
		case r.seats <- struct{}{}:
		case <-r.ctx.Done():
			r.end(taken, r.ctx.Err())
			return
		}
		defer func() { <-r.seats }()
		r.end(taken, r.guarded(taken))
	})
}

// guarded turns a panic into a failed run.
func (r *Runner) guarded(taken claimed) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return r.do(r.ctx, taken.schedule, taken.at, func(session string) error {
		return r.store.opened(context.WithoutCancel(r.ctx), taken.run, session)
	})
}

// end writes how a run ended. When even that fails, the line is marked as interrupted by the process that comes next.
func (r *Runner) end(taken claimed, err error) {
	state := Finished
	var p *extension.Problem
	switch {
	case err == nil:
	case r.ctx.Err() != nil && !errors.As(err, &p):
		state = Interrupted
	default:
		state, p = Failed, extension.AsProblem(err, "schedule.failed", "It could not be run.", "Try to run it now; the details say more.")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), endLimit)
	defer cancel()
	_ = r.store.ended(ctx, taken.run, state, p)
}

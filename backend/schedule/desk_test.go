package schedule

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"portico/backend/extension"
	"portico/backend/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clock is a wall clock that a test sets, forwards and back.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// desk is a runner on a real file, with a clock of the test's own; what it runs is written down.
type desk struct {
	*Runner
	t     *testing.T
	clock *clock
	store *Store

	mu  sync.Mutex
	ran []string // title and the clock's time
}

// sit opens a file of its own; it is Madrid, at the given time.
func sit(t *testing.T, now string) *desk {
	t.Helper()
	return sitAt(t, filepath.Join(t.TempDir(), "portico.db"), &clock{now: at(t, now)}, "one")
}

func sitAt(t *testing.T, path string, clock *clock, process string) *desk {
	t.Helper()
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, clock: clock}
	madrid := zone(t, "Europe/Madrid")
	d.store = NewStore(Options{DB: db, Process: process, Alive: func(string) bool { return true }, Now: clock.Now, In: func() *time.Location { return madrid }})
	d.Runner = NewRunner(d.store, d.do)
	t.Cleanup(func() {
		d.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// do does what the instruction says.
func (d *desk) do(ctx context.Context, s Schedule, _ time.Time, opened func(string) error) error {
	d.mu.Lock()
	d.ran = append(d.ran, fmt.Sprintf("%s %s", s.Draft.Title, d.clock.Now().In(d.store.In()).Format("01-02 15:04")))
	d.mu.Unlock()
	if err := opened("session of " + s.Draft.Title); err != nil {
		return err
	}
	switch s.Draft.Instruction {
	case "fail":
		return extension.NewProblem("test.failed", "It failed.", "")
	case "panic":
		panic("of a test")
	case "wait":
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

func draft(title string, r Recurrence) Draft {
	return Draft{Title: title, Instruction: "go", Recurrence: r}
}

func (d *desk) add(draft Draft) Schedule {
	d.t.Helper()
	made, err := d.store.Add(d.t.Context(), Owner{}, "", draft)
	if err != nil {
		d.t.Fatal(err)
	}
	return made
}

// look lets the runner look at the clock, and waits for what it starts.
func (d *desk) look() {
	d.step(d.t.Context())
	d.running.Wait()
}

// pass lets time pass, and the runner look once a minute.
func (d *desk) pass(until string) {
	d.t.Helper()
	end := at(d.t, until)
	for now := d.clock.Now(); !now.After(end); now = now.Add(time.Minute) {
		d.clock.set(now)
		d.look()
	}
}

// jump sets the clock, and lets the runner look.
func (d *desk) jump(to string) {
	d.t.Helper()
	d.clock.set(at(d.t, to))
	d.look()
}

// expect compares what ran.
func (d *desk) expect(want ...string) {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if got := strings.Join(d.ran, "\n"); got != strings.Join(want, "\n") {
		d.t.Errorf("ran\n%s\nwanted\n%s", got, strings.Join(want, "\n"))
	}
}

// history compares the history, the newest first: cause, state, due time, how many were missed and the problem.
func (d *desk) history(id string, want ...string) []Run {
	d.t.Helper()
	runs, err := d.store.History(d.t.Context(), id)
	if err != nil {
		d.t.Fatal(err)
	}
	lines := make([]string, len(runs))
	for n, r := range runs {
		lines[n] = fmt.Sprintf("%s %s", r.Cause, r.State)
		if r.DueAt != 0 {
			lines[n] += " " + time.UnixMilli(r.DueAt).In(d.store.In()).Format("01-02 15:04")
		}
		if r.Missed != 0 {
			lines[n] += fmt.Sprintf(" -%d", r.Missed)
		}
		if r.Problem != nil {
			lines[n] += " " + r.Problem.Code
		}
	}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		d.t.Errorf("the history is\n%s\nwanted\n%s", got, strings.Join(want, "\n"))
	}
	return runs
}

func (d *desk) get(id string) Schedule {
	d.t.Helper()
	found, err := d.store.Get(d.t.Context(), id)
	if err != nil {
		d.t.Fatal(err)
	}
	return found
}

func (d *desk) due(id string) string {
	d.t.Helper()
	if next := d.get(id).NextAt; next != 0 {
		return time.UnixMilli(next).In(d.store.In()).Format("01-02 15:04")
	}
	return ""
}

func isProblem(err error, code string) bool {
	var p *extension.Problem
	return errors.As(err, &p) && p.Code == code
}

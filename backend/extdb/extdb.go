// Package extdb gives every extension that declares one its own SQLite file: extension-data/<key>/data.sqlite
// (loca-extensions.md, ctx.db).
//
// It promises: an extension's statements reach its own file and no other, whatever they say; a file, a statement and an
// answer have a bound; a statement ends with its context; nothing that a call leaves open outlives it; at most MaxOpen
// files are open, and a file that is removed is not open. Statements of one extension run one after the other. Who may
// have a database is up to the gate.
package extdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"portico/backend/capability"
	"portico/backend/extension"
)

const (
	MaxOpen           = 16
	MaxRows           = 10_000
	MaxAnswerBytes    = 16 << 20
	MaxStatementBytes = 1 << 20
	MaxFileBytes      = 1 << 30
	maxValueBytes     = 16 << 20 // one text or blob
	busyTimeout       = time.Second
	pageBytes         = 4096
	fileName          = "data.sqlite"
)

// Databases are the files of all extensions. All methods are safe for concurrent use.
type Databases struct {
	folder   string // extension-data
	maxBytes int    // of one file

	mu     sync.Mutex
	open   map[string]*handle // by the extension's key
	clock  uint64             // counts uses, so that the least recent one is known
	closed bool
}

// New keeps the files below a folder, which is made when it is first used.
func New(folder string) *Databases {
	return &Databases{folder: folder, maxBytes: MaxFileBytes, open: map[string]*handle{}}
}

// Of is an extension's database. Nothing is opened before it is first used.
func (d *Databases) Of(ref extension.Ref) (capability.Database, error) {
	key := ref.Key()
	if !filepath.IsLocal(key) || filepath.Base(key) != key {
		return nil, fmt.Errorf("%q names no folder for a database", ref.ID)
	}
	return &database{of: d, key: key}, nil
}

// borrow gives an extension's handle to one caller at a time.
func (d *Databases) borrow(ctx context.Context, key string) (*handle, error) {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil, errClosed()
	}
	h := d.open[key]
	if h == nil {
		d.makeRoom()
		if len(d.open) >= MaxOpen {
			d.mu.Unlock()
			return nil, extension.NewProblem("db.many", "Too many extensions use their databases at once.", "Try again in a moment.")
		}
		h = &handle{path: d.path(key), maxBytes: d.maxBytes, turn: make(chan struct{}, 1)}
		d.open[key] = h
	}
	d.clock++
	h.used = d.clock
	h.users++
	d.mu.Unlock()

	select {
	case h.turn <- struct{}{}:
	case <-ctx.Done():
		d.leave(h)
		return nil, ctx.Err()
	}
	if err := h.ready(ctx); err != nil {
		d.giveBack(h)
		return nil, err
	}
	return h, nil
}

func (d *Databases) giveBack(h *handle) {
	<-h.turn
	d.leave(h)
}

func (d *Databases) leave(h *handle) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h.users--
}

// makeRoom closes the idle handle that was used least recently, when all places are taken. d.mu is held.
func (d *Databases) makeRoom() {
	if len(d.open) < MaxOpen {
		return
	}
	oldest := ""
	for key, h := range d.open {
		if h.users == 0 && (oldest == "" || h.used < d.open[oldest].used) {
			oldest = key
		}
	}
	if oldest != "" {
		_ = d.open[oldest].end() // what was answered is on disk already
		delete(d.open, oldest)
	}
}

// Remove waits for an extension's running statement, then closes its file and drops it with its log.
func (d *Databases) Remove(ctx context.Context, ref extension.Ref) error {
	key := ref.Key()
	d.mu.Lock()
	h := d.open[key]
	delete(d.open, key)
	d.mu.Unlock()
	if h != nil {
		if err := h.retire(ctx); err != nil {
			return fmt.Errorf("close %s: %w", h.path, err)
		}
	}
	for _, suffix := range []string{"-wal", "-shm", "-journal", ""} {
		if err := os.Remove(d.path(key) + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return describe(err, d.path(key))
		}
	}
	return nil
}

// Close waits for running statements and closes every file.
func (d *Databases) Close(ctx context.Context) error {
	d.mu.Lock()
	d.closed = true
	open := d.open
	d.open = map[string]*handle{}
	d.mu.Unlock()
	var errs []error
	for _, h := range open {
		errs = append(errs, h.retire(ctx))
	}
	return errors.Join(errs...)
}

func (d *Databases) path(key string) string { return filepath.Join(d.folder, key, fileName) }

func errClosed() error {
	return extension.NewProblem("db.closed", "The extension's database was closed.", "Try again when Portico has started.")
}

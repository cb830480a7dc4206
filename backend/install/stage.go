package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"portico/backend/extension"
	"portico/backend/whole"
)

const (
	stagingFolder = ".staging"
	journalFile   = "journal.json"
	busyFile      = "busy.lock" // held by the process that works in a staging folder
	turnFile      = ".install.lock"
	// turnLimit is how long one waits for another install's swap: that takes milliseconds.
	turnLimit = 10 * time.Second
)

// journal is what is needed to finish or undo a swap that was cut off.
type journal struct {
	Key   string          `json:"key"`
	Entry json.RawMessage `json:"entry"`
}

// stage is a folder of its own for one install.
type stage struct {
	folder string
	busy   *flock.Flock
	keep   bool // it holds what could not be put back: the next turn tries again
}

func (s *stage) files() string { return filepath.Join(s.folder, "files") }
func (s *stage) old() string   { return filepath.Join(s.folder, "old") }
func (s *stage) note() string  { return filepath.Join(s.folder, journalFile) }

// close removes the stage. The journal goes first: what is left of a stage without one is only rubbish, which a later
// turn removes where this can't.
func (s *stage) close() {
	if s.keep {
		_ = s.busy.Unlock()
		return
	}
	_ = os.Remove(s.note())
	_ = s.busy.Unlock() // before the removal: Windows removes no file that is open
	_ = removeAll(s.folder)
	_ = os.Remove(filepath.Dir(s.folder)) // succeeds when it was the last one
}

// openStage makes a stage in a turn, so that no other process takes it for one that was left behind.
func (in *Installer) openStage(ctx context.Context, scopeFolder string) (*stage, error) {
	done, err := in.turn(ctx, scopeFolder)
	if err != nil {
		return nil, err
	}
	defer done()
	s, err := newStage(scopeFolder)
	if err != nil {
		return nil, unwritable(err)
	}
	return s, nil
}

// newStage makes a stage; the caller has the turn.
func newStage(scopeFolder string) (*stage, error) {
	all := filepath.Join(scopeFolder, stagingFolder)
	if err := os.MkdirAll(all, 0o700); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(all, "in-")
	if err != nil {
		return nil, err
	}
	s := &stage{folder: folder, busy: flock.New(filepath.Join(folder, busyFile))}
	_, err = s.busy.TryLock()
	if err = errors.Join(err, os.Mkdir(s.files(), 0o755)); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// turn waits for this scope's turn to change what is installed, and first finishes or undoes what a crash cut off.
func (in *Installer) turn(ctx context.Context, scopeFolder string) (func(), error) {
	if err := os.MkdirAll(scopeFolder, 0o755); err != nil {
		return nil, unwritable(err)
	}
	lock := flock.New(filepath.Join(scopeFolder, turnFile))
	waiting, cancel := context.WithTimeout(ctx, turnLimit)
	defer cancel()
	ok, err := lock.TryLockContext(waiting, 5*time.Millisecond)
	switch {
	case ctx.Err() != nil:
		return nil, cancelled(ctx.Err())
	case err != nil && waiting.Err() == nil:
		return nil, unwritable(err)
	case err != nil || !ok:
		return nil, extension.NewProblem("install.busy", "Another Portico is installing into the same place.", "Wait until it is done, and try again.").Because(err)
	}
	if err := in.settle(scopeFolder); err != nil {
		_ = lock.Unlock()
		return nil, err
	}
	return func() { _ = lock.Unlock() }, nil
}

// swap puts the staged files in place and writes the lock. Whatever fails, the version before is in place afterwards; if
// even that fails, the stage is kept for the next turn. It gives the entry as it was written.
func (in *Installer) swap(ctx context.Context, scopeFolder string, s *stage, key string, e entry, staysOff bool) (entry, error) {
	done, err := in.turn(ctx, scopeFolder)
	if err != nil {
		return entry{}, err
	}
	defer done()
	l, err := readLock(scopeFolder, in.options.Now())
	if err == nil {
		err = l.free(key, e.Format) // again: another process may have taken the name meanwhile
	}
	if err != nil {
		return entry{}, err
	}
	have, there := l[key]
	e.unknown, e.Enabled = have.unknown, !(staysOff && there && !have.Enabled)
	data, err := json.Marshal(e)
	if err != nil {
		return entry{}, fmt.Errorf("note what is installed: %w", err)
	}
	note, err := json.Marshal(journal{Key: key, Entry: data})
	if err != nil {
		return entry{}, fmt.Errorf("note what is installed: %w", err)
	}
	if err = in.before("journal"); err == nil {
		err = whole.Write(s.note(), note, 0o600)
	}
	if err != nil {
		return entry{}, unwritable(err)
	}
	target := filepath.Join(scopeFolder, key)
	if err = in.before("exchange"); err == nil {
		err = in.exchange(s.files(), target, s.old())
	}
	if err != nil {
		return entry{}, unwritable(errors.Join(err, s.kept(putBack(target, s.old()))))
	}
	l[key] = e
	if err = in.before("lock"); err == nil {
		err = errors.Join(whole.SyncFolder(scopeFolder), l.write(scopeFolder))
	}
	if err != nil {
		return entry{}, unwritable(errors.Join(err, s.kept(in.undo(s, target))))
	}
	// From here on it is installed, whatever becomes of the old files.
	_ = in.before("tidy")
	return e, nil
}

// kept keeps the stage when what it holds could not be put back.
func (s *stage) kept(err error) error {
	s.keep = s.keep || err != nil
	return err
}

// moveAside is the swap where two folders can't trade places: old away, new in.
func moveAside(staged, target, old string) error {
	if err := os.Rename(target, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(staged, target)
}

// putBack undoes the first half of moveAside.
func putBack(target, old string) error {
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(old, target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("put the version before back: %w", err)
	}
	return nil
}

// undo takes a swapped-in folder out again after the lock could not be written.
func (in *Installer) undo(s *stage, target string) error {
	if err := in.before("undo"); err != nil {
		return err
	}
	before := s.old()
	if _, err := os.Lstat(s.files()); err == nil {
		before = s.files() // they traded places
	}
	if err := os.Rename(target, filepath.Join(s.folder, "undone")); err != nil {
		return fmt.Errorf("take the new files out again: %w", err)
	}
	if _, err := os.Lstat(before); err != nil {
		return nil // there was none before
	}
	if err := os.Rename(before, target); err != nil {
		return fmt.Errorf("put the version before back: %w", err)
	}
	return nil
}

// removeAll removes a tree, read-only folders included.
func removeAll(folder string) error {
	_ = filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			_ = os.Chmod(name, 0o700)
		}
		return nil
	})
	return os.RemoveAll(folder)
}

// syncTree makes the names in a tree durable; the files in it already are.
func syncTree(folder string) error {
	return filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		return whole.SyncFolder(name)
	})
}

package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
	"github.com/google/uuid"
)

// owner is this process among those that share a data folder. It holds a locked file; the system unlocks it when the process
// ends, however that happens, and so the others know.
type owner struct {
	id     string
	folder string
	lock   *flock.Flock
}

const lockSuffix = ".lock"

// claimTries bounds how often a new owner tries again because another process swept its file away before it was locked.
const claimTries = 10

func newOwner(data string) (*owner, error) {
	folder := filepath.Join(data, "locks")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of locks: %w", err)
	}
	for range claimTries {
		o := &owner{id: newID(), folder: folder}
		o.lock = flock.New(o.path(o.id))
		held, err := o.lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", o.lock.Path(), err)
		}
		if held && o.inPlace() {
			return o, nil
		}
		_ = o.lock.Unlock()
	}
	return nil, fmt.Errorf("no lock in %s stays", folder)
}

func (o *owner) path(id string) string { return filepath.Join(o.folder, id+lockSuffix) }

// inPlace says whether the locked file is the one that others find.
func (o *owner) inPlace() bool {
	locked, err := o.lock.Stat()
	if err != nil {
		return false
	}
	found, err := os.Stat(o.lock.Path())
	return err == nil && os.SameFile(locked, found)
}

// alive says whether the process of that id still runs. One whose lock can't be tried is taken for alive: its entries then stay as
// they are, which is the smaller harm.
func (o *owner) alive(id string) bool {
	if id == o.id {
		return true
	}
	if _, err := uuid.Parse(id); err != nil {
		return false // no owner of ours, and no file name
	}
	other := flock.New(o.path(id), flock.SetFlag(os.O_RDWR)) // not created
	free, err := other.TryRLock()                            // shared: two that look at once must not take each other for it
	if free {
		_ = other.Unlock()
		return false
	}
	return !errors.Is(err, fs.ErrNotExist)
}

// sweep removes the files of processes that are gone.
func (o *owner) sweep() error {
	items, err := os.ReadDir(o.folder)
	if err != nil {
		return fmt.Errorf("list locks: %w", err)
	}
	for _, item := range items {
		id, isLock := strings.CutSuffix(item.Name(), lockSuffix)
		if !isLock || id == o.id {
			continue
		}
		other := flock.New(o.path(id), flock.SetFlag(os.O_RDWR))
		if free, _ := other.TryLock(); free {
			remove(other)
		}
	}
	return nil
}

func (o *owner) release() { remove(o.lock) }

// remove takes the file away while it is locked, so that nobody locks it in between; Windows removes only what is closed.
func remove(held *flock.Flock) {
	err := os.Remove(held.Path())
	_ = held.Unlock()
	if err != nil {
		_ = os.Remove(held.Path())
	}
}

// newID gives ids that sort by the time they were made.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

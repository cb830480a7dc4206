package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Recover finishes or undoes, in the agent's scope, what a crash cut off. Folders in which another process works are left
// alone.
func (in *Installer) Recover(ctx context.Context) error {
	return in.recoverScope(ctx, filepath.Join(in.options.Data, "extensions"))
}

func (in *Installer) recoverScope(ctx context.Context, scopeFolder string) error {
	all := filepath.Join(scopeFolder, stagingFolder)
	entries, err := os.ReadDir(all)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for unfinished installs in %s: %w", all, err)
	}
	var errs []error
	for _, entry := range entries {
		errs = append(errs, in.recoverStage(ctx, scopeFolder, filepath.Join(all, entry.Name())))
	}
	return errors.Join(errs...)
}

func (in *Installer) recoverStage(ctx context.Context, scopeFolder, folder string) error {
	busy := flock.New(filepath.Join(folder, busyFile))
	free, err := busy.TryLock()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it has just gone
	}
	if err != nil || !free {
		return nil // at work, or not ours to touch
	}
	s := &stage{folder, busy}
	defer s.close()
	done, err := in.turn(ctx, scopeFolder)
	if err != nil {
		return err
	}
	defer done()
	note, err := os.ReadFile(filepath.Join(folder, journalFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // cut off before anything was changed
	}
	if err != nil {
		return fmt.Errorf("read what an install that was cut off had noted: %w", err)
	}
	var j journal
	var e entry
	if err := errors.Join(json.Unmarshal(note, &j), json.Unmarshal(j.Entry, &e)); err != nil || !lockKey.MatchString(j.Key) {
		return nil // a note that was never whole: the swap comes after it
	}
	target := filepath.Join(scopeFolder, j.Key)
	summary, err := Fingerprint(os.DirFS(target))
	if err == nil && summary.Fingerprint == e.SHA256 {
		l, err := readLock(scopeFolder, in.options.Now())
		if err != nil {
			return err
		}
		l[j.Key] = e
		return l.write(scopeFolder)
	}
	return putBack(target, s.old())
}

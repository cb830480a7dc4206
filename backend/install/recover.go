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

// Recover finishes or undoes, in the agent's scope, what a crash cut off. A project's scope is brought in order by the
// first change in it.
func (in *Installer) Recover(ctx context.Context) error {
	scopeFolder := filepath.Join(in.options.Data, "extensions")
	stages, fetched := filepath.Join(scopeFolder, stagingFolder), filepath.Join(in.options.Data, dependenciesFolder)
	if !isThere(stages) && !isThere(fetched) {
		return nil
	}
	done, err := in.turn(ctx, scopeFolder)
	if err != nil {
		return err
	}
	defer done()
	return in.settleFetched(scopeFolder)
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// settle brings every stage to its end in which no process works any more. The caller has the turn.
func (in *Installer) settle(scopeFolder string) error {
	all := filepath.Join(scopeFolder, stagingFolder)
	entries, err := os.ReadDir(all)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unwritable(fmt.Errorf("look for unfinished installs: %w", err))
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue // none of ours
		}
		s := &stage{folder: filepath.Join(all, entry.Name())}
		if plain(filepath.Join(s.folder, busyFile), 0) != nil || plain(s.note(), 0) != nil {
			continue // a project's own making
		}
		s.busy = flock.New(filepath.Join(s.folder, busyFile))
		if free, err := s.busy.TryLock(); err != nil || !free {
			continue // at work, or not ours to touch
		}
		err := in.settleStage(scopeFolder, s)
		s.close()
		if err != nil {
			return unwritable(err)
		}
	}
	return nil
}

// settleStage decides by what lies in place: the new files get their entry in the lock, and where there are none any more,
// the old ones go back. What can't be decided now is kept.
func (in *Installer) settleStage(scopeFolder string, s *stage) error {
	note, err := readBounded(s.note())
	if errors.Is(err, fs.ErrNotExist) {
		return nil // cut off before anything was changed, or after everything was
	}
	if err != nil {
		return s.kept(fmt.Errorf("read what an install that was cut off had noted: %w", err))
	}
	var j journal
	var e entry
	if err := errors.Join(json.Unmarshal(note, &j), json.Unmarshal(j.Entry, &e)); err != nil || !lockKey.MatchString(j.Key) {
		return nil // a note that was never whole: the swap comes after it
	}
	l, err := readLock(scopeFolder, in.options.Now())
	if err != nil {
		return s.kept(err)
	}
	have, listed := l[j.Key]
	target := filepath.Join(scopeFolder, j.Key)
	if _, err := os.Lstat(target); errors.Is(err, fs.ErrNotExist) {
		if !listed {
			return nil
		}
		return s.kept(putBack(target, s.old()))
	}
	if have.SHA256 == e.SHA256 {
		return nil
	}
	summary, err := fingerprintOf(target)
	switch {
	case errors.Is(err, errBeyond) || errors.Is(err, errNoFolder):
		return nil // not what was staged
	case err != nil:
		_ = s.kept(err) // one that can't be read now may be either
		return nil
	case summary.Fingerprint != e.SHA256:
		return nil // the old files are still there
	}
	l[j.Key] = e
	return s.kept(l.write(scopeFolder))
}

// fingerprintOf hashes a folder without leaving it.
func fingerprintOf(folder string) (Summary, error) {
	root, err := openPlain(folder)
	if err != nil {
		return Summary{}, err
	}
	defer root.Close()
	return Fingerprint(root.FS())
}

// openPlain opens a folder that is no link.
func openPlain(folder string) (*os.Root, error) {
	info, err := os.Lstat(folder)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%w: %s is %s", errNoFolder, folder, kindOf(info.Mode().Type()))
	}
	return os.OpenRoot(folder)
}

var errNoFolder = errors.New("not a folder")

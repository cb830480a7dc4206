package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"portico/backend/extension"
)

// Dependencies brings in the packages that an extension's code imports. It runs none of their code.
type Dependencies interface {
	// Fetch fills the empty folder with them, and gives them by name; none and no error when the files in root import none.
	// progress is told how many are needed as far as is known, how many of them have come, and which is at hand.
	Fetch(ctx context.Context, ext extension.Extension, root, into string, progress func(known, fetched int, name string)) ([]extension.Dependency, error)
}

const (
	dependenciesFolder = "dependencies" // below the data folder; in it a folder an extension, in that one an install
	packagesFolder     = "packages"     // what the packages' own fingerprint covers
)

// lockedPackages is what the lock says of an extension's packages. They lie outside of its folder, so that its fingerprint is
// its author's files alone; theirs is checked as its own is.
type lockedPackages struct {
	Folder   string                 `json:"folder"` // of this install, below the extension's own
	SHA256   string                 `json:"sha256"`
	Packages []extension.Dependency `json:"packages"`
}

// place is where these packages lie; empty when the lock names no folder of ours: a project's is a stranger's.
func (p *lockedPackages) place(data string, ref extension.Ref) string {
	if p.Folder == "" || filepath.Base(p.Folder) != p.Folder || p.Folder == "." || p.Folder == ".." {
		return ""
	}
	return filepath.Join(dependenciesOf(data, ref), p.Folder)
}

// dependenciesOf is the folder of everything that was fetched for one extension.
func dependenciesOf(data string, ref extension.Ref) string {
	return filepath.Join(data, dependenciesFolder, ref.Key())
}

// fetched is a folder of packages on its way in. While it is held nobody takes it for one that was left behind.
type fetched struct {
	folder string
	busy   *flock.Flock
}

func (f *fetched) packages() string { return filepath.Join(f.folder, packagesFolder) }

// release lets go of the folder, which is the lock's from now on.
func (f *fetched) release() {
	_ = f.busy.Unlock()
	_ = os.Remove(filepath.Join(f.folder, busyFile))
}

// drop removes what is not wanted after all. What can't be removed now, the next start removes.
func (f *fetched) drop() {
	_ = f.busy.Unlock() // before the removal: Windows removes no file that is open
	_ = removeAll(f.folder)
	_ = os.Remove(filepath.Dir(f.folder)) // succeeds when it was the only one
}

// fetch brings in what the staged files import; nil and nil when that is nothing.
func (in *Installer) fetch(ctx context.Context, scopeFolder string, s *stage, ext *extension.Extension, ref extension.Ref, progress func(string, float64, string)) (*fetched, *lockedPackages, error) {
	from := in.options.Dependencies[ext.Format]
	if from == nil {
		return nil, nil, nil
	}
	f, err := in.openFetched(ctx, scopeFolder, ref)
	if err != nil {
		return nil, nil, err
	}
	locked, err := in.fetchInto(ctx, f, from, s, ext, progress)
	if err != nil || locked == nil {
		f.drop()
		return nil, nil, err
	}
	return f, locked, nil
}

// openFetched makes the folder in a turn, so that no other process takes it for one that was left behind.
func (in *Installer) openFetched(ctx context.Context, scopeFolder string, ref extension.Ref) (*fetched, error) {
	done, err := in.turn(ctx, scopeFolder)
	if err != nil {
		return nil, err
	}
	defer done()
	all := dependenciesOf(in.options.Data, ref)
	if err := os.MkdirAll(all, 0o700); err != nil {
		return nil, unwritable(err)
	}
	folder, err := os.MkdirTemp(all, "in-")
	if err != nil {
		return nil, unwritable(err)
	}
	f := &fetched{folder: folder, busy: flock.New(filepath.Join(folder, busyFile))}
	_, err = f.busy.TryLock()
	if err = errors.Join(err, os.Mkdir(f.packages(), 0o700)); err != nil {
		f.drop()
		return nil, unwritable(err)
	}
	return f, nil
}

// The part of the whole that fetching takes in the progress: from and up to.
const fetchFrom, fetchTo = 0.5, 0.9

func (in *Installer) fetchInto(ctx context.Context, f *fetched, from Dependencies, s *stage, ext *extension.Extension, progress func(string, float64, string)) (*lockedPackages, error) {
	if err := in.before("fetch"); err != nil {
		return nil, unwritable(err)
	}
	bar := forwards{tell: progress, at: fetchFrom}
	packages, err := from.Fetch(ctx, *ext, s.files(), f.packages(), func(known, fetched int, _ string) {
		bar.move("fetch", fetchFrom+(fetchTo-fetchFrom)*float64(fetched)/float64(max(known, 1)), fmt.Sprintf("%d/%d", fetched, known))
	})
	var problem *extension.Problem
	switch {
	case ctx.Err() != nil:
		return nil, cancelled(ctx.Err())
	case err != nil && !errors.As(err, &problem):
		return nil, unwritable(err)
	case err != nil:
		return nil, err
	case len(packages) == 0:
		return nil, nil
	}
	if err := syncPackages(f.packages()); err != nil {
		return nil, unwritable(err)
	}
	summary, err := in.packagesFingerprint(ctx, f.packages(), fingerprint)
	switch {
	case ctx.Err() != nil:
		return nil, cancelled(ctx.Err())
	case errors.Is(err, errBeyond):
		return nil, extension.NewProblem("dependencies.too-much", "What {extension} needs is more than an extension may have.", "Its author has to need less.", "extension", ext.DisplayName)
	case err != nil:
		return nil, fmt.Errorf("hash the packages of %s: %w", ext.ID, err)
	case len(summary.Irregular) > 0:
		return nil, refused(summary.Irregular[0], "it is no plain file")
	}
	return &lockedPackages{Folder: filepath.Base(f.folder), SHA256: summary.Fingerprint, Packages: packages}, nil
}

// forwards is a bar that never goes back: more packages become known while some have come. It may be moved from any
// goroutine.
type forwards struct {
	tell func(string, float64, string)

	mu sync.Mutex
	at float64
}

func (f *forwards) move(step string, to float64, detail string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = max(f.at, to)
	f.tell(step, f.at, detail)
}

func (in *Installer) packagesFingerprint(ctx context.Context, folder string, hash func(context.Context, fs.FS) (Summary, error)) (Summary, error) {
	root, err := openPlain(folder)
	if err != nil {
		return Summary{}, err
	}
	defer root.Close()
	return hash(ctx, root.FS())
}

// checkPackages says what is wrong with an installed extension's packages, and gives where they are.
func (in *Installer) checkPackages(ctx context.Context, c *extension.Copy, p *lockedPackages) *extension.Problem {
	if p == nil {
		return nil
	}
	c.Dependencies = p.Packages
	missing := func(err error) *extension.Problem {
		return extension.NewProblem("extension.packages-gone", "The packages that {extension} needs are gone.", "Install it again.", "extension", c.DisplayName).Because(err)
	}
	place := p.place(in.options.Data, c.Ref())
	if place == "" {
		return missing(errors.New("the list of installed extensions names no folder of theirs"))
	}
	folder := filepath.Join(place, packagesFolder)
	summary, err := in.packagesFingerprint(ctx, folder, func(ctx context.Context, files fs.FS) (Summary, error) {
		return in.checked.fingerprint(ctx, folder, files)
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing(err)
	case err != nil || len(summary.Irregular) > 0 || summary.Fingerprint != p.SHA256:
		if err == nil {
			err = errors.New("fingerprint " + summary.Fingerprint)
		}
		return extension.NewProblem("extension.packages-drift", "The packages that {extension} needs changed since it was installed.", "Install it again.", "extension", c.DisplayName).Because(err)
	}
	c.PackagesRoot = folder
	return nil
}

// Tidy removes the packages of an extension's versions before: an update leaves them for the calls that still run. Who
// installed calls it once those have ended.
func (in *Installer) Tidy(ctx context.Context, ref extension.Ref) error {
	all := dependenciesOf(in.options.Data, ref)
	if _, err := os.Lstat(all); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	scopeFolder, err := in.scopeFolder(ref.Scope, ref.Project)
	if err != nil {
		return err
	}
	done, err := in.turn(ctx, scopeFolder)
	if err != nil {
		return err
	}
	defer done()
	l, err := readLock(scopeFolder, in.options.Now())
	if err != nil {
		return err
	}
	keep := ""
	if e, ok := l[extension.FolderName(ref.ID)]; ok && e.formatOf() == ref.Format && e.Packages != nil {
		keep = e.Packages.Folder
	}
	if err := dropFetched(all, keep); err != nil {
		return unwritable(err)
	}
	return nil
}

// dropFetched removes all that was fetched for one extension but what is to be kept, and what is on its way in. The caller
// has the turn.
func dropFetched(all, keep string) error {
	entries, err := os.ReadDir(all)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for packages that are needed no more: %w", err)
	}
	var failed error
	for _, entry := range entries {
		if entry.Name() == keep {
			continue
		}
		folder := filepath.Join(all, entry.Name())
		if plain(filepath.Join(folder, busyFile), 0) == nil {
			if _, err := os.Lstat(filepath.Join(folder, busyFile)); err == nil {
				busy := flock.New(filepath.Join(folder, busyFile))
				if free, err := busy.TryLock(); err != nil || !free {
					continue // at work
				}
				_ = busy.Unlock()
			}
		}
		failed = errors.Join(failed, removeAll(folder))
	}
	_ = os.Remove(all) // succeeds when nothing is left
	return failed
}

// settleFetched removes, for the agent's extensions, what no lock names: an install that was cut off left it. The caller has
// the turn.
func (in *Installer) settleFetched(scopeFolder string) error {
	all := filepath.Join(in.options.Data, dependenciesFolder)
	entries, err := os.ReadDir(all)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unwritable(fmt.Errorf("look for packages that are needed no more: %w", err))
	}
	l, err := readLock(scopeFolder, in.options.Now())
	if err != nil {
		return err
	}
	keep := map[string]string{}
	for key, e := range l {
		if e.Packages != nil {
			keep[extension.Ref{Scope: extension.Agent, Format: e.formatOf(), ID: idOf(key)}.Key()] = e.Packages.Folder
		}
	}
	agents := extension.Ref{Scope: extension.Agent}.Key()[:len("agent-")]
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), agents) {
			continue // a project's: its own lock says
		}
		if err := dropFetched(filepath.Join(all, entry.Name()), keep[entry.Name()]); err != nil {
			return unwritable(err)
		}
	}
	return nil
}

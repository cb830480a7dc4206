package memory

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"portico/backend/extension"
)

// watch tells a store when the person's folder changes. Folders are watched, not files: an atomic save replaces the file.
// Where the system refuses a watch, the folder is looked at again with every use, and every pollEvery for the windows.
type watch struct {
	store   *Store
	root    string
	watcher *fsnotify.Watcher // nil: the system has none to give
	stop    chan struct{}
	ended   sync.WaitGroup

	mu      sync.Mutex
	seen    map[string]int // by folder: what its watch costs
	cost    int
	refused error
}

// startWatch watches one of the two folders, and the one above them: where it was watched before, nothing changes.
func (s *Store) startWatch(folder string) {
	if s.watch == nil {
		s.watch = &watch{store: s, root: s.options.Folder, stop: make(chan struct{}), seen: map[string]int{}}
		s.watch.start()
	}
	s.watch.see(s.options.Folder)
	s.watch.see(folder)
}

func (w *watch) start() {
	w.watcher, w.refused = w.store.newWatcher()
	var events chan fsnotify.Event
	var failures chan error
	if w.watcher != nil {
		events, failures = w.watcher.Events, w.watcher.Errors
	}
	w.ended.Go(func() { w.run(events, failures) })
}

// run ends with close.
func (w *watch) run(events chan fsnotify.Event, failures chan error) {
	settled := time.NewTimer(time.Hour)
	settled.Stop()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	var first time.Time // of the changes that were not announced yet
	happened := func() {
		w.store.stale.Store(true)
		if first.IsZero() {
			first = time.Now()
		}
		settled.Reset(max(0, min(quiet, longestQuiet-time.Since(first))))
	}
	for {
		select {
		case <-w.stop:
			return
		case event, ok := <-events:
			if !ok {
				events = nil // refused in the meantime; the poll goes on
				continue
			}
			if w.matters(event) {
				happened()
			}
		case _, ok := <-failures: // an overflow: whatever was missed, read again
			if !ok {
				failures = nil
				continue
			}
			happened()
		case <-settled.C:
			first = time.Time{}
			w.store.options.Changed()
		case <-poll.C:
			if !w.works() {
				w.store.options.Changed()
			}
		}
	}
}

// matters leaves out what lies aside. A folder that appears is watched with all below it.
func (w *watch) matters(event fsnotify.Event) bool {
	if event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename) {
		w.forget(event.Name)
	}
	name, err := filepath.Rel(w.root, event.Name)
	if err != nil {
		return true
	}
	name = filepath.ToSlash(name)
	if name != "." && passedOver(name) {
		return strings.HasSuffix(strings.ToLower(name), ".md")
	}
	if event.Has(fsnotify.Create) && strings.HasPrefix(name, "skills/") {
		if info, err := os.Lstat(event.Name); err == nil && info.IsDir() {
			w.seeBelow(os.DirFS(w.root), name)
		}
	}
	return true
}

// see watches one folder. Where it is watched already, this finds out whether it is still the same one.
func (w *watch) see(folder string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watcher == nil || w.refused != nil {
		return
	}
	w.cost -= w.seen[folder]
	w.seen[folder] = watchCost(folder)
	w.cost += w.seen[folder]
	var err error
	if w.cost > w.store.watchLimit {
		err = errors.New("there are too many files and folders")
	} else {
		err = w.watcher.Add(folder)
	}
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission): // it has a Problem of its own, and is tried again
		w.cost -= w.seen[folder]
		delete(w.seen, folder)
	default:
		w.refused = err
		w.watcher.Close() // what was watched is of no use any more, and others may need it
	}
}

// forget takes a folder that is gone, and all below it, out of the count.
func (w *watch) forget(folder string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, seen := w.seen[folder]; !seen {
		return
	}
	for name, cost := range w.seen {
		if name == folder || strings.HasPrefix(name, folder+string(filepath.Separator)) {
			w.cost -= cost
			delete(w.seen, name)
		}
	}
}

// add watches a skill's folder with those in it, unless it is.
func (w *watch) add(root *os.Root, place string) {
	w.mu.Lock()
	_, seen := w.seen[filepath.Join(w.root, filepath.FromSlash(place))]
	w.mu.Unlock()
	if !seen {
		w.seeBelow(root.FS(), place)
	}
}

func (w *watch) seeBelow(files fs.FS, place string) {
	_ = fs.WalkDir(files, place, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || !entry.IsDir():
			return nil // it may be gone again
		case name != place && (strings.HasPrefix(path.Base(name), ".") || strings.Count(name, "/") > maxSkillDepth):
			return fs.SkipDir
		}
		w.see(filepath.Join(w.root, filepath.FromSlash(name)))
		return nil
	})
}

// works says whether changes are noticed.
func (w *watch) works() bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.refused == nil
}

// trouble says why they are not.
func (w *watch) trouble() *extension.Problem {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refused == nil {
		return nil
	}
	return extension.NewProblem("memory.unwatched", "The system can't watch the memories' folder, so changes by other programs show only when the memories are used.",
		"Close programs that watch many files, or raise the system's limit (on Linux fs.inotify.max_user_watches), and start Portico again.").Because(w.refused)
}

func (w *watch) close() error {
	if w == nil {
		return nil
	}
	close(w.stop)
	w.ended.Wait()
	if w.watcher == nil {
		return nil
	}
	return w.watcher.Close()
}

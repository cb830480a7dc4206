// Package memory keeps what a person wants the agent to know: knowledge, one Markdown file each, and skills, one folder
// each with a SKILL.md (Agent Skills). They are plain files in the data folder that any editor can change; beside them
// stand, read-only, the ones that installed extensions ship (loca-extensions.md, Shipping knowledge and skills).
//
// Nothing is read before the first use. From then on the folder is watched; where the system refuses that, it is looked at
// again with each use. What can't be served (a link, a binary file, a title that two have) is listed with a Problem, and
// is left alone. Writes are atomic and durable; what was removed is kept aside for a day. A Store is safe for concurrent
// use; another process that writes the same files is noticed, and two that write one file at the same instant leave the
// file of one of them, whole.
package memory

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"

	"portico/backend/capability"
	"portico/backend/extension"
)

// Item is one memory as its page lists it.
type Item struct {
	ID          string             `json:"id"` // the place of its files; it changes with the title
	Title       string             `json:"title"`
	Kind        string             `json:"kind"` // capability.Knowledge or capability.Skill
	Summary     string             `json:"summary"`
	Owner       string             `json:"owner"` // the display name of the extension; empty: the person
	ReadOnly    bool               `json:"readOnly"`
	Enabled     bool               `json:"enabled"`
	UpdatedAtMs int64              `json:"updatedAtMs"` // since 1970, UTC
	Bytes       int64              `json:"bytes"`       // of the text; a skill's other files are not counted
	Problem     *extension.Problem `json:"problem,omitempty"`
}

// List is all there is. Watching says whether changes by other programs are noticed as they happen.
type List struct {
	Items    []Item             `json:"items"` // by title
	Folder   string             `json:"folder"`
	Watching bool               `json:"watching"`
	Problem  *extension.Problem `json:"problem,omitempty"` // with the folder
}

// Text is a memory as the editor opens it; a skill's content is its SKILL.md.
type Text struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Kind     string `json:"kind"`
	Content  string `json:"content"`
	ReadOnly bool   `json:"readOnly"`
	Files    []File `json:"files"` // what a skill bundles beside its SKILL.md
}

// File is a file that a skill bundles.
type File struct {
	Name  string `json:"name"` // its path in the skill's folder, with "/"
	Bytes int64  `json:"bytes"`
}

// Draft is what the person wants to be kept. Without ID it is a new memory.
type Draft struct {
	ID      string  `json:"id,omitempty"`
	Title   string  `json:"title"`
	Kind    string  `json:"kind"`
	Content string  `json:"content"`
	Before  *string `json:"before,omitempty"` // the content that the change started from; another one there by now is not overwritten
}

// Source is an extension that ships memories.
type Source struct {
	Key      string // extension.Ref.Key
	Name     string // display name
	Root     string // absolute folder
	Memories []extension.Memory
	// Check says whether the files are still those that were installed; it is asked before a text is given.
	Check func(context.Context) error
}

// Switches remember which memories were switched, by id. One that never was is on when it is the person's, and off when
// it is an extension's (loca-notes.md, 8).
type Switches interface {
	Switched(ctx context.Context) (map[string]bool, error)
	Switch(ctx context.Context, id string, enabled bool) error
	Forget(ctx context.Context, id string) error
}

// Options are what a Store stands on.
type Options struct {
	Folder   string // absolute; made when it is not there
	Sources  func(context.Context) ([]Source, error)
	Switches Switches
	Changed  func() // something is different: list again. It must not call the Store
	Now      func() time.Time
}

// Store holds the memories. Close it to end its watching.
type Store struct {
	options    Options
	newWatcher func() (*fsnotify.Watcher, error)
	watchLimit int         // what may be watched, as watchCost counts
	stale      atomic.Bool // the person's files may have changed
	shipped    atomic.Bool // the extensions may have changed

	mu       sync.Mutex
	closed   bool
	opened   bool // looked at once
	own      map[string]*record
	foreign  []*record
	problem  *extension.Problem
	index    *index
	view     *view
	switched map[string]bool // that the view was made with
	watch    *watch
}

// New makes a store. It reads nothing yet.
func New(options Options) *Store {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Changed == nil {
		options.Changed = func() {}
	}
	if options.Sources == nil {
		options.Sources = func(context.Context) ([]Source, error) { return nil, nil }
	}
	s := &Store{options: options, newWatcher: fsnotify.NewWatcher, watchLimit: maxWatched, index: newIndex()}
	s.stale.Store(true)
	s.shipped.Store(true)
	return s
}

// Close ends the watching, and returns when it has ended.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	w := s.watch
	s.watch = nil
	s.mu.Unlock()
	return w.close()
}

// ExtensionsChanged says that an extension was added, removed or switched.
func (s *Store) ExtensionsChanged() {
	s.shipped.Store(true)
	s.options.Changed()
}

// Folder is where the person's memories lie. It is made when it is not there.
func (s *Store) Folder() (string, error) {
	if _, err := s.kindFolder(capability.Knowledge); err != nil {
		return "", err
	}
	return s.options.Folder, nil
}

// List gives all there is.
func (s *Store) List(ctx context.Context) (List, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, err := s.look(ctx)
	if err != nil {
		return List{}, err
	}
	list := List{Items: v.items, Folder: s.options.Folder, Watching: s.watch.works(), Problem: s.problem}
	if list.Problem == nil {
		list.Problem = s.watch.trouble()
	}
	return list, nil
}

// Text gives one memory's whole text.
func (s *Store) Text(ctx context.Context, id string) (Text, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(ctx, id)
	if err != nil {
		return Text{}, err
	}
	content, err := s.read(ctx, r)
	if err != nil {
		return Text{}, err
	}
	text := Text{ID: r.ID, Title: r.Title, Kind: r.Kind, Content: content, ReadOnly: r.ReadOnly, Files: []File{}}
	if r.Kind == capability.Skill {
		text.Files, err = s.filesOf(r)
	}
	return text, err
}

// FileOf gives the text of a file that a skill bundles.
func (s *Store) FileOf(ctx context.Context, id, name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(ctx, id)
	if err != nil {
		return "", err
	}
	return s.readFile(ctx, r, name)
}

// SetEnabled switches one memory on or off.
func (s *Store) SetEnabled(ctx context.Context, id string, enabled bool) (Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.find(ctx, id); err != nil {
		return Item{}, err
	}
	if err := s.options.Switches.Switch(ctx, id, enabled); err != nil {
		return Item{}, err
	}
	s.options.Changed()
	return s.item(ctx, id)
}

// find gives a record by its id.
func (s *Store) find(ctx context.Context, id string) (*record, error) {
	v, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	n, ok := v.byID[id]
	if !ok {
		return nil, missing(id)
	}
	return v.records[n], nil
}

func (s *Store) item(ctx context.Context, id string) (Item, error) {
	v, err := s.look(ctx)
	if err != nil {
		return Item{}, err
	}
	n, ok := v.byID[id]
	if !ok {
		return Item{}, missing(id)
	}
	return v.items[n], nil
}

// kindFolder is the folder of one kind, made when it is not there.
func (s *Store) kindFolder(kind string) (string, error) {
	folder := filepath.Join(s.options.Folder, folderOf(kind))
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		var info fs.FileInfo
		if info, err = os.Lstat(folder); err == nil && !info.IsDir() {
			err = errors.New("it is no folder")
		}
	}
	if err != nil {
		return "", badFolder(folder, err)
	}
	return folder, nil
}

func folderOf(kind string) string {
	if kind == capability.Skill {
		return "skills"
	}
	return "knowledge"
}

package memory

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/whole"
)

// removedFolder holds what was removed, each in a folder named for its time and an unguessable word.
const removedFolder = ".removed"

var undoToken = regexp.MustCompile(`^([0-9]{1,15})-[A-Z2-7]{26}$`)

// Save keeps a draft: a new memory, or another text or title for one of the person's.
func (s *Store) Save(ctx context.Context, d Draft) (Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	title, err := checkTitle(d.Title)
	if err != nil {
		return Item{}, err
	}
	if d.Kind != capability.Knowledge && d.Kind != capability.Skill {
		return Item{}, extension.NewProblem("memory.bad-kind", "There is no kind of memory “{kind}”.", "It is knowledge or skill.", "kind", shown(d.Kind))
	}
	if err := checkContent(title, d.Content); err != nil {
		return Item{}, err
	}
	if d.ID == "" {
		return s.create(ctx, title, d.Kind, d.Content)
	}
	r, err := s.find(ctx, d.ID)
	switch {
	case err != nil:
		return Item{}, err
	case r.ReadOnly:
		return Item{}, readOnly(r)
	case r.Kind != d.Kind:
		return Item{}, extension.NewProblem("memory.bad-kind", "A memory can't become {kind}.", "Make a new one, and remove this one.", "kind", d.Kind)
	}
	now, err := s.read(ctx, r)
	if err != nil && r.Problem == nil {
		return Item{}, unreadable(r.Title, err)
	} else if err != nil {
		return Item{}, err // a file that is no text is not overwritten by one
	}
	if d.Before != nil && *d.Before != now {
		return Item{}, changed(r.Title)
	}
	place := r.place
	if title != r.Title {
		place = placeOf(r.Kind, title)
		if err := s.free(ctx, title, place, r); err != nil {
			return Item{}, err
		}
	}
	if now != d.Content {
		if err := s.put(r.textFile(), d.Content); err != nil {
			return Item{}, unwritable(r.Title, err)
		}
	}
	if place != r.place {
		if err := s.move(ctx, r, place); err != nil {
			return Item{}, err
		}
	}
	return s.written(ctx, idOf(place))
}

// create makes a new memory of the person's.
func (s *Store) create(ctx context.Context, title, kind, content string) (Item, error) {
	folder, err := s.kindFolder(kind)
	if err != nil {
		return Item{}, err
	}
	place := placeOf(kind, title)
	if err := s.free(ctx, title, place, nil); err != nil {
		return Item{}, err
	}
	file := place
	if kind == capability.Skill {
		if err := os.Mkdir(filepath.Join(folder, path.Base(place)), 0o700); err != nil {
			return Item{}, unwritable(title, err)
		}
		file = path.Join(place, skillFile)
	}
	id := idOf(place)
	if s.options.Switches != nil { // one of the same place was switched once; this is another
		if err := s.options.Switches.Forget(ctx, id); err != nil {
			return Item{}, err
		}
	}
	if err := s.put(file, content); err != nil {
		return Item{}, unwritable(title, err)
	}
	return s.written(ctx, id)
}

// written looks again after a change.
func (s *Store) written(ctx context.Context, id string) (Item, error) {
	s.stale.Store(true)
	s.options.Changed()
	return s.item(context.WithoutCancel(ctx), id)
}

func placeOf(kind, title string) string {
	name := nameOf(title)
	if kind == capability.Knowledge {
		name += ".md"
	}
	return path.Join(folderOf(kind), name)
}

// free says whether a title and a place can be had, by a new memory or by r.
func (s *Store) free(ctx context.Context, title, place string, r *record) error {
	v, err := s.look(ctx)
	if err != nil {
		return err
	}
	key := fold(title)
	for _, other := range v.records {
		if other.source == nil && other != r && other.key == key {
			return titleExists(other.Title)
		}
	}
	return s.placeFree(place, r)
}

// placeFree says whether nothing lies at a place, or nothing but r.
func (s *Store) placeFree(place string, r *record) error {
	there, err := os.Lstat(s.path(place))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && r != nil { // on a disk that knows no case, the new name may be the old one
		if old, err := os.Lstat(s.path(r.place)); err == nil && os.SameFile(old, there) {
			return nil
		}
	}
	if err != nil {
		return unwritable(place, err)
	}
	return extension.NewProblem("memory.name-taken", "The memories' folder already has {file}.", "Choose another title, or move that away.", "file", place)
}

func (s *Store) path(place string) string {
	return filepath.Join(s.options.Folder, filepath.FromSlash(place))
}

// put writes a text to its place, whole. Every folder on the way is a folder, no link.
func (s *Store) put(file, content string) error {
	for at := path.Dir(file); at != "."; at = path.Dir(at) {
		info, err := os.Lstat(s.path(at))
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is no folder", at)
		}
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Lstat(s.path(file)); err == nil {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is no plain file", file)
		}
		mode = info.Mode().Perm()
	}
	return whole.Write(s.path(file), []byte(content), mode)
}

// move gives a memory another place, and its switch with it.
func (s *Store) move(ctx context.Context, r *record, place string) error {
	if err := os.Rename(s.path(r.place), s.path(place)); err != nil {
		return unwritable(r.Title, err)
	}
	if err := whole.SyncFolder(filepath.Dir(s.path(place))); err != nil {
		return unwritable(r.Title, err)
	}
	on, was := s.switched[r.ID]
	if s.options.Switches == nil || !was {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	return errors.Join(s.options.Switches.Switch(ctx, idOf(place), on), s.options.Switches.Forget(ctx, r.ID))
}

func checkContent(title, content string) error {
	switch {
	case len(content) > MaxBytes:
		return tooLarge(title)
	case !utf8.ValidString(content) || strings.ContainsRune(content, 0):
		return notText(title)
	}
	return nil
}

// Remove takes one of the person's memories away; Restore brings it back, for a day.
func (s *Store) Remove(ctx context.Context, id string) (undo string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(ctx, id)
	if err != nil {
		return "", err
	}
	if r.ReadOnly {
		return "", readOnly(r)
	}
	s.purge()
	undo = fmt.Sprintf("%d-%s", s.options.Now().UnixMilli(), rand.Text())
	kept := s.path(path.Join(removedFolder, undo, r.place))
	err = os.MkdirAll(filepath.Dir(kept), 0o700)
	if err == nil {
		err = os.Rename(s.path(r.place), kept)
	}
	if err == nil {
		err = errors.Join(whole.SyncFolder(filepath.Dir(kept)), whole.SyncFolder(filepath.Dir(s.path(r.place))))
	}
	if err != nil {
		return "", unwritable(r.Title, err)
	}
	s.stale.Store(true)
	s.options.Changed()
	return undo, nil
}

// Restore undoes a Remove.
func (s *Store) Restore(ctx context.Context, undo string) (Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	gone := extension.NewProblem("memory.undo-over", "It can't be restored any more.", "What is removed is kept for a day.")
	if !undoToken.MatchString(undo) {
		return Item{}, gone
	}
	kept := s.path(path.Join(removedFolder, undo))
	for _, kind := range []string{capability.Knowledge, capability.Skill} {
		entries, err := os.ReadDir(filepath.Join(kept, folderOf(kind)))
		if err != nil || len(entries) != 1 {
			continue
		}
		name := entries[0].Name()
		place := path.Join(folderOf(kind), name)
		title := name
		if kind == capability.Knowledge {
			title, _ = cutEnding(name)
		}
		v, err := s.look(ctx)
		if err != nil {
			return Item{}, err
		}
		if n, ok := v.served[fold(titleOf(title))]; ok && v.records[n].source == nil {
			return Item{}, titleExists(v.records[n].Title) // one that works would not, beside this one
		}
		if err := s.placeFree(place, nil); err != nil {
			return Item{}, err
		}
		if _, err := s.kindFolder(kind); err != nil {
			return Item{}, err
		}
		if err := os.Rename(filepath.Join(kept, folderOf(kind), name), s.path(place)); err != nil {
			return Item{}, unwritable(title, err)
		}
		if err := whole.SyncFolder(filepath.Dir(s.path(place))); err != nil {
			return Item{}, unwritable(title, err)
		}
		_ = os.RemoveAll(kept) // empty folders; purge takes what stays
		return s.written(ctx, idOf(place))
	}
	return Item{}, gone
}

// purge drops what was removed longer than undoTime ago. What can't be dropped now is dropped another time.
func (s *Store) purge() {
	entries, err := os.ReadDir(s.path(removedFolder))
	if err != nil {
		return
	}
	for _, entry := range entries {
		found := undoToken.FindStringSubmatch(entry.Name())
		if found == nil {
			continue
		}
		at, err := strconv.ParseInt(found[1], 10, 64)
		if err == nil && s.options.Now().Sub(time.UnixMilli(at)) > undoTime {
			_ = os.RemoveAll(s.path(path.Join(removedFolder, entry.Name())))
		}
	}
}

package memory

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"portico/backend/capability"
	"portico/backend/extension"
)

// skillFile is what makes a folder a skill.
const skillFile = "SKILL.md"

// readText gives the text of a plain file; anything else is a Problem, and so is a text that is too large or is none.
func readText(root *os.Root, name string) (text string, info fs.FileInfo, err error) {
	if info, err = root.Lstat(name); err != nil {
		return "", nil, unreadable(name, err)
	}
	if err := plain(name, info); err != nil {
		return "", info, err
	}
	file, err := root.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return "", info, unreadable(name, err)
	}
	defer file.Close()
	// What was looked at may have been replaced before it was opened.
	if info, err = file.Stat(); err != nil {
		return "", nil, unreadable(name, err)
	}
	if err := plain(name, info); err != nil {
		return "", info, err
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	switch {
	case err != nil:
		return "", info, unreadable(name, err)
	case len(data) > MaxBytes:
		return "", info, tooLarge(name)
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return "", info, notText(name)
	}
	return strings.TrimPrefix(string(data), "\ufeff"), info, nil
}

func plain(name string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return extension.NewProblem("memory.link", "{file} is a link, and links are not followed here.", "Put the file itself in its place.", "file", shown(name))
	case !info.Mode().IsRegular():
		return extension.NewProblem("memory.no-file", "{file} is no plain file.", "Move it out of the memories' folder.", "file", shown(name))
	case info.Size() > MaxBytes:
		return tooLarge(name)
	}
	return nil
}

// read gives the text of a record as it is now.
func (s *Store) read(ctx context.Context, r *record) (string, error) {
	root, err := s.open(ctx, r)
	if err != nil {
		return "", err
	}
	defer root.Close()
	text, _, err := readText(root, r.textFile())
	return text, err
}

// open opens what the record's place is relative to. An extension's files are checked first.
func (s *Store) open(ctx context.Context, r *record) (*os.Root, error) {
	folder := s.options.Folder
	if r.source != nil {
		folder = r.source.Root
		if r.source.Check != nil {
			if err := r.source.Check(ctx); err != nil {
				return nil, err
			}
		}
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, badFolder(folder, err)
	}
	return root, nil
}

// readFile gives the text of a file that a skill bundles.
func (s *Store) readFile(ctx context.Context, r *record, name string) (string, error) {
	if r.Kind != capability.Skill {
		return "", extension.NewProblem("memory.no-skill", "{title} is knowledge: it has no files.", "Read its text.", "title", r.Title)
	}
	if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, "\\\x00") || passedOver(name) {
		return "", noFile(r, name)
	}
	root, err := s.open(ctx, r)
	if err != nil {
		return "", err
	}
	defer root.Close()
	// Each folder on the way is looked at: a link among them leads elsewhere, even within the memories.
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		if info, err := root.Lstat(path.Join(r.place, at)); err != nil || !info.IsDir() {
			return "", noFile(r, name)
		}
	}
	text, _, err := readText(root, path.Join(r.place, name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", noFile(r, name)
	}
	return text, err
}

func noFile(r *record, name string) *extension.Problem {
	return extension.NewProblem("memory.no-such-file", "The skill {title} has no file {file}.", "Its page lists the files it has.", "title", r.Title, "file", shown(name))
}

// passedOver says whether a part of a path is hidden.
func passedOver(name string) bool {
	return strings.HasPrefix(name, ".") || strings.Contains(name, "/.")
}

// filesOf lists what a skill bundles, in order, at most maxSkillFiles.
func (s *Store) filesOf(r *record) ([]File, error) {
	folder := s.options.Folder
	if r.source != nil {
		folder = r.source.Root
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, badFolder(folder, err)
	}
	defer root.Close()
	files := []File{}
	err = fs.WalkDir(root.FS(), r.place, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what can't be looked at has no files; the others are listed
		case name == r.place:
			return nil
		}
		name = strings.TrimPrefix(name, r.place+"/")
		if entry.IsDir() {
			if passedOver(name) || strings.Count(name, "/") >= maxSkillDepth-1 {
				return fs.SkipDir
			}
			return nil
		}
		if passedOver(name) || !entry.Type().IsRegular() || name == skillFile {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return nil
		}
		if files = append(files, File{name, info.Size()}); len(files) >= maxSkillFiles {
			return fs.SkipAll
		}
		return nil
	})
	return files, err
}

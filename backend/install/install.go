// Package install brings extensions onto this computer and keeps the record of them: stage, check, swap in, lock. It runs
// no code of theirs. A crash or a cancel at any instant leaves the state before or the state after: what is staged stands
// apart until one rename puts it in place, and a journal beside it lets the next start finish or undo what was cut off.
// Installs into one scope take turns, also between processes.
package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"portico/backend/extension"
	"portico/backend/format"
)

const (
	stagingFolder = ".staging"
	journalFile   = "journal.json"
	busyFile      = "busy.lock" // held by the process that works in a staging folder
	turnFile      = ".install.lock"
	// turnLimit is how long one waits for another install's swap: that takes milliseconds.
	turnLimit = 10 * time.Second
)

// Options are what an installer needs from outside.
type Options struct {
	Data    string
	Formats []format.Format
	Now     func() time.Time
	// Confirmed says whether the person confirmed these files of a project's extension on this computer; Confirm keeps
	// that they did. A project's folder is a stranger's.
	Confirmed func(ctx context.Context, ref extension.Ref, fingerprint string) (bool, error)
	Confirm   func(ctx context.Context, ref extension.Ref, fingerprint string) error
}

// Installer installs, lists and removes. It is safe for concurrent use.
type Installer struct {
	options Options
	checked *checkedFiles

	mu   sync.Mutex
	busy map[string]*sync.Mutex // by target folder: installs of one id queue

	// before is called ahead of each step that changes the disk; tests end the process there.
	before func(step string)
}

// New makes an installer.
func New(options Options) *Installer {
	return &Installer{options: options, checked: newCheckedFiles(filepath.Join(options.Data, "cache", "fingerprints")), busy: map[string]*sync.Mutex{}, before: func(string) {}}
}

// scopeFolder is where a scope's extensions lie.
func (in *Installer) scopeFolder(scope extension.Scope, project string) (string, error) {
	switch {
	case scope == extension.Agent && project == "":
		return filepath.Join(in.options.Data, "extensions"), nil
	case scope == extension.Project && filepath.IsAbs(project):
		return filepath.Join(project, ".portico", "extensions"), nil
	}
	return "", extension.NewProblem("install.no-scope", "There is no scope “{scope}” with the project “{project}”.", "Say agent, or project with its folder.", "scope", string(scope), "project", project)
}

// Folder is where an extension's files lie, installed or not.
func (in *Installer) Folder(ref extension.Ref) (string, error) {
	scope, err := in.scopeFolder(ref.Scope, ref.Project)
	if err != nil {
		return "", err
	}
	key := extension.FolderName(ref.ID)
	if !lockKey.MatchString(key) {
		return "", missing(ref.ID)
	}
	return filepath.Join(scope, key), nil
}

func missing(id string) error {
	return extension.NewProblem("extension.missing", "{id} isn't installed.", "Look at Settings › Extensions, or `portico extension list`, for what is.", "id", id)
}

// Review is what would be installed.
type Review struct {
	Source      string // the absolute folder
	Extension   extension.Extension
	Warnings    []extension.Issue
	Files       int
	Bytes       int64
	Fingerprint string
	Replaces    *extension.Copy
}

// Review reads a folder and writes nothing.
func (in *Installer) Review(ctx context.Context, folder string, scope extension.Scope, project string) (Review, error) {
	from, ext, warnings, err := in.readSource(ctx, folder)
	if err != nil {
		return Review{}, err
	}
	defer from.close()
	summary, err := Fingerprint(from.root.FS())
	if err != nil {
		return Review{}, unreadableSource(from.path, err)
	}
	review := Review{Source: from.path, Extension: *ext, Warnings: warnings, Files: summary.Files, Bytes: summary.Bytes, Fingerprint: summary.Fingerprint}
	review.Replaces, err = in.replaces(ctx, ext, scope, project)
	return review, err
}

// readSource opens a folder and reads all that can be known before a byte is copied.
func (in *Installer) readSource(ctx context.Context, folder string) (*source, *extension.Extension, []extension.Issue, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return nil, nil, nil, unreadableSource(folder, err)
	}
	from, err := openSource(abs)
	if err != nil {
		return nil, nil, nil, err
	}
	ext, warnings, err := in.read(from.root.FS())
	if err == nil {
		err = in.apart(abs)
	}
	if err == nil {
		err = from.list(ctx)
	}
	if err != nil {
		from.close()
		return nil, nil, nil, located(err, abs)
	}
	return from, ext, warnings, nil
}

// located puts the folder in front of a Problem that has no place of its own.
func located(err error, where string) error {
	var p *extension.Problem
	if errors.As(err, &p) && p.Where == "" {
		return p.At(where)
	}
	return err
}

func (in *Installer) read(files fs.FS) (*extension.Extension, []extension.Issue, error) {
	of, err := format.Detect(files, in.options.Formats)
	if err != nil {
		return nil, nil, err
	}
	return of.Load(files)
}

// apart refuses a source that holds Portico's data or lies within it: it would copy itself.
func (in *Installer) apart(folder string) error {
	resolved, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return unreadableSource(folder, err)
	}
	data, err := filepath.EvalSymlinks(in.options.Data)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = in.options.Data, nil
	}
	if err != nil {
		return fmt.Errorf("find Portico's data folder: %w", err)
	}
	if within(resolved, data) || within(data, resolved) {
		return extension.NewProblem("install.own-folder", "{folder} belongs to Portico itself.", "Choose the folder that the extension's author gave you.", "folder", folder)
	}
	return nil
}

func within(inner, outer string) bool {
	rel, err := filepath.Rel(outer, inner)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// replaces gives the copy of the same id, and refuses when it is of another format.
func (in *Installer) replaces(ctx context.Context, ext *extension.Extension, scope extension.Scope, project string) (*extension.Copy, error) {
	folder, err := in.scopeFolder(scope, project)
	if err != nil {
		return nil, err
	}
	l, err := readLock(folder, in.options.Now())
	if err != nil {
		return nil, err
	}
	have, ok := l[extension.FolderName(ext.ID)]
	if !ok {
		return nil, nil
	}
	if of := have.formatOf(); of != ext.Format {
		return nil, extension.NewProblem("install.name-taken", "The name {id} is taken by an extension of another format ({format}).",
			"Remove that one first, if you no longer need it.", "id", ext.ID, "format", string(of))
	}
	copied := in.copyOf(ctx, folder, extension.FolderName(ext.ID), have, scope, project)
	return &copied, nil
}

func (e entry) formatOf() extension.Format {
	if e.Format == "" {
		return extension.Plugin
	}
	return e.Format
}

// journal is what the next start needs to finish or undo a swap.
type journal struct {
	Key   string          `json:"key"`
	Entry json.RawMessage `json:"entry"`
}

// Install copies a folder in. Progress is told as steps with the fraction of the whole that is done.
func (in *Installer) Install(ctx context.Context, folder string, scope extension.Scope, project string, progress func(step string, fraction float64, detail string)) (extension.Copy, error) {
	progress("read", 0, folder)
	from, ext, _, err := in.readSource(ctx, folder)
	if err != nil {
		return extension.Copy{}, err
	}
	defer from.close()
	scopeFolder, err := in.scopeFolder(scope, project)
	if err != nil {
		return extension.Copy{}, err
	}
	key := extension.FolderName(ext.ID)
	defer in.queue(filepath.Join(scopeFolder, key))()
	if _, err := in.replaces(ctx, ext, scope, project); err != nil {
		return extension.Copy{}, err
	}
	stage, err := in.openStage(scopeFolder)
	if err != nil {
		return extension.Copy{}, unwritable(err)
	}
	defer stage.close()
	if err := in.fill(ctx, stage, from, progress); err != nil {
		return extension.Copy{}, err
	}
	progress("check", 0.85, "")
	staged, summary, err := in.checkStage(stage)
	if err != nil {
		return extension.Copy{}, err
	}
	if staged.ID != ext.ID || staged.Format != ext.Format {
		return extension.Copy{}, refused(folder, "it was exchanged while it was read")
	}
	progress("fingerprint", 0.92, summary.Fingerprint)
	e := entry{Source: from.path, SHA256: summary.Fingerprint, Enabled: true, Installed: in.options.Now().UTC().Format(time.RFC3339), Format: ext.Format}
	if err := ctx.Err(); err != nil {
		return extension.Copy{}, cancelled(err)
	}
	progress("swap", 0.96, "")
	// The swap itself is not cancelled half-way: it is done or it is not.
	ctx = context.WithoutCancel(ctx)
	if err := in.swap(ctx, scopeFolder, stage, key, e); err != nil {
		return extension.Copy{}, err
	}
	ref := extension.Ref{Scope: scope, Project: project, Format: ext.Format, ID: ext.ID}
	if scope == extension.Project && in.options.Confirm != nil {
		if err := in.options.Confirm(ctx, ref, summary.Fingerprint); err != nil {
			return extension.Copy{}, err
		}
	}
	progress("done", 1, "")
	return in.copyOf(ctx, scopeFolder, key, e, scope, project), nil
}

// queue waits for installs of the same target in this process; the result lets the next one go.
func (in *Installer) queue(target string) func() {
	in.mu.Lock()
	turn := in.busy[target]
	if turn == nil {
		turn = &sync.Mutex{}
		in.busy[target] = turn
	}
	in.mu.Unlock()
	turn.Lock()
	return turn.Unlock
}

// stage is a folder of its own for one install.
type stage struct {
	folder string
	busy   *flock.Flock
}

func (s *stage) files() string { return filepath.Join(s.folder, "files") }
func (s *stage) old() string   { return filepath.Join(s.folder, "old") }

func (s *stage) close() {
	// What can't be removed now is removed at the next start.
	_ = removeAll(s.folder)
	_ = s.busy.Unlock()
}

func (in *Installer) openStage(scopeFolder string) (*stage, error) {
	all := filepath.Join(scopeFolder, stagingFolder)
	if err := os.MkdirAll(all, 0o700); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(all, "in-")
	if err != nil {
		return nil, err
	}
	busy := flock.New(filepath.Join(folder, busyFile))
	if _, err := busy.TryLock(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	s := &stage{folder, busy}
	if err := os.Mkdir(s.files(), 0o755); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (in *Installer) fill(ctx context.Context, s *stage, from *source, progress func(string, float64, string)) error {
	target, err := os.OpenRoot(s.files())
	if err != nil {
		return unwritable(err)
	}
	defer target.Close()
	in.before("copy")
	total := max(from.bytes, 1)
	return from.copyTo(ctx, target, func(done int64, name string) {
		progress("copy", 0.05+0.79*float64(done)/float64(total), name)
	})
}

// checkStage reads again what was staged: the checks count for these files, not for those of the source.
func (in *Installer) checkStage(s *stage) (*extension.Extension, Summary, error) {
	files := os.DirFS(s.files())
	ext, _, err := in.read(files)
	if err != nil {
		return nil, Summary{}, err
	}
	summary, err := Fingerprint(files)
	if err != nil {
		return nil, Summary{}, fmt.Errorf("hash the staged files: %w", err)
	}
	if len(summary.Irregular) > 0 {
		return nil, Summary{}, refused(summary.Irregular[0], "it is no plain file")
	}
	return ext, summary, nil
}

// turn waits for this scope's turn to change what is installed.
func (in *Installer) turn(ctx context.Context, scopeFolder string) (func(), error) {
	lock := flock.New(filepath.Join(scopeFolder, turnFile))
	ctx, cancel := context.WithTimeout(ctx, turnLimit)
	defer cancel()
	if ok, err := lock.TryLockContext(ctx, 5*time.Millisecond); err != nil || !ok {
		return nil, extension.NewProblem("install.busy", "Another Portico is installing into the same place.", "Wait until it is done, and try again.").Because(err)
	}
	return func() { _ = lock.Unlock() }, nil
}

func (in *Installer) swap(ctx context.Context, scopeFolder string, s *stage, key string, e entry) error {
	done, err := in.turn(ctx, scopeFolder)
	if err != nil {
		return err
	}
	defer done()
	l, err := readLock(scopeFolder, in.options.Now())
	if err != nil {
		return err
	}
	if have, ok := l[key]; ok {
		e.unknown = have.unknown
	}
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("note what is installed: %w", err)
	}
	note, err := json.Marshal(journal{Key: key, Entry: data})
	if err != nil {
		return fmt.Errorf("note what is installed: %w", err)
	}
	in.before("journal")
	if err := writeWhole(filepath.Join(s.folder, journalFile), note, 0o600); err != nil {
		return unwritable(err)
	}
	target := filepath.Join(scopeFolder, key)
	in.before("exchange")
	if err := exchange(s.files(), target, s.old()); err != nil {
		return errors.Join(unwritable(err), putBack(target, s.old()))
	}
	in.before("lock")
	l[key] = e
	if err := l.write(scopeFolder); err != nil {
		return errors.Join(unwritable(err), in.undo(scopeFolder, s, key))
	}
	in.before("tidy")
	return nil
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
func (in *Installer) undo(scopeFolder string, s *stage, key string) error {
	target := filepath.Join(scopeFolder, key)
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

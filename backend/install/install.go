// Package install brings extensions onto this computer and keeps the record of them: stage, check, swap in, lock. It runs
// no code of theirs. A crash or a cancel at any instant leaves the state before or the state after: what is staged stands
// apart until one rename puts it in place, and a journal beside it lets the next start finish or undo what was cut off.
// Installs into one scope take turns, also between processes.
package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"portico/backend/extension"
	"portico/backend/format"
)

// Options are what an installer needs from outside.
type Options struct {
	Data    string
	Formats []format.Format
	Now     func() time.Time
	// Confirmed says whether the person confirmed these files of a project's extension on this computer; Confirm keeps
	// that they did. A project's folder is a stranger's: without Confirmed, none of its extensions count.
	Confirmed func(ctx context.Context, ref extension.Ref, fingerprint string) (bool, error)
	Confirm   func(ctx context.Context, ref extension.Ref, fingerprint string) error
	// Dependencies bring in what the code of a format's extensions imports; none for a format: nothing is brought in.
	Dependencies map[extension.Format]Dependencies
}

// Installer installs, lists and removes. It is safe for concurrent use.
type Installer struct {
	options Options
	checked *checkedFiles

	mu    sync.Mutex
	queue map[string]chan struct{} // by target folder, each with room for the one install whose turn it is

	// before is called ahead of each step that changes the disk, and its error is that step's. Tests fail or end the
	// process there.
	before func(step string) error
	// exchange puts a staged folder in place; see the systems' own.
	exchange func(staged, target, old string) error
}

// New makes an installer.
func New(options Options) *Installer {
	return &Installer{
		options: options, checked: newCheckedFiles(filepath.Join(options.Data, "cache", "fingerprints")), queue: map[string]chan struct{}{},
		before: func(string) error { return nil }, exchange: exchange,
	}
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
	from, ext, warnings, err := in.readSource(ctx, folder, scope, project)
	if err != nil {
		return Review{}, err
	}
	defer from.close()
	summary, err := fingerprint(ctx, from.root.FS())
	var file *fs.PathError
	switch {
	case errors.As(err, &file):
		return Review{}, unreadableFile(file.Path, file.Err)
	case err != nil:
		return Review{}, unreadableSource(from.path, err)
	}
	review := Review{Source: from.path, Extension: *ext, Warnings: warnings, Files: summary.Files, Bytes: summary.Bytes, Fingerprint: summary.Fingerprint}
	review.Replaces, err = in.replaces(ctx, ext, scope, project)
	return review, err
}

// Installable says why a folder's files can't be installed on every system: their names, sizes and kinds, whatever their
// format says. It writes nothing.
func Installable(ctx context.Context, folder string) error {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return unreadableSource(folder, err)
	}
	from, err := openSource(abs)
	if err != nil {
		return err
	}
	defer from.close()
	return located(from.list(ctx), abs)
}

// readSource opens a folder and reads all that can be known before a byte is copied.
func (in *Installer) readSource(ctx context.Context, folder string, scope extension.Scope, project string) (*source, *extension.Extension, []extension.Issue, error) {
	return in.openedSource(ctx, folder, func(abs string) error { return in.apart(abs, scope, project) })
}

func (in *Installer) openedSource(ctx context.Context, folder string, check func(folder string) error) (*source, *extension.Extension, []extension.Issue, error) {
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
		err = check(abs)
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
	ext, warnings, err := of.Load(files)
	if err != nil {
		return nil, warnings, err
	}
	plain, err := Shown(*ext)
	return &plain, warnings, err
}

// Shown gives an extension as it is shown to a person and kept: with plain texts. One that asks for what a person could
// not read is refused.
func Shown(ext extension.Extension) (extension.Extension, error) {
	plain, issues := ext.InPlainText()
	if len(issues) == 0 {
		return plain, nil
	}
	p := extension.NewProblem("install.refused", "It can't be installed: {why}.", "Remove or rename it in the source, and install again.", "why", "a person could not read what it asks for")
	p.Issues = issues
	return plain, p
}

// replaces gives the copy of the same id, and refuses when the name can't be taken.
func (in *Installer) replaces(ctx context.Context, ext *extension.Extension, scope extension.Scope, project string) (*extension.Copy, error) {
	folder, err := in.scopeFolder(scope, project)
	if err != nil {
		return nil, err
	}
	l, err := readLock(folder, in.options.Now())
	if err != nil {
		return nil, err
	}
	key := extension.FolderName(ext.ID)
	if err := l.free(key, ext.Format); err != nil {
		return nil, err
	}
	have, ok := l[key]
	if !ok {
		return nil, nil
	}
	copied := in.copyOf(ctx, folder, key, have, scope, project)
	return &copied, nil
}

func (e entry) formatOf() extension.Format {
	if e.Format == "" {
		return extension.Plugin
	}
	return e.Format
}

// Install copies a folder in. Progress is told as steps with the fraction of the whole that is done, and a detail: the file
// at hand; of "fetch", how many packages have come of how many that are needed as far as is known ("1/3").
//
// reviewed is the fingerprint that the person agreed to; files that became others since are refused. Empty: whatever is
// there.
func (in *Installer) Install(ctx context.Context, folder string, scope extension.Scope, project, reviewed string, progress func(step string, fraction float64, detail string)) (extension.Copy, error) {
	progress("read", 0, folder)
	from, ext, _, err := in.readSource(ctx, folder, scope, project)
	if err != nil {
		return extension.Copy{}, err
	}
	return in.install(ctx, from, ext, origin{source: from.path}, scope, project, reviewed, progress)
}

// Plant copies in, for the agent, what Portico itself brings and has laid out in a folder, which may be one of Portico's own.
// source is what is noted instead of that folder. Nobody asked for it, so what the person switched off stays off.
func (in *Installer) Plant(ctx context.Context, folder, source string) (extension.Copy, error) {
	from, ext, _, err := in.openedSource(ctx, folder, func(string) error { return nil })
	if err != nil {
		return extension.Copy{}, err
	}
	return in.install(ctx, from, ext, origin{source: source, staysOff: true}, extension.Agent, "", "", func(string, float64, string) {})
}

// origin says where an install came from.
type origin struct {
	source   string // as it is noted
	staysOff bool   // what is replaced and is off, is off afterwards
}

// install copies an opened source in, and closes it.
func (in *Installer) install(ctx context.Context, from *source, ext *extension.Extension, of origin, scope extension.Scope, project, reviewed string, progress func(step string, fraction float64, detail string)) (extension.Copy, error) {
	defer from.close()
	scopeFolder, err := in.scopeFolder(scope, project)
	if err != nil {
		return extension.Copy{}, err
	}
	key := extension.FolderName(ext.ID)
	next, err := in.wait(ctx, filepath.Join(scopeFolder, key))
	if err != nil {
		return extension.Copy{}, err
	}
	defer next()
	if _, err := in.replaces(ctx, ext, scope, project); err != nil {
		return extension.Copy{}, err
	}
	stage, err := in.openStage(ctx, scopeFolder)
	if err != nil {
		return extension.Copy{}, err
	}
	defer stage.close()
	if err := in.fill(ctx, stage, from, progress); err != nil {
		return extension.Copy{}, err
	}
	progress("check", 0.45, "")
	staged, summary, err := in.checkStage(ctx, stage)
	if err != nil {
		return extension.Copy{}, err
	}
	if staged.ID != ext.ID || staged.Format != ext.Format {
		return extension.Copy{}, refused(from.path, "it was exchanged while it was read")
	}
	progress("fingerprint", 0.48, summary.Fingerprint)
	if reviewed != "" && reviewed != summary.Fingerprint {
		return extension.Copy{}, extension.NewProblem("install.changed", "The files changed since you looked at them.", "Look at what would be installed again.").At(from.path)
	}
	ref := extension.Ref{Scope: scope, Project: project, Format: ext.Format, ID: ext.ID}
	fetched, packages, err := in.fetch(ctx, scopeFolder, stage, staged, ref, progress)
	if err != nil {
		return extension.Copy{}, err
	}
	installed := false
	if fetched != nil {
		defer func() {
			if installed || stage.keep { // a stage that is kept may still be put in place by the next turn
				fetched.release()
			} else {
				fetched.drop()
			}
		}()
	}
	e := entry{Packages: packages, Source: of.source, SHA256: summary.Fingerprint, Installed: in.options.Now().UTC().Format(time.RFC3339), Format: ext.Format}
	if err := ctx.Err(); err != nil {
		return extension.Copy{}, cancelled(err)
	}
	progress("swap", 0.96, "")
	// The swap itself is not cancelled half-way: it is done or it is not.
	ctx = context.WithoutCancel(ctx)
	if scope == extension.Project && in.options.Confirm != nil {
		if err := in.options.Confirm(ctx, ref, summary.Fingerprint); err != nil {
			return extension.Copy{}, err
		}
	}
	e, err = in.swap(ctx, scopeFolder, stage, key, e, of.staysOff)
	if err != nil {
		return extension.Copy{}, err
	}
	installed = true
	progress("done", 1, "")
	return in.copyOf(ctx, scopeFolder, key, e, scope, project), nil
}

// wait waits for this process's other installs of the same target; the result lets the next one go.
func (in *Installer) wait(ctx context.Context, target string) (func(), error) {
	in.mu.Lock()
	room := in.queue[target]
	if room == nil {
		room = make(chan struct{}, 1)
		in.queue[target] = room
	}
	in.mu.Unlock()
	select {
	case room <- struct{}{}:
		return func() { <-room }, nil
	case <-ctx.Done():
		return nil, cancelled(ctx.Err())
	}
}

func (in *Installer) fill(ctx context.Context, s *stage, from *source, progress func(string, float64, string)) error {
	target, err := os.OpenRoot(s.files())
	if err != nil {
		return unwritable(err)
	}
	defer target.Close()
	if err := in.before("copy"); err != nil {
		return unwritable(err)
	}
	total := max(from.bytes, 1)
	err = from.copyTo(ctx, target, func(done int64, name string) {
		progress("copy", 0.05+0.39*float64(done)/float64(total), name)
	})
	if err != nil {
		return err
	}
	if err := syncTree(s.files()); err != nil {
		return unwritable(err)
	}
	return nil
}

// checkStage reads again what was staged: the checks count for these files, not for those of the source.
func (in *Installer) checkStage(ctx context.Context, s *stage) (*extension.Extension, Summary, error) {
	root, err := os.OpenRoot(s.files())
	if err != nil {
		return nil, Summary{}, unwritable(err)
	}
	defer root.Close()
	ext, _, err := in.read(root.FS())
	if err != nil {
		return nil, Summary{}, err
	}
	summary, err := fingerprint(ctx, root.FS())
	switch {
	case ctx.Err() != nil:
		return nil, Summary{}, cancelled(ctx.Err())
	case err != nil:
		return nil, Summary{}, fmt.Errorf("hash the staged files: %w", err)
	case len(summary.Irregular) > 0:
		return nil, Summary{}, refused(summary.Irregular[0], "it is no plain file")
	}
	return ext, summary, nil
}

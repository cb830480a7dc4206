package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"portico/backend/extension"
)

// List gives what is installed for the agent and in the given projects, by display name. What is wrong with one is its
// Problem; the others are still listed.
func (in *Installer) List(ctx context.Context, projects ...string) ([]extension.Copy, error) {
	var copies []extension.Copy
	read := func(scope extension.Scope, project string) error {
		folder, err := in.scopeFolder(scope, project)
		if err != nil {
			return err
		}
		l, err := readLock(folder, in.options.Now())
		if err != nil {
			return err
		}
		for _, key := range l.keys() {
			copies = append(copies, in.copyOf(ctx, folder, key, l[key], scope, project))
		}
		return nil
	}
	if err := read(extension.Agent, ""); err != nil {
		return nil, err
	}
	for _, project := range projects {
		if err := read(extension.Project, project); err != nil {
			return nil, err
		}
	}
	sort.SliceStable(copies, func(a, b int) bool {
		return strings.ToLower(copies[a].DisplayName) < strings.ToLower(copies[b].DisplayName)
	})
	return copies, nil
}

// copyOf reads one installed extension.
func (in *Installer) copyOf(ctx context.Context, scopeFolder, key string, e entry, scope extension.Scope, project string) extension.Copy {
	root := filepath.Join(scopeFolder, key)
	c := extension.Copy{
		Extension: extension.Extension{ID: idOf(key), Format: e.formatOf(), DisplayName: idOf(key), Tools: []extension.Tool{}},
		Scope:     scope, ProjectDir: project, Origin: extension.Installed, Root: root, Source: e.Source, Commit: e.Commit,
		Fingerprint: e.SHA256, InstalledAt: e.Installed, Enabled: e.Enabled,
	}
	if e.Linked {
		c.Origin = extension.Linked
	}
	opened, err := openPlain(root)
	var summary Summary
	if err == nil {
		defer opened.Close()
		summary, err = in.checked.fingerprint(ctx, root, opened.FS())
	}
	switch {
	case errors.Is(err, errBeyond), errors.Is(err, errNoFolder):
		c.Problem = changed(c.DisplayName, err.Error())
		return c
	case err != nil:
		c.Problem = gone(c.DisplayName, root, err)
		return c
	}
	c.Files, c.Bytes = summary.Files, summary.Bytes
	ext, _, err := in.read(opened.FS())
	switch {
	case err != nil:
		c.Problem = extension.AsProblem(err, "extension.unreadable", "It can't be read any more.", "Install it again.")
		if drifted := drift(c, summary); drifted != nil {
			c.Problem = drifted
		}
		return c
	case ext.ID != c.ID || ext.Format != c.Format:
		installed, manifest := c.ID, ext.ID
		if installed == manifest { // then it is the format that differs
			installed, manifest = fmt.Sprintf("%s (%s)", c.ID, c.Format), fmt.Sprintf("%s (%s)", ext.ID, ext.Format)
		}
		c.Problem = extension.NewProblem("extension.other-name", "It is installed as {installed}, and its manifest says {manifest}.", "Install it again.", "installed", installed, "manifest", manifest)
		return c
	}
	c.Extension = *ext
	if c.Origin == extension.Installed {
		c.Problem = drift(c, summary)
	}
	if c.Problem == nil && scope == extension.Project {
		confirmed, err := false, error(nil)
		if in.options.Confirmed != nil {
			confirmed, err = in.options.Confirmed(ctx, c.Ref(), summary.Fingerprint)
		}
		if err != nil || !confirmed {
			c.Problem = extension.NewProblem("extension.unconfirmed", "{extension} came with this project and was never confirmed on this computer.",
				"Look at what it may touch, and install it from its folder.", "extension", c.DisplayName).Because(err)
		}
	}
	if problem := in.checkPackages(ctx, &c, e.Packages); c.Problem == nil {
		c.Problem = problem
	}
	return c
}

// drift says that an extension's files are not those that were installed.
func drift(c extension.Copy, now Summary) *extension.Problem {
	if now.Fingerprint == c.Fingerprint && len(now.Irregular) == 0 {
		return nil
	}
	detail := "fingerprint " + now.Fingerprint
	if len(now.Irregular) > 0 {
		detail = "no plain files: " + strings.Join(now.Irregular, ", ")
	}
	return changed(c.DisplayName, detail)
}

func changed(name, detail string) *extension.Problem {
	p := extension.NewProblem("extension.drift", "The files of {extension} changed since it was installed.", "Install it again to trust them.", "extension", name)
	p.Detail = detail
	return p
}

func gone(name, root string, err error) *extension.Problem {
	if errors.Is(err, fs.ErrNotExist) {
		return extension.NewProblem("extension.gone", "The files of {extension} are gone.", "Install it again, or remove it.", "extension", name).At(root).Because(err)
	}
	return extension.NewProblem("extension.unreadable", "The files of {extension} can't be read.", "Make its folder readable, or install it again.", "extension", name).At(root).Because(err)
}

// find gives the lock and the key of an installed extension.
func (in *Installer) find(ref extension.Ref) (folder, key string, l lock, err error) {
	if folder, err = in.scopeFolder(ref.Scope, ref.Project); err != nil {
		return "", "", nil, err
	}
	if l, err = readLock(folder, in.options.Now()); err != nil {
		return "", "", nil, err
	}
	key = extension.FolderName(ref.ID)
	if e, ok := l[key]; !ok || e.formatOf() != ref.Format {
		return "", "", nil, missing(ref.ID)
	}
	return folder, key, l, nil
}

// Verify says whether an extension's files are those that were installed; code runs only after it said so.
func (in *Installer) Verify(ctx context.Context, ref extension.Ref) error {
	folder, key, l, err := in.find(ref)
	if err != nil {
		return err
	}
	if c := in.copyOf(ctx, folder, key, l[key], ref.Scope, ref.Project); c.Problem != nil {
		return c.Problem
	}
	return nil
}

// SetEnabled switches an extension on or off.
func (in *Installer) SetEnabled(ctx context.Context, ref extension.Ref, enabled bool) error {
	return in.change(ctx, ref, func(folder, key string, l lock) error {
		e := l[key]
		e.Enabled = enabled
		l[key] = e
		return l.write(folder)
	})
}

// Remove takes an extension out: first from the lock, then its files.
func (in *Installer) Remove(ctx context.Context, ref extension.Ref) error {
	return in.change(ctx, ref, func(folder, key string, l lock) error {
		s, err := newStage(folder)
		if err != nil {
			return err
		}
		defer s.close()
		e := l[key]
		delete(l, key)
		if err := l.write(folder); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(folder, key), s.old()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			l[key] = e // files that can't be moved are still installed
			return errors.Join(err, l.write(folder))
		}
		return dropFetched(dependenciesOf(in.options.Data, ref), "")
	})
}

// change does something to one extension in its scope's turn.
func (in *Installer) change(ctx context.Context, ref extension.Ref, do func(folder, key string, l lock) error) error {
	folder, _, _, err := in.find(ref)
	if err != nil {
		return err
	}
	done, err := in.turn(ctx, folder)
	if err != nil {
		return err
	}
	defer done()
	folder, key, l, err := in.find(ref) // again: it may have changed while we waited
	if err != nil {
		return err
	}
	if err := do(folder, key, l); err != nil {
		return unwritable(err)
	}
	return nil
}

// File is one file of an installed extension.
type File struct {
	Path  string `json:"path"` // relative, with "/"
	Bytes int64  `json:"bytes"`
}

// open opens an installed extension's folder.
func (in *Installer) open(ref extension.Ref) (*os.Root, error) {
	folder, key, _, err := in.find(ref)
	if err != nil {
		return nil, err
	}
	at := filepath.Join(folder, key)
	root, err := openPlain(at)
	if err != nil {
		return nil, gone(ref.ID, at, err)
	}
	return root, nil
}

// Files lists an installed extension's files, in the fingerprint's order.
func (in *Installer) Files(_ context.Context, ref extension.Ref) ([]File, error) {
	root, err := in.open(ref)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	files := []File{}
	err = walk(root.FS(), func(name string, entry fs.DirEntry) error {
		info, err := entry.Info()
		if err != nil {
			return err
		}
		files = append(files, File{name, info.Size()})
		return nil
	})
	if err != nil {
		return nil, gone(ref.ID, root.Name(), err)
	}
	return files, nil
}

// maxReadBytes bounds what ReadFile gives: it is for a person to read.
const maxReadBytes = 1 << 20

// ReadFile gives the start of one file, at most maxReadBytes.
func (in *Installer) ReadFile(_ context.Context, ref extension.Ref, name string) ([]byte, error) {
	root, err := in.open(ref)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no plain file")
	}
	var data []byte
	if err == nil {
		data, err = readStart(root, name)
	}
	if err != nil {
		return nil, unreadableFile(name, err)
	}
	return data, nil
}

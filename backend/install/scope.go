package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"portico/backend/extension"
)

// scopeFolder is where a scope's extensions lie. A project's folder is a stranger's: where one of its own parts is a
// link, nothing is read or written through it.
func (in *Installer) scopeFolder(scope extension.Scope, project string) (string, error) {
	switch {
	case scope == extension.Agent && project == "":
		return filepath.Join(in.options.Data, "extensions"), nil
	case scope == extension.Project && filepath.IsAbs(project):
		folder := filepath.Join(project, ".portico", "extensions")
		for _, part := range []string{filepath.Dir(folder), folder, filepath.Join(folder, stagingFolder)} {
			if err := plain(part, fs.ModeDir); err != nil {
				return "", err
			}
		}
		for _, part := range []string{LockFile, turnFile} {
			if err := plain(filepath.Join(folder, part), 0); err != nil {
				return "", err
			}
		}
		return folder, nil
	}
	return "", extension.NewProblem("install.no-scope", "There is no scope “{scope}” with the project “{project}”.", "Say agent, or project with its folder.", "scope", string(scope), "project", project)
}

// plain refuses what is there and of another type, such as a link.
func plain(path string, want fs.FileMode) error {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() == want {
		return nil // what is not there, or can't be looked at, is for its user to say
	}
	return extension.NewProblem("install.linked-scope", "{path} is {kind}, and Portico does not follow it: it could lead anywhere.",
		"Remove it from the project.", "path", path, "kind", kindOf(info.Mode().Type())).At(path)
}

// apart refuses a source that holds the place it would be installed to, or lies within Portico's data: it would copy
// itself.
func (in *Installer) apart(folder string, scope extension.Scope, project string) error {
	target, err := in.scopeFolder(scope, project)
	if err != nil {
		return err
	}
	resolved, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return unreadableSource(folder, err)
	}
	for _, pair := range [][2]string{{resolved, in.options.Data}, {in.options.Data, resolved}, {resolved, target}, {target, resolved}} {
		inner, err := within(pair[0], pair[1])
		if err != nil {
			return fmt.Errorf("compare %s with Portico's own folders: %w", folder, err)
		}
		if inner {
			return extension.NewProblem("install.own-folder", "{folder} is a folder in which Portico keeps extensions, or holds one.",
				"Choose the folder that the extension's author gave you.", "folder", folder)
		}
	}
	return nil
}

// within says whether inner is outer or lies below it, however the two are written: by what the folders are, since names
// can differ in capitals or lead over links.
func within(inner, outer string) (bool, error) {
	top, err := os.Stat(outer)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if inner, err = existing(inner); err != nil {
		return false, err
	}
	for {
		info, err := os.Stat(inner)
		if err != nil {
			return false, err
		}
		if os.SameFile(info, top) {
			return true, nil
		}
		parent := filepath.Dir(inner)
		if parent == inner {
			return false, nil
		}
		inner = parent
	}
}

// existing gives the nearest folder above a path that is there, without links.
func existing(path string) (string, error) {
	for {
		resolved, err := filepath.EvalSymlinks(path)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return resolved, err
		}
		parent := filepath.Dir(path)
		if parent == path {
			return "", err
		}
		path = parent
	}
}

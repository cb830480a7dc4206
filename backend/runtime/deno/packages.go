package deno

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// placePackages puts an extension's packages where Deno looks for them. They are the same files under a second name, where
// the file system can do that: what the installer's fingerprint covers is what runs, and they take no room twice.
func placePackages(from, into string) error {
	for _, name := range []string{npmFolder, remoteFolder} {
		source, target := filepath.Join(from, name), filepath.Join(into, denoDir, name)
		if _, err := os.Lstat(source); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		err := filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(source, path)
			if err != nil {
				return err
			}
			switch place := filepath.Join(target, rel); {
			case entry.IsDir():
				return os.MkdirAll(place, 0o700)
			case entry.Type().IsRegular():
				return sameOrCopy(path, place)
			default:
				return fmt.Errorf("%s is no plain file", path)
			}
		})
		if err != nil {
			return err
		}
	}
	return sameOrCopy(filepath.Join(from, lockFile), filepath.Join(into, lockFile))
}

func sameOrCopy(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}

// sound makes sure that a cache which was made before still holds the packages as they were installed: each file is the
// installed one itself, or has its content. One that does not is dropped, and made again.
func (p *prepared) sound(from string) error {
	if _, err := os.Stat(p.dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	same, err := p.holds(from)
	if err == nil && same {
		return nil
	}
	if err := os.RemoveAll(p.dir); err != nil {
		return fmt.Errorf("drop a cache whose packages were changed: %w", err)
	}
	return nil
}

func (p *prepared) holds(from string) (same bool, err error) {
	installed, cached := 0, 0
	for _, name := range []string{npmFolder, remoteFolder, lockFile} {
		place := filepath.Join(p.dir, denoDir, name)
		if name == lockFile {
			place = filepath.Join(p.dir, name)
		}
		same := true
		if err := filesOf(filepath.Join(from, name), func(path, rel string) (err error) {
			installed++
			if same {
				same, err = sameFile(path, filepath.Join(place, rel))
			}
			return err
		}); err != nil || !same {
			return false, err
		}
		if err := filesOf(place, func(string, string) error { cached++; return nil }); err != nil {
			return false, err
		}
	}
	return installed == cached, nil
}

// filesOf calls with every file below a folder, or with the file that it is; nothing when there is none.
func filesOf(folder string, each func(path, rel string) error) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == folder {
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		return each(path, rel)
	})
}

func sameFile(a, b string) (bool, error) {
	first, err := os.Lstat(a)
	if err != nil {
		return false, err
	}
	second, err := os.Lstat(b)
	if err != nil {
		return false, err
	}
	if os.SameFile(first, second) {
		return true, nil
	}
	if first.Size() != second.Size() || !second.Mode().IsRegular() {
		return false, nil
	}
	one, err := os.ReadFile(a) // a file system without second names: they were copied
	if err != nil {
		return false, err
	}
	other, err := os.ReadFile(b)
	return string(one) == string(other), err
}

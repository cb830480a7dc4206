package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"unicode/utf16"
)

// Summary is what one walk over an extension's files finds.
type Summary struct {
	Fingerprint string // SHA-256, lowercase hex
	Files       int
	Bytes       int64
	Irregular   []string // links and the like, which the fingerprint does not cover
}

// Fingerprint hashes an extension's files as agent-kit-notes.md says, for every format: per regular file its path with
// "/", NUL, its bytes, NUL; entries sorted within each folder by UTF-16 code units, descending in place; what is named
// .git is left out at every depth.
//
// It stops at what could never have been installed: a project's folder is a stranger's and may hold anything.
func Fingerprint(files fs.FS) (Summary, error) { return fingerprint(context.Background(), files) }

func fingerprint(ctx context.Context, files fs.FS) (Summary, error) {
	var s Summary
	hash := sha256.New()
	err := walk(files, func(name string, entry fs.DirEntry) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !entry.Type().IsRegular() {
			s.Irregular = append(s.Irregular, name)
			return nil
		}
		file, err := files.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && s.Bytes+info.Size() > maxBytes {
			return errBeyond
		}
		io.WriteString(hash, name+"\x00")
		n, err := io.Copy(hash, io.LimitReader(file, maxBytes-s.Bytes+1))
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if s.Bytes+n > maxBytes {
			return errBeyond
		}
		hash.Write([]byte{0})
		s.Files++
		s.Bytes += n
		return nil
	})
	s.Fingerprint = hex.EncodeToString(hash.Sum(nil))
	return s, err
}

// errBeyond says that a tree is beyond the limits of an extension.
var errBeyond = errors.New("there is more than an extension may have")

// walk visits everything but folders and .git, in the fingerprint's order.
func walk(files fs.FS, visit func(name string, entry fs.DirEntry) error) error {
	left, folders := maxFiles, maxFolders
	var inFolder func(folder string, depth int) error
	inFolder = func(folder string, depth int) error {
		if folders--; folders < 0 || depth > maxDepth {
			return errBeyond
		}
		entries, err := fs.ReadDir(files, folder)
		if err != nil {
			return err
		}
		slices.SortFunc(entries, func(a, b fs.DirEntry) int {
			return slices.Compare(utf16.Encode([]rune(a.Name())), utf16.Encode([]rune(b.Name())))
		})
		for _, entry := range entries {
			name := path.Join(folder, entry.Name())
			switch {
			case entry.Name() == ".git":
				continue
			case entry.IsDir():
				err = inFolder(name, depth+1)
			default:
				if left--; left < 0 {
					return errBeyond
				}
				err = visit(name, entry)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return inFolder(".", 0)
}

// Irregular lists what an install would refuse for its kind: links, pipes, sockets and devices.
func Irregular(files fs.FS) ([]string, error) {
	var found []string
	err := walk(files, func(name string, entry fs.DirEntry) error {
		if !entry.Type().IsRegular() {
			found = append(found, name)
		}
		return nil
	})
	return found, err
}

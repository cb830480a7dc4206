package install

import (
	"crypto/sha256"
	"encoding/hex"
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
func Fingerprint(files fs.FS) (Summary, error) {
	var s Summary
	hash := sha256.New()
	err := walk(files, ".", func(name string, entry fs.DirEntry) error {
		if !entry.Type().IsRegular() {
			s.Irregular = append(s.Irregular, name)
			return nil
		}
		file, err := files.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		io.WriteString(hash, name+"\x00")
		n, err := io.Copy(hash, file)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		hash.Write([]byte{0})
		s.Files++
		s.Bytes += n
		return nil
	})
	s.Fingerprint = hex.EncodeToString(hash.Sum(nil))
	return s, err
}

// walk visits everything but folders and .git, in the fingerprint's order.
func walk(files fs.FS, folder string, visit func(name string, entry fs.DirEntry) error) error {
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
		case entry.IsDir():
			if err := walk(files, name, visit); err != nil {
				return err
			}
		default:
			if err := visit(name, entry); err != nil {
				return err
			}
		}
	}
	return nil
}

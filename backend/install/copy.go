package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"portico/backend/extension"
)

// Limits of one extension. The largest ones known, with their dependencies, stay a tenth below them.
const (
	maxFiles      = 20_000
	maxFolders    = 20_000
	maxBytes      = 512 << 20
	maxDepth      = 32
	maxPathLength = 200 // bytes, relative: what is left of Windows's 260 below a data folder
)

// source is a folder that is being read: nothing in it is trusted, and it may change while it is read.
type source struct {
	root  *os.Root
	path  string
	files []sourceFile
	bytes int64

	folders int
}

type sourceFile struct {
	name string // relative, with "/"
	size int64
	exec bool
}

func openSource(folder string) (*source, error) {
	info, err := os.Stat(folder)
	if err == nil && !info.IsDir() {
		err = errors.New("it is a file")
	}
	var root *os.Root
	if err == nil {
		root, err = os.OpenRoot(folder)
	}
	if err != nil {
		return nil, unreadableSource(folder, err)
	}
	return &source{root: root, path: folder}, nil
}

func unreadableSource(folder string, err error) error {
	code, what := "install.unreadable", "{folder} can't be read: {why}."
	why := err.Error()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code, why = "install.no-folder", "it is not there"
	case errors.Is(err, fs.ErrPermission):
		why = "reading it is not allowed"
	}
	return extension.NewProblem(code, what, "Choose a folder that you can read.", "folder", folder, "why", why).Because(err)
}

func (s *source) close() { s.root.Close() }

// list walks the folder, checks every name and kind, and counts.
func (s *source) list(ctx context.Context) error {
	seen := map[string]string{}
	return s.listFolder(ctx, ".", 0, seen)
}

func (s *source) listFolder(ctx context.Context, folder string, depth int, seen map[string]string) error {
	if err := ctx.Err(); err != nil {
		return cancelled(err)
	}
	if depth > maxDepth {
		return refused(folder, fmt.Sprintf("folders are nested deeper than %d", maxDepth))
	}
	if s.folders++; s.folders > maxFolders {
		return refused(s.path, fmt.Sprintf("it has more than %d folders", maxFolders))
	}
	opened, err := s.root.Open(folder)
	if err != nil {
		return unreadableFile(folder, err)
	}
	entries, err := opened.ReadDir(-1)
	opened.Close()
	if err != nil {
		return unreadableFile(folder, err)
	}
	for _, entry := range entries {
		if entry.Name() == ".git" {
			continue
		}
		name := path.Join(folder, entry.Name())
		if why := badName(entry.Name(), name); why != "" {
			return refused(name, why)
		}
		folded := strings.ToLower(norm.NFC.String(name))
		if before, collides := seen[folded]; collides {
			return refused(name, "on some systems it is the same name as "+before)
		}
		seen[folded] = name
		switch {
		case entry.IsDir():
			if err := s.listFolder(ctx, name, depth+1, seen); err != nil {
				return err
			}
		case entry.Type().IsRegular():
			info, err := entry.Info()
			if err != nil {
				return unreadableFile(name, err)
			}
			s.files = append(s.files, sourceFile{name, info.Size(), info.Mode()&0o111 != 0})
			s.bytes += info.Size()
			if len(s.files) > maxFiles {
				return refused(s.path, fmt.Sprintf("it has more than %d files", maxFiles))
			}
			if s.bytes > maxBytes {
				return refused(s.path, fmt.Sprintf("it is larger than %d MB", maxBytes>>20))
			}
		default:
			return refused(name, "it is "+kindOf(entry.Type())+", and only plain files and folders are installed")
		}
	}
	return nil
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "no plain file"
}

// reserved are names that Windows keeps for devices, whatever follows the first dot (learn.microsoft.com, Naming Files).
var reserved = map[string]bool{"con": true, "prn": true, "aux": true, "nul": true}

func init() {
	for _, digit := range "0123456789¹²³" {
		reserved["com"+string(digit)] = true
		reserved["lpt"+string(digit)] = true
	}
}

// badName says why a file of that name can't be installed on every system; empty when it can.
func badName(base, name string) string {
	stem, _, _ := strings.Cut(strings.ToLower(base), ".")
	switch {
	case !utf8.ValidString(base):
		return "its name is not UTF-8"
	case len(name) > maxPathLength:
		return fmt.Sprintf("its path is longer than %d bytes", maxPathLength)
	case strings.ContainsAny(base, `<>:"|?*\`) || strings.ContainsFunc(base, func(r rune) bool { return r < 0x20 || r == 0x7f }):
		return "its name has a character that some systems don't allow"
	case strings.HasSuffix(base, ".") || strings.HasSuffix(base, " "):
		return "its name ends in a dot or a space, which Windows drops"
	case reserved[strings.TrimRight(stem, " ")]:
		return "its name is kept for a device on Windows"
	}
	return ""
}

func refused(name, why string) error {
	return extension.NewProblem("install.refused", "It can't be installed: {why}.", "Remove or rename it in the source, and install again.", "why", why).At(name)
}

func unreadableFile(name string, err error) error {
	why := err.Error()
	if errors.Is(err, fs.ErrPermission) {
		why = "reading it is not allowed"
	}
	return extension.NewProblem("install.unreadable-file", "{file} can't be read: {why}.", "Make it readable, and install again.", "file", name, "why", why).At(name).Because(err)
}

func cancelled(err error) error {
	return extension.NewProblem("install.cancelled", "The install was cancelled.", "Nothing was changed.").Because(err)
}

func unwritable(err error) error {
	var p *extension.Problem
	if errors.As(err, &p) {
		return err
	}
	if diskFull(err) {
		return extension.NewProblem("install.disk-full", "The disk is full.", "Make room, and try again. Nothing was changed.").Because(err)
	}
	return extension.NewProblem("install.unwritable", "The folder in which Portico keeps extensions can't be written.", "Make it writable, and try again. Nothing was changed.").Because(err)
}

// copyTo copies what list found into an empty folder. A file that changed its kind or grew since is refused.
func (s *source) copyTo(ctx context.Context, target *os.Root, progress func(done int64, name string)) error {
	var done int64
	for _, file := range s.files {
		if err := ctx.Err(); err != nil {
			return cancelled(err)
		}
		if folder := path.Dir(file.name); folder != "." {
			if err := target.MkdirAll(folder, 0o755); err != nil {
				return unwritable(err)
			}
		}
		n, err := s.copyFile(ctx, target, file)
		if err != nil {
			return err
		}
		done += n
		progress(done, file.name)
	}
	return nil
}

func (s *source) copyFile(ctx context.Context, target *os.Root, file sourceFile) (int64, error) {
	before, err := s.root.Lstat(file.name)
	if err == nil && !before.Mode().IsRegular() {
		return 0, refused(file.name, "it turned into "+kindOf(before.Mode())+" while it was read")
	}
	var from *os.File
	if err == nil {
		from, err = s.root.Open(file.name)
	}
	if err != nil {
		return 0, unreadableFile(file.name, err)
	}
	defer from.Close()
	if opened, err := from.Stat(); err != nil || !os.SameFile(before, opened) {
		return 0, refused(file.name, "it was exchanged while it was read")
	}
	mode := fs.FileMode(0o644)
	if file.exec {
		mode = 0o755
	}
	to, err := target.OpenFile(file.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return 0, unwritable(err)
	}
	n, err := io.Copy(to, &checkedReader{ctx: ctx, from: from, left: file.size, name: file.name})
	var problem *extension.Problem
	if closeErr := errors.Join(err, to.Sync(), to.Close()); closeErr != nil {
		if errors.As(closeErr, &problem) {
			return n, problem
		}
		return n, unwritable(closeErr)
	}
	return n, nil
}

// checkedReader reads at most what was counted, and stops when the install is cancelled.
type checkedReader struct {
	ctx  context.Context
	from io.Reader
	left int64
	name string
}

func (r *checkedReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, cancelled(err)
	}
	n, err := r.from.Read(p)
	r.left -= int64(n)
	if r.left < 0 {
		return 0, refused(r.name, "it grew while it was read")
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return n, unreadableFile(r.name, err)
	}
	return n, err
}

// Package log keeps what an extension's processes say: one file per extension that a person can open from its page. It is
// bounded: when a file is full it becomes the previous one, of which there is one. Writers may be many, in one process.
package log

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// MaxFileBytes is how large a log grows before it is moved aside; with the previous one a log takes twice that.
const MaxFileBytes = 2 << 20

// maxLineBytes bounds one line; what a process writes without an end is cut there.
const maxLineBytes = 16 << 10

// File is one extension's log.
type File struct {
	path string
	now  func() time.Time

	mu   sync.Mutex
	file *os.File
	size int64
}

// Open makes a log at the path; the file comes into being with its first line.
func Open(path string) *File { return &File{path: path, now: time.Now} }

// Line writes one line: when, how grave, what. Line breaks in the text are kept as further lines, indented, so that no
// text can pass for a line of its own.
func (f *File) Line(level, text string) error {
	if len(text) > maxLineBytes {
		text = strings.ToValidUTF8(text[:maxLineBytes], "") + " …"
	}
	text = strings.ReplaceAll(strings.TrimRight(text, "\r\n"), "\n", "\n    ")
	line := fmt.Sprintf("%s %-5s %s\n", f.now().UTC().Format("2006-01-02T15:04:05.000Z"), level, text)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.ready(int64(len(line))); err != nil {
		return err
	}
	n, err := f.file.WriteString(line)
	f.size += int64(n)
	if err != nil {
		return fmt.Errorf("write the log %s: %w", f.path, err)
	}
	return nil
}

// ready opens the file, and moves a full one aside.
func (f *File) ready(more int64) error {
	if f.file != nil && f.size+more <= MaxFileBytes {
		return nil
	}
	if f.file == nil {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
			return fmt.Errorf("make the folder of the log %s: %w", f.path, err)
		}
		if info, err := os.Stat(f.path); err == nil {
			f.size = info.Size()
		}
	}
	if f.size+more > MaxFileBytes {
		if f.file != nil {
			if err := f.file.Close(); err != nil {
				return fmt.Errorf("close the full log %s: %w", f.path, err)
			}
			f.file = nil
		}
		if err := os.Rename(f.path, f.path+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("move the full log %s aside: %w", f.path, err)
		}
		f.size = 0
	}
	file, err := os.OpenFile(f.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the log %s: %w", f.path, err)
	}
	f.file = file
	return nil
}

// Close lets go of the file.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}

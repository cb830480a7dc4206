package store

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"portico/backend/extension"
)

// describe turns what SQLite and the system say about the file into a Problem. Other errors, a caller's own Problem among
// them, pass as they are.
func describe(err error, path string) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var already *extension.Problem
	if errors.As(err, &already) {
		return err
	}
	if p := problem(err, path); p != nil {
		return p
	}
	return err
}

// problem gives nil for an error that is neither SQLite's nor the file system's.
func problem(err error, path string) *extension.Problem {
	var native *sqlite.Error
	var system *fs.PathError
	var p *extension.Problem
	switch {
	case errors.As(err, &native):
		p = ofCode(native.Code(), path)
	case errors.Is(err, syscall.ENOSPC):
		p = full(path)
	case errors.As(err, &system):
		p = unreadable(path)
	default:
		return nil
	}
	return p.Because(err)
}

func ofCode(code int, path string) *extension.Problem {
	if code == sqlite3.SQLITE_IOERR_SHMSIZE {
		return full(path) // the index beside the file could not grow: SQLite says "full" of the file alone
	}
	switch code & 0xff { // the low byte is the kind, the rest details it
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return corrupt(path)
	case sqlite3.SQLITE_FULL:
		return full(path)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return busy(path)
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return unreadable(path)
	case sqlite3.SQLITE_IOERR:
		return extension.NewProblem("store.io", "The disk failed while Portico used {file}.",
			"Check the disk and that the folder is still there, then start Portico again.", "file", path)
	}
	return extension.NewProblem("store.failed", "Portico's database refused that.",
		"Try again; if it happens again, report it with the details.", "file", path)
}

func corrupt(path string) *extension.Problem {
	return extension.NewProblem("store.corrupt", "Portico's database {file} is damaged. Nothing in it was changed.",
		"Put a copy from your backup in its place ({name}.before-… beside it are copies from before updates), or move it away to start empty.",
		"file", path, "name", filepath.Base(path))
}

func full(path string) *extension.Problem {
	return extension.NewProblem("store.full", "The disk is full, so Portico could not save that. What was saved before is safe.",
		"Free some space where {folder} is, then try again.", "folder", filepath.Dir(path))
}

func busy(path string) *extension.Problem {
	return extension.NewProblem("store.busy", "Another Portico has kept {file} locked for too long.",
		"Close other windows or commands of Portico, then try again.", "file", path)
}

func unreadable(path string) *extension.Problem {
	return extension.NewProblem("store.unreadable", "Portico can't open {file} for reading and writing.",
		"Make the file and its folder yours and writable, or name another data folder in $PORTICO_HOME.", "file", path)
}

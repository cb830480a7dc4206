package extdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"portico/backend/extension"
)

// gone says that the connection is of no use any more.
func gone(err error) bool {
	var native *sqlite.Error
	if errors.As(err, &native) {
		kind := native.Code() & 0xff
		return kind == sqlite3.SQLITE_CORRUPT || kind == sqlite3.SQLITE_NOTADB || kind == sqlite3.SQLITE_IOERR
	}
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// describe turns what SQLite and the system say into a Problem.
func describe(err error, path string) error {
	var already *extension.Problem
	var native *sqlite.Error
	var system *fs.PathError
	switch {
	case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &already):
		return err
	case errors.As(err, &native):
		return ofCode(native, path).Because(err)
	case errors.Is(err, syscall.ENOSPC):
		return full(path).Because(err)
	case errors.As(err, &system):
		return unreadable(path).Because(err)
	}
	return failed(err)
}

func ofCode(native *sqlite.Error, path string) *extension.Problem {
	switch native.Code() & 0xff { // the low byte is the kind
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return corrupt(path)
	case sqlite3.SQLITE_FULL:
		return full(path)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return extension.NewProblem("db.busy", "Another program keeps the extension's database {file} locked.", "Try again when it is done.", "file", path).At(path)
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR:
		return unreadable(path)
	}
	return failed(native)
}

func failed(err error) *extension.Problem {
	return extension.NewProblem("db.failed", "SQLite refused the statement: {why}", "Its author has to correct it.", "why", err.Error()).Because(err)
}

func corrupt(path string) *extension.Problem {
	return extension.NewProblem("db.corrupt", "The extension's database {file} is damaged. Nothing in it was changed.",
		"Put a copy from your backup in its place, or move it away to start empty.", "file", path).At(path)
}

func full(path string) *extension.Problem {
	return extension.NewProblem("db.full", "The extension's database is full, or the disk is. What was saved before is safe.",
		"Free some space where {folder} is, or delete some of what the extension keeps.", "folder", filepath.Dir(path)).At(path)
}

func unreadable(path string) *extension.Problem {
	return extension.NewProblem("db.unreadable", "Portico can't read and write the extension's database {file}.",
		"Make the file and its folder yours and writable, and check the disk.", "file", path).At(path)
}

// Package store is the one SQLite file that Portico keeps everything in: it opens it, brings its schema up to date and
// hands out transactions.
//
// It promises: a transaction that Write returned nil for survives a crash of the process and of the computer; writers wait
// for each other and never fail as busy while another works, in this process or in another one with the same file open; a
// migration that fails leaves the file as it was, and before one changes anything a copy of the file is kept beside it;
// a file that is damaged, foreign or newer than this Portico is left alone. What the tables mean is up to their packages.
package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite"
)

const (
	// busyTimeout is how long a transaction waits for another process. Transactions take milliseconds; what holds the
	// file longer is stuck.
	busyTimeout = 10 * time.Second
	// openTimeout is how long Open waits for another process that opens or migrates the file.
	openTimeout = 30 * time.Second
	// maxReaders bounds the open connections that read. A read takes about a millisecond and a query waits for a free one.
	maxReaders = 4
	// walLimitBytes is what the write-ahead log is cut back to after a checkpoint.
	walLimitBytes = 32 << 20
)

// DB is an open file. All methods are safe for concurrent use.
type DB struct {
	path   string
	writer *sql.DB // one connection
	reader *sql.DB
	turn   chan struct{} // holds one token: whoever has it writes
}

// processWide sets what modernc.org/sqlite only has for the whole process, before the first file is opened.
var processWide = sync.OnceFunc(func() {
	// By default the locks on the file are the process's: any other code in it that opens the file and closes it again
	// drops them all, and another process may then write in between. These are the descriptor's. Only Linux has them;
	// elsewhere nothing here opens the file but SQLite.
	_, _ = sqlite.OFDLocking(true)
	// What every distribution's SQLite does: as durable as fsync, without waiting for the file's time stamps.
	_, _ = sqlite.Fdatasync(true)
})

// Open opens the file, which it creates if need be, and migrates it. It fails with a *extension.Problem: store.newer,
// store.corrupt, store.foreign, store.full, store.busy, store.unreadable, store.io or store.migrate.
func Open(ctx context.Context, path string) (*DB, error) {
	return open(ctx, path, migrations())
}

func open(ctx context.Context, path string, schema schema) (*DB, error) {
	processWide()
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, describe(err, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, describe(err, path)
	}
	unlock, err := lockForOpening(ctx, path)
	if err != nil {
		return nil, err
	}
	defer unlock()

	version, err := inspect(ctx, path, schema.latest)
	if err != nil {
		return nil, err
	}
	db := &DB{path: path, turn: make(chan struct{}, 1)}
	if db.writer, err = connect(path, writing, 1); err != nil {
		return nil, describe(err, path)
	}
	if db.reader, err = connect(path, reading, maxReaders); err != nil {
		_ = db.writer.Close()
		return nil, describe(err, path)
	}
	if err := db.prepare(ctx, schema, version); err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// prepare migrates, and proves that both kinds of connection work.
func (db *DB) prepare(ctx context.Context, schema schema, version int64) error {
	if version < schema.latest {
		if err := db.migrate(ctx, schema, version); err != nil {
			return err
		}
	}
	for _, pool := range []*sql.DB{db.writer, db.reader} {
		if err := pool.PingContext(ctx); err != nil {
			return describe(err, db.path)
		}
	}
	return nil
}

// Write runs fn in a transaction that locks the file for writing from its start. When fn returns nil and Write does too,
// what fn did is on disk; otherwise nothing of it is. The context only bounds the wait for other writers of this process:
// a transaction that began is not cut off, so that its outcome is always known. fn must use nothing but its transaction,
// be quick, and must not call Write.
func (db *DB) Write(ctx context.Context, fn func(*sql.Tx) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case db.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-db.turn }()

	tx, err := db.writer.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return describe(fmt.Errorf("begin a transaction: %w", err), db.path)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit; also when fn panics
	if err := fn(tx); err != nil {
		return describe(err, db.path)
	}
	if err := tx.Commit(); err != nil {
		return describe(fmt.Errorf("commit: %w", err), db.path)
	}
	return nil
}

// Read gives connections to read with. They see every transaction that Write finished before, and cannot write.
func (db *DB) Read() *sql.DB { return db.reader }

// Close waits for a running transaction and closes the file.
func (db *DB) Close() error {
	db.turn <- struct{}{}
	defer func() { <-db.turn }()
	readErr := db.reader.Close()
	if err := db.writer.Close(); err != nil {
		return describe(err, db.path)
	}
	if readErr != nil {
		return describe(readErr, db.path)
	}
	return nil
}

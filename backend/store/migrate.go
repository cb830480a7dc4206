package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/pressly/goose/v3"

	"portico/backend/extension"
)

//go:embed migrations/*.sql
var embedded embed.FS

// schema is the migrations this Portico knows.
type schema struct {
	files  fs.FS
	latest int64
}

func migrations() schema {
	files, err := fs.Sub(embedded, "migrations")
	if err != nil {
		panic(err) // the name is a constant
	}
	return schemaOf(files)
}

func schemaOf(files fs.FS) schema {
	s := schema{files: files}
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			panic(fmt.Sprintf("migration %s: %v", name, err)) // ours, embedded: a test opens them all
		}
		s.latest = max(s.latest, version)
	}
	return s
}

// openingPoll is how often a waiting Open looks whether the other one is done.
const openingPoll = 20 * time.Millisecond

// lockForOpening keeps two processes from creating or migrating the file at once. The lock's file stays: removing it would
// let two hold it.
func lockForOpening(ctx context.Context, path string) (unlock func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	lock := flock.New(path + ".opening")
	if _, err := lock.TryLockContext(waiting, openingPoll); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, busy(path).Because(err)
		}
		return nil, describe(err, path)
	}
	return func() { _ = lock.Unlock() }, nil
}

// inspect says which version of the schema the file has, 0 for a new one, and refuses a file that must be left alone. It
// asks SQLite and does not read the file itself: see processWide.
func inspect(ctx context.Context, path string, latest int64) (version int64, err error) {
	if fresh, err := makeIfMissing(path); fresh || err != nil {
		return 0, err
	}
	db, err := connect(path, inspecting, 1)
	if err != nil {
		return 0, describe(err, path)
	}
	defer db.Close()
	var tables int
	var ours bool
	err = db.QueryRowContext(ctx,
		`SELECT count(*), coalesce(max(name = 'goose_db_version'), 0) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`).Scan(&tables, &ours)
	if err != nil {
		return 0, describe(fmt.Errorf("look into %s: %w", path, err), path)
	}
	if tables == 0 {
		return 0, nil
	}
	if !ours {
		return 0, extension.NewProblem("store.foreign", "{file} is another program's database.",
			"Move it away, or name another data folder in $PORTICO_HOME.", "file", path)
	}
	err = db.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&version)
	if err != nil {
		return 0, describe(fmt.Errorf("read the version of %s: %w", path, err), path)
	}
	if version > latest {
		return 0, extension.NewProblem("store.newer", "Your data was last opened by a newer Portico (data version {version}; this one knows up to {known}).",
			"Start the newer Portico, or update this one.", "file", path, "version", fmt.Sprint(version), "known", fmt.Sprint(latest)).At(path)
	}
	return version, nil
}

// smallestFileBytes is the smallest page, and so the smallest file, SQLite can have written.
const smallestFileBytes = 512

// makeIfMissing creates an empty file that only the person can read, because SQLite would go by the umask. An empty file
// whose log is not is what remains when something cut the file: SQLite would take it for new and delete the log.
func makeIfMissing(path string) (fresh bool, err error) {
	at, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, describe(err, path)
	}
	switch {
	case err == nil && at.Size() >= smallestFileBytes:
		return false, nil
	case err == nil && at.Size() > 0: // SQLite would take it for new and write over it
		return false, corrupt(path).Because(fmt.Errorf("%s has only %d bytes", filepath.Base(path), at.Size()))
	}
	if log, logErr := os.Stat(path + "-wal"); logErr == nil && log.Size() > 0 {
		return false, corrupt(path).Because(fmt.Errorf("%s holds nothing, its log %d bytes", filepath.Base(path), log.Size()))
	}
	if err == nil {
		return true, nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return false, describe(err, path)
	}
	return true, file.Close()
}

// migrate brings the file to the latest version, one transaction a migration.
func (db *DB) migrate(ctx context.Context, schema schema, version int64) error {
	provider, err := goose.NewProvider(goose.DialectSQLite3, db.writer, schema.files,
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	if version > 0 {
		if err := db.checkAndKeep(ctx, firstAfter(provider, version)); err != nil {
			return err
		}
	}
	if _, err := provider.Up(ctx); err != nil {
		if p := problem(err, db.path); p != nil && p.Code != "store.failed" {
			return p
		}
		return extension.NewProblem("store.migrate", "Portico could not bring your data up to date (from data version {version} to {known}).",
			"Nothing was lost: use the Portico you had before, and report this with the details.",
			"file", db.path, "version", fmt.Sprint(version), "known", fmt.Sprint(schema.latest)).At(db.path).Because(err)
	}
	return nil
}

func firstAfter(provider *goose.Provider, version int64) int64 {
	for _, source := range provider.ListSources() { // ascending
		if source.Version > version {
			return source.Version
		}
	}
	return version
}

// checkAndKeep makes sure that the file is sound and keeps a copy of it as "<file>.before-<next version>". The copy is
// whole or not there; a second try at the same migration replaces it, with the same contents.
func (db *DB) checkAndKeep(ctx context.Context, next int64) error {
	var verdict string
	if err := db.writer.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&verdict); err != nil {
		return describe(fmt.Errorf("check %s: %w", db.path, err), db.path)
	}
	if verdict != "ok" {
		return corrupt(db.path).Because(errors.New(verdict))
	}
	kept := fmt.Sprintf("%s.before-%d", db.path, next)
	part := kept + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return describe(err, db.path)
	}
	if err := copyInto(ctx, db.writer, part); err != nil {
		_ = os.Remove(part)
		return describe(fmt.Errorf("keep a copy of %s: %w", db.path, err), db.path)
	}
	if err := os.Rename(part, kept); err != nil {
		_ = os.Remove(part)
		return describe(err, db.path)
	}
	return nil
}

// copyInto writes a consistent copy, log included, and has it on disk: VACUUM INTO does not sync by itself.
func copyInto(ctx context.Context, db *sql.DB, path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600) // VACUUM INTO takes an empty file
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := db.ExecContext(ctx, `VACUUM INTO ?`, path); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	return file.Close()
}

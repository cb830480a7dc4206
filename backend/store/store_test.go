package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"go.uber.org/goleak"
	sqlite3 "modernc.org/sqlite/lib"

	"portico/backend/extension"
)

const writerVariable = "PORTICO_TEST_WRITE_INTO" // makes this binary a second process that writes

func TestMain(m *testing.M) {
	if path := os.Getenv(writerVariable); path != "" {
		if err := writeMany(path, 4, 100); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func opened(t *testing.T, path string) *DB {
	t.Helper()
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func set(ctx context.Context, db *DB, key, value string) error {
	return db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
		return err
	})
}

func get(t *testing.T, db *DB, key string) string {
	t.Helper()
	var value string
	err := db.Read().QueryRowContext(t.Context(), `SELECT value FROM settings WHERE key = ?`, key).Scan(&value)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		t.Fatal(err)
	}
	return value
}

func codeOf(err error) string {
	var p *extension.Problem
	if errors.As(err, &p) {
		return p.Code
	}
	return fmt.Sprint(err)
}

// count adds one to a number that it first reads: the transaction that fails as busy without _txlock=immediate.
func count(db *DB, key string) error {
	ctx := context.Background()
	return db.Write(ctx, func(tx *sql.Tx) error {
		var text string
		if err := tx.QueryRowContext(ctx, `SELECT value FROM settings WHERE key = ?`, key).Scan(&text); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		n, _ := strconv.Atoi(text)
		_, err := tx.ExecContext(ctx, `INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, strconv.Itoa(n+1))
		return err
	})
}

func writeMany(path string, writers, transactions int) error {
	db, err := Open(context.Background(), path)
	if err != nil {
		return err
	}
	errs := make(chan error, writers)
	for range writers {
		go func() {
			for range transactions {
				if err := count(db, "n"); err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	for range writers {
		err = errors.Join(err, <-errs)
	}
	return errors.Join(err, db.Close())
}

func TestSixteenWritersOfTwoHandlesAndASecondProcessAreNeverBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "portico.db")
	first := opened(t, path)
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), writerVariable+"="+path)
	other.Stderr = os.Stderr
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	second := opened(t, path)
	var group sync.WaitGroup
	for i := range 16 {
		db := []*DB{first, second}[i%2]
		group.Go(func() {
			for range 100 {
				if err := count(db, "n"); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	if err := other.Wait(); err != nil {
		t.Errorf("the second process: %v", err)
	}
	if got := get(t, first, "n"); got != "2000" {
		t.Errorf("2000 transactions added one each, the sum is %s", got)
	}
}

func TestManyOpenTheSameNewFileAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "portico.db")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			db, err := Open(t.Context(), path)
			if err != nil {
				t.Error(err)
				return
			}
			if err := set(t.Context(), db, fmt.Sprint(i), "x"); err != nil {
				t.Error(err)
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestPathsOfEveryKindAreOpened(t *testing.T) {
	for _, folder := range []string{"a b", "100%20", "what?x=1", "a#b", "naïve — 日本", "a&b;c'd", `quo"te`} {
		t.Run(folder, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), folder, "portico.db")
			db := opened(t, path)
			if err := set(t.Context(), db, "k", "v"); err != nil {
				t.Fatal(err)
			}
			at, err := os.Stat(path)
			if err != nil {
				t.Fatalf("the file is not where it was asked for: %v", err)
			}
			if at.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
				t.Errorf("others may read it: %v", at.Mode())
			}
		})
	}
}

func TestConnectionsHaveWhatDurabilityNeeds(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "portico.db"))
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "10000", "application_id": "1349481076"} {
		var got string
		if err := db.writer.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, want %s (%v)", pragma, got, want, err)
		}
	}
	if _, err := db.Read().ExecContext(t.Context(), `DELETE FROM settings`); err == nil {
		t.Error("a connection to read with wrote")
	}
}

func TestAFailedTransactionLeavesNothing(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "portico.db"))
	mine := extension.NewProblem("mine", "No.", "")
	insert := func(tx *sql.Tx) {
		if _, err := tx.Exec(`INSERT INTO settings (key, value) VALUES ('k', 'v')`); err != nil {
			t.Error(err)
		}
	}
	if err := db.Write(t.Context(), func(tx *sql.Tx) error { insert(tx); return mine }); err != error(mine) {
		t.Errorf("the caller's own problem came back as %v", err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = db.Write(t.Context(), func(tx *sql.Tx) error { insert(tx); panic("in the middle") })
	}()
	if got := get(t, db, "k"); got != "" {
		t.Errorf("k is %q", got)
	}
	if err := set(t.Context(), db, "k", "after"); err != nil {
		t.Errorf("the next transaction: %v", err)
	}
}

func TestACancelledContextStopsTheWaitButNotATransactionThatBegan(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "portico.db"))
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Write(ctx, func(tx *sql.Tx) error {
		cancel()
		if err := set(ctx, db, "waits", "v"); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled writer got %v", err)
		}
		_, err := tx.Exec(`INSERT INTO settings (key, value) VALUES ('began', 'v')`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if get(t, db, "began") != "v" || get(t, db, "waits") != "" {
		t.Errorf("began=%q waits=%q", get(t, db, "began"), get(t, db, "waits"))
	}
}

func TestAFullDiskIsAProblemAndLosesNothing(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "portico.db"))
	if err := set(t.Context(), db, "before", "v"); err != nil {
		t.Fatal(err)
	}
	// The file may grow no further: SQLite answers as it does when the disk is full.
	var pages int
	if err := db.writer.QueryRowContext(t.Context(), `PRAGMA page_count`).Scan(&pages); err != nil {
		t.Fatal(err)
	}
	limit := func(n int) {
		var now int
		if err := db.writer.QueryRowContext(t.Context(), fmt.Sprintf(`PRAGMA max_page_count = %d`, n)).Scan(&now); err != nil {
			t.Fatal(err)
		}
	}
	limit(pages)
	if err := set(t.Context(), db, "large", string(make([]byte, 100_000))); codeOf(err) != "store.full" {
		t.Errorf("got %v", err)
	}
	limit(1 << 30)
	if err := set(t.Context(), db, "after", "v"); err != nil {
		t.Errorf("with space again: %v", err)
	}
	if get(t, db, "before") != "v" || get(t, db, "after") != "v" || get(t, db, "large") != "" {
		t.Error("what was saved is not what is there")
	}
}

func TestEveryWayInWhichADiskIsFullSaysSo(t *testing.T) {
	for code, want := range map[int]string{
		sqlite3.SQLITE_FULL:             "store.full",
		sqlite3.SQLITE_IOERR_SHMSIZE:    "store.full", // the first to fail on a disk that is full when Portico starts
		sqlite3.SQLITE_IOERR_READ:       "store.io",
		sqlite3.SQLITE_READONLY_DBMOVED: "store.unreadable",
		sqlite3.SQLITE_CORRUPT_VTAB:     "store.corrupt",
	} {
		if got := ofCode(code, "portico.db").Code; got != want {
			t.Errorf("%d: got %s, want %s", code, got, want)
		}
	}
}

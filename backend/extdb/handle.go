package extdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// handle is one extension's file. Whoever put the token into turn has it to themselves.
type handle struct {
	path     string
	maxBytes int
	turn     chan struct{} // one token

	used  uint64 // these two are Databases.mu's
	users int

	retired bool // from here on the token's
	pool    *sql.DB
	conn    *sql.Conn
	guard   *guard
}

// ready opens the file unless it is open.
func (h *handle) ready(ctx context.Context) error {
	if h.retired {
		return errClosed()
	}
	if h.conn != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return describe(err, h.path)
	}
	file, err := os.OpenFile(h.path, os.O_CREATE|os.O_RDWR, 0o600) // SQLite would go by the umask
	if err != nil {
		return describe(err, h.path)
	}
	at, err := file.Stat()
	if err := errors.Join(err, file.Close()); err != nil {
		return describe(err, h.path)
	}
	if at.Size() > 0 && at.Size() < 512 { // SQLite would take it for new and write over it
		return corrupt(h.path)
	}
	if err := h.connect(ctx); err != nil {
		_ = h.end()
		return describe(fmt.Errorf("open %s: %w", h.path, err), h.path)
	}
	return nil
}

// connect makes the one connection and sets its limits; the guard is on before anything of the extension's runs.
func (h *handle) connect(ctx context.Context) (err error) {
	if h.pool, err = sql.Open("sqlite", source(h.path, h.maxBytes)); err != nil {
		return err
	}
	h.pool.SetMaxOpenConns(1)
	if h.conn, err = h.pool.Conn(ctx); err != nil {
		return err
	}
	for limit, value := range map[int]int{
		sqlite3.SQLITE_LIMIT_ATTACHED:       0,
		sqlite3.SQLITE_LIMIT_LENGTH:         maxValueBytes,
		sqlite3.SQLITE_LIMIT_SQL_LENGTH:     MaxStatementBytes,
		sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
	} {
		if _, err := sqlite.Limit(h.conn, limit, value); err != nil {
			return err
		}
	}
	h.guard = &guard{}
	return h.conn.Raw(func(native any) error {
		on, ok := native.(sqlite.AuthorizerRegisterer)
		if !ok {
			return driver.ErrSkip
		}
		return on.RegisterAuthorizer(h.guard.judge)
	})
}

// source names the file as a URI, because only there every character of a path can be written.
func source(path string, maxBytes int) string {
	q := url.Values{}
	q.Set("mode", "rw")
	q.Set("_error_rc", "1")
	q.Set("_defensive", "1")
	q.Set("_txlock", "immediate")
	q.Set("_busy_timeout", fmt.Sprint(busyTimeout.Milliseconds()))
	for _, pragma := range []string{
		"journal_mode(WAL)", "synchronous(FULL)", "fullfsync(1)", "foreign_keys(1)", "trusted_schema(0)", "cell_size_check(1)",
		"journal_size_limit(4194304)", fmt.Sprintf("main.max_page_count(%d)", maxBytes/pageBytes),
		fmt.Sprintf("temp.max_page_count(%d)", maxBytes/pageBytes/4),
	} {
		q.Add("_pragma", pragma)
	}
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") { // C:/…
		slashed = "/" + slashed
	}
	return "file://" + (&url.URL{Path: slashed}).EscapedPath() + "?" + q.Encode()
}

// end closes the file; the next ready opens it again.
func (h *handle) end() error {
	var errs []error
	if h.conn != nil {
		errs = append(errs, h.conn.Close())
	}
	if h.pool != nil {
		errs = append(errs, h.pool.Close())
	}
	h.conn, h.pool, h.guard = nil, nil, nil
	return errors.Join(errs...)
}

// retire ends the handle for good, once whoever has it gave it back.
func (h *handle) retire(ctx context.Context) error {
	select {
	case h.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-h.turn }()
	h.retired = true
	return h.end()
}

// settle undoes a transaction that the call left open, and says whether there was one.
func (h *handle) settle() (wasOpen bool) {
	if h.conn == nil || !h.guard.transaction {
		return false
	}
	_, err := h.conn.ExecContext(context.Background(), "ROLLBACK")
	h.guard.transaction = false
	return err == nil
}

package store

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// purpose is what a connection is for.
type purpose int

const (
	inspecting purpose = iota // as the file is: sets nothing that would change it
	writing
	reading
)

// connect makes a pool; it touches the file only when it is first used.
func connect(path string, p purpose, most int) (*sql.DB, error) {
	pool, err := sql.Open("sqlite", source(path, p))
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", path, err)
	}
	pool.SetMaxOpenConns(most)
	pool.SetMaxIdleConns(most)
	return pool, nil
}

// source is the name SQLite knows the file by. A URI, because only there every character of a path can be written.
func source(path string, p purpose) string {
	q := url.Values{}
	q.Set("_busy_timeout", fmt.Sprint(busyTimeout.Milliseconds()))
	q.Set("_error_rc", "1") // or a file that can't be opened is reported as "out of memory"
	switch p {
	case inspecting:
		q.Set("mode", "rw") // a missing file is not created
	case writing:
		// Immediate: with WAL and a timeout alone, a transaction that reads before it writes fails as busy at once when
		// another one wrote in between (1,512 of 1,600 did, with 16 writers).
		q.Set("_txlock", "immediate")
		q.Set("mode", "rw")
		q.Add("_pragma", "journal_mode(WAL)")
		// NORMAL would lose the last commits when the power fails, and what a person sent must be durable before it is
		// shown. It costs one sync a commit; text that streams commits four times a second.
		q.Add("_pragma", "synchronous(FULL)")
		q.Add("_pragma", "fullfsync(1)") // macOS: fsync alone stops at the drive's cache
		q.Add("_pragma", "foreign_keys(1)")
		q.Add("_pragma", fmt.Sprintf("journal_size_limit(%d)", walLimitBytes))
	case reading:
		q.Set("mode", "rw") // not ro: that could not recover the log of a process that was killed
		q.Add("_pragma", "query_only(1)")
	}
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") { // C:/…
		slashed = "/" + slashed
	}
	escaped := (&url.URL{Path: slashed}).EscapedPath()
	return "file://" + escaped + "?" + q.Encode()
}

package extdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/backend/capability"
	"portico/backend/extension"
)

func ref(id string) extension.Ref {
	return extension.Ref{Scope: "agent", Format: "loca", ID: id}
}

func databases(t *testing.T, folder string) *Databases {
	t.Helper()
	d := New(folder)
	t.Cleanup(func() {
		if err := d.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return d
}

func of(t *testing.T, d *Databases, id string) capability.Database {
	t.Helper()
	db, err := d.Of(ref(id))
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func run(t *testing.T, db capability.Database, query string, params ...any) capability.Changes {
	t.Helper()
	changes, err := db.Execute(t.Context(), query, params)
	if err != nil {
		t.Fatalf("%.80s: %v", query, err)
	}
	return changes
}

func answer(t *testing.T, db capability.Database, query string, params ...any) string {
	t.Helper()
	rows, err := db.Query(t.Context(), query, params)
	if err != nil {
		t.Fatalf("%.80s: %v", query, err)
	}
	data, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func code(err error) string {
	var p *extension.Problem
	if errors.As(err, &p) {
		return p.Code
	}
	return fmt.Sprint(err)
}

func TestValuesComeBackAsTheyWere(t *testing.T) {
	db := of(t, databases(t, t.TempDir()), "notes")
	run(t, db, `CREATE TABLE v (a, b, c, d, e)`)
	did := run(t, db, `INSERT INTO v VALUES (?, ?, ?, ?, ?)`, "é", 1.5, true, nil, float64(7))
	if did.Changes != 1 || did.LastInsertRowID != int64(1) {
		t.Errorf("%+v", did)
	}
	if got := answer(t, db, `SELECT e, d, c, b, a, typeof(e) AS t FROM v`); got != `[{"e":7,"d":null,"c":1,"b":1.5,"a":"é","t":"integer"}]` {
		t.Error(got)
	}
	if got := answer(t, db, `SELECT 9007199254740993 AS big, 9007199254740991 AS small, x'00ff' AS blob`); got != `[{"big":"9007199254740993","small":9007199254740991,"blob":"AP8="}]` {
		t.Error(got)
	}
	run(t, db, `CREATE TABLE d (at DATETIME, day DATE, n TIMESTAMP); INSERT INTO d VALUES ('2026-01-02T03:04:05Z', '2026-01-02', 5), ('soon', 'b', NULL)`)
	if got := answer(t, db, `SELECT at AS "a""t", day, n FROM d WHERE n = ? OR n IS NULL ORDER BY rowid DESC -- last`, 5); got != `[{"a\"t":"soon","day":"b","n":null},{"a\"t":"2026-01-02T03:04:05Z","day":"2026-01-02","n":5}]` {
		t.Error(got)
	}
	if got := answer(t, db, `SELECT 1 WHERE 0`); got != `[]` {
		t.Error(got)
	}
	if _, err := db.Query(t.Context(), `SELECT ?`, []any{[]any{1}}); code(err) != "db.parameter" {
		t.Error(err)
	}
}

func TestWhatReachesOtherFilesOrWeakensTheHostIsRefused(t *testing.T) {
	folder := t.TempDir()
	db := of(t, databases(t, folder), "attacker")
	run(t, db, `CREATE TABLE t (x)`)
	other := filepath.ToSlash(filepath.Join(folder, "other"))
	for _, attack := range []string{
		`ATTACH '` + other + `' AS o`,
		`/* x */ aTtAcH /* y */ DATABASE '` + other + `' AS o`,
		"-- '\nATTACH '" + other + "' AS o",
		`SELECT ';'; ATTACH '` + other + `' AS o`,
		`INSERT INTO t VALUES ('/*'); ATTACH ':memory:' AS o`,
		`DETACH main`, `VACUUM`, `VACUUM INTO '` + other + `'`, `;;VACUUM main INTO '` + other + `'`,
		`EXPLAIN ATTACH '` + other + `' AS o`,
		`SELECT load_extension('` + other + `')`, `SELECT "load_extension"('` + other + `', 'f')`,
		`PRAGMA writable_schema = 1`, `PRAGMA main.writable_schema(on)`, `/**/PRAGMA/**/"writable_schema"=1`,
		`PRAGMA journal_mode = OFF`, `PRAGMA journal_mode = DELETE`, `PRAGMA mmap_size = 1000000000`,
		`PRAGMA temp_store_directory = '` + other + `'`, `PRAGMA data_store_directory = '` + other + `'`, `PRAGMA temp_store = 2`,
		`PRAGMA max_page_count = 4000000000`, `PRAGMA foreign_keys = OFF`, `PRAGMA trusted_schema = 1`, `PRAGMA locking_mode = EXCLUSIVE`,
		`PRAGMA cache_size = 100000000`, `PRAGMA hard_heap_limit = 1`, `PRAGMA soft_heap_limit = 1`, `PRAGMA threads = 8`,
		`PRAGMA busy_timeout = 100000`, `PRAGMA schema_version = 7`, `PRAGMA synchronous = OFF`, `PRAGMA database_list`,
		`SELECT * FROM pragma_database_list`, `PRAGMA wal_autocheckpoint = 0`, `PRAGMA journal_size_limit = -1`,
		`CREATE VIRTUAL TABLE d USING sqlite_dbpage`, `CREATE VIRTUAL TABLE d USING csv(filename='/etc/passwd')`,
	} {
		_, queryErr := db.Query(t.Context(), attack, nil)
		_, err := db.Execute(t.Context(), attack, nil)
		for _, err := range []error{queryErr, err} {
			if got := code(err); got != "db.refused" {
				t.Errorf("%s: %v", attack, err)
			}
		}
	}
	for attack, says := range map[string]string{ // SQLite itself does
		`SELECT fts3_tokenizer('simple')`:                              "no such function",
		`CREATE VIEW w AS SELECT load_extension('x'); SELECT * FROM w`: "unsafe use of load_extension",
	} {
		if _, err := db.Execute(t.Context(), attack, nil); code(err) != "db.failed" || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", attack, err)
		}
	}
	if _, err := db.Execute(t.Context(), `UPDATE sqlite_schema SET sql = 'x'`, nil); err == nil {
		t.Error("the schema could be written")
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("another file was made")
	}
	run(t, db, `INSERT INTO t VALUES ('ATTACH ''x'' AS y; VACUUM INTO z; PRAGMA writable_schema')`) // a text is only a text
	run(t, db, `PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA user_version = 3; CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f VALUES ('hello')`)
	if got := answer(t, db, `SELECT x, (SELECT name FROM pragma_table_info('t')) AS n FROM f WHERE f MATCH 'hello'`); got != `[{"x":"hello","n":"x"}]` {
		t.Error(got)
	}
}

func TestAnswersAndFilesAreBounded(t *testing.T) {
	db := of(t, databases(t, t.TempDir()), "big")
	count := `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c%s) SELECT n FROM c`
	if _, err := db.Query(t.Context(), fmt.Sprintf(count, ""), nil); code(err) != "db.rows" { // has no end: the reading stops
		t.Error(err)
	}
	if rows, err := db.Query(t.Context(), fmt.Sprintf(count, " LIMIT 10000"), nil); err != nil || len(rows.Values) != MaxRows {
		t.Error(len(rows.Values), err)
	}
	if _, err := db.Query(t.Context(), `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c LIMIT 20) SELECT hex(zeroblob(1000000)) AS h FROM c`, nil); code(err) != "db.answer" {
		t.Error(err)
	}
	if _, err := db.Query(t.Context(), `SELECT zeroblob(900000000)`, nil); code(err) != "db.failed" {
		t.Error(err)
	}
	if _, err := db.Query(t.Context(), "SELECT 1 --"+strings.Repeat("x", MaxStatementBytes), nil); code(err) != "db.long" {
		t.Error(err)
	}
	if got := answer(t, db, `PRAGMA max_page_count`); got != `[{"max_page_count":262144}]` {
		t.Error(got)
	}
}

func TestAFileThatAnotherProgramKeepsLockedIsSaidToBe(t *testing.T) {
	folder := t.TempDir()
	d := databases(t, folder)
	db := of(t, d, "held")
	run(t, db, `CREATE TABLE t (x)`)
	other, err := sql.Open("sqlite", d.path(ref("held").Key()))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	if _, err := other.Exec(`BEGIN IMMEDIATE; INSERT INTO t VALUES (1)`); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Execute(t.Context(), `INSERT INTO t VALUES (2)`, nil); code(err) != "db.busy" {
		t.Error(err)
	}
	if got := answer(t, db, `SELECT count(*) AS n FROM t`); got != `[{"n":0}]` { // who reads does not wait
		t.Error(got)
	}
	if _, err := other.Exec(`COMMIT`); err != nil {
		t.Fatal(err)
	}
	run(t, db, `INSERT INTO t VALUES (2)`)
}

func TestAFullFileSaysSoAndKeepsWhatItHas(t *testing.T) {
	d := databases(t, t.TempDir())
	d.maxBytes = 40 * pageBytes
	db := of(t, d, "full")
	run(t, db, `CREATE TABLE t (x); INSERT INTO t VALUES ('kept')`)
	if _, err := db.Execute(t.Context(), `INSERT INTO t VALUES (hex(zeroblob(200000)))`, nil); code(err) != "db.full" {
		t.Error(err)
	}
	if got := answer(t, db, `SELECT x FROM t`); got != `[{"x":"kept"}]` {
		t.Error(got)
	}
}

func TestMoreExtensionsThanFilesMayBeOpenWaitInWords(t *testing.T) {
	d := databases(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for n := range MaxOpen {
		db := of(t, d, fmt.Sprint("e", n))
		all.Go(func() {
			_, _ = db.Query(ctx, `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT count(*) FROM c`, nil)
		})
	}
	for using := 0; using < MaxOpen; {
		d.mu.Lock()
		using = 0
		for _, h := range d.open {
			using += h.users
		}
		d.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	late := of(t, d, "late")
	if _, err := late.Query(t.Context(), `SELECT 1 AS one`, nil); code(err) != "db.many" {
		t.Error(err)
	}
	cancel()
	all.Wait()
	if got := answer(t, late, `SELECT 1 AS one`); got != `[{"one":1}]` {
		t.Error(got)
	}
}

func TestALongStatementEndsWithItsContext(t *testing.T) {
	db := of(t, databases(t, t.TempDir()), "slow")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := db.Query(ctx, `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT count(*) FROM c`, nil)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 5*time.Second {
		t.Error(err, time.Since(start))
	}
	if got := answer(t, db, `SELECT 1 AS one`); got != `[{"one":1}]` {
		t.Error(got)
	}
}

func TestATransactionLivesWithinOneCall(t *testing.T) {
	db := of(t, databases(t, t.TempDir()), "tx")
	run(t, db, `CREATE TABLE t (x); BEGIN; INSERT INTO t VALUES (1); COMMIT`)
	if _, err := db.Execute(t.Context(), `BEGIN; INSERT INTO t VALUES (2)`, nil); code(err) != "db.transaction" {
		t.Error(err)
	}
	if got := answer(t, db, `SELECT x FROM t`); got != `[{"x":1}]` {
		t.Error(got)
	}
}

func TestTwoProcessesWriteTheSameFile(t *testing.T) {
	folder := t.TempDir()
	one, two := of(t, databases(t, folder), "shared"), of(t, databases(t, folder), "shared")
	run(t, one, `CREATE TABLE t (x)`)
	var both sync.WaitGroup
	for _, db := range []capability.Database{one, two} {
		both.Go(func() {
			for n := range 30 {
				if _, err := db.Execute(t.Context(), `INSERT INTO t VALUES (?)`, []any{n}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	both.Wait()
	if got := answer(t, one, `SELECT count(*) AS n FROM t`); got != `[{"n":60}]` {
		t.Error(got)
	}
}

func TestOnlySixteenFilesAreOpen(t *testing.T) {
	d := databases(t, t.TempDir())
	for n := range 20 {
		run(t, of(t, d, fmt.Sprint("e", n)), `CREATE TABLE t (x); INSERT INTO t VALUES (1)`)
	}
	if len(d.open) != MaxOpen {
		t.Errorf("%d are open", len(d.open))
	}
	if got := answer(t, of(t, d, "e0"), `SELECT x FROM t`); got != `[{"x":1}]` { // was closed, opens again
		t.Error(got)
	}
}

func TestRemovingDropsTheFileAndItsLog(t *testing.T) {
	d := databases(t, t.TempDir())
	db := of(t, d, "gone")
	run(t, db, `CREATE TABLE t (x)`)
	if err := d.Remove(t.Context(), ref("gone")); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Dir(d.path(ref("gone").Key())))
	if err != nil || len(left) != 0 {
		t.Error(left, err)
	}
	if got := answer(t, db, `SELECT count(*) AS n FROM sqlite_schema`); got != `[{"n":0}]` {
		t.Error(got)
	}
}

func TestABrokenFileIsLeftAloneAndNamed(t *testing.T) {
	for _, broken := range []string{"short", strings.Repeat("this is no database ", 1000)} {
		d := databases(t, t.TempDir())
		path := d.path(ref("broken").Key())
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(broken), 0o600)); err != nil {
			t.Fatal(err)
		}
		_, err := of(t, d, "broken").Query(t.Context(), `SELECT * FROM t`, nil)
		if code(err) != "db.corrupt" || !strings.Contains(err.Error(), path) {
			t.Error(err)
		}
		if after, _ := os.ReadFile(path); string(after) != broken {
			t.Error("it was changed")
		}
	}
}

func TestWhatWasAnsweredSurvivesAKilledProcess(t *testing.T) {
	d := databases(t, t.TempDir())
	db := of(t, d, "killed")
	run(t, db, `CREATE TABLE t (x); INSERT INTO t VALUES (1)`)
	after := databases(t, t.TempDir())
	from, to := d.path(ref("killed").Key()), after.path(ref("killed").Key())
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal"} { // as a kill leaves them, and the last write cut in half
		data, err := os.ReadFile(from + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if suffix == "-wal" {
			data = append(data, data[len(data)-2000:]...)
		}
		if err := os.WriteFile(to+suffix, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := answer(t, of(t, after, "killed"), `SELECT x FROM t`); got != `[{"x":1}]` {
		t.Error(got)
	}
}

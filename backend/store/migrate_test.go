package store

import (
	"bytes"
	"database/sql"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// withNext is the real schema and one migration that does not exist yet.
func withNext(t *testing.T, statement string) schema {
	t.Helper()
	files := fstest.MapFS{}
	real := migrations()
	names, err := fs.Glob(real.files, "*.sql")
	if err != nil || len(names) == 0 {
		t.Fatalf("%v %v", names, err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(real.files, name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: text}
	}
	files["90000_next.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + statement)}
	return schemaOf(files)
}

func closedWith(t *testing.T, path, key, value string) {
	t.Helper()
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := set(t.Context(), db, key, value); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// contents reads every file of a folder, but for locks and SQLite's own side files.
func contents(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	items, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range items {
		if strings.HasSuffix(item.Name(), ".opening") || strings.HasSuffix(item.Name(), "-shm") {
			continue
		}
		if found[item.Name()], err = os.ReadFile(filepath.Join(folder, item.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

func TestAMigrationKeepsTheDataAndACopyFromBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "portico.db")
	closedWith(t, path, "k", "v")
	if files := slices.Sorted(maps.Keys(contents(t, filepath.Dir(path)))); !slices.Equal(files, []string{"portico.db"}) {
		t.Errorf("a new file has %v beside it", files)
	}
	later := withNext(t, `ALTER TABLE settings ADD COLUMN more TEXT; UPDATE settings SET value = 'changed';`)
	db, err := open(t.Context(), path, later)
	if err != nil {
		t.Fatal(err)
	}
	if got := get(t, db, "k"); got != "changed" {
		t.Errorf("k is %q after the migration", got)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before := opened(t, path+".before-90000") // the copy is a whole file that this version opens
	if got := get(t, before, "k"); got != "v" {
		t.Errorf("k is %q in the copy", got)
	}
	if at, err := os.Stat(path + ".before-90000"); err != nil || at.Mode().Perm() != 0o600 && os.PathSeparator == '/' {
		t.Errorf("the copy is %v %v", at.Mode(), err)
	}
}

func TestAMigrationThatFailsLeavesTheFileAsItWas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "portico.db")
	closedWith(t, path, "k", "v")
	for range 2 { // also when it is tried again
		_, err := open(t.Context(), path, withNext(t, `UPDATE settings SET value = 'changed'; CREATE TABLE sessions (id TEXT);`))
		if codeOf(err) != "store.failed" && codeOf(err) != "store.migrate" {
			t.Fatalf("got %v", err)
		}
	}
	db := opened(t, path)
	if got := get(t, db, "k"); got != "v" {
		t.Errorf("k is %q", got)
	}
}

func TestAFileThatMustBeLeftAloneIs(t *testing.T) {
	sqliteFile := func(t *testing.T, path string, statements ...string) {
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range statements {
			if _, err := db.Exec(s); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	cut := func(t *testing.T, path string, size int64) {
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
	}
	cases := map[string]struct {
		make func(t *testing.T, path string)
		code string
	}{
		"written by a newer Portico": {func(t *testing.T, path string) {
			db, err := open(t.Context(), path, withNext(t, `CREATE TABLE more (id TEXT);`))
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}, "store.newer"},
		"another program's": {func(t *testing.T, path string) { sqliteFile(t, path, `CREATE TABLE bookmarks (url TEXT)`) }, "store.foreign"},
		"no database":       {func(t *testing.T, path string) { write(t, path, bytes.Repeat([]byte("not a database\n"), 1000)) }, "store.corrupt"},
		"a few bytes":       {func(t *testing.T, path string) { write(t, path, []byte("x")) }, "store.corrupt"},
		"cut short": {func(t *testing.T, path string) {
			closedWith(t, path, "k", strings.Repeat("v", 50_000))
			cut(t, path, 8192)
		}, "store.corrupt"},
		"first page overwritten": {func(t *testing.T, path string) {
			closedWith(t, path, "k", "v")
			data := contents(t, filepath.Dir(path))["portico.db"]
			copy(data[100:4096], bytes.Repeat([]byte{0xA5}, 4000))
			write(t, path, data)
		}, "store.corrupt"},
		"emptied, with a log": {func(t *testing.T, path string) {
			write(t, path, nil)
			write(t, path+"-wal", []byte("a log"))
		}, "store.corrupt"},
		"a folder": {func(t *testing.T, path string) {
			if err := os.MkdirAll(filepath.Join(path, "x"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, "store.unreadable"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "portico.db")
			c.make(t, path)
			var before map[string][]byte
			if name != "a folder" {
				before = contents(t, filepath.Dir(path))
			}
			for range 2 {
				db, err := Open(t.Context(), path)
				if codeOf(err) != c.code {
					t.Errorf("got %v, want %s", err, c.code)
				}
				if db != nil {
					_ = db.Close()
				}
			}
			if name != "a folder" && !maps.EqualFunc(before, contents(t, filepath.Dir(path)), bytes.Equal) {
				t.Error("the folder is not as it was")
			}
		})
	}
}

func TestADamagedPageStopsAMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "portico.db")
	closedWith(t, path, "k", strings.Repeat("v", 200_000))
	data := contents(t, filepath.Dir(path))["portico.db"]
	copy(data[len(data)-8192:], bytes.Repeat([]byte{0xA5}, 8192)) // pages that opening does not read
	var index = bytes.Index(data, []byte("CREATE TABLE"))
	if index < 0 {
		t.Fatal("no schema")
	}
	// Break the root page of an index, which only a check sees.
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	var root int64
	if err := db.QueryRow(`SELECT rootpage FROM sqlite_schema WHERE name = 'sessions_by_update'`).Scan(&root); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	copy(data[(root-1)*4096:root*4096], bytes.Repeat([]byte{0xA5}, 4096))
	write(t, path, data)
	_, err = open(t.Context(), path, withNext(t, `CREATE TABLE more (id TEXT);`))
	if codeOf(err) != "store.corrupt" {
		t.Errorf("got %v", err)
	}
	if !bytes.Equal(contents(t, filepath.Dir(path))["portico.db"], data) {
		t.Error("the damaged file was changed")
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

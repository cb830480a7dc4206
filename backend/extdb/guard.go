package extdb

import (
	"slices"
	"strings"

	"modernc.org/sqlite"
)

// guard judges what SQLite is about to compile. SQLite itself asks, after it has parsed the statement, so that neither
// comments nor quotes nor a statement behind another one hide anything, and again for what triggers and views do.
type guard struct {
	refused     string // the last thing that was refused, for the Problem
	transaction bool   // BEGIN, SAVEPOINT or an end of them was seen since the last call
}

// readable pragmas tell; those with values may also be set to them, because extensions say them by habit.
var pragmas = map[string][]string{
	"table_info": nil, "table_xinfo": nil, "table_list": nil, "index_list": nil, "index_info": nil, "index_xinfo": nil,
	"foreign_key_list": nil, "foreign_key_check": nil, "integrity_check": nil, "quick_check": nil,
	"user_version": nil, "application_id": nil, "defer_foreign_keys": nil, "optimize": nil, "wal_checkpoint": nil,
	"journal_mode": {"wal"}, "foreign_keys": {"1", "on", "true", "yes"}, "synchronous": {"1", "2", "3", "normal", "full", "extra"},
	"page_count": {}, "page_size": {}, "freelist_count": {}, "max_page_count": {}, "data_version": {}, "schema_version": {},
	"encoding": {}, "busy_timeout": {}, "compile_options": {}, "collation_list": {}, "function_list": {}, "module_list": {}, "pragma_list": {},
}

// Modules that keep what they hold in the same file.
var modules = map[string]bool{"fts3": true, "fts4": true, "fts5": true, "fts5vocab": true, "fts4aux": true, "rtree": true, "rtree_i32": true, "geopoly": true}

// Functions that load code or take an address.
var functions = map[string]bool{"load_extension": true, "fts3_tokenizer": true}

func (g *guard) judge(action sqlite.AuthorizerActionCode, arg1, arg2, _, _ string) sqlite.AuthorizerReturnCode {
	switch action {
	case sqlite.AuthAttach: // VACUUM and VACUUM INTO attach too
		return g.refuse("ATTACH or VACUUM")
	case sqlite.AuthDetach:
		return g.refuse("DETACH")
	case sqlite.AuthPragma:
		if !pragmaAllowed(strings.ToLower(arg1), strings.ToLower(arg2)) {
			return g.refuse("PRAGMA " + arg1)
		}
	case sqlite.AuthFunction:
		if functions[strings.ToLower(arg2)] {
			return g.refuse(arg2 + "()")
		}
	case sqlite.AuthCreateVTable:
		if !modules[strings.ToLower(arg2)] {
			return g.refuse("the module " + arg2)
		}
	case sqlite.AuthTransaction, sqlite.AuthSavepoint:
		g.transaction = true
	}
	return sqlite.AuthorizerOK
}

func (g *guard) refuse(what string) sqlite.AuthorizerReturnCode {
	g.refused = what
	return sqlite.AuthorizerDeny
}

func pragmaAllowed(name, value string) bool {
	values, known := pragmas[name]
	if !known {
		return false
	}
	return values == nil || value == "" || slices.Contains(values, value)
}

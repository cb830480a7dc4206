package extdb

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strings"
)

// reads says that a statement begins as one that can stand in a WITH. One that writes cannot, and SQLite refuses it there.
var reads = regexp.MustCompile(`(?i)^\s*(select|values|with)\b`)

// plainRows asks so that texts stay texts. The driver turns those of columns declared DATE, DATETIME or TIMESTAMP into
// times, and how they were written is lost; a column behind a plus has the same values and no declaration.
func plainRows(ctx context.Context, conn *sql.Conn, query string, args []any) (*sql.Rows, error) {
	if !reads.MatchString(query) {
		return conn.QueryContext(ctx, query, args...)
	}
	found, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	columns, err := found.ColumnTypes()
	if err != nil {
		_ = found.Close()
		return nil, err
	}
	dated := false
	names, values := make([]string, len(columns)), make([]string, len(columns))
	for n, column := range columns {
		switch column.DatabaseTypeName() {
		case "DATE", "DATETIME", "TIMESTAMP":
			dated = true
		}
		names[n] = fmt.Sprintf("c%d", n)
		values[n] = fmt.Sprintf(`+c%d AS "%s"`, n, strings.ReplaceAll(column.Name(), `"`, `""`))
	}
	if !dated {
		return found, nil
	}
	wrapped, err := conn.QueryContext(ctx, fmt.Sprintf("WITH portico_rows(%s) AS (%s\n) SELECT %s FROM portico_rows",
		strings.Join(names, ","), strings.TrimRight(query, "; \t\r\n"), strings.Join(values, ",")), args...)
	if err != nil { // several statements, or one that writes
		return found, nil
	}
	_ = found.Close()
	return wrapped, nil
}

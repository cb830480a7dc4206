package extdb

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"portico/backend/capability"
	"portico/backend/extension"
)

// database is what an extension is given.
type database struct {
	of  *Databases
	key string
}

var _ capability.Database = (*database)(nil)

// Query gives at most MaxRows rows.
func (d *database) Query(ctx context.Context, query string, params []any) (rows capability.Rows, err error) {
	err = d.with(ctx, query, params, func(conn *sql.Conn, args []any) error {
		rows, err = read(ctx, conn, query, args)
		return err
	})
	if err != nil {
		return capability.Rows{}, err
	}
	return rows, nil
}

// Execute runs one statement or several.
func (d *database) Execute(ctx context.Context, query string, params []any) (changes capability.Changes, err error) {
	err = d.with(ctx, query, params, func(conn *sql.Conn, args []any) error {
		result, err := conn.ExecContext(ctx, query, args...)
		if err != nil {
			return err
		}
		changes.Changes, _ = result.RowsAffected() // SQLite's never fail
		id, _ := result.LastInsertId()
		changes.LastInsertRowID = exact(id)
		return nil
	})
	return changes, err
}

// with runs fn with the extension's connection and describes what went wrong.
func (d *database) with(ctx context.Context, query string, params []any, fn func(*sql.Conn, []any) error) error {
	if len(query) > MaxStatementBytes {
		return extension.NewProblem("db.long", "The statement is longer than {limit} bytes.", "Give long values as parameters.", "limit", fmt.Sprint(MaxStatementBytes))
	}
	args, err := bound(params)
	if err != nil {
		return err
	}
	h, err := d.of.borrow(ctx, d.key)
	if err != nil {
		return err
	}
	defer d.of.giveBack(h)
	h.guard.refused = ""
	err = fn(h.conn, args)
	refused := h.guard.refused
	left := h.settle()
	if gone(err) {
		_ = h.end() // the next call opens the file anew
	}
	switch {
	case ctx.Err() != nil && err != nil:
		return ctx.Err()
	case err != nil && refused != "":
		return extension.NewProblem("db.refused", "An extension's database does not allow {what}.", "Its author has to do without it.", "what", refused).Because(err)
	case err != nil:
		return describe(err, h.path)
	case left:
		return extension.NewProblem("db.transaction", "The statement left a transaction open. It was undone.", "Its author has to put BEGIN to COMMIT into one execute.")
	}
	return nil
}

func read(ctx context.Context, conn *sql.Conn, query string, args []any) (capability.Rows, error) {
	found, err := plainRows(ctx, conn, query, args)
	if err != nil {
		return capability.Rows{}, err
	}
	defer found.Close()
	rows := capability.Rows{Values: [][]any{}}
	if rows.Columns, err = found.Columns(); err != nil {
		return capability.Rows{}, err
	}
	size := 0
	for found.Next() {
		if len(rows.Values) == MaxRows {
			return capability.Rows{}, extension.NewProblem("db.rows", "The query has more than {limit} rows.", "Ask for fewer with LIMIT.", "limit", fmt.Sprint(MaxRows))
		}
		row := make([]any, len(rows.Columns))
		into := make([]any, len(row))
		for n := range row {
			into[n] = &row[n]
		}
		if err := found.Scan(into...); err != nil {
			return capability.Rows{}, err
		}
		for n, value := range row {
			row[n] = shown(value)
			size += 8 + len(rows.Columns[n])
			if text, ok := row[n].(string); ok {
				size += len(text)
			}
		}
		if size > MaxAnswerBytes {
			return capability.Rows{}, extension.NewProblem("db.answer", "The answer is larger than {limit} bytes.", "Ask for fewer rows or columns.", "limit", fmt.Sprint(MaxAnswerBytes))
		}
		rows.Values = append(rows.Values, row)
	}
	return rows, found.Err()
}

// maxExact is the largest integer whose neighbours JavaScript's numbers tell apart.
const maxExact = 1<<53 - 1

func exact(n int64) any {
	if n > maxExact || n < -maxExact {
		return strconv.FormatInt(n, 10)
	}
	return n
}

// shown is a value as the extension gets it: a blob is base64.
func shown(value any) any {
	switch v := value.(type) {
	case int64:
		return exact(v)
	case []byte:
		return base64.StdEncoding.EncodeToString(v)
	case time.Time: // the driver reads texts of columns that are declared as dates
		return v.Format("2006-01-02 15:04:05.999999999")
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	}
	return value
}

// bound are parameters as SQLite takes them.
func bound(params []any) ([]any, error) {
	args := make([]any, len(params))
	for n, param := range params {
		switch v := param.(type) {
		case nil, string, int64, float64:
			args[n] = v
			if f, ok := v.(float64); ok && f == float64(int64(f)) && f >= -maxExact && f <= maxExact {
				args[n] = int64(f)
			}
		case int:
			args[n] = int64(v)
		case bool:
			args[n] = int64(0)
			if v {
				args[n] = int64(1)
			}
		case json.Number:
			if whole, err := v.Int64(); err == nil {
				args[n] = whole
			} else if real, err := v.Float64(); err == nil {
				args[n] = real
			} else {
				args[n] = v.String()
			}
		default:
			return nil, extension.NewProblem("db.parameter", "Parameter {n} is neither a text, a number, a boolean nor null.", "Its author has to turn it into one.", "n", fmt.Sprint(n+1))
		}
	}
	return args, nil
}

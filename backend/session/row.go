package session

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"portico/backend/capability"
	"portico/backend/extension"
)

// querier is what reads: the pool, or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

const sessionColumns = `id, title, project, mode, model, created, updated, draft, scroll_entry, scroll_offset`

func scanSession(scan func(...any) error) (Session, error) {
	var s Session
	err := scan(&s.ID, &s.Title, &s.Project, &s.Mode, &s.Model, &s.CreatedAt, &s.UpdatedAt, &s.Draft, &s.Scroll.Entry, &s.Scroll.Offset)
	return s, err
}

// readSession reads a session that is not deleted.
func readSession(ctx context.Context, q querier, id string) (Session, error) {
	found, err := scanSession(q.QueryRowContext(ctx, `SELECT `+sessionColumns+` FROM sessions WHERE id = ? AND deleted IS NULL`, id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return Session{}, missing(id)
	}
	if err != nil {
		return Session{}, fmt.Errorf("read session %s: %w", id, err)
	}
	return found, nil
}

const entryColumns = `id, session, seq, turn, kind, state, parent, created, text, body`

// body is what the column of that name holds.
type body struct {
	Model      string              `json:"model,omitempty"`
	Call       *CallEntry          `json:"call,omitempty"`
	Question   *QuestionEntry      `json:"question,omitempty"`
	Permission *PermissionEntry    `json:"permission,omitempty"`
	Schedule   *ScheduleEntry      `json:"schedule,omitempty"`
	Display    *capability.Display `json:"display,omitempty"`
	Problem    *extension.Problem  `json:"problem,omitempty"`
	Matches    *MatchesEntry       `json:"matches,omitempty"`
}

func encodeBody(e Entry) (string, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body{e.Model, e.Call, e.Question, e.Permission, e.Schedule, e.Display, e.Problem, e.Matches}); err != nil {
		return "", fmt.Errorf("write entry %s as JSON: %w", e.ID, err)
	}
	if out.Len()+len(e.Text) > MaxEntryBytes {
		return "", tooLarge("entry", MaxEntryBytes)
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

func scanEntry(scan func(...any) error) (Entry, error) {
	var e Entry
	var text []byte
	if err := scan(&e.ID, &e.Session, &e.Seq, &e.Turn, &e.Kind, &e.State, &e.Parent, &e.CreatedAt, &e.Text, &text); err != nil {
		return Entry{}, err
	}
	var b body
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber() // a table's cell keeps every digit
	if err := dec.Decode(&b); err != nil {
		return Entry{}, fmt.Errorf("read entry %s: %w", e.ID, err)
	}
	e.Model, e.Call, e.Question, e.Permission, e.Schedule, e.Display, e.Problem, e.Matches = b.Model, b.Call, b.Question, b.Permission, b.Schedule, b.Display, b.Problem, b.Matches
	return e, nil
}

func readEntry(ctx context.Context, q querier, id string) (Entry, error) {
	found, err := scanEntry(q.QueryRowContext(ctx, `SELECT `+entryColumns+` FROM entries WHERE id = ?`, id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return Entry{}, entryMissing(id)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("read entry %s: %w", id, err)
	}
	return found, nil
}

// readEntries reads those that a WHERE clause chooses.
func readEntries(ctx context.Context, q querier, where string, args ...any) ([]Entry, error) {
	rows, err := q.QueryContext(ctx, `SELECT `+entryColumns+` FROM entries WHERE `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("read entries: %w", err)
	}
	defer rows.Close()
	entries := []Entry{}
	for rows.Next() {
		e, err := scanEntry(rows.Scan)
		if err != nil {
			return nil, fmt.Errorf("read entries: %w", err)
		}
		entries = append(entries, e)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read entries: %w", err)
	}
	return entries, nil
}

// EventSubject names the entry, of which a listener needs the newest state only.
func (e Entry) EventSubject() string { return e.ID }

// EventSubject names the session, of which a listener needs the newest state only.
func (s Session) EventSubject() string { return s.ID }

// clone copies what the owner of an entry changes while it runs, so that a listener can read what it was given.
func clone(e Entry) Entry {
	e.Call, e.Question, e.Permission = copied(e.Call), copied(e.Question), copied(e.Permission)
	e.Schedule, e.Display, e.Problem, e.Matches = copied(e.Schedule), copied(e.Display), copied(e.Problem), copied(e.Matches)
	if e.Call != nil {
		e.Call.Progress, e.Call.Error = copied(e.Call.Progress), copied(e.Call.Error)
		e.Call.Log = slices.Clone(e.Call.Log)
	}
	if e.Question != nil {
		e.Question.Answers = slices.Clone(e.Question.Answers)
	}
	if e.Permission != nil {
		e.Permission.Answer = copied(e.Permission.Answer)
	}
	if e.Schedule != nil {
		e.Schedule.Answer = copied(e.Schedule.Answer)
	}
	return e
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	value := *p
	return &value
}

// bounded gives the entry as it may be kept: a private copy, text that is text, the newest lines of the log.
func bounded(e Entry) (Entry, error) {
	e = clone(e)
	e.Text = validText(e.Text)
	switch {
	case e.Kind == PersonSays && len(e.Text) > MaxMessageBytes:
		return Entry{}, tooLarge("message", MaxMessageBytes)
	case len(e.Text) > MaxTextBytes:
		return Entry{}, tooLarge("text", MaxTextBytes)
	}
	if e.Call != nil {
		if extra := len(e.Call.Log) - MaxLogLines; extra > 0 {
			e.Call.Log = slices.Clone(e.Call.Log[extra:])
		}
		for i, line := range e.Call.Log {
			if len(line.Message) > MaxLogLineBytes {
				e.Call.Log[i].Message = strings.ToValidUTF8(line.Message[:MaxLogLineBytes], "") + "…"
			}
		}
	}
	return e, nil
}

// validText replaces what is no UTF-8: JSON would, later, and a length would no longer fit.
func validText(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// interrupted is an unfinished entry whose process ended. It keeps what it has.
func interrupted(e Entry) Entry {
	e = clone(e)
	e.State = Interrupted
	if e.Call != nil {
		e.Call.Phase = ""
	}
	return e
}

package session

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"portico/backend/event"
)

// List gives all sessions that are not deleted, that with the newest entry first.
func (s *Store) List(ctx context.Context) ([]Session, error) {
	rows, err := s.db.Read().QueryContext(ctx, `SELECT `+sessionColumns+` FROM sessions WHERE deleted IS NULL ORDER BY updated DESC, id DESC`)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	defer rows.Close()
	found := []Session{}
	for rows.Next() {
		one, err := scanSession(rows.Scan)
		if err != nil {
			return nil, fmt.Errorf("list sessions: %w", err)
		}
		found = append(found, s.live.flagged(one))
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return found, nil
}

// Get gives one session; session.missing when there is none of that id.
func (s *Store) Get(ctx context.Context, id string) (Session, error) {
	found, err := readSession(ctx, s.db.Read(), id)
	if err != nil {
		return Session{}, err
	}
	return s.live.flagged(found), nil
}

// Create makes a session with what is given of title, project, mode (guided when empty) and model.
func (s *Store) Create(ctx context.Context, wanted Session) (Session, error) {
	now := millis(time.Now())
	made := Session{ID: newID(), Title: oneLine(wanted.Title), Project: wanted.Project, Mode: wanted.Mode, Model: wanted.Model, CreatedAt: now, UpdatedAt: now}
	if made.Mode == "" {
		made.Mode = Guided
	}
	switch {
	case !made.Mode.valid():
		return Session{}, badMode(made.Mode)
	case utf8.RuneCountInString(made.Title) > MaxTitleRunes:
		return Session{}, badTitle()
	case len(made.Project) > MaxNameBytes:
		return Session{}, tooLarge("project", MaxNameBytes)
	case len(made.Model) > MaxNameBytes:
		return Session{}, tooLarge("model", MaxNameBytes)
	}
	err := s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO sessions (`+sessionColumns+`, last_seq) VALUES (?, ?, ?, ?, ?, ?, ?, '', '', 0, 0)`,
			made.ID, made.Title, made.Project, made.Mode, made.Model, made.CreatedAt, made.UpdatedAt)
		if err != nil {
			return fmt.Errorf("create a session: %w", err)
		}
		return nil
	}, func() { s.announceSession(made) })
	if err != nil {
		return Session{}, err
	}
	return made, nil
}

func (m Mode) valid() bool {
	switch m {
	case Plan, Interactive, Guided, Autonomous:
		return true
	}
	return false
}

// Rename gives a session a title of 1 to MaxTitleRunes characters, on one line and without space around.
func (s *Store) Rename(ctx context.Context, id, title string) (Session, error) {
	title = oneLine(title)
	if n := utf8.RuneCountInString(title); n == 0 || n > MaxTitleRunes {
		return Session{}, badTitle()
	}
	return s.changeSession(ctx, id, func(ctx context.Context, tx *sql.Tx, changed *Session) error {
		changed.Title = title
		_, err := tx.ExecContext(ctx, `UPDATE sessions SET title = ? WHERE id = ?`, title, id)
		return err
	})
}

// Choose sets the mode and the model where they are given. An autonomous session stays so: session.mode-fixed.
func (s *Store) Choose(ctx context.Context, id string, mode *Mode, model *string) (Session, error) {
	if mode != nil && !mode.valid() {
		return Session{}, badMode(*mode)
	}
	if model != nil && len(*model) > MaxNameBytes {
		return Session{}, tooLarge("model", MaxNameBytes)
	}
	return s.changeSession(ctx, id, func(ctx context.Context, tx *sql.Tx, changed *Session) error {
		if mode != nil {
			if changed.Mode == Autonomous && *mode != Autonomous {
				return modeFixed()
			}
			changed.Mode = *mode
		}
		if model != nil {
			changed.Model = *model
		}
		_, err := tx.ExecContext(ctx, `UPDATE sessions SET mode = ?, model = ? WHERE id = ?`, changed.Mode, changed.Model, id)
		return err
	})
}

// SaveView keeps the draft and the place in the transcript. It moves the session nowhere in the list and is not announced: the
// window that types knows.
func (s *Store) SaveView(ctx context.Context, id, draft string, scroll Scroll) error {
	if len(draft) > MaxMessageBytes {
		return tooLarge("draft", MaxMessageBytes)
	}
	if len(scroll.Entry) > MaxNameBytes || math.IsNaN(scroll.Offset) || math.IsInf(scroll.Offset, 0) {
		scroll = Scroll{} // no place at all: the end
	}
	return s.db.Write(ctx, func(tx *sql.Tx) error {
		return one(id)(tx.Exec(`UPDATE sessions SET draft = ?, scroll_entry = ?, scroll_offset = ? WHERE id = ? AND deleted IS NULL`,
			validText(draft), scroll.Entry, scroll.Offset, id))
	})
}

// Delete hides a session; it is there until Purge, and Restore brings it back. End its turn first.
func (s *Store) Delete(ctx context.Context, id string) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		return one(id)(tx.Exec(`UPDATE sessions SET deleted = ? WHERE id = ? AND deleted IS NULL`, millis(time.Now()), id))
	}, func() {
		s.live.forgetFlags(id)
		s.publish(event.Event{Topic: event.SessionGone, Payload: event.Gone{ID: id}})
	})
}

// Restore undoes Delete. One that is not deleted stays as it is.
func (s *Store) Restore(ctx context.Context, id string) (Session, error) {
	var back Session
	err := s.change(ctx, func(tx *sql.Tx) (err error) {
		if err := one(id)(tx.Exec(`UPDATE sessions SET deleted = NULL WHERE id = ?`, id)); err != nil {
			return err
		}
		back, err = readSession(context.WithoutCancel(ctx), tx, id)
		return err
	}, func() { back = s.announceSession(back) })
	if err != nil {
		return Session{}, err
	}
	return back, nil
}

// Purge removes for good what was deleted before that time.
func (s *Store) Purge(ctx context.Context, deletedBefore time.Time) error {
	return s.db.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.Exec(`DELETE FROM sessions WHERE deleted < ?`, millis(deletedBefore)); err != nil {
			return fmt.Errorf("purge deleted sessions: %w", err)
		}
		return nil
	})
}

// SetRunning says whether a turn of the session goes on here, and whether it waits for the person. It is not kept on disk.
func (s *Store) SetRunning(session string, running, waiting bool) {
	s.order.Lock()
	defer s.order.Unlock()
	if !s.live.setFlags(session, flags{running, waiting && running}) {
		return
	}
	found, err := readSession(context.Background(), s.db.Read(), session)
	if err != nil { // it is gone, or the next announcement says it
		return
	}
	s.announceSession(found)
}

// one makes sure that a statement changed exactly the session of that id.
func one(id string) func(sql.Result, error) error {
	return func(result sql.Result, err error) error {
		if err != nil {
			return fmt.Errorf("change session %s: %w", id, err)
		}
		n, err := result.RowsAffected()
		if err == nil && n != 1 {
			err = missing(id)
		}
		return err
	}
}

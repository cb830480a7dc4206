package session

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"portico/backend/event"
)

// Entries gives the transcript of a session in order, as it was last announced: with the newest text and progress, saved or not.
func (s *Store) Entries(ctx context.Context, session string) ([]Entry, error) {
	s.order.RLock()
	defer s.order.RUnlock()
	if _, err := readSession(ctx, s.db.Read(), session); err != nil {
		return nil, err
	}
	entries, err := readEntries(ctx, s.db.Read(), `session = ? ORDER BY seq`, session)
	if err != nil {
		return nil, fmt.Errorf("read session %s: %w", session, err)
	}
	for i := range entries {
		entries[i] = s.live.newest(entries[i], s.publish)
	}
	return entries, nil
}

// Entry gives one entry, as Entries does; session.entry-missing when there is none of that id.
func (s *Store) Entry(ctx context.Context, id string) (Entry, error) {
	s.order.RLock()
	defer s.order.RUnlock()
	found, err := readEntry(ctx, s.db.Read(), id)
	if err != nil {
		return Entry{}, err
	}
	return s.live.newest(found, s.publish), nil
}

// Append adds an entry to its session: it gets an id, the next Seq, a time, and is Done unless it says otherwise. It is on disk
// when it is announced and when Append returns. The first message of a session without a title gives it one.
func (s *Store) Append(ctx context.Context, added Entry) (Entry, error) {
	added, err := bounded(added)
	if err != nil {
		return Entry{}, err
	}
	if added.ID == "" {
		added.ID = newID()
	}
	if added.State == "" {
		added.State = Done
	}
	if added.CreatedAt == 0 {
		added.CreatedAt = millis(time.Now())
	}
	body, err := encodeBody(added)
	if err != nil {
		return Entry{}, err
	}
	title := ""
	if added.Kind == PersonSays {
		title = titleFrom(added.Text)
	}
	var in Session
	err = s.change(ctx, func(tx *sql.Tx) (err error) {
		ctx := context.WithoutCancel(ctx)
		err = tx.QueryRowContext(ctx, `UPDATE sessions SET last_seq = last_seq + 1, updated = max(updated, ?), title = CASE title WHEN '' THEN ? ELSE title END
			WHERE id = ? AND deleted IS NULL RETURNING last_seq`, added.CreatedAt, title, added.Session).Scan(&added.Seq)
		if errors.Is(err, sql.ErrNoRows) {
			return missing(added.Session)
		}
		if err != nil {
			return fmt.Errorf("add to session %s: %w", added.Session, err)
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO entries (`+entryColumns+`, owner) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			added.ID, added.Session, added.Seq, added.Turn, added.Kind, added.State, added.Parent, added.CreatedAt, added.Text, body, s.owner.id)
		if err != nil {
			return fmt.Errorf("add to session %s: %w", added.Session, err)
		}
		in, err = readSession(ctx, tx, added.Session)
		return err
	}, func() {
		s.announce(added)
		s.announceSession(in)
	})
	if err != nil {
		return Entry{}, err
	}
	return clone(added), nil
}

// Update changes an unfinished entry; its id, session, Seq, turn, kind, parent and time stay. It is on disk when it is announced and
// when Update returns. An entry that ended changes no more (session.entry-ended, so of two answers to one question the first
// wins), but the very same again is no error. The end of an entry is recorded also when ctx is cancelled.
func (s *Store) Update(ctx context.Context, changed Entry) error {
	_, err := s.update(ctx, changed)
	return err
}

func (s *Store) update(ctx context.Context, changed Entry) (Entry, error) {
	changed, err := bounded(changed)
	if err != nil {
		return Entry{}, err
	}
	ctx = context.WithoutCancel(ctx)
	announce := true
	err = s.change(ctx, func(tx *sql.Tx) error {
		before, err := readEntry(ctx, tx, changed.ID)
		if err != nil {
			return err
		}
		changed = keepIdentity(changed, before)
		changed.Text = s.live.textOf(changed)
		if before.State.Ended() {
			announce = false
			s.live.forget(before.ID) // another process ended it
			return sameAgain(before, changed)
		}
		return writeEntry(ctx, tx, changed)
	}, func() {
		if announce {
			s.announce(changed)
		}
	})
	if err != nil {
		return Entry{}, err
	}
	return clone(changed), nil
}

func keepIdentity(e, from Entry) Entry {
	e.ID, e.Session, e.Seq, e.Turn, e.Kind, e.Parent, e.CreatedAt = from.ID, from.Session, from.Seq, from.Turn, from.Kind, from.Parent, from.CreatedAt
	return e
}

func sameAgain(before, again Entry) error {
	was, err := encodeBody(before)
	if err != nil {
		return err
	}
	is, err := encodeBody(again)
	if err != nil {
		return err
	}
	if before.State != again.State || before.Text != again.Text || was != is {
		return entryEnded(before)
	}
	return nil
}

// writeEntry writes what may change of an entry, unless it ended.
func writeEntry(ctx context.Context, tx *sql.Tx, e Entry) error {
	body, err := encodeBody(e)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE entries SET state = ?, text = ?, body = ? WHERE id = ? AND state IN ('open', 'running')`, e.State, e.Text, body, e.ID)
	if err != nil {
		return fmt.Errorf("save entry %s: %w", e.ID, err)
	}
	return nil
}

// DeleteAfter removes the entries after that Seq, for a retry. Listeners fetch again.
func (s *Store) DeleteAfter(ctx context.Context, session string, seq int64) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		ctx := context.WithoutCancel(ctx)
		if _, err := readSession(ctx, tx, session); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM entries WHERE session = ? AND seq > ?`, session, seq); err != nil {
			return fmt.Errorf("remove the end of session %s: %w", session, err)
		}
		return nil
	}, func() {
		s.live.forgetAfter(session, seq)
		s.publish(event.Event{Topic: event.Resync})
	})
}

package session

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"portico/backend/event"
	"portico/backend/extension"
	"portico/backend/store"
)

// Store keeps the sessions of one data folder. All methods are safe for concurrent use, also with other processes' stores on
// the same folder; the events it publishes are about what was done through this one. Per entry and per session they are
// published in the order of what they tell, and each after it is on disk, but for streamed text and progress.
//
// A listener that also fetches (Get, Entries) merges so: an ended entry does not become unfinished again, and of two
// unfinished ones the longer text is the newer.
type Store struct {
	db      *store.DB
	publish func(event.Event)
	owner   *owner

	// order is held from before a change is written until it is announced, so that announcements have the order of the
	// changes; and shared while a transcript is read, so that what was announced before is in it. Taken before live.mu.
	order sync.RWMutex
	live  live

	stop     context.CancelFunc // ends the two goroutines of live
	stopped  sync.WaitGroup
	closing  sync.Once
	closeErr error
}

// NewStore takes part in a data folder until Close. publish must not block and must not call back.
func NewStore(db *store.DB, publish func(event.Event), data string) (*Store, error) {
	owner, err := newOwner(data)
	if err != nil {
		return nil, extension.NewProblem("session.no-locks", "Portico can't write to its data folder {folder}.",
			"Make it writable, or name another in $PORTICO_HOME.", "folder", data).Because(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Store{db: db, publish: publish, owner: owner, stop: stop, live: newLive()}
	s.stopped.Go(func() { s.keepPublishing(ctx) })
	s.stopped.Go(func() { s.keepSaving(ctx) })
	return s, nil
}

// Close saves what streams, marks what is unfinished as interrupted and leaves the data folder. The database stays open.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.stop()
		s.stopped.Wait()
		ctx := context.Background()
		err := s.save(ctx)
		if err == nil {
			err = s.interrupt(ctx, func(owner string) bool { return owner == s.owner.id })
		}
		s.live.forgetAll()
		s.owner.release() // also when that failed: another process can then mark them
		if err != nil {
			s.closeErr = fmt.Errorf("close the sessions: %w", err)
		}
	})
	return s.closeErr
}

// Process names this process among those that share the data folder, until Close.
func (s *Store) Process() string { return s.owner.id }

// Alive says whether the process of that name still runs.
func (s *Store) Alive(process string) bool { return s.owner.alive(process) }

// change writes and then announces, as one step to every other change of this store.
func (s *Store) change(ctx context.Context, write func(*sql.Tx) error, announce func()) error {
	s.order.Lock()
	defer s.order.Unlock()
	if err := s.db.Write(ctx, write); err != nil {
		return err
	}
	announce()
	return nil
}

// changeSession writes to a session that is not deleted and announces it.
func (s *Store) changeSession(ctx context.Context, id string, write func(context.Context, *sql.Tx, *Session) error) (Session, error) {
	var changed Session
	err := s.change(ctx, func(tx *sql.Tx) (err error) {
		ctx := context.WithoutCancel(ctx)
		if changed, err = readSession(ctx, tx, id); err != nil {
			return err
		}
		return write(ctx, tx, &changed)
	}, func() { changed = s.announceSession(changed) })
	if err != nil {
		return Session{}, err
	}
	return changed, nil
}

func (s *Store) announceSession(changed Session) Session {
	changed = s.live.flagged(changed)
	s.publish(event.Event{Topic: event.Session, Payload: changed})
	return changed
}

// Recover marks as interrupted what a process that is gone left unfinished, and ends its turns. Those of living ones stay.
func (s *Store) Recover(ctx context.Context) error {
	if err := s.interrupt(ctx, s.gone()); err != nil {
		return fmt.Errorf("mark what was left unfinished: %w", err)
	}
	return s.owner.sweep()
}

// gone tells processes that are gone from those that live, and asks about each once.
func (s *Store) gone() func(owner string) bool {
	known := map[string]bool{}
	return func(owner string) bool {
		gone, asked := known[owner]
		if !asked {
			gone = !s.owner.alive(owner)
			known[owner] = gone
		}
		return gone
	}
}

func (s *Store) interrupt(ctx context.Context, whose func(owner string) bool) error {
	var marked []Entry
	return s.change(ctx, func(tx *sql.Tx) (err error) {
		marked, err = interruptIn(context.WithoutCancel(ctx), tx, "", whose)
		return err
	}, func() { s.announce(marked...) })
}

// interruptIn marks the unfinished entries of those owners and removes their turns, in one session or ("") in all.
func interruptIn(ctx context.Context, tx *sql.Tx, session string, whose func(owner string) bool) ([]Entry, error) {
	owners, err := column(ctx, tx, `SELECT owner FROM entries WHERE state IN ('open', 'running') UNION SELECT owner FROM turns`)
	if err != nil {
		return nil, err
	}
	var marked []Entry
	for _, owner := range owners {
		if !whose(owner) {
			continue
		}
		left, err := readEntries(ctx, tx, `owner = ? AND state IN ('open', 'running') AND ? IN ('', session) ORDER BY session, seq`, owner, session)
		if err != nil {
			return nil, err
		}
		for _, e := range left {
			e = interrupted(e)
			if err := writeEntry(ctx, tx, e); err != nil {
				return nil, err
			}
			marked = append(marked, e)
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM turns WHERE owner = ? AND ? IN ('', session)`, owner, session); err != nil {
			return nil, fmt.Errorf("end the turns of a process that is gone: %w", err)
		}
	}
	return marked, nil
}

func column(ctx context.Context, q querier, query string) ([]string, error) {
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("read owners: %w", err)
	}
	defer rows.Close()
	var values []string
	for rows.Next() {
		var value string
		if err := rows.Scan(&value); err != nil {
			return nil, fmt.Errorf("read owners: %w", err)
		}
		values = append(values, value)
	}
	return values, rows.Err()
}

// BeginTurn takes the session's turn, of which there is one at a time among all processes; a second one is session.busy. The turn of
// a process that is gone is taken over, and what it left in this session is marked as interrupted. Call release when the
// turn and all it started is done.
func (s *Store) BeginTurn(ctx context.Context, session string) (turn string, release func(), err error) {
	turn = newID()
	var marked []Entry
	err = s.change(ctx, func(tx *sql.Tx) error {
		ctx := context.WithoutCancel(ctx)
		if _, err := readSession(ctx, tx, session); err != nil {
			return err
		}
		var holder, held string
		err := tx.QueryRowContext(ctx, `SELECT owner, turn FROM turns WHERE session = ?`, session).Scan(&holder, &held)
		gone := s.gone()
		switch {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return fmt.Errorf("read the turn of session %s: %w", session, err)
		case holder == s.owner.id && s.live.inTurn(held), holder != s.owner.id && !gone(holder):
			return busy(session)
		}
		if marked, err = interruptIn(ctx, tx, session, gone); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO turns (session, turn, owner) VALUES (?, ?, ?)
			ON CONFLICT (session) DO UPDATE SET turn = excluded.turn, owner = excluded.owner`, session, turn, s.owner.id)
		if err != nil {
			return fmt.Errorf("begin a turn of session %s: %w", session, err)
		}
		return nil
	}, func() {
		s.live.beginTurn(turn)
		s.announce(marked...)
	})
	if err != nil {
		return "", nil, err
	}
	return turn, sync.OnceFunc(func() {
		s.live.endTurn(turn) // first: when the row can't be deleted now, the next BeginTurn here replaces it
		_ = s.db.Write(context.Background(), func(tx *sql.Tx) error {
			_, err := tx.Exec(`DELETE FROM turns WHERE session = ? AND turn = ?`, session, turn)
			return err
		})
	}), nil
}

func millis(t time.Time) int64 { return t.UnixMilli() }

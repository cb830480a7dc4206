package schedule

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"portico/backend/extension"
	"portico/backend/store"
)

// Options are what a store stands on. DB is needed; the rest has a meaning when it is empty.
type Options struct {
	DB *store.DB
	// Process names this process among those that share the data folder; Alive says whether one of them still runs.
	Process string
	Alive   func(process string) bool
	// Changed is called after a change; it must not block.
	Changed func()
	Now     func() time.Time
	In      func() *time.Location // where the person is now
}

// Store keeps schedules and what was run. All methods are safe for concurrent use, also with other processes' stores on
// the same file; what a method returned nil for is on disk.
type Store struct {
	Options
	wake chan struct{} // holds a token when something may be due sooner than it was

	mu   sync.Mutex
	told *mark // what is known outside; nil: nothing was looked at yet
}

// NewStore makes a store; it holds nothing that would have to be closed.
func NewStore(options Options) *Store {
	if options.Alive == nil {
		options.Alive = func(process string) bool { return process == options.Process }
	}
	if options.Changed == nil {
		options.Changed = func() {}
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.In == nil {
		options.In = func() *time.Location { return time.Local }
	}
	return &Store{Options: options, wake: make(chan struct{}, 1)}
}

// write runs a transaction, and tells of it.
func (s *Store) write(ctx context.Context, doing string, fn func(*sql.Tx) error) error {
	var now mark
	err := s.DB.Write(ctx, func(tx *sql.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		var err error
		now, err = markOf(ctx, tx)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	select {
	case s.wake <- struct{}{}:
	default: // the runner will look anyway
	}
	s.mu.Lock()
	s.told = &now
	s.mu.Unlock()
	s.Changed()
	return nil
}

// mark differs after any change that a list would show.
type mark struct{ schedules, updated, nextDue, newest, going int64 }

func markOf(ctx context.Context, q querier) (m mark, err error) {
	err = q.QueryRowContext(ctx, `SELECT count(*), coalesce(max(updated), 0), coalesce(min(due), 0),
		(SELECT coalesce(max(id), 0) FROM schedule_runs), (SELECT count(*) FROM schedule_runs WHERE state = 'started') FROM schedules WHERE deleted IS NULL`).
		Scan(&m.schedules, &m.updated, &m.nextDue, &m.newest, &m.going)
	if err != nil {
		return mark{}, fmt.Errorf("look whether schedules changed: %w", err)
	}
	return m, nil
}

// notice tells of what another process changed.
func (s *Store) notice(ctx context.Context) error {
	now, err := markOf(ctx, s.DB.Read())
	if err != nil {
		return err
	}
	s.mu.Lock()
	before := s.told
	s.told = &now
	s.mu.Unlock()
	if before != nil && *before != now {
		s.Changed()
	}
	return nil
}

type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

const columns = `s.id, s.owner, s.owner_name, s.project, s.title, s.instruction, s.run_missed, s.recurrence, s.paused, s.due, s.created, s.updated`

func scan(row func(...any) error, more ...any) (Schedule, error) {
	var s Schedule
	var recurrence []byte
	var due sql.NullInt64
	err := row(append([]any{&s.ID, &s.Owner, &s.Extension, &s.Project, &s.Draft.Title, &s.Draft.Instruction, &s.Draft.RunMissed, &recurrence, &s.Paused, &due, &s.CreatedAt, &s.UpdatedAt}, more...)...)
	if err != nil {
		return Schedule{}, err
	}
	s.NextAt = due.Int64
	if err := json.Unmarshal(recurrence, &s.Draft.Recurrence); err != nil {
		return Schedule{}, fmt.Errorf("read when %s is due: %w", s.ID, err)
	}
	return s, nil
}

// List gives all schedules: those with a next time first, the soonest of them first, each with the newest of its history.
func (s *Store) List(ctx context.Context) ([]Schedule, error) {
	rows, err := s.DB.Read().QueryContext(ctx, `SELECT `+columns+` FROM schedules s WHERE s.deleted IS NULL ORDER BY s.due IS NULL, s.due, s.id`)
	if err != nil {
		return nil, fmt.Errorf("list schedules: %w", err)
	}
	defer rows.Close()
	found := []Schedule{}
	for rows.Next() {
		one, err := scan(rows.Scan)
		if err != nil {
			return nil, fmt.Errorf("list schedules: %w", err)
		}
		found = append(found, one)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list schedules: %w", err)
	}
	newest, err := s.runs(ctx, s.DB.Read(), `id IN (SELECT max(id) FROM schedule_runs GROUP BY schedule)`)
	if err != nil {
		return nil, err
	}
	last := make(map[string]*Run, len(newest))
	for n := range newest {
		last[newest[n].Schedule] = &newest[n]
	}
	for n := range found {
		found[n].Last = last[found[n].ID]
	}
	return found, nil
}

// Get gives one schedule; schedule.missing when there is none of that id.
func (s *Store) Get(ctx context.Context, id string) (Schedule, error) {
	found, err := s.get(ctx, s.DB.Read(), id)
	if err != nil {
		return Schedule{}, err
	}
	newest, err := s.runs(ctx, s.DB.Read(), `schedule = ? ORDER BY id DESC LIMIT 1`, id)
	if err == nil && len(newest) > 0 {
		found.Last = &newest[0]
	}
	return found, err
}

func (s *Store) get(ctx context.Context, q querier, id string) (Schedule, error) {
	found, err := scan(q.QueryRowContext(ctx, `SELECT `+columns+` FROM schedules s WHERE s.id = ? AND s.deleted IS NULL`, id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return Schedule{}, missing(id)
	}
	if err != nil {
		return Schedule{}, fmt.Errorf("read the schedule %s: %w", id, err)
	}
	return found, nil
}

// History gives the runs of a schedule, the newest first, at most MaxHistory.
func (s *Store) History(ctx context.Context, id string) ([]Run, error) {
	if _, err := s.get(ctx, s.DB.Read(), id); err != nil {
		return nil, err
	}
	return s.runs(ctx, s.DB.Read(), `schedule = ? ORDER BY id DESC LIMIT ?`, id, MaxHistory)
}

func (s *Store) runs(ctx context.Context, q querier, where string, args ...any) ([]Run, error) {
	rows, err := q.QueryContext(ctx, `SELECT id, schedule, cause, state, due, missed, started, ended, session, problem FROM schedule_runs WHERE `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("read what was run: %w", err)
	}
	defer rows.Close()
	found := []Run{}
	for rows.Next() {
		var r Run
		var due, ended sql.NullInt64
		var problem []byte
		if err := rows.Scan(&r.ID, &r.Schedule, &r.Cause, &r.State, &due, &r.Missed, &r.StartedAt, &ended, &r.Session, &problem); err != nil {
			return nil, fmt.Errorf("read what was run: %w", err)
		}
		r.DueAt, r.EndedAt = due.Int64, ended.Int64
		if len(problem) > 0 {
			if err := json.Unmarshal(problem, &r.Problem); err != nil {
				return nil, fmt.Errorf("read why run %d failed: %w", r.ID, err)
			}
		}
		found = append(found, r)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read what was run: %w", err)
	}
	return found, nil
}

// first gives when a draft would be due first; schedule.past when that was before now.
func (s *Store) first(d Draft) (time.Time, error) {
	if err := d.Check(); err != nil {
		return time.Time{}, err
	}
	due, ok := d.Recurrence.Next(s.Now(), s.In())
	if !ok {
		return time.Time{}, past()
	}
	return due, nil
}

// Upcoming gives the next due times of a draft, at most as many as asked for.
func (s *Store) Upcoming(d Draft, most int) ([]time.Time, error) {
	due, err := s.first(d)
	if err != nil {
		return nil, err
	}
	times := []time.Time{}
	for ok := true; ok && len(times) < most; due, ok = d.Recurrence.Next(due, s.In()) {
		times = append(times, due)
	}
	return times, nil
}

// Check says why a draft could not be added now: it is not valid, it is past, or the owner has too many.
func (s *Store) Check(ctx context.Context, owner Owner, d Draft) error {
	if _, err := s.first(d); err != nil {
		return err
	}
	return room(ctx, s.DB.Read(), owner)
}

// room says whether an owner may have one more. One that is over does not count.
func room(ctx context.Context, q querier, owner Owner) error {
	var have int
	err := q.QueryRowContext(ctx, `SELECT count(*) FROM schedules WHERE owner = ? AND deleted IS NULL AND due IS NOT NULL`, owner.Key).Scan(&have)
	switch {
	case err != nil:
		return fmt.Errorf("count schedules: %w", err)
	case have >= MaxPerOwner:
		return tooMany(owner)
	}
	return nil
}

// Add keeps a new schedule.
func (s *Store) Add(ctx context.Context, owner Owner, project string, d Draft) (Schedule, error) {
	due, err := s.first(d)
	if err != nil {
		return Schedule{}, err
	}
	now := s.Now().UnixMilli()
	made := Schedule{ID: uuid.Must(uuid.NewV7()).String(), Owner: owner.Key, Extension: owner.Name, Project: project, Draft: d, NextAt: due.UnixMilli(), CreatedAt: now, UpdatedAt: now}
	recurrence, err := json.Marshal(d.Recurrence)
	if err != nil {
		return Schedule{}, fmt.Errorf("write when the schedule is due: %w", err)
	}
	err = s.write(ctx, "save the schedule", func(tx *sql.Tx) error {
		if err := room(ctx, tx, owner); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO schedules (id, owner, owner_name, project, title, instruction, run_missed, recurrence, paused, due, created, updated) VALUES (?,?,?,?,?,?,?,?,0,?,?,?)`,
			made.ID, made.Owner, made.Extension, made.Project, d.Title, d.Instruction, d.RunMissed, string(recurrence), made.NextAt, now, now)
		return err
	})
	if err != nil {
		return Schedule{}, err
	}
	return made, nil
}

// Save changes a schedule. Its next due time stays as it is unless it is due at other times than before.
func (s *Store) Save(ctx context.Context, id string, d Draft) (Schedule, error) {
	if err := d.Check(); err != nil {
		return Schedule{}, err
	}
	return s.change(ctx, id, func(tx *sql.Tx, changed *Schedule) error {
		same := d.Recurrence.Same(changed.Draft.Recurrence)
		changed.Draft = d
		if same {
			return nil
		}
		due, err := s.first(d)
		if err != nil {
			return err
		}
		return s.continued(ctx, tx, changed, due)
	})
}

// Pause stops a schedule, or lets it go on. What was due while it was paused is neither run nor missed.
func (s *Store) Pause(ctx context.Context, id string, paused bool) (Schedule, error) {
	return s.change(ctx, id, func(tx *sql.Tx, changed *Schedule) error {
		was := changed.Paused
		if changed.Paused = paused; paused || !was || changed.NextAt == 0 || changed.NextAt > s.Now().UnixMilli() {
			return nil
		}
		due, err := s.first(changed.Draft)
		if err != nil {
			return err
		}
		return s.continued(ctx, tx, changed, due)
	})
}

// continued gives a schedule its next due time; one that was over counts again.
func (s *Store) continued(ctx context.Context, tx *sql.Tx, changed *Schedule, due time.Time) error {
	if changed.NextAt == 0 {
		if err := room(ctx, tx, Owner{changed.Owner, changed.Extension}); err != nil {
			return err
		}
	}
	changed.NextAt = due.UnixMilli()
	return nil
}

func (s *Store) change(ctx context.Context, id string, do func(*sql.Tx, *Schedule) error) (Schedule, error) {
	err := s.write(ctx, "change the schedule", func(tx *sql.Tx) error {
		changed, err := s.get(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := do(tx, &changed); err != nil {
			return err
		}
		recurrence, err := json.Marshal(changed.Draft.Recurrence)
		if err != nil {
			return fmt.Errorf("write when the schedule is due: %w", err)
		}
		_, err = tx.Exec(`UPDATE schedules SET title = ?, instruction = ?, run_missed = ?, recurrence = ?, paused = ?, due = ?, updated = ? WHERE id = ?`,
			changed.Draft.Title, changed.Draft.Instruction, changed.Draft.RunMissed, string(recurrence), changed.Paused, nullable(changed.NextAt), s.Now().UnixMilli(), id)
		return err
	})
	if err != nil {
		return Schedule{}, err
	}
	return s.Get(ctx, id)
}

func nullable(millis int64) any {
	if millis == 0 {
		return nil
	}
	return millis
}

// Remove takes a schedule away; Restore brings it back within UndoTime. A run that goes on is not stopped.
func (s *Store) Remove(ctx context.Context, id string) error {
	return s.write(ctx, "remove the schedule", func(tx *sql.Tx) error {
		if _, err := s.get(ctx, tx, id); err != nil {
			return err
		}
		_, err := tx.Exec(`UPDATE schedules SET deleted = ? WHERE id = ?`, s.Now().UnixMilli(), id)
		return err
	})
}

// Restore undoes Remove. What was due in the meantime is not run.
func (s *Store) Restore(ctx context.Context, id string) (Schedule, error) {
	now := s.Now()
	err := s.write(ctx, "bring the schedule back", func(tx *sql.Tx) error {
		gone, err := scan(tx.QueryRow(`SELECT `+columns+` FROM schedules s WHERE s.id = ? AND s.deleted > ?`, id, now.Add(-UndoTime).UnixMilli()).Scan)
		if errors.Is(err, sql.ErrNoRows) {
			if _, err := s.get(ctx, tx, id); err == nil {
				return nil // another window was quicker
			}
			return missing(id)
		}
		if err != nil {
			return err
		}
		if gone.NextAt != 0 {
			if err := room(ctx, tx, Owner{gone.Owner, gone.Extension}); err != nil {
				return err
			}
		}
		if gone.NextAt != 0 && gone.NextAt <= now.UnixMilli() {
			gone.NextAt = 0
			if due, ok := gone.Draft.Recurrence.Next(now, s.In()); ok {
				gone.NextAt = due.UnixMilli()
			}
		}
		_, err = tx.Exec(`UPDATE schedules SET deleted = NULL, due = ?, updated = ? WHERE id = ?`, nullable(gone.NextAt), now.UnixMilli(), id)
		return err
	})
	if err != nil {
		return Schedule{}, err
	}
	return s.Get(ctx, id)
}

// Purge forgets what was removed longer than UndoTime ago, and what has been over for OverTime.
func (s *Store) Purge(ctx context.Context) error {
	now := s.Now()
	err := s.DB.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec(`DELETE FROM schedules WHERE deleted <= ? OR due IS NULL AND updated <= ?`, now.Add(-UndoTime).UnixMilli(), now.Add(-OverTime).UnixMilli())
		return err
	})
	if err != nil {
		return fmt.Errorf("forget schedules that are gone: %w", err)
	}
	return nil
}

func encoded(p *extension.Problem) (string, error) {
	if p == nil {
		return "", nil
	}
	data, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("write the problem %s: %w", p.Code, err)
	}
	return string(data), nil
}

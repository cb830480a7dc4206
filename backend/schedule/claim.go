package schedule

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"portico/backend/extension"
)

// claimed is a run that this process, and no other, has to do.
type claimed struct {
	schedule Schedule
	run      int64
	at       time.Time
}

// claimBatch is how many due schedules are looked at in one transaction, so that it stays short.
const claimBatch = 100

// claim takes what is due now. The next due times and the history are on disk before any of it is run: whatever happens then,
// nothing is run twice. more says that there may be more.
func (s *Store) claim(ctx context.Context) (taken []claimed, more bool, err error) {
	now := s.Now()
	if next, err := s.next(ctx); err != nil || next.IsZero() || next.After(now) {
		return nil, false, err // without the lock that a transaction takes
	}
	err = s.write(ctx, "claim what is due", func(tx *sql.Tx) error {
		due, err := s.due(ctx, tx, now)
		if err != nil {
			return err
		}
		more = len(due) == claimBatch
		for _, one := range due {
			run, err := s.take(ctx, tx, one, now)
			if err != nil {
				return err
			}
			if run != 0 {
				taken = append(taken, claimed{one, run, now})
			}
		}
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	return taken, more, nil
}

func (s *Store) due(ctx context.Context, tx *sql.Tx, now time.Time) ([]Schedule, error) {
	rows, err := tx.QueryContext(ctx, `SELECT `+columns+` FROM schedules s WHERE s.deleted IS NULL AND s.paused = 0 AND s.due IS NOT NULL AND s.due <= ? ORDER BY s.due LIMIT ?`, now.UnixMilli(), claimBatch)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var due []Schedule
	for rows.Next() {
		one, err := scan(rows.Scan)
		if err != nil {
			return nil, err
		}
		due = append(due, one)
	}
	return due, rows.Err()
}

// take moves one schedule on, and writes what becomes of its due time; run is 0 when it is not to be run.
func (s *Store) take(ctx context.Context, tx *sql.Tx, one Schedule, now time.Time) (run int64, err error) {
	d := one.Draft.Recurrence.Decide(time.UnixMilli(one.NextAt), now, one.Draft.RunMissed, s.In())
	var next int64
	if !d.Next.IsZero() {
		next = d.Next.UnixMilli()
	}
	// "updated" is for what the person changed, but for the last time: from there on it is over.
	if _, err := tx.Exec(`UPDATE schedules SET due = ?, updated = CASE WHEN ? = 0 THEN ? ELSE updated END WHERE id = ?`, nullable(next), next, now.UnixMilli(), one.ID); err != nil {
		return 0, err
	}
	line := Run{Schedule: one.ID, Cause: OnTime, State: Started, DueAt: d.Due.UnixMilli(), Missed: d.Missed, StartedAt: now.UnixMilli()}
	if now.Sub(d.Due) > Late {
		line.Cause = MadeUp
	}
	busy, err := s.busy(ctx, tx, one.ID)
	switch {
	case err != nil:
		return 0, err
	case !d.Run:
		line.Cause, line.State, line.EndedAt = OnTime, Missed, line.StartedAt
	case busy:
		line.Cause, line.State, line.EndedAt, line.Problem = OnTime, Missed, line.StartedAt, stillRunning()
		line.Missed++
	}
	id, err := s.insert(tx, line)
	if line.State != Started {
		id = 0
	}
	return id, err
}

// busy says whether a run of a schedule goes on.
func (s *Store) busy(ctx context.Context, tx *sql.Tx, id string) (bool, error) {
	going, err := s.runs(ctx, tx, `schedule = ? AND state = 'started'`, id)
	return len(going) > 0, err
}

func (s *Store) insert(tx *sql.Tx, r Run) (int64, error) {
	problem, err := encoded(r.Problem)
	if err != nil {
		return 0, err
	}
	result, err := tx.Exec(`INSERT INTO schedule_runs (schedule, cause, state, process, due, missed, started, ended, session, problem) VALUES (?,?,?,?,?,?,?,?,'',?)`,
		r.Schedule, r.Cause, r.State, s.Process, nullable(r.DueAt), r.Missed, r.StartedAt, nullable(r.EndedAt), problem)
	if err != nil {
		return 0, err
	}
	id, err := result.LastInsertId()
	if err != nil {
		return 0, err
	}
	_, err = tx.Exec(`DELETE FROM schedule_runs WHERE schedule = ? AND state <> 'started' AND id <= (SELECT id FROM schedule_runs WHERE schedule = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`, r.Schedule, r.Schedule, MaxHistory)
	return id, err
}

// claimNow takes a schedule because the person wants it now; its due time stays.
func (s *Store) claimNow(ctx context.Context, id string) (taken claimed, line Run, err error) {
	err = s.write(ctx, "run the schedule", func(tx *sql.Tx) error {
		one, err := s.get(ctx, tx, id)
		if err != nil {
			return err
		}
		busy, err := s.busy(ctx, tx, id)
		if err != nil {
			return err
		}
		if busy {
			return alreadyRunning(one.Draft.Title)
		}
		now := s.Now()
		line = Run{Schedule: id, Cause: ByPerson, State: Started, StartedAt: now.UnixMilli()}
		line.ID, err = s.insert(tx, line)
		taken = claimed{one, line.ID, now}
		return err
	})
	return taken, line, err
}

// opened says which session a run opened.
func (s *Store) opened(ctx context.Context, run int64, session string) error {
	return s.write(ctx, "keep which session a run opened", func(tx *sql.Tx) error {
		_, err := tx.Exec(`UPDATE schedule_runs SET session = ? WHERE id = ?`, session, run)
		return err
	})
}

// ended says how a run ended.
func (s *Store) ended(ctx context.Context, run int64, state RunState, p *extension.Problem) error {
	problem, err := encoded(p)
	if err != nil {
		return err
	}
	return s.write(ctx, "keep how a run ended", func(tx *sql.Tx) error {
		_, err := tx.Exec(`UPDATE schedule_runs SET state = ?, problem = ?, ended = ? WHERE id = ? AND state = 'started'`, state, problem, s.Now().UnixMilli(), run)
		return err
	})
}

// Recover marks the runs of processes that are gone as interrupted.
func (s *Store) Recover(ctx context.Context) error {
	processes, err := s.processes(ctx)
	if err != nil {
		return err
	}
	processes = slices.DeleteFunc(processes, s.Alive)
	if len(processes) == 0 {
		return nil
	}
	return s.write(ctx, "mark runs that were cut off", func(tx *sql.Tx) error {
		for _, gone := range processes {
			if _, err := tx.Exec(`UPDATE schedule_runs SET state = 'interrupted', ended = ? WHERE state = 'started' AND process = ?`, s.Now().UnixMilli(), gone); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) processes(ctx context.Context) ([]string, error) {
	rows, err := s.DB.Read().QueryContext(ctx, `SELECT DISTINCT process FROM schedule_runs WHERE state = 'started'`)
	if err != nil {
		return nil, fmt.Errorf("look for runs that were cut off: %w", err)
	}
	defer rows.Close()
	var processes []string
	for rows.Next() {
		var process string
		if err := rows.Scan(&process); err != nil {
			return nil, fmt.Errorf("look for runs that were cut off: %w", err)
		}
		processes = append(processes, process)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("look for runs that were cut off: %w", err)
	}
	return processes, nil
}

// next gives the soonest due time; zero when nothing will be due.
func (s *Store) next(ctx context.Context) (time.Time, error) {
	var due int64
	err := s.DB.Read().QueryRowContext(ctx, `SELECT due FROM schedules WHERE deleted IS NULL AND paused = 0 AND due IS NOT NULL ORDER BY due LIMIT 1`).Scan(&due)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("look for what is due: %w", err)
	}
	return time.UnixMilli(due), nil
}

package core

import (
	"context"
	"errors"
	"time"

	"portico/backend/agent"
	"portico/backend/capability"
	"portico/backend/event"
	"portico/backend/extension"
	"portico/backend/schedule"
	"portico/backend/session"
)

const (
	// loadingEvery is how often a scheduled prompt is sent again while the model's server starts or loads the model
	// (loca-notes.md, 8); loadingMost is how long that may take.
	loadingEvery = 10 * time.Second
	loadingMost  = schedule.Late
	// maxUpcoming is how many due times a draft's preview may have.
	maxUpcoming = 100
)

// scheduled are the schedules and what runs them.
type scheduled struct {
	*schedule.Store
	runner       *schedule.Runner
	loadingEvery time.Duration
}

// openSchedules makes the store of the schedules. Nothing is run before KeepSchedules or RunSchedule.
func (c *Core) openSchedules(ctx context.Context) error {
	c.schedules.Store = schedule.NewStore(schedule.Options{
		DB: c.db, Process: c.Sessions.Process(), Alive: c.Sessions.Alive,
		Changed: func() { c.Events.Publish(event.Event{Topic: event.Schedules}) }, In: localZone(),
	})
	c.schedules.runner = schedule.NewRunner(c.schedules.Store, c.runSchedule)
	c.schedules.loadingEvery = loadingEvery
	return errors.Join(c.schedules.Recover(ctx), c.schedules.Purge(ctx))
}

// KeepSchedules runs what becomes due, until ctx ends or the core is closed. The app does, and no command: a prompt is
// not to be cut off because some command is done.
func (c *Core) KeepSchedules(ctx context.Context) { c.schedules.runner.Keep(ctx) }

// runSchedule is one run: a new session, named as the schedule is, in which the instruction is sent.
func (c *Core) runSchedule(ctx context.Context, s schedule.Schedule, since time.Time, opened func(string) error) error {
	wanted := session.Session{Title: s.Draft.Title, Project: s.Project}
	client, _, err := c.modelOf(ctx, wanted)
	if err != nil {
		return err
	}
	if client == nil {
		return extension.NewProblem("schedule.no-model", "No model is set up, so there was nothing to send it to.", "Choose one in Settings › Models.")
	}
	in, err := c.Sessions.Create(ctx, wanted)
	if err != nil {
		return err
	}
	if err := opened(in.ID); err != nil {
		return err
	}
	wait, err := c.agent.SendFor(ctx, in.ID, s.Draft.Instruction, capability.FromSchedule)
	if err != nil {
		return err
	}
	return c.untilLoaded(ctx, in.ID, since.Add(loadingMost), wait)
}

// untilLoaded waits for the turn, and sends again while the model loads.
func (c *Core) untilLoaded(ctx context.Context, in string, until time.Time, wait agent.Wait) error {
	for {
		failed := wait(ctx)
		if !isLoading(failed) || time.Now().After(until) {
			return failed
		}
		entries, err := c.Sessions.Entries(ctx, in)
		if err != nil || !untouched(entries) {
			return failed
		}
		pause := time.NewTimer(c.schedules.loadingEvery)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		}
		if wait, err = c.agent.RetryFor(ctx, in, capability.FromSchedule); err != nil {
			return errors.Join(failed, err)
		}
	}
}

// isLoading says whether a failure is that of a model's server that starts, or loads its model: servers that run on the
// person's own computer answer 503 then.
func isLoading(failed error) bool {
	var p *extension.Problem
	return errors.As(failed, &p) && (p.Code == "model.unreachable" || p.Params["status"] == "503")
}

// untouched says whether nothing came of a message but its failure: what a tool did is not done again.
func untouched(entries []session.Entry) bool {
	for _, e := range entries {
		switch {
		case e.Kind == session.PersonSays, e.Kind == session.Fails, e.Kind == session.AgentSays && e.Text == "":
		default:
			return false
		}
	}
	return true
}

// Schedules lists all schedules, the next one first.
func (c *Core) Schedules(ctx context.Context) ([]schedule.Schedule, error) {
	return c.schedules.List(ctx)
}

// SaveSchedule keeps a new schedule of the person, without an id, or a change of one.
func (c *Core) SaveSchedule(ctx context.Context, id string, d schedule.Draft) (schedule.Schedule, error) {
	if id == "" {
		return c.schedules.Add(ctx, schedule.Owner{}, "", d)
	}
	return c.schedules.Save(ctx, id, d)
}

// RemoveSchedule takes one away; RestoreSchedule brings it back within a day.
func (c *Core) RemoveSchedule(ctx context.Context, id string) error {
	return c.schedules.Remove(ctx, id)
}

// RestoreSchedule undoes RemoveSchedule.
func (c *Core) RestoreSchedule(ctx context.Context, id string) (schedule.Schedule, error) {
	return c.schedules.Restore(ctx, id)
}

// PauseSchedule stops a schedule, or lets it go on.
func (c *Core) PauseSchedule(ctx context.Context, id string, paused bool) (schedule.Schedule, error) {
	return c.schedules.Pause(ctx, id, paused)
}

// RunSchedule runs one now, beside its due times.
func (c *Core) RunSchedule(ctx context.Context, id string) (schedule.Run, error) {
	return c.schedules.runner.RunNow(ctx, id)
}

// ScheduleHistory gives what was run and missed, the newest first.
func (c *Core) ScheduleHistory(ctx context.Context, id string) ([]schedule.Run, error) {
	return c.schedules.History(ctx, id)
}

// UpcomingTimes gives the next due times of a draft.
func (c *Core) UpcomingTimes(d schedule.Draft, most int) ([]time.Time, error) {
	return c.schedules.Upcoming(d, min(max(most, 1), maxUpcoming))
}

// ReviewSchedule answers a waiting review of a proposed schedule.
func (c *Core) ReviewSchedule(ctx context.Context, entry string, answer schedule.Answer) error {
	return c.agent.Review(ctx, entry, answer)
}

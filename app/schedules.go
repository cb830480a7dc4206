package app

import (
	"context"

	"portico/backend/core"
	"portico/backend/schedule"
)

// Schedules is Settings › Schedules, and the review of what a tool proposes.
type Schedules struct{ core *core.Core }

type SaveSchedule struct {
	ID    string         `json:"id,omitempty"` // empty: a new one
	Draft schedule.Draft `json:"draft"`
}

type ScheduleID struct {
	ID string `json:"id"`
}

type PauseSchedule struct {
	ID     string `json:"id"`
	Paused bool   `json:"paused"`
}

type PreviewSchedule struct {
	Draft schedule.Draft `json:"draft"`
	Most  int            `json:"most,omitempty"` // how many times; 0: five
}

type ReviewSchedule struct {
	Entry  string          `json:"entry"`
	Answer schedule.Answer `json:"answer"` // a draft is needed only where the person changed it
}

// previewTimes is how many due times a form shows.
const previewTimes = 5

// List gives all schedules: those with a next time first, the soonest of them first.
func (s *Schedules) List(ctx context.Context, _ None) ([]schedule.Schedule, error) {
	return s.core.Schedules(ctx)
}

// Save keeps a new schedule, or a change of one. A draft that breaks a rule is a Problem with the places of all broken ones.
func (s *Schedules) Save(ctx context.Context, r SaveSchedule) (schedule.Schedule, error) {
	return s.core.SaveSchedule(ctx, r.ID, r.Draft)
}

// Preview gives when a draft would be due, in milliseconds since 1970, or the Problem that Save would give for it.
func (s *Schedules) Preview(_ context.Context, r PreviewSchedule) ([]int64, error) {
	if r.Most <= 0 {
		r.Most = previewTimes
	}
	due, err := s.core.UpcomingTimes(r.Draft, r.Most)
	times := make([]int64, len(due))
	for n, at := range due {
		times[n] = at.UnixMilli()
	}
	return times, err
}

// Remove takes a schedule away; Restore brings it back within a day.
func (s *Schedules) Remove(ctx context.Context, r ScheduleID) (None, error) {
	return None{}, s.core.RemoveSchedule(ctx, r.ID)
}

// Restore undoes Remove.
func (s *Schedules) Restore(ctx context.Context, r ScheduleID) (schedule.Schedule, error) {
	return s.core.RestoreSchedule(ctx, r.ID)
}

// Pause stops a schedule, or lets it go on. What was due in the meantime is not run.
func (s *Schedules) Pause(ctx context.Context, r PauseSchedule) (schedule.Schedule, error) {
	return s.core.PauseSchedule(ctx, r.ID, r.Paused)
}

// RunNow runs a schedule beside its due times, and returns when the run is in its history.
func (s *Schedules) RunNow(ctx context.Context, r ScheduleID) (schedule.Run, error) {
	return s.core.RunSchedule(ctx, r.ID)
}

// History gives what was run and missed, the newest first.
func (s *Schedules) History(ctx context.Context, r ScheduleID) ([]schedule.Run, error) {
	return s.core.ScheduleHistory(ctx, r.ID)
}

// Review answers the entry of a proposed schedule. One that is accepted is saved before the tool goes on; where that
// fails, a Problem says why and the review still waits. The first answer wins; a second one is a Problem.
func (s *Schedules) Review(ctx context.Context, r ReviewSchedule) (None, error) {
	return None{}, s.core.ReviewSchedule(ctx, r.Entry, r.Answer)
}

package agent

import (
	"context"
	"errors"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/schedule"
	"portico/backend/session"
)

// Propose shows a schedule for review, and waits.
func (h *host) Propose(ctx context.Context, info capability.Call, draft schedule.Draft) (schedule.Answer, error) {
	c, err := h.call(info)
	if err != nil {
		return schedule.Answer{}, err
	}
	schedules := h.agent.Services.Schedules
	if schedules == nil {
		c.log("warn", "The schedule was not accepted: nothing can be scheduled here.")
		return schedule.Answer{}, nil
	}
	if c.turn.nobody() {
		c.log("warn", "The schedule was not accepted: nobody is here to review it.")
		return schedule.Answer{}, nil
	}
	owner := schedule.Owner{Key: h.ref.Key(), Name: h.name}
	if err := schedules.Check(ctx, owner, draft); err != nil {
		var p *extension.Problem
		if !errors.As(err, &p) {
			return schedule.Answer{}, err
		}
		c.log("warn", "The schedule was not accepted: "+p.What) // notes, 4: an unsaveable draft is not accepted
		return schedule.Answer{}, nil
	}
	if err := h.fewWaiting(c); err != nil {
		return schedule.Answer{}, err
	}
	in, err := h.agent.Sessions.Get(ctx, c.turn.session)
	if err != nil {
		return schedule.Answer{}, err
	}
	entry := session.Entry{Kind: session.Proposes, Schedule: &session.ScheduleEntry{Extension: h.name, Draft: draft}}
	answered, err := c.put(ctx, entry, phaseAsking, &pending{save: func(ctx context.Context, d schedule.Draft) (schedule.Schedule, error) {
		return schedules.Add(ctx, owner, in.Project, d)
	}})
	if err != nil {
		return schedule.Answer{}, err
	}
	return *answered.Schedule.Answer, nil
}

// Review answers a waiting review. A schedule that is accepted, with the changes in the answer's draft, is saved before the
// tool goes on; one that can't be saved is a Problem, and the review still waits. The first answer wins, as in Answer.
func (a *Agent) Review(ctx context.Context, entry string, answer schedule.Answer) error {
	var saved schedule.Schedule
	err := a.settle(ctx, entry, session.Proposes, func(p *pending, e *session.Entry) error {
		reviewed := *e.Schedule
		settled := schedule.Answer{Accepted: answer.Accepted}
		if answer.Accepted {
			draft := reviewed.Draft
			if answer.Draft != nil {
				draft = *answer.Draft
			}
			var err error
			if saved, err = p.save(ctx, draft); err != nil {
				return err
			}
			settled.Draft = &saved.Draft
		}
		reviewed.Answer = &settled
		e.Schedule = &reviewed
		return nil
	})
	if err != nil && saved.ID != "" { // the review still waits, and may end otherwise
		err = errors.Join(err, a.Services.Schedules.Remove(context.WithoutCancel(ctx), saved.ID))
	}
	return err
}

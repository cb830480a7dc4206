package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/schedule"
	"portico/backend/session"
)

// Propose takes the next --answer, or asks on the terminal, and saves what is accepted.
func (p *person) Propose(ctx context.Context, call capability.Call, draft schedule.Draft) (schedule.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	schedules := p.Services.Schedules
	if schedules == nil {
		p.Log(call, "warn", "The schedule was not accepted: nothing can be scheduled here.")
		return schedule.Answer{}, nil
	}
	ref := p.Extension.Ref()
	owner := schedule.Owner{Key: ref.Key(), Name: p.name}
	if err := schedules.Check(ctx, owner, draft); err != nil {
		var why *extension.Problem
		if !errors.As(err, &why) {
			return schedule.Answer{}, err
		}
		p.Log(call, "warn", "The schedule was not accepted: "+why.What)
		return schedule.Answer{}, nil
	}
	answer, err := p.review(ctx, draft)
	if err != nil || !answer.Accepted {
		return schedule.Answer{}, err
	}
	if answer.Draft != nil {
		draft = *answer.Draft
	}
	saved, err := schedules.Add(ctx, owner, ref.Project, draft)
	if err != nil {
		return schedule.Answer{}, err
	}
	return schedule.Answer{Accepted: true, Draft: &saved.Draft}, nil
}

// review gives the person's answer. Where nobody is there, a schedule is not accepted.
func (p *person) review(ctx context.Context, draft schedule.Draft) (schedule.Answer, error) {
	if len(p.answers) > 0 {
		answer, err := readReview(p.answers[0])
		p.answers = p.answers[1:]
		return answer, err
	}
	if !p.terminal.Interactive {
		fmt.Fprintf(p.terminal.Err, "portico: %s proposes the schedule “%s”, and nobody is there to review it; accept it with --answer true\n", oneLine(p.name), oneLine(draft.Title))
		return schedule.Answer{}, nil
	}
	return p.askReview(ctx, draft)
}

func (p *person) askReview(ctx context.Context, draft schedule.Draft) (schedule.Answer, error) {
	p.forget()
	missed := "What is missed is not made up for."
	if draft.RunMissed {
		missed = "What is missed is made up for once."
	}
	fmt.Fprintf(p.terminal.Err, "%s proposes a schedule: %s\n  %s. %s\n  Each time it sends:\n    %s\nSave it? [y/N] ",
		oneLine(p.name), oneLine(draft.Title), times(draft.Recurrence), missed, strings.ReplaceAll(indented(draft.Instruction), "\n", "\n  "))
	line, err := p.readLine(ctx)
	accepted := strings.EqualFold(line, "y") || strings.EqualFold(line, "yes")
	return schedule.Answer{Accepted: accepted && err == nil}, err
}

// readReview reads an answer that was given as JSON: true, false, or {"accepted": …, "draft": …} with changes.
func readReview(given json.RawMessage) (schedule.Answer, error) {
	bad := func(err error) error {
		return extension.NewProblem("schedule.bad-answer", "That is no answer to a schedule's review.", `Answer true, false, or {"accepted": true, "draft": …} with the whole draft as it should be.`).Because(err)
	}
	switch string(bytes.TrimSpace(given)) {
	case "true", "false":
		return schedule.Answer{Accepted: string(bytes.TrimSpace(given)) == "true"}, nil
	case "null":
		return schedule.Answer{}, bad(nil)
	}
	var answer schedule.Answer
	decoder := json.NewDecoder(bytes.NewReader(given))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&answer); err != nil {
		if p := new(extension.Problem); errors.As(err, &p) {
			return schedule.Answer{}, p
		}
		return schedule.Answer{}, bad(err)
	}
	return answer, nil
}

// times says when a schedule is due.
func times(r schedule.Recurrence) string {
	at := fmt.Sprintf("at %02d:%02d", r.Hour, r.Minute)
	switch r.Kind {
	case schedule.Once:
		return "Once, on " + time.UnixMilli(r.AtMs).Format("2 January 2006 at 15:04")
	case schedule.Interval:
		if r.EveryMinutes == 1 {
			return "Every minute"
		}
		return fmt.Sprintf("Every %d minutes", r.EveryMinutes)
	case schedule.Weekly:
		days := make([]string, len(r.Weekdays))
		for n, day := range r.Weekdays {
			days[n] = time.Weekday(day).String()
		}
		return "Every " + strings.Join(days, ", ") + " " + at
	case schedule.Monthly:
		return fmt.Sprintf("On day %d of every month %s", r.Day, at)
	case schedule.Yearly:
		return fmt.Sprintf("On %d %s of every year %s", r.Day, time.Month(r.Month), at)
	}
	return "Never"
}

// review asks about a schedule that a tool proposes in a chat.
func (f *follower) review(ctx context.Context, entry session.Entry) error {
	asks := &person{terminal: f.terminal, name: entry.Schedule.Extension, lines: f.lines}
	answer, err := asks.askReview(ctx, entry.Schedule.Draft)
	if err != nil {
		return err
	}
	return f.core.ReviewSchedule(ctx, entry.ID, answer)
}

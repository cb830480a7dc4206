package agent

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/backend/capability"
	"portico/backend/grant"
	"portico/backend/model/modeltest"
	"portico/backend/schedule"
	"portico/backend/session"
	"portico/backend/store"
)

// calendar opens schedules on a file of their own.
func calendar(t *testing.T) *schedule.Store {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "portico.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return schedule.NewStore(schedule.Options{DB: db})
}

func with(schedules capability.Schedules) func(*Options) {
	return func(o *Options) { o.Services.Schedules = schedules }
}

func hourly(title string) schedule.Draft {
	return schedule.Draft{Title: title, Instruction: "Look.", Recurrence: schedule.Recurrence{Kind: schedule.Interval, EveryMinutes: 60}}
}

// proposes is a tool that proposes a schedule; before it goes on, saved is called.
func proposes(draft schedule.Draft, saved func()) tool {
	return tool{name: "plan", do: func(ctx context.Context, host capability.Host, call capability.Call, _ json.RawMessage) (json.RawMessage, error) {
		answer, err := host.Propose(ctx, call, draft)
		if err != nil {
			return nil, err
		}
		saved()
		return json.Marshal(answer)
	}}
}

var planning = modeltest.Always(modeltest.Ask("plan", "{}"), modeltest.Say("Done."))

// titles of what is kept.
func titles(t *testing.T, s *schedule.Store) string {
	t.Helper()
	all, err := s.List(context.Background())
	if err != nil {
		t.Error(err)
	}
	var names []string
	for _, one := range all {
		names = append(names, one.Extension+": "+one.Draft.Title)
	}
	return strings.Join(names, ", ")
}

func TestAProposedScheduleIsSavedWithThePersonsChangesBeforeTheToolGoesOn(t *testing.T) {
	kept := calendar(t)
	var then string
	d := sit(t, planning, []tool{proposes(hourly("Report"), func() { then = titles(t, kept) })}, with(kept))
	d.send("go")
	asked := d.entry(session.Proposes, session.Open)
	if asked.Schedule.Extension != "The kit" || asked.Schedule.Draft.Title != "Report" || asked.Parent == "" || then != "" {
		t.Errorf("the review is %+v, %+v; kept %q", asked, asked.Schedule, then)
	}
	if s, err := d.sessions.Get(t.Context(), d.session); err != nil || !s.Waiting {
		t.Errorf("the session is %+v, %v", s, err)
	}
	past := hourly("Past")
	past.Recurrence = schedule.Recurrence{Kind: schedule.Once, AtMs: 1}
	if err := d.Review(t.Context(), asked.ID, schedule.Answer{Accepted: true, Draft: &past}); !isProblem(err, "schedule.past") {
		t.Errorf("a change into the past gives %v", err)
	}
	changed := hourly("My report")
	if err := d.Review(t.Context(), asked.ID, schedule.Answer{Accepted: true, Draft: &changed}); err != nil {
		t.Fatal(err)
	}
	if err := d.Review(t.Context(), asked.ID, schedule.Answer{}); !isProblem(err, "chat.already-answered") {
		t.Errorf("a second answer gives %v", err)
	}
	d.settled()
	if then != "The kit: My report" {
		t.Errorf("when the tool went on, these were kept: %q", then)
	}
	d.expect(`person done "go"`,
		`call done plan{} -> `+clip(`{"accepted":true,"draft":{"title":"My report","instruction":"Look.","runMissed":false,"schedule":{"kind":"interval","everyMinutes":60}}}`, 80),
		`schedule done "Report" accepted true "My report"`, `agent done "Done."`)
}

func TestAScheduleIsAcceptedAsItIsOrDeclined(t *testing.T) {
	for _, accepted := range []bool{true, false} {
		kept := calendar(t)
		d := sit(t, planning, []tool{proposes(hourly("Report"), func() {})}, with(kept))
		d.send("go")
		asked := d.entry(session.Proposes, session.Open)
		if err := d.Answer(t.Context(), asked.ID, answer(`"yes"`)); !isProblem(err, "chat.wrong-answer") {
			t.Errorf("an answer to a question gives %v", err)
		}
		if err := d.Decide(t.Context(), asked.ID, grant.Answer{Decision: grant.Allow}); !isProblem(err, "chat.wrong-answer") {
			t.Errorf("a decision about a permission gives %v", err)
		}
		if err := d.Review(t.Context(), asked.ID, schedule.Answer{Accepted: accepted}); err != nil {
			t.Fatal(err)
		}
		d.settled()
		want := map[bool]string{true: "The kit: Report"}[accepted]
		if got := titles(t, kept); got != want {
			t.Errorf("accepted %v: kept %q", accepted, got)
		}
		if call := d.entries()[1].Call; strings.Contains(string(call.Result), `"draft"`) != accepted {
			t.Errorf("accepted %v: the tool got %s", accepted, call.Result)
		}
	}
}

func TestWhatCannotBeSavedIsNotAcceptedAndTheLogSaysWhy(t *testing.T) {
	past := hourly("Past")
	past.Recurrence = schedule.Recurrence{Kind: schedule.Once, AtMs: 1}
	full := calendar(t)
	for range schedule.MaxPerOwner {
		if _, err := full.Add(t.Context(), schedule.Owner{Key: "agent-loca-kit", Name: "The kit"}, "", hourly("Report")); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name   string
		draft  schedule.Draft
		change []func(*Options)
		log    string
	}{
		{"a moment that has passed", past, []func(*Options){with(calendar(t))}, "That moment has passed."},
		{"one too many", hourly("Report"), []func(*Options){with(full)}, "The kit has 100 schedules"},
		{"no schedules here", hourly("Report"), nil, "nothing can be scheduled here"},
		{"nobody is here", hourly("Report"), []func(*Options){with(calendar(t)), func(o *Options) { o.Present = false }}, "nobody is here to review it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := sit(t, planning, []tool{proposes(c.draft, func() {})}, c.change...)
			d.say("go")
			d.expect(`person done "go"`, `call done plan{} -> {"accepted":false}`, `agent done "Done."`)
			if log := d.entries()[1].Call.Log; len(log) != 1 || !strings.Contains(log[0].Message, c.log) {
				t.Errorf("the log is %+v", log)
			}
		})
	}
}

func TestOfTwoReviewsAtTheSameTimeOneCounts(t *testing.T) {
	kept := calendar(t)
	d := sit(t, planning, []tool{proposes(hourly("Report"), func() {})}, with(kept))
	d.send("go")
	asked := d.entry(session.Proposes, session.Open)
	errs := make([]error, 20)
	var all sync.WaitGroup
	for n := range errs {
		all.Go(func() { errs[n] = d.Review(t.Context(), asked.ID, schedule.Answer{Accepted: true}) })
	}
	all.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !isProblem(err, "chat.already-answered") {
			t.Errorf("one gives %v", err)
		}
	}
	d.settled()
	if got := titles(t, kept); won != 1 || got != "The kit: Report" {
		t.Errorf("%d won; kept %q", won, got)
	}
}

func TestAReviewEndsWithItsTurn(t *testing.T) {
	kept := calendar(t)
	d := sit(t, planning, []tool{proposes(hourly("Report"), func() {})}, with(kept))
	d.send("go")
	asked := d.entry(session.Proposes, session.Open)
	if err := d.Stop(t.Context(), d.session); err != nil {
		t.Fatal(err)
	}
	d.expect(`person done "go"`, `call cancelled plan{}`, `schedule cancelled "Report"`)
	if err := d.Review(t.Context(), asked.ID, schedule.Answer{Accepted: true}); !isProblem(err, "chat.already-answered") || titles(t, kept) != "" {
		t.Errorf("an answer after the end gives %v; kept %q", err, titles(t, kept))
	}
}

// unwritten are sessions that can't keep the answer to a review, once.
type unwritten struct {
	Sessions
	once sync.Once
}

func (u *unwritten) Update(ctx context.Context, e session.Entry) (err error) {
	if e.Kind == session.Proposes {
		u.once.Do(func() { err = errors.New("the disk is full") })
	}
	if err == nil {
		err = u.Sessions.Update(ctx, e)
	}
	return err
}

func TestAnAnswerThatCannotBeKeptSavesNothing(t *testing.T) {
	kept := calendar(t)
	d := sit(t, planning, []tool{proposes(hourly("Report"), func() {})}, with(kept), func(o *Options) { o.Sessions = &unwritten{Sessions: o.Sessions} })
	d.send("go")
	asked := d.entry(session.Proposes, session.Open)
	if err := d.Review(t.Context(), asked.ID, schedule.Answer{Accepted: true}); err == nil || titles(t, kept) != "" {
		t.Errorf("it gives %v; kept %q", err, titles(t, kept))
	}
	if err := d.Review(t.Context(), asked.ID, schedule.Answer{}); err != nil {
		t.Errorf("then it is declined: %v", err)
	}
	d.settled()
	if got := titles(t, kept); got != "" {
		t.Errorf("kept %q", got)
	}
}

func TestNobodyIsAskedInATurnThatASchedulerStarts(t *testing.T) {
	var origin capability.Origin
	var failed error
	asking := tool{name: "ask", do: func(ctx context.Context, host capability.Host, call capability.Call, _ json.RawMessage) (json.RawMessage, error) {
		origin = call.Origin
		_, failed = host.Ask(ctx, call, []capability.Question{colour})
		return json.RawMessage(`null`), nil
	}}
	d := sit(t, modeltest.Always(modeltest.Ask("ask", "{}"), modeltest.Say("Done.")), []tool{asking})
	wait, err := d.SendFor(t.Context(), d.session, "Look.", capability.FromSchedule)
	if err != nil {
		t.Fatal(err)
	}
	if err := wait(t.Context()); err != nil || origin != capability.FromSchedule || !isProblem(failed, "ask.nobody") {
		t.Errorf("the turn gives %v; its origin is %q, the question gives %v", err, origin, failed)
	}
	d.expect(`person done "Look."`, `call done ask{} -> null`, `agent done "Done."`)
}

func TestWhoWaitsForATurnHearsHowItEnded(t *testing.T) {
	hold := tool{name: "hold", do: func(ctx context.Context, _ capability.Host, _ capability.Call, _ json.RawMessage) (json.RawMessage, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	d := sit(t, modeltest.Script{Turns: []modeltest.Turn{
		{When: "refuse", Fails: []modeltest.Reply{{Status: 400, Body: `{"error":{"message":"not now"}}`}}, Rounds: []modeltest.Reply{modeltest.Say("Now.")}},
		{When: "hold", Rounds: []modeltest.Reply{modeltest.Ask("hold", "{}")}},
	}}, []tool{hold})
	send := func(text string) Wait {
		wait, err := d.SendFor(t.Context(), d.session, text, capability.FromSchedule)
		if err != nil {
			t.Fatal(err)
		}
		return wait
	}
	if err := send("refuse")(t.Context()); !isProblem(err, "model.refused") {
		t.Errorf("a refusal gives %v", err)
	}
	again, err := d.RetryFor(t.Context(), d.session, capability.FromSchedule)
	if err != nil {
		t.Fatal(err)
	}
	if err := again(t.Context()); err != nil {
		t.Errorf("the second time gives %v", err)
	}
	d.expect(`person done "refuse"`, `agent done "Now."`)
	stopped := send("hold")
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := stopped(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("who waits no longer gets %v", err)
	}
	if err := d.Stop(t.Context(), d.session); err != nil {
		t.Fatal(err)
	}
	if err := stopped(t.Context()); !isProblem(err, "chat.stopped") {
		t.Errorf("a stop gives %v", err)
	}
	if _, err := d.SendFor(t.Context(), d.session, " ", capability.FromSchedule); !isProblem(err, "chat.empty") {
		t.Errorf("nothing to send gives %v", err)
	}
}

package app

import (
	"context"
	"encoding/json"
	"testing"

	"portico/backend/core"
	"portico/backend/schedule"
)

func TestSchedulesAreKeptThroughTheAPI(t *testing.T) {
	c, err := core.Open(t.Context(), core.Options{Data: t.TempDir(), Present: true, Locale: "en-GB"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	api := New(c, nil)
	call := func(method, request string) Answer {
		t.Helper()
		return api.Call(t.Context(), method, json.RawMessage(request))
	}
	list := func() []schedule.Schedule {
		t.Helper()
		all, ok := call("schedules.list", `{}`).Value.([]schedule.Schedule)
		if !ok || all == nil {
			t.Fatalf("no list: %+v", all)
		}
		return all
	}
	if n := len(list()); n != 0 {
		t.Errorf("a fresh home has %d schedules", n)
	}
	const daily = `{"title":"Report","instruction":"Write it.","runMissed":false,"schedule":{"kind":"weekly","weekdays":[0,1,2,3,4,5,6],"hour":9,"minute":0}}`
	if times, ok := call("schedules.preview", `{"draft":`+daily+`,"most":3}`).Value.([]int64); !ok || len(times) != 3 || times[0] >= times[1] {
		t.Errorf("it would be due at %v", times)
	}
	made, ok := call("schedules.save", `{"draft":`+daily+`}`).Value.(schedule.Schedule)
	if !ok || made.NextAt == 0 || made.Owner != "" {
		t.Fatalf("saved %+v", made)
	}
	id := `{"id":"` + made.ID + `"}`
	for _, bad := range []struct{ method, request, code string }{
		{"schedules.save", `{"draft":{"title":"","instruction":"x","schedule":{"kind":"interval","everyMinutes":1}}}`, "schedule.no-title"},
		{"schedules.save", `{"draft":{"title":"x","instruction":"x","schedule":{"kind":"once","atMs":1}}}`, "schedule.past"},
		{"schedules.preview", `{"draft":{"title":"x","instruction":"x","schedule":{"kind":"once","atMs":1}}}`, "schedule.past"},
		{"schedules.save", `{"draft":7}`, "schedule.not-a-draft"},
		{"schedules.save", `{"draft":` + daily + `,"ids":""}`, "app.bad-request"},
		{"schedules.review", `{"entry":"none","answer":{"accepted":true}}`, "session.entry-missing"},
		{"schedules.history", `{"id":"none"}`, "schedule.missing"},
	} {
		if answer := call(bad.method, bad.request); answer.Problem == nil || answer.Problem.Code != bad.code {
			t.Errorf("%s %s gives %+v", bad.method, bad.request, answer.Problem)
		}
	}
	if answer := call("schedules.save", `{"id":"`+made.ID+`","draft":{"title":"Mine","instruction":"x","schedule":{"kind":"interval","everyMinutes":1}}}`); answer.Problem != nil {
		t.Errorf("changed: %+v", answer.Problem)
	}
	if answer := call("schedules.pause", `{"id":"`+made.ID+`","paused":true}`); answer.Problem != nil || !list()[0].Paused || list()[0].Draft.Title != "Mine" {
		t.Errorf("paused: %+v, %+v", answer.Problem, list())
	}
	if run, ok := call("schedules.runNow", id).Value.(schedule.Run); !ok || run.Cause != schedule.ByPerson {
		t.Errorf("run now: %+v", run)
	}
	if runs, ok := call("schedules.history", id).Value.([]schedule.Run); !ok || len(runs) != 1 {
		t.Errorf("the history is %+v", runs)
	}
	if answer := call("schedules.remove", id); answer.Problem != nil || len(list()) != 0 {
		t.Errorf("removed: %+v, %+v", answer.Problem, list())
	}
	if answer := call("schedules.restore", id); answer.Problem != nil || len(list()) != 1 {
		t.Errorf("brought back: %+v, %+v", answer.Problem, list())
	}
}

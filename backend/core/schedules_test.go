package core

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/backend/event"
	"portico/backend/extension"
	"portico/backend/schedule"
	"portico/backend/session"
)

// keeping lets the core run what is due, as the app does.
func keeping(t *testing.T, c *Core) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var kept sync.WaitGroup
	kept.Go(func() { c.KeepSchedules(ctx) })
	t.Cleanup(func() {
		stop()
		kept.Wait()
	})
}

// soon is due in a moment.
func soon(instruction string) schedule.Draft {
	return schedule.Draft{Title: "Report", Instruction: instruction, Recurrence: schedule.Recurrence{Kind: schedule.Once, AtMs: time.Now().Add(50 * time.Millisecond).UnixMilli()}}
}

func saved(t *testing.T, c *Core, d schedule.Draft) schedule.Schedule {
	t.Helper()
	s, err := c.SaveSchedule(t.Context(), "", d)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ran waits until the newest run of a schedule is over.
func ran(t *testing.T, c *Core, id string) schedule.Run {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		runs, err := c.ScheduleHistory(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if len(runs) > 0 && runs[0].State != schedule.Started {
			return runs[0]
		}
	}
	t.Fatal("the run does not end")
	return schedule.Run{}
}

func TestADueScheduleIsASessionInWhichItsInstructionIsSent(t *testing.T) {
	c := open(t, t.TempDir())
	installed(t, c, "wordcount", "word_count")
	server := scripted(t, c, `{"turns":[{"when":"how long","rounds":[
		{"steps":[{"call":{"name":"word_count","args":{"text":"one two three"}}}]},
		{"steps":[{"text":"Three words."}]}]}]}`)
	heard := c.Events.Subscribe()
	defer heard.Close()
	keeping(t, c)
	s := saved(t, c, soon("how long is this?"))
	run := ran(t, c, s.ID)
	if run.State != schedule.Finished || run.Cause != schedule.OnTime || run.DueAt != s.NextAt || run.Problem != nil {
		t.Errorf("the run is %+v", run)
	}
	in, err := c.Sessions.Get(t.Context(), run.Session)
	if err != nil || in.Title != "Report" || in.Mode != session.Guided {
		t.Errorf("the session is %+v, %v", in, err)
	}
	entries := settled(t, c, run.Session, nil)
	if got := kinds(entries); got != "person:done call:done agent:done" || entries[0].Text != "how long is this?" {
		t.Errorf("it has %s", got)
	}
	if len(server.Requests()) != 2 {
		t.Errorf("the model was asked %d times", len(server.Requests()))
	}
	all, err := c.Schedules(t.Context())
	if err != nil || len(all) != 1 || all[0].NextAt != 0 || all[0].Last == nil || all[0].Last.ID != run.ID {
		t.Errorf("the schedules are %+v, %v", all, err)
	}
	events, err := heard.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	told := false
	for _, e := range events {
		told = told || e.Topic == event.Schedules
	}
	if !told {
		t.Error("nobody was told")
	}
}

func TestAScheduleSaysWhyItCouldNotBeRun(t *testing.T) {
	c := open(t, t.TempDir())
	s := saved(t, c, schedule.Draft{Title: "Report", Instruction: "refuse", Recurrence: schedule.Recurrence{Kind: schedule.Interval, EveryMinutes: 60}})
	now := func() schedule.Run {
		if _, err := c.RunSchedule(t.Context(), s.ID); err != nil {
			t.Fatal(err)
		}
		return ran(t, c, s.ID)
	}
	if run := now(); run.State != schedule.Failed || run.Problem.Code != "schedule.no-model" || run.Session != "" {
		t.Errorf("without a model: %+v", run)
	}
	scripted(t, c, `{"turns":[{"when":"refuse","rounds":[{"status":401,"body":"{\"error\":{\"message\":\"no\"}}"}]}]}`)
	run := now()
	if run.State != schedule.Failed || run.Problem.Code != "model.refused-key" || run.Session == "" {
		t.Errorf("with a model that refuses: %+v", run)
	}
	if got := kinds(settled(t, c, run.Session, nil)); got != "person:done problem:done" {
		t.Errorf("its session has %s", got)
	}
}

func TestAScheduleWaitsForAModelThatLoads(t *testing.T) {
	c := open(t, t.TempDir())
	c.schedules.loadingEvery = time.Millisecond
	loading := `{"status":503,"body":"{\"error\":{\"message\":\"Loading model\",\"code\":503}}"}`
	server := scripted(t, c, `{"turns":[{"when":"look","fails":[`+strings.Repeat(loading+",", 7)+loading+`],"rounds":[{"steps":[{"text":"Here."}]}]}]}`)
	s := saved(t, c, schedule.Draft{Title: "Report", Instruction: "look", Recurrence: schedule.Recurrence{Kind: schedule.Interval, EveryMinutes: 60}})
	if _, err := c.RunSchedule(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	run := ran(t, c, s.ID)
	if run.State != schedule.Finished {
		t.Errorf("the run is %+v, problem %v", run, run.Problem)
	}
	if got := kinds(settled(t, c, run.Session, nil)); got != "person:done agent:done" {
		t.Errorf("its session has %s", got)
	}
	if len(server.Requests()) != 9 {
		t.Errorf("the model was asked %d times", len(server.Requests()))
	}
}

func TestWhatAToolDidIsNotDoneAgainWhenTheModelFailsAfterIt(t *testing.T) {
	for _, c := range []struct {
		entries []session.Entry
		want    bool
	}{
		{[]session.Entry{{Kind: session.PersonSays}, {Kind: session.Fails}}, true},
		{[]session.Entry{{Kind: session.PersonSays}, {Kind: session.AgentSays}, {Kind: session.Fails}}, true},
		{[]session.Entry{{Kind: session.PersonSays}, {Kind: session.AgentSays, Text: "I will"}, {Kind: session.Fails}}, false},
		{[]session.Entry{{Kind: session.PersonSays}, {Kind: session.ToolCall}, {Kind: session.Fails}}, false},
	} {
		if got := untouched(c.entries); got != c.want {
			t.Errorf("%s: untouched %v", kinds(c.entries), got)
		}
	}
}

func TestAToolsScheduleIsReviewedInTheChatAndKept(t *testing.T) {
	c := open(t, t.TempDir())
	installedFrom(t, c, map[string]string{
		"loca.json": `{"name":"planner","displayName":"Planner","description":"Proposes.","tools":[
			{"name":"plan","description":"Proposes.","parameters":{"type":"object"},"function":"plan"}]}`,
		"index.ts": `export const plan = (_: unknown, ctx: any) => ctx.schedulePrompt({ title: "Report", instruction: "Look.", runMissed: true, schedule: { kind: "interval", everyMinutes: 60 } });`,
	})
	s := newSession(t, c)
	if _, err := c.RunTool(t.Context(), s.ID, "planner/plan", json.RawMessage(`{}`)); err != nil {
		t.Fatal(err)
	}
	entries := settled(t, c, s.ID, func(e session.Entry) {
		changed := e.Schedule.Draft
		changed.Title = "My report"
		if err := c.ReviewSchedule(t.Context(), e.ID, schedule.Answer{Accepted: true, Draft: &changed}); err != nil {
			t.Error(err)
		}
	})
	if got := kinds(entries); got != "call:done schedule:done" || !strings.Contains(string(entries[0].Call.Result), `"title":"My report"`) {
		t.Errorf("the session has %s, the tool got %s", got, entries[0].Call.Result)
	}
	all, err := c.Schedules(t.Context())
	if err != nil || len(all) != 1 || all[0].Extension != "Planner" || all[0].Owner != "agent-loca-planner" || all[0].Draft.Title != "My report" {
		t.Errorf("the schedules are %+v, %v", all, err)
	}
}

const scheduledChild = "PORTICO_TEST_SCHEDULE_IN" // makes this binary a second Portico that runs a schedule until it is killed

// scheduledMain saves a schedule that is due in a moment, runs it with a model that never answers, and says so.
func scheduledMain(data string) {
	go func() { // it ends with the process that started it, whose end closes the pipe
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(2)
	}()
	err := func() error {
		ctx := context.Background()
		c, err := Open(ctx, Options{Data: data, Present: true, Locale: "en-GB"})
		if err != nil {
			return err
		}
		s, err := c.SaveSchedule(ctx, "", soon("hang"))
		if err != nil {
			return err
		}
		go c.KeepSchedules(ctx)
		for {
			runs, err := c.ScheduleHistory(ctx, s.ID)
			if err != nil {
				return err
			}
			if len(runs) > 0 && runs[0].Session != "" {
				fmt.Println(s.ID)
				select {}
			}
			time.Sleep(time.Millisecond)
		}
	}()
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func TestARunOfAPorticoThatWasKilledIsInterruptedAndNotRunAgain(t *testing.T) {
	data := t.TempDir()
	setUp := open(t, data)
	scripted(t, setUp, `{"turns":[{"when":"hang","rounds":[{"steps":[{"delayMs":600000,"text":"never"}]}]}]}`)
	killed := exec.Command(os.Args[0])
	killed.Env = append(os.Environ(), scheduledChild+"="+data)
	killed.Stderr = os.Stderr
	stdin, err := killed.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	out, err := killed.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	id, err := bufio.NewReader(out).ReadString('\n')
	if err = errors.Join(err, killed.Process.Kill()); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait() // it was killed
	id = strings.TrimSpace(id)
	keeping(t, setUp)
	run := ran(t, setUp, id)
	if run.State != schedule.Interrupted || run.Session == "" {
		t.Errorf("the run is %+v", run)
	}
	runs, err := setUp.ScheduleHistory(t.Context(), id)
	if err != nil || len(runs) != 1 {
		t.Errorf("the history is %+v, %v", runs, err)
	}
}

func TestWhatPorticoClosesIsInterrupted(t *testing.T) {
	data := t.TempDir()
	c, err := Open(t.Context(), Options{Data: data, Present: true, Locale: "en-GB"})
	if err != nil {
		t.Fatal(err)
	}
	scripted(t, c, `{"turns":[{"when":"hang","rounds":[{"steps":[{"delayMs":600000,"text":"never"}]}]}]}`)
	s := saved(t, c, schedule.Draft{Title: "Report", Instruction: "hang", Recurrence: schedule.Recurrence{Kind: schedule.Interval, EveryMinutes: 60}})
	if _, err := c.RunSchedule(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := c.RunSchedule(t.Context(), s.ID); extension.AsProblem(err, "", "", "").Code != "schedule.running" {
		t.Errorf("while it runs: %v", err)
	}
	closing, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := c.Close(closing); err != nil {
		t.Fatal(err)
	}
	if run := ran(t, open(t, data), s.ID); run.State != schedule.Interrupted {
		t.Errorf("the run is %+v", run)
	}
}

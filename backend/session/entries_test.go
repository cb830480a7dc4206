package session

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"portico/backend/capability"
	"portico/backend/event"
	"portico/backend/extension"
	"portico/backend/grant"
)

func TestAnEntryOfEveryKindComesBackAsItWas(t *testing.T) {
	folder := t.TempDir()
	s, _ := in(t, folder)
	id := newSession(t, s).ID
	p := extension.NewProblem("x.y", "It {n}.", "Do.", "n", "broke").At("there")
	kinds := map[Kind]Entry{
		PersonSays: {Text: "héllo <b>&\x00 😀\n"},
		AgentSays:  {Text: "yes", Model: "m", State: Cancelled},
		ToolCall: {State: Failed, Call: &CallEntry{ModelCallID: "c", Name: "word_count", Address: "a/b", Title: "T", Extension: "E", Args: json.RawMessage(`{"a":"<&>","n":12345678901234567890}`),
			Progress: &capability.Progress{Fraction: 0.5, Label: "l"}, Log: []LogLine{{1, "info", "m"}}, Result: json.RawMessage(`null`), ResultBytes: 4, Error: p, StartedAt: 5, DurationMs: 6}},
		Asks: {State: Open, Parent: "p", Question: &QuestionEntry{Extension: "E", Questions: []capability.Question{{Question: "?", Options: []capability.Option{{Label: "l", Value: "v"}}}}, Answers: []json.RawMessage{json.RawMessage(`"v"`)}}},
		Permits: {Permission: &PermissionEntry{Extension: "E", Address: "a/b", Permission: extension.Permission{Kind: extension.Read, Path: "$home", Reason: "r"}, Resolved: "/home/me",
			Risk: grant.Risk{Code: "c", Level: "low"}, Answer: &grant.Answer{Decision: grant.Allow, Lasting: grant.Once}}},
		Shows:   {Display: &capability.Display{Kind: "table", Columns: []string{"a"}, Rows: [][]any{{json.Number("12345678901234567890"), "x", nil, true}}}},
		Fails:   {State: Failed, Problem: p},
		Matches: {Matches: &MatchesEntry{Of: 3, Tools: []ToolMatch{{Address: "a/b", Title: "t", Score: 0.25, Touches: true}}}},
	}
	want := map[string]Entry{}
	for kind, e := range kinds {
		e.Kind, e.Session, e.Turn = kind, id, "turn"
		added := add(t, s, e)
		e.ID, e.Seq, e.CreatedAt = added.ID, added.Seq, added.CreatedAt
		if e.State == "" {
			e.State = Done
		}
		if !reflect.DeepEqual(added, e) {
			t.Errorf("Append gave %+v, want %+v", added, e)
		}
		want[e.ID] = e
	}
	other, _ := in(t, folder)
	entries, err := other.Entries(t.Context(), id)
	if err != nil || len(entries) != len(want) {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for i, e := range entries {
		if e.Seq != int64(i+1) {
			t.Errorf("Seq %d at %d", e.Seq, i)
		}
		is, _ := json.Marshal(e)
		was, _ := json.Marshal(want[e.ID])
		if string(is) != string(was) {
			t.Errorf("%s came back as\n%s, was\n%s", e.Kind, is, was)
		}
	}
}

func TestAnEntryIsOnDiskBeforeItIsAnnounced(t *testing.T) {
	s, _ := in(t, t.TempDir())
	id := newSession(t, s).ID
	seen := 0
	s.publish = func(e event.Event) {
		if announced, ok := e.Payload.(Entry); ok {
			seen++
			if kept := onDisk(t, s, announced.ID); kept.State != announced.State || kept.Text != announced.Text {
				t.Errorf("announced %+v, on disk %+v", announced, kept)
			}
		}
	}
	add(t, s, Entry{Session: id, Kind: PersonSays, Text: "hello"})
	e := add(t, s, Entry{Session: id, Kind: Asks, State: Open})
	e.State, e.Text = Done, "yes"
	if err := s.Update(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	stream := s.StreamText(t.Context(), Entry{Session: id, Kind: AgentSays})
	stream.Write("the answer")
	if _, err := stream.Close(t.Context(), Done); err != nil {
		t.Fatal(err)
	}
	if seen != 5 { // the message; the question, asked and answered; the stream, with its first text and ended
		t.Errorf("%d entries were announced", seen)
	}
}

func TestTheFirstMessageNamesTheSessionOnce(t *testing.T) {
	s, h := in(t, t.TempDir())
	id := newSession(t, s).ID
	h.take()
	add(t, s, Entry{Session: id, Kind: AgentSays, Text: "Welcome"})
	add(t, s, Entry{Session: id, Kind: PersonSays, Text: "Trip plan\nfor Rome"})
	add(t, s, Entry{Session: id, Kind: PersonSays, Text: "And more"})
	h.expect(t, `entry done "Welcome"`, `session "" guided running=false waiting=false`,
		`entry done "Trip plan\nfor Rome"`, `session "Trip plan" guided running=false waiting=false`,
		`entry done "And more"`, `session "Trip plan" guided running=false waiting=false`)
	named, err := s.Create(t.Context(), Session{Title: "Mine"})
	if err != nil {
		t.Fatal(err)
	}
	add(t, s, Entry{Session: named.ID, Kind: PersonSays, Text: "hello"})
	if got, err := s.Get(t.Context(), named.ID); err != nil || got.Title != "Mine" {
		t.Errorf("%q %v", got.Title, err)
	}
}

func TestAnEntryThatEndedChangesNoMore(t *testing.T) {
	s, h := in(t, t.TempDir())
	id := newSession(t, s).ID
	e := add(t, s, Entry{Session: id, Kind: Asks, State: Open, Question: &QuestionEntry{}})
	h.take()
	e.State, e.Question.Answers = Done, []json.RawMessage{json.RawMessage(`"first"`)}
	if err := s.Update(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), e); err != nil {
		t.Errorf("the very same again: %v", err)
	}
	for _, state := range []State{Done, Open, Failed} {
		second := clone(e)
		second.State, second.Question.Answers[0] = state, json.RawMessage(`"second"`)
		wantCode(t, s.Update(t.Context(), second), "session.entry-ended")
		s.UpdateLive(second)
	}
	h.expect(t, `entry done ""`)
	if got := onDisk(t, s, e.ID); string(got.Question.Answers[0]) != `"first"` {
		t.Errorf("%s", got.Question.Answers[0])
	}
	wantCode(t, s.Update(t.Context(), Entry{ID: "x", Session: id}), "session.entry-missing")
}

func TestOfManyAnswersAtOnceTheFirstWins(t *testing.T) {
	folder := t.TempDir()
	a, _ := in(t, folder)
	b, _ := in(t, folder)
	e := add(t, a, Entry{Session: newSession(t, a).ID, Kind: Asks, State: Open})
	var group sync.WaitGroup
	results := make(chan error, 8)
	for i := range 8 {
		group.Go(func() {
			mine := e
			mine.State, mine.Text = Done, fmt.Sprint(i)
			results <- []*Store{a, b}[i%2].Update(context.Background(), mine)
		})
	}
	group.Wait()
	close(results)
	won := 0
	for err := range results {
		if err == nil {
			won++
		} else {
			wantCode(t, err, "session.entry-ended")
		}
	}
	if won != 1 {
		t.Errorf("%d won", won)
	}
}

func TestWhereAnEntryBelongsNeverChanges(t *testing.T) {
	s, _ := in(t, t.TempDir())
	e := add(t, s, Entry{Session: newSession(t, s).ID, Kind: ToolCall, State: Running, Turn: "t", Parent: "p"})
	if err := s.Update(t.Context(), Entry{ID: e.ID, Session: "other", Seq: 99, Kind: Shows, Turn: "u", Parent: "q", CreatedAt: 1, State: Done, Text: "x"}); err != nil {
		t.Fatal(err)
	}
	got := onDisk(t, s, e.ID)
	e.State, e.Text = Done, "x"
	if !reflect.DeepEqual(got, e) {
		t.Errorf("%+v, want %+v", got, e)
	}
}

func TestTheEndIsRecordedThoughTheCallWasCancelled(t *testing.T) {
	s, _ := in(t, t.TempDir())
	id := newSession(t, s).ID
	call := add(t, s, Entry{Session: id, Kind: ToolCall, State: Running})
	stream := s.StreamText(t.Context(), Entry{Session: id, Kind: AgentSays})
	stream.Write("half")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	call.State = Cancelled
	if err := s.Update(ctx, call); err != nil {
		t.Error(err)
	}
	if said, err := stream.Close(ctx, Cancelled); err != nil || onDisk(t, s, said.ID).State != Cancelled || onDisk(t, s, call.ID).State != Cancelled {
		t.Error(err)
	}
}

func TestSizesAreBounded(t *testing.T) {
	s, h := in(t, t.TempDir())
	id := newSession(t, s).ID
	h.take()
	for name, e := range map[string]Entry{
		"message": {Kind: PersonSays, Text: strings.Repeat("x", MaxMessageBytes+1)},
		"text":    {Kind: AgentSays, Text: strings.Repeat("x", MaxTextBytes+1)},
		"entry":   {Kind: Shows, Display: &capability.Display{DataB64: strings.Repeat("x", MaxEntryBytes)}},
	} {
		t.Run(name, func(t *testing.T) {
			e.Session = id
			_, err := s.Append(t.Context(), e)
			wantCode(t, err, "session.too-large")
		})
	}
	h.expect(t)
	e := add(t, s, Entry{Session: id, Kind: ToolCall, State: Running, Call: &CallEntry{}})
	for i := range MaxLogLines + 5 {
		e.Call.Log = append(e.Call.Log, LogLine{Message: fmt.Sprint(i)})
	}
	e.Call.Log = append(e.Call.Log, LogLine{Message: strings.Repeat("é", MaxLogLineBytes)})
	e.State = Done
	if err := s.Update(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	log := onDisk(t, s, e.ID).Call.Log
	if len(log) != MaxLogLines || log[0].Message != "6" || len(log[MaxLogLines-1].Message) > MaxLogLineBytes+len("…") {
		t.Errorf("%d lines, the first %q", len(log), log[0].Message)
	}
	if _, err := s.Append(t.Context(), Entry{Session: id, Kind: ToolCall, Call: &CallEntry{Args: json.RawMessage(`{`)}}); err == nil {
		t.Error("arguments that are no JSON were kept")
	}
}

func TestARetryTakesTheEndAwayAndNeverGivesANumberTwice(t *testing.T) {
	s, h := in(t, t.TempDir())
	id := newSession(t, s).ID
	first := add(t, s, Entry{Session: id, Kind: PersonSays, Text: "1"})
	add(t, s, Entry{Session: id, Kind: AgentSays, Text: "2"})
	running := add(t, s, Entry{Session: id, Kind: ToolCall, State: Running, Text: "3"})
	h.take()
	if err := s.DeleteAfter(t.Context(), id, first.Seq); err != nil {
		t.Fatal(err)
	}
	s.UpdateLive(running)
	h.expect(t, "resync")
	if next := add(t, s, Entry{Session: id, Kind: AgentSays, Text: "4"}); next.Seq != 4 {
		t.Errorf("Seq %d", next.Seq)
	}
	if entries, err := s.Entries(t.Context(), id); err != nil || len(entries) != 2 || entries[0].ID != first.ID {
		t.Errorf("%v %v", entries, err)
	}
}

func TestTwoStoresOfOneFolderNumberEntriesTogether(t *testing.T) {
	folder := t.TempDir()
	a, _ := in(t, folder)
	b, _ := in(t, folder)
	id := newSession(t, a).ID
	var group sync.WaitGroup
	for _, s := range []*Store{a, b} {
		for range 4 {
			group.Go(func() {
				for range 10 {
					if _, err := s.Append(t.Context(), Entry{Session: id, Kind: PersonSays, Text: "x"}); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	group.Wait()
	entries, err := b.Entries(t.Context(), id)
	if err != nil || len(entries) != 80 {
		t.Fatalf("%d %v", len(entries), err)
	}
	for i, e := range entries {
		if e.Seq != int64(i+1) {
			t.Fatalf("Seq %d at %d", e.Seq, i)
		}
	}
}

func TestWhoGivesAnEntryMayChangeItAfterwards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, h := in(t, t.TempDir())
		mine := Entry{Session: newSession(t, s).ID, Kind: ToolCall, State: Running, Call: &CallEntry{Phase: "starting", Log: make([]LogLine, 1, 8)}}
		added := add(t, s, mine)
		mine.ID = added.ID
		spoil := func() { // as an agent does while a tool runs
			mine.Call.Phase = "spoilt"
			mine.Call.Log[0].Message = "spoilt"
		}
		spoil()
		added.Call.Phase = "spoilt too"
		mine.Call.Phase, mine.Call.Log[0].Message = "running", "fine"
		s.UpdateLive(mine)
		spoil()
		time.Sleep(time.Second)
		synctest.Wait()
		if got := onDisk(t, s, added.ID).Call; got.Phase != "running" || got.Log[0].Message != "fine" {
			t.Errorf("%+v", got)
		}
		for _, e := range h.events {
			if entry, ok := e.Payload.(Entry); ok && strings.Contains(entry.Call.Phase, "spoilt") {
				t.Errorf("%+v", entry.Call)
			}
		}
	})
}

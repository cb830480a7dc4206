package session

import (
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestSessionsAreListedWithTheNewestEntryFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := in(t, t.TempDir())
		var ids []string
		for range 3 {
			ids = append(ids, newSession(t, s).ID)
			time.Sleep(time.Second)
		}
		order := func() (found []string) {
			list, err := s.List(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range list {
				found = append(found, one.ID)
			}
			return found
		}
		if got := order(); !slices.Equal(got, []string{ids[2], ids[1], ids[0]}) {
			t.Errorf("new ones: %v", got)
		}
		add(t, s, Entry{Session: ids[0], Kind: PersonSays, Text: "hello"})
		time.Sleep(time.Second)
		// Neither a draft, nor a title, nor a model moves a session.
		if err := s.SaveView(t.Context(), ids[1], "draft", Scroll{Entry: "e", Offset: 12.5}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Rename(t.Context(), ids[1], "Renamed"); err != nil {
			t.Fatal(err)
		}
		if got := order(); !slices.Equal(got, []string{ids[0], ids[2], ids[1]}) {
			t.Errorf("after an entry: %v", got)
		}
		one, err := s.Get(t.Context(), ids[1])
		if err != nil || one.Draft != "draft" || one.Scroll != (Scroll{"e", 12.5}) || one.UpdatedAt != one.CreatedAt {
			t.Errorf("%+v %v", one, err)
		}
	})
}

func TestASessionStartsGuidedAndTakesWhatIsGiven(t *testing.T) {
	s, h := in(t, t.TempDir())
	if made := newSession(t, s); made.Mode != Guided || made.Title != "" || made.ID == "" || made.CreatedAt == 0 {
		t.Errorf("%+v", made)
	}
	made, err := s.Create(t.Context(), Session{ID: "mine", Title: " Trip\nplan ", Project: "/p", Mode: Plan, Model: "m", Draft: "d"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Get(t.Context(), made.ID)
	if err != nil || again != made || made.ID == "mine" || made.Title != "Trip plan" || made.Project != "/p" || made.Model != "m" || made.Draft != "" {
		t.Errorf("%+v, then %+v %v", made, again, err)
	}
	h.expect(t, `session "" guided running=false waiting=false`, `session "Trip plan" plan running=false waiting=false`)
	_, err = s.Create(t.Context(), Session{Mode: "wild"})
	wantCode(t, err, "session.bad-mode")
	_, err = s.Create(t.Context(), Session{Model: strings.Repeat("m", MaxNameBytes+1)})
	wantCode(t, err, "session.too-large")
}

func TestATitleIsTrimmedAndBounded(t *testing.T) {
	s, h := in(t, t.TempDir())
	id := newSession(t, s).ID
	h.take()
	for given, want := range map[string]string{"  Trip  ": "Trip", strings.Repeat("é", 200): strings.Repeat("é", 200), "two\nlines": "two lines"} {
		got, err := s.Rename(t.Context(), id, given)
		if err != nil || got.Title != want {
			t.Errorf("%q became %q %v", given, got.Title, err)
		}
	}
	for _, bad := range []string{"", " \n ", strings.Repeat("é", 201)} {
		_, err := s.Rename(t.Context(), id, bad)
		wantCode(t, err, "session.bad-title")
	}
	if n := len(h.take()); n != 3 {
		t.Errorf("%d events for 3 changes", n)
	}
}

func TestAnAutonomousSessionStaysSo(t *testing.T) {
	s, h := in(t, t.TempDir())
	id := newSession(t, s).ID
	plan, autonomous, wild, model := Plan, Autonomous, Mode("wild"), "m"
	for _, c := range []struct {
		mode  *Mode
		model *string
		code  string
	}{{mode: &plan}, {model: &model}, {mode: &wild, code: "session.bad-mode"}, {mode: &autonomous}, {mode: &autonomous, model: &model}, {mode: &plan, code: "session.mode-fixed"}} {
		_, err := s.Choose(t.Context(), id, c.mode, c.model)
		if c.code != "" {
			wantCode(t, err, c.code)
		} else if err != nil {
			t.Error(err)
		}
	}
	if got, err := s.Get(t.Context(), id); err != nil || got.Mode != Autonomous || got.Model != "m" {
		t.Errorf("%+v %v", got, err)
	}
	if n := len(h.take()); n != 5 {
		t.Errorf("%d events for one creation and 4 changes", n)
	}
}

func TestADeletedSessionComesBackUntilItIsPurged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, h := in(t, t.TempDir())
		id := newSession(t, s).ID
		entry := add(t, s, Entry{Session: id, Kind: PersonSays, Text: "hello"})
		h.take()
		if err := s.Delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		h.expect(t, "gone")
		if list, err := s.List(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("%v %v", list, err)
		}
		_, err := s.Append(t.Context(), Entry{Session: id, Kind: PersonSays, Text: "more"})
		wantCode(t, err, "session.missing")
		wantCode(t, s.Delete(t.Context(), id), "session.missing")
		if err := s.Purge(t.Context(), time.Now().Add(-time.Minute)); err != nil {
			t.Fatal(err)
		}
		back, err := s.Restore(t.Context(), id)
		if err != nil || back.Title != "hello" {
			t.Errorf("%+v %v", back, err)
		}
		h.expect(t, `session "hello" guided running=false waiting=false`)
		if entries, err := s.Entries(t.Context(), id); err != nil || len(entries) != 1 || entries[0].ID != entry.ID {
			t.Errorf("%v %v", entries, err)
		}
		if err := s.Delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if err := s.Purge(t.Context(), time.Now().Add(-time.Minute)); err != nil {
			t.Fatal(err)
		}
		_, err = s.Restore(t.Context(), id)
		wantCode(t, err, "session.missing")
		_, err = s.Entry(t.Context(), entry.ID)
		wantCode(t, err, "session.entry-missing")
	})
}

func TestAnUnknownSessionIsAProblemEverywhere(t *testing.T) {
	s, _ := in(t, t.TempDir())
	ctx := t.Context()
	for _, id := range []string{"", "x", "../../etc", newID()} {
		calls := map[string]func() error{
			"Get":         func() error { _, err := s.Get(ctx, id); return err },
			"Entries":     func() error { _, err := s.Entries(ctx, id); return err },
			"Rename":      func() error { _, err := s.Rename(ctx, id, "t"); return err },
			"Choose":      func() error { _, err := s.Choose(ctx, id, nil, nil); return err },
			"SaveView":    func() error { return s.SaveView(ctx, id, "", Scroll{}) },
			"Delete":      func() error { return s.Delete(ctx, id) },
			"Restore":     func() error { _, err := s.Restore(ctx, id); return err },
			"Append":      func() error { _, err := s.Append(ctx, Entry{Session: id, Kind: PersonSays}); return err },
			"DeleteAfter": func() error { return s.DeleteAfter(ctx, id, 0) },
			"BeginTurn":   func() error { _, _, err := s.BeginTurn(ctx, id); return err },
		}
		for name, call := range calls {
			t.Run(name+" "+id, func(t *testing.T) { wantCode(t, call(), "session.missing") })
		}
	}
	s.SetRunning("x", true, false)
}

func TestADraftIsBoundedAndAPlaceIsOne(t *testing.T) {
	s, h := in(t, t.TempDir())
	id := newSession(t, s).ID
	h.take()
	wantCode(t, s.SaveView(t.Context(), id, strings.Repeat("x", MaxMessageBytes+1), Scroll{}), "session.too-large")
	if err := s.SaveView(t.Context(), id, "a\xffb", Scroll{Entry: "e", Offset: math.NaN()}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(t.Context(), id); err != nil || got.Draft != "a\uFFFDb" || got.Scroll != (Scroll{}) {
		t.Errorf("%+v %v", got, err)
	}
	h.expect(t) // the window that typed knows
}

func TestWhatRunsIsSaidOnceAndIsInEveryAnswer(t *testing.T) {
	s, h := in(t, t.TempDir())
	id := newSession(t, s).ID
	h.take()
	s.SetRunning(id, true, false)
	s.SetRunning(id, true, false)
	s.SetRunning(id, true, true)
	if got, err := s.Get(t.Context(), id); err != nil || !got.Running || !got.Waiting {
		t.Errorf("%+v %v", got, err)
	}
	if list, err := s.List(t.Context()); err != nil || !list[0].Running {
		t.Errorf("%+v %v", list, err)
	}
	if got, err := s.Rename(t.Context(), id, "t"); err != nil || !got.Running {
		t.Errorf("%+v %v", got, err)
	}
	s.SetRunning(id, false, true)
	h.expect(t, `session "" guided running=true waiting=false`, `session "" guided running=true waiting=true`,
		`session "t" guided running=true waiting=true`, `session "t" guided running=false waiting=false`)
}

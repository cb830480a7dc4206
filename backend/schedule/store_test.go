package schedule

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const monday = "2026-12-07 08:00 +0100"

func TestAScheduleIsKeptAsItWasSaved(t *testing.T) {
	d := sit(t, monday)
	for _, r := range []Recurrence{daily(9, 0), weekly(0, 0, 0, 3), monthly(31, 2, 0), yearly(2, 29, 12, 0), {Kind: Interval, EveryMinutes: 7}, {Kind: Once, AtMs: d.clock.Now().UnixMilli() + 1}} {
		made, err := d.store.Add(t.Context(), Owner{"agent-loca-kit", "The kit"}, "/home/ada/book", Draft{Title: "Água", Instruction: "  Look.\n", RunMissed: true, Recurrence: r})
		if err != nil {
			t.Fatal(err)
		}
		if found := d.get(made.ID); fmt.Sprint(found) != fmt.Sprint(made) {
			t.Errorf("saved %+v, found %+v", made, found)
		}
	}
	all, err := d.store.List(t.Context())
	if err != nil || len(all) != 6 || all[0].Draft.Recurrence.Kind != Once || all[1].Draft.Recurrence.Kind != Interval {
		t.Errorf("%v, %v: wanted six, the next one first", all, err)
	}
}

func TestAnOwnerHasAtMostAHundredThatAreNotOver(t *testing.T) {
	d := sit(t, monday)
	kit := Owner{"agent-loca-kit", "The kit"}
	soon := Recurrence{Kind: Once, AtMs: d.clock.Now().Add(time.Minute).UnixMilli()}
	add := func(owner Owner, r Recurrence) (Schedule, error) {
		return d.store.Add(t.Context(), owner, "", draft("Report", r))
	}
	first, err := add(kit, soon)
	for range MaxPerOwner - 1 {
		if _, nextErr := add(kit, daily(9, 0)); nextErr != nil {
			t.Fatal(nextErr)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := add(kit, daily(9, 0)); !isProblem(err, "schedule.too-many-of-extension") {
		t.Errorf("the hundred and first: %v", err)
	}
	if err := d.store.Check(t.Context(), kit, draft("Report", soon)); !isProblem(err, "schedule.too-many-of-extension") {
		t.Errorf("asked before: %v", err)
	}
	if _, err := add(Owner{}, daily(9, 0)); err != nil {
		t.Errorf("the person's own: %v", err)
	}
	d.jump("2026-12-07 08:01 +0100")
	if _, err := add(kit, daily(9, 0)); err != nil {
		t.Errorf("when one is over: %v", err)
	}
	if _, err := d.store.Save(t.Context(), first.ID, draft("Report", daily(7, 0))); !isProblem(err, "schedule.too-many-of-extension") {
		t.Errorf("one that is over is to go on: %v", err)
	}
}

func TestWhatWasRemovedComesBackForADay(t *testing.T) {
	d := sit(t, monday)
	kept, gone := d.add(draft("Report", daily(9, 0))), d.add(draft("Tidy", daily(9, 0)))
	for _, s := range []Schedule{kept, gone} {
		if err := d.store.Remove(t.Context(), s.ID); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.store.Remove(t.Context(), kept.ID); !isProblem(err, "schedule.missing") {
		t.Errorf("removed twice: %v", err)
	}
	d.jump("2026-12-08 07:59 +0100")
	if err := d.store.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	back, err := d.store.Restore(t.Context(), kept.ID)
	if err != nil || back.Draft.Title != "Report" || d.due(kept.ID) != "12-08 09:00" {
		t.Errorf("%+v %v, due %s", back, err, d.due(kept.ID))
	}
	if again, err := d.store.Restore(t.Context(), kept.ID); err != nil || again.ID != kept.ID {
		t.Errorf("brought back twice: %v", err)
	}
	d.jump("2026-12-08 08:00 +0100")
	if _, err := d.store.Restore(t.Context(), gone.ID); !isProblem(err, "schedule.missing") {
		t.Errorf("after a day: %v", err)
	}
	if err := d.store.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.expect() // what was due while they were gone is not run
	d.history(kept.ID)
}

func TestWhatIsDueDuringAPauseIsNeitherRunNorMissed(t *testing.T) {
	d := sit(t, monday)
	s := d.add(Draft{Title: "Report", Instruction: "go", RunMissed: true, Recurrence: daily(9, 0)})
	once := d.add(draft("Call", Recurrence{Kind: Once, AtMs: at(t, "2026-12-07 10:00 +0100").UnixMilli()}))
	for _, id := range []string{s.ID, once.ID} {
		if paused, err := d.store.Pause(t.Context(), id, true); err != nil || !paused.Paused {
			t.Fatal(paused, err)
		}
	}
	d.jump("2026-12-09 12:00 +0100")
	if going, err := d.store.Pause(t.Context(), s.ID, false); err != nil || going.Paused || d.due(s.ID) != "12-10 09:00" {
		t.Errorf("%+v %v, due %s", going, err, d.due(s.ID))
	}
	if _, err := d.store.Pause(t.Context(), once.ID, false); !isProblem(err, "schedule.past") || !d.get(once.ID).Paused {
		t.Errorf("a moment that has passed: %v", err)
	}
	d.jump("2026-12-10 09:00 +0100")
	d.expect("Report 12-10 09:00")
	d.history(s.ID, "onTime finished 12-10 09:00")
	d.history(once.ID)
}

func TestAChangeKeepsTheNextTimeUnlessTheTimesChange(t *testing.T) {
	d := sit(t, monday)
	s := d.add(draft("Report", Recurrence{Kind: Interval, EveryMinutes: 60}))
	d.clock.set(at(t, "2026-12-07 08:30 +0100"))
	if _, err := d.store.Save(t.Context(), s.ID, draft("Weekly report", Recurrence{Kind: Interval, EveryMinutes: 60})); err != nil || d.due(s.ID) != "12-07 09:00" {
		t.Errorf("the title alone: %v, due %s", err, d.due(s.ID))
	}
	if _, err := d.store.Save(t.Context(), s.ID, draft("Weekly report", Recurrence{Kind: Interval, EveryMinutes: 45})); err != nil || d.due(s.ID) != "12-07 09:15" {
		t.Errorf("other times: %v, due %s", err, d.due(s.ID))
	}
	past := Recurrence{Kind: Once, AtMs: at(t, monday).UnixMilli()}
	if _, err := d.store.Save(t.Context(), s.ID, draft("Other", past)); !isProblem(err, "schedule.past") || d.get(s.ID).Draft.Title != "Weekly report" {
		t.Errorf("into the past: %v, %+v", err, d.get(s.ID))
	}
	if _, err := d.store.Save(t.Context(), s.ID, draft("", daily(9, 0))); !isProblem(err, "schedule.no-title") {
		t.Errorf("without a title: %v", err)
	}
	if _, err := d.store.Add(t.Context(), Owner{}, "", draft("Other", past)); !isProblem(err, "schedule.past") {
		t.Errorf("a new one in the past: %v", err)
	}
}

func TestTheNextTimesOfADraftAreShown(t *testing.T) {
	d := sit(t, "2026-12-30 08:00 +0100")
	times, err := d.store.Upcoming(draft("Report", monthly(31, 9, 0)), 3)
	var got []string
	for _, due := range times {
		got = append(got, due.In(d.store.In()).Format("01-02 15:04"))
	}
	if strings.Join(got, ", ") != "12-31 09:00, 01-31 09:00, 02-28 09:00" || err != nil {
		t.Errorf("%v %v", got, err)
	}
	once := Recurrence{Kind: Once, AtMs: d.clock.Now().UnixMilli() + 1}
	if times, err := d.store.Upcoming(draft("Report", once), 3); len(times) != 1 || err != nil {
		t.Errorf("once: %v %v", times, err)
	}
}

func TestOnlySoMuchHistoryIsKept(t *testing.T) {
	d := sit(t, monday)
	s := d.add(draft("Report", Recurrence{Kind: Interval, EveryMinutes: 60}))
	for n := range MaxHistory + 20 {
		d.clock.set(at(t, monday).Add(time.Duration(n+1) * time.Hour))
		d.look()
	}
	runs, err := d.store.History(t.Context(), s.ID)
	if err != nil || len(runs) != MaxHistory || runs[0].ID != MaxHistory+20 {
		t.Errorf("%d runs, the newest %+v, %v", len(runs), runs[0], err)
	}
}

func TestWhatIsOverIsKeptForAMonth(t *testing.T) {
	d := sit(t, monday)
	s := d.add(draft("Call", Recurrence{Kind: Once, AtMs: at(t, "2026-12-07 09:00 +0100").UnixMilli()}))
	d.jump("2026-12-07 09:00 +0100")
	d.clock.set(at(t, "2027-01-06 08:59 +0100"))
	if err := d.store.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.history(s.ID, "onTime finished 12-07 09:00")
	d.clock.set(at(t, "2027-01-06 09:00 +0100"))
	if err := d.store.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := d.store.Get(t.Context(), s.ID); !isProblem(err, "schedule.missing") {
		t.Errorf("after that: %v", err)
	}
}

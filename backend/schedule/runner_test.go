package schedule

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/backend/store"
)

func missable(title string, r Recurrence) Draft {
	return Draft{Title: title, Instruction: "go", RunMissed: true, Recurrence: r}
}

func TestWhatIsDueIsRunOnItsMinuteEachDayWhateverTheClocksOfThePlaceDo(t *testing.T) {
	for _, c := range []struct {
		name, from, until string
		want              []string
	}{
		{"spring leaves the time out", "2026-03-28 02:00 +0100", "2026-03-30 04:00 +0200", []string{"Report 03-28 02:30", "Report 03-29 03:00", "Report 03-30 02:30"}},
		{"autumn has it twice", "2026-10-24 02:00 +0200", "2026-10-26 04:00 +0100", []string{"Report 10-24 02:30", "Report 10-25 02:30", "Report 10-26 02:30"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := sit(t, c.from)
			d.add(missable("Report", daily(2, 30)))
			d.pass(c.until)
			d.expect(c.want...)
		})
	}
}

func TestAClockThatIsSetForwardMakesUpOnceOrNotAtAll(t *testing.T) {
	d := sit(t, monday)
	made, lost := d.add(missable("Made up", daily(9, 0))), d.add(draft("Lost", daily(9, 0)))
	d.jump("2026-12-10 20:00 +0100")
	d.jump("2026-12-10 20:00 +0100")
	d.expect("Made up 12-10 20:00")
	d.history(made.ID, "madeUp finished 12-10 09:00 -3")
	d.history(lost.ID, "onTime missed 12-10 09:00 -4")
	if d.due(made.ID) != "12-11 09:00" || d.due(lost.ID) != "12-11 09:00" {
		t.Errorf("they are due %s and %s", d.due(made.ID), d.due(lost.ID))
	}
}

func TestAClockThatIsSetBackRunsNothingTwice(t *testing.T) {
	d := sit(t, monday)
	s := d.add(missable("Report", daily(9, 0)))
	d.jump("2026-12-07 09:00 +0100")
	d.pass("2026-12-07 09:02 +0100")
	d.jump("2026-12-05 08:00 +0100")
	d.pass("2026-12-05 09:30 +0100")
	d.jump("2026-12-07 08:59 +0100")
	d.pass("2026-12-07 09:30 +0100")
	d.expect("Report 12-07 09:00")
	d.jump("2026-12-08 09:00 +0100")
	d.history(s.ID, "onTime finished 12-08 09:00", "onTime finished 12-07 09:00")
}

func TestASleepOverSeveralDueTimesIsOneRun(t *testing.T) {
	for _, c := range []struct {
		name, wakes string
		runMissed   bool
		ran         []string
		history     []string
	}{
		{"to be made up for", "2026-12-07 12:30 +0100", true, []string{"Report 12-07 12:30"}, []string{"madeUp finished 12-07 12:00 -3"}},
		{"not to be made up for", "2026-12-07 12:30 +0100", false, nil, []string{"onTime missed 12-07 12:00 -4"}},
		{"awake in time for the last one", "2026-12-07 12:10 +0100", false, []string{"Report 12-07 12:10"}, []string{"onTime finished 12-07 12:00 -3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := sit(t, monday)
			s := d.add(Draft{Title: "Report", Instruction: "go", RunMissed: c.runMissed, Recurrence: Recurrence{Kind: Interval, EveryMinutes: 60}})
			d.jump(c.wakes)
			d.expect(c.ran...)
			d.history(s.ID, c.history...)
		})
	}
}

func TestWhatWasMissedWhilePorticoWasClosedIsSeenAtTheNextStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "portico.db")
	clock := &clock{now: at(t, monday)}
	before := sitAt(t, path, clock, "before")
	made, lost := before.add(missable("Made up", daily(9, 0))), before.add(draft("Lost", daily(9, 0)))
	before.Close()
	clock.set(at(t, "2026-12-07 11:00 +0100"))
	d := sitAt(t, path, clock, "after")
	d.look()
	d.expect("Made up 12-07 11:00")
	d.history(made.ID, "madeUp finished 12-07 09:00")
	d.history(lost.ID, "onTime missed 12-07 09:00 -1")
}

func TestARunSaysHowItEnded(t *testing.T) {
	d := sit(t, monday)
	instructed := func(instruction string) string {
		s := daily(9, 0)
		return d.add(Draft{Title: instruction, Instruction: instruction, Recurrence: s}).ID
	}
	good, bad, broken := instructed("go"), instructed("fail"), instructed("panic")
	d.jump("2026-12-07 09:00 +0100")
	if r := d.history(good, "onTime finished 12-07 09:00")[0]; r.Session != "session of go" || r.EndedAt != r.StartedAt {
		t.Errorf("it is %+v", r)
	}
	d.history(bad, "onTime failed 12-07 09:00 test.failed")
	d.history(broken, "onTime failed 12-07 09:00 schedule.failed")
	if last := d.get(bad).Last; last == nil || last.State != Failed {
		t.Errorf("the schedule's last run is %+v", last)
	}
}

func TestThePersonRunsAScheduleBesideItsDueTimes(t *testing.T) {
	d := sit(t, monday)
	s := d.add(Draft{Title: "Report", Instruction: "wait", Recurrence: daily(9, 0)})
	if _, err := d.store.Pause(t.Context(), s.ID, true); err != nil {
		t.Fatal(err)
	}
	if r, err := d.RunNow(t.Context(), s.ID); err != nil || r.State != Started || r.Cause != ByPerson {
		t.Fatalf("%+v %v", r, err)
	}
	if _, err := d.RunNow(t.Context(), s.ID); !isProblem(err, "schedule.running") {
		t.Errorf("while it runs: %v", err)
	}
	if d.due(s.ID) != "12-07 09:00" {
		t.Errorf("it is due %s", d.due(s.ID))
	}
	d.Close()
	d.history(s.ID, "byPerson interrupted")
	if _, err := d.RunNow(t.Context(), "nothing"); !isProblem(err, "schedule.missing") {
		t.Errorf("one that is not there: %v", err)
	}
}

func TestADueTimeDuringTheRunBeforeIsMissed(t *testing.T) {
	d := sit(t, monday)
	s := d.add(Draft{Title: "Report", Instruction: "wait", RunMissed: true, Recurrence: Recurrence{Kind: Interval, EveryMinutes: 1}})
	for n := range 3 {
		d.clock.set(at(t, monday).Add(time.Duration(n+1) * time.Minute))
		d.step(t.Context())
	}
	d.Close()
	d.history(s.ID, "onTime missed 12-07 08:03 -1 schedule.still-running", "onTime missed 12-07 08:02 -1 schedule.still-running", "onTime interrupted 12-07 08:01")
}

func TestOnlySoManyRunAtOnceAndNoneIsLost(t *testing.T) {
	d := sit(t, monday)
	var mu sync.Mutex
	var now, most int
	d.Runner.do = func(context.Context, Schedule, time.Time, func(string) error) error {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		time.Sleep(2 * time.Millisecond)
		mu.Lock()
		now--
		mu.Unlock()
		return nil
	}
	for n := range 3 * claimBatch / 2 {
		if _, err := d.store.Add(t.Context(), Owner{Key: fmt.Sprint(n % 2)}, "", draft("Report", daily(9, 0))); err != nil {
			t.Fatal(err)
		}
	}
	d.jump("2026-12-07 09:00 +0100")
	all, err := d.store.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Last == nil || s.Last.State != Finished {
			t.Errorf("%s: %+v", s.ID, s.Last)
		}
	}
	if most > maxRunning {
		t.Errorf("%d ran at once", most)
	}
}

func TestWhatWasClaimedByAProcessThatDiedIsNotRunAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "portico.db")
	clock := &clock{now: at(t, monday)}
	dead := sitAt(t, path, clock, "dead")
	s := dead.add(missable("Report", daily(9, 0)))
	clock.set(at(t, "2026-12-07 09:00 +0100"))
	if taken, _, err := dead.store.claim(t.Context()); len(taken) != 1 || err != nil { // and then it is killed
		t.Fatal(taken, err)
	}
	d := sitAt(t, path, clock, "alive")
	d.look()
	d.history(s.ID, "onTime started 12-07 09:00") // it may be at work still
	d.store.Alive = func(process string) bool { return process == "alive" }
	d.pass("2026-12-07 12:00 +0100")
	d.expect()
	d.history(s.ID, "onTime interrupted 12-07 09:00")
	d.jump("2026-12-08 09:00 +0100")
	d.expect("Report 12-08 09:00")
}

func TestTwoRunnersOnOneFileRunEachDueTimeOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "portico.db")
	clock := &clock{now: at(t, monday)}
	desks := []*desk{sitAt(t, path, clock, "one"), sitAt(t, path, clock, "two")}
	for n := range 20 {
		desks[0].add(missable(fmt.Sprintf("Report %02d", n), Recurrence{Kind: Interval, EveryMinutes: 1}))
	}
	var want []string
	for n := range 10 {
		clock.set(clock.Now().Add(time.Minute))
		for report := range 20 {
			want = append(want, fmt.Sprintf("Report %02d 12-07 08:%02d", report, n+1))
		}
		var both sync.WaitGroup
		for _, d := range desks {
			both.Go(d.look)
		}
		both.Wait()
	}
	ran := append(slices.Clone(desks[0].ran), desks[1].ran...)
	slices.Sort(ran)
	slices.Sort(want)
	if !slices.Equal(ran, want) {
		t.Errorf("ran\n%s", strings.Join(ran, "\n"))
	}
	if len(desks[0].ran) == 0 || len(desks[1].ran) == 0 {
		t.Logf("one did it all: %d and %d", len(desks[0].ran), len(desks[1].ran))
	}
}

func TestTheRunnerSleepsUntilSomethingIsDueButNeverLong(t *testing.T) {
	d := sit(t, monday)
	wait := func(want time.Duration) {
		t.Helper()
		if got := d.step(t.Context()); got != want {
			t.Errorf("it waits %s, wanted %s", got, want)
		}
	}
	wait(longestSleep)
	d.add(draft("Report", daily(9, 0)))
	wait(longestSleep)
	d.clock.set(at(t, "2026-12-07 08:59:57 +0100"))
	wait(3 * time.Second)
	d.clock.set(at(t, "2026-12-07 09:00 +0100"))
	wait(longestSleep)
}

func TestAScheduleThatIsAddedWakesTheRunner(t *testing.T) {
	d := sit(t, monday)
	slept := make(chan time.Duration, 10)
	d.after = func(sleep time.Duration) (<-chan time.Time, func()) {
		slept <- sleep
		return nil, func() {} // only a wake ends it
	}
	ctx, stop := context.WithCancel(t.Context())
	var keeping sync.WaitGroup
	keeping.Go(func() { d.Keep(ctx) })
	defer keeping.Wait()
	defer stop()
	if first := <-slept; first != longestSleep {
		t.Errorf("it sleeps %s", first)
	}
	d.add(draft("Report", Recurrence{Kind: Once, AtMs: d.clock.Now().Add(2 * time.Second).UnixMilli()}))
	if next := <-slept; next != 2*time.Second {
		t.Errorf("then it sleeps %s", next)
	}
}

func TestAChangeIsToldOnce(t *testing.T) {
	d := sit(t, monday)
	told := 0
	d.store.Changed = func() { told++ }
	s := d.add(draft("Report", daily(9, 0)))
	d.step(t.Context())
	if _, err := d.store.Save(t.Context(), "nothing", draft("Report", daily(9, 0))); err == nil || told != 1 {
		t.Errorf("%v, told %d times", err, told)
	}
	if err := d.store.Remove(t.Context(), s.ID); err != nil || told != 2 {
		t.Errorf("%v, told %d times", err, told)
	}
}

func TestWhatAnotherProcessChangedIsToldToo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "portico.db")
	clock := &clock{now: at(t, monday)}
	d, other := sitAt(t, path, clock, "app"), sitAt(t, path, clock, "command line")
	d.look()
	told := 0
	d.store.Changed = func() { told++ }
	s := other.add(draft("Report", daily(9, 0)))
	for n, change := range []func() error{
		func() error { return nil }, // it was added
		func() error { _, err := other.store.Pause(t.Context(), s.ID, true); return err },
		func() error { _, _, err := other.store.claimNow(t.Context(), s.ID); return err },
		func() error { return other.store.Remove(t.Context(), s.ID) },
	} {
		clock.set(clock.Now().Add(time.Second))
		if err := change(); err != nil {
			t.Fatal(err)
		}
		d.look()
		d.look()
		if told != n+1 {
			t.Errorf("after change %d it was told %d times", n, told)
		}
	}
}

func BenchmarkTenThousandSchedules(b *testing.B) {
	db, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "portico.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	clock := &clock{now: at(b, monday)}
	s := NewStore(Options{DB: db, Now: clock.Now, In: func() *time.Location { return time.UTC }})
	for n := range 10_000 {
		if _, err := s.Add(b.Context(), Owner{Key: fmt.Sprint(n / MaxPerOwner)}, "", draft("Report", daily(9, 0))); err != nil {
			b.Fatal(err)
		}
	}
	r := NewRunner(s, func(context.Context, Schedule, time.Time, func(string) error) error { return nil })
	defer r.Close()
	b.Run("looked at with nothing due", func(b *testing.B) {
		for b.Loop() {
			r.step(b.Context())
		}
	})
	b.Run("all due at once and missed", func(b *testing.B) {
		for b.Loop() {
			clock.set(clock.Now().Add(25 * time.Hour))
			r.step(b.Context())
		}
	})
	b.Run("listed", func(b *testing.B) {
		for b.Loop() {
			if all, err := s.List(b.Context()); err != nil || len(all) != 10_000 {
				b.Fatal(len(all), err)
			}
		}
	})
}

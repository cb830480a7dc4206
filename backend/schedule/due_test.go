package schedule

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestWhatIsDueIsRunOnTimeOrMadeUpForOnce(t *testing.T) {
	const nine = "2026-12-07 09:00 +0100"
	for _, c := range []struct {
		name      string
		r         Recurrence
		due, now  string
		runMissed bool
		run       bool
		reached   string
		next      string
		missed    int64
	}{
		{"before its time", daily(9, 0), nine, "2026-12-07 08:59:59 +0100", true, false, "", nine, 0},
		{"on time", daily(9, 0), nine, nine, false, true, nine, "2026-12-08 09:00 +0100", 0},
		{"ten minutes late", daily(9, 0), nine, "2026-12-07 09:10 +0100", false, true, nine, "2026-12-08 09:00 +0100", 0},
		{"later than that", daily(9, 0), nine, "2026-12-07 09:10:01 +0100", false, false, nine, "2026-12-08 09:00 +0100", 1},
		{"later than that, to be made up for", daily(9, 0), nine, "2026-12-07 09:10:01 +0100", true, true, nine, "2026-12-08 09:00 +0100", 0},
		{"four days late", daily(9, 0), nine, "2026-12-11 08:00 +0100", false, false, "2026-12-10 09:00 +0100", "2026-12-11 09:00 +0100", 4},
		{"four days late, to be made up for once", daily(9, 0), nine, "2026-12-11 08:00 +0100", true, true, "2026-12-10 09:00 +0100", "2026-12-11 09:00 +0100", 3},
		{"four days late, but on time today", daily(9, 0), nine, "2026-12-11 09:05 +0100", false, true, "2026-12-11 09:00 +0100", "2026-12-12 09:00 +0100", 4},
		{"four days late, on time today, and no second run to make up", daily(9, 0), nine, "2026-12-11 09:05 +0100", true, true, "2026-12-11 09:00 +0100", "2026-12-12 09:00 +0100", 4},
		{"a clock that was set back", daily(9, 0), nine, "2020-01-01 00:00 +0100", true, false, "", nine, 0},
		{"every minute, after an hour", Recurrence{Kind: Interval, EveryMinutes: 1}, nine, "2026-12-07 10:00:30 +0100", false, true, "2026-12-07 10:00 +0100", "2026-12-07 10:01 +0100", 60},
		{"every hour, missed", Recurrence{Kind: Interval, EveryMinutes: 60}, nine, "2026-12-07 10:30 +0100", false, false, "2026-12-07 10:00 +0100", "2026-12-07 11:00 +0100", 2},
		{"once, on time", Recurrence{Kind: Once, AtMs: 1796630400000}, nine, nine, false, true, nine, "", 0},
		{"once, missed", Recurrence{Kind: Once, AtMs: 1796630400000}, nine, "2027-12-07 09:00 +0100", false, false, nine, "", 1},
		{"once, to be made up for", Recurrence{Kind: Once, AtMs: 1796630400000}, nine, "2027-12-07 09:00 +0100", true, true, nine, "", 0},
		{"never again", Recurrence{Kind: Once, AtMs: 1796630400000}, "", "2027-12-07 09:00 +0100", true, false, "", "", 0},
		{"the second time of an hour that comes twice is an hour late", daily(2, 30), "2026-10-25 02:30 +0200", "2026-10-25 02:30 +0100", false, false, "2026-10-25 02:30 +0200", "2026-10-26 02:30 +0100", 1},
		{"a time that is left out is run where it would have been", daily(2, 30), "2026-03-29 03:00 +0200", "2026-03-29 03:01 +0200", false, true, "2026-03-29 03:00 +0200", "2026-03-30 02:30 +0200", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			when := func(text string) time.Time {
				if text == "" {
					return time.Time{}
				}
				return at(t, text)
			}
			d := c.r.Decide(when(c.due), when(c.now), c.runMissed, zone(t, "Europe/Madrid"))
			if d.Run != c.run || d.Missed != c.missed || !d.Due.Equal(when(c.reached)) || !d.Next.Equal(when(c.next)) {
				t.Errorf("decided %+v; wanted run %v for %q, then %q, %d missed", d, c.run, c.reached, c.next, c.missed)
			}
		})
	}
}

func TestNoDueTimeIsRunTwiceWhateverTheClockDoes(t *testing.T) {
	dice := rand.New(rand.NewPCG(5, 6))
	in := zone(t, "Europe/Madrid")
	for _, r := range []Recurrence{daily(2, 30), weekly(0, 0, 0, 3), monthly(31, 2, 0), yearly(2, 29, 12, 0), {Kind: Interval, EveryMinutes: 7}} {
		now := at(t, "2026-01-01 00:00 +0100")
		stored, ok := r.Next(now, in)
		if !ok {
			t.Fatal("never due")
		}
		var run, reached time.Time
		runs := 0
		for range 5_000 {
			jump := time.Duration(dice.Int64N(int64(20 * time.Minute)))
			switch dice.IntN(20) {
			case 0: // asleep
				jump = time.Duration(dice.Int64N(int64(40 * 24 * time.Hour)))
			case 1: // set back
				jump = -time.Duration(dice.Int64N(int64(10 * 24 * time.Hour)))
			case 2: // on time
				jump = stored.Sub(now)
			}
			now = now.Add(jump)
			d := r.Decide(stored, now, dice.IntN(2) == 0, in)
			if stored = d.Next; d.Due.IsZero() {
				continue
			}
			if !d.Due.After(reached) || d.Due.After(now) || !d.Next.After(now) {
				t.Fatalf("%+v: at %s, decided %+v, after %s", r, now, d, reached)
			}
			if reached = d.Due; d.Run && dice.IntN(4) > 0 { // else stopped between storing and running: it stays undone
				if !d.Due.After(run) {
					t.Fatalf("%+v: %s is run after %s", r, d.Due, run)
				}
				run, runs = d.Due, runs+1
			}
		}
		if runs == 0 {
			t.Errorf("%+v was never run", r)
		}
	}
}

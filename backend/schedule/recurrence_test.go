package schedule

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
	_ "time/tzdata" // the zones are the same on every system
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	in, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

const moment = "2006-01-02 15:04:05 -0700"

func at(t testing.TB, text string) time.Time {
	t.Helper()
	for _, layout := range []string{moment, "2006-01-02 15:04 -0700"} {
		if read, err := time.Parse(layout, text); err == nil {
			return read
		}
	}
	t.Fatalf("no moment: %s", text)
	return time.Time{}
}

func daily(hour, minute int) Recurrence {
	return Recurrence{Kind: Weekly, Weekdays: []int{0, 1, 2, 3, 4, 5, 6}, Hour: hour, Minute: minute}
}

func weekly(hour, minute int, days ...int) Recurrence {
	return Recurrence{Kind: Weekly, Weekdays: days, Hour: hour, Minute: minute}
}

func monthly(day, hour, minute int) Recurrence {
	return Recurrence{Kind: Monthly, Day: day, Hour: hour, Minute: minute}
}

func yearly(month, day, hour, minute int) Recurrence {
	return Recurrence{Kind: Yearly, Month: month, Day: day, Hour: hour, Minute: minute}
}

func TestARecurrenceIsDueInLocalTime(t *testing.T) {
	for _, c := range []struct {
		name, zone string
		r          Recurrence
		after      string
		want       []string
	}{
		{"a plain week", "Europe/Madrid", weekly(9, 0, 1, 5), "2026-12-07 08:59 +0100",
			[]string{"2026-12-07 09:00 +0100", "2026-12-11 09:00 +0100", "2026-12-14 09:00 +0100"}},
		{"the same minute is past", "Europe/Madrid", weekly(9, 0, 1), "2026-12-07 09:00 +0100", []string{"2026-12-14 09:00 +0100"}},
		{"9:00 stays 9:00 in summer", "Europe/Madrid", daily(9, 0), "2026-03-27 12:00 +0100",
			[]string{"2026-03-28 09:00 +0100", "2026-03-29 09:00 +0200", "2026-03-30 09:00 +0200"}},

		{"left out in Madrid", "Europe/Madrid", daily(2, 30), "2026-03-28 02:30 +0100",
			[]string{"2026-03-29 03:00 +0200", "2026-03-30 02:30 +0200"}},
		{"the gap's first minute", "Europe/Madrid", daily(2, 0), "2026-03-28 02:30 +0100",
			[]string{"2026-03-29 03:00 +0200", "2026-03-30 02:00 +0200"}},
		{"the gap's end", "Europe/Madrid", daily(3, 0), "2026-03-28 03:30 +0100",
			[]string{"2026-03-29 03:00 +0200", "2026-03-30 03:00 +0200"}},
		{"left out in New York", "America/New_York", weekly(2, 15, 0), "2026-03-01 02:15 -0500",
			[]string{"2026-03-08 03:00 -0400", "2026-03-15 02:15 -0400"}},
		{"half an hour left out on Lord Howe", "Australia/Lord_Howe", daily(2, 15), "2026-10-03 02:15 +1030",
			[]string{"2026-10-04 02:30 +1100", "2026-10-05 02:15 +1100"}},
		{"midnight left out in São Paulo", "America/Sao_Paulo", daily(0, 0), "2018-11-03 00:00 -0300",
			[]string{"2018-11-04 01:00 -0200", "2018-11-05 00:00 -0200"}},
		{"half past midnight left out in São Paulo", "America/Sao_Paulo", weekly(0, 30, 0), "2018-11-03 23:59 -0300",
			[]string{"2018-11-04 01:00 -0200", "2018-11-11 00:30 -0200"}},
		{"a day left out in Apia", "Pacific/Apia", daily(10, 0), "2011-12-28 10:00 -1000",
			[]string{"2011-12-29 10:00 -1000", "2011-12-31 00:00 +1400", "2011-12-31 10:00 +1400", "2012-01-01 10:00 +1400"}},
		{"Fridays around the day left out in Apia", "Pacific/Apia", weekly(10, 0, 5), "2011-12-23 10:00 -1000",
			[]string{"2011-12-31 00:00 +1400", "2012-01-06 10:00 +1400"}},
		{"midnight of the day left out and of the next are one", "Pacific/Apia", daily(0, 0), "2011-12-29 00:00 -1000",
			[]string{"2011-12-31 00:00 +1400", "2012-01-01 00:00 +1400"}},
		{"the 30th left out in Apia", "Pacific/Apia", monthly(30, 8, 0), "2011-11-30 08:00 -1000",
			[]string{"2011-12-31 00:00 +1400", "2012-01-30 08:00 +1400"}},
		{"the end of Ramadan in Casablanca", "Africa/Casablanca", daily(2, 30), "2025-04-05 02:30 +0000",
			[]string{"2025-04-06 03:00 +0100", "2025-04-07 02:30 +0100"}},

		{"twice in Madrid", "Europe/Madrid", daily(2, 30), "2026-10-24 02:30 +0200",
			[]string{"2026-10-25 02:30 +0200", "2026-10-26 02:30 +0100"}},
		{"twice in Madrid, asked between both", "Europe/Madrid", daily(2, 30), "2026-10-25 02:15 +0100", []string{"2026-10-26 02:30 +0100"}},
		{"the start of the hour that comes twice", "Europe/Madrid", daily(2, 0), "2026-10-24 02:00 +0200",
			[]string{"2026-10-25 02:00 +0200", "2026-10-26 02:00 +0100"}},
		{"the end of the hour that comes twice", "Europe/Madrid", daily(3, 0), "2026-10-24 03:00 +0200",
			[]string{"2026-10-25 03:00 +0100", "2026-10-26 03:00 +0100"}},
		{"twice in New York", "America/New_York", daily(1, 30), "2026-10-31 01:30 -0400",
			[]string{"2026-11-01 01:30 -0400", "2026-11-02 01:30 -0500"}},
		{"half an hour twice on Lord Howe", "Australia/Lord_Howe", daily(1, 45), "2026-04-04 01:45 +1100",
			[]string{"2026-04-05 01:45 +1100", "2026-04-06 01:45 +1030"}},
		{"half an hour twice on Lord Howe leaves the half before alone", "Australia/Lord_Howe", daily(1, 15), "2026-04-04 01:15 +1100",
			[]string{"2026-04-05 01:15 +1100", "2026-04-06 01:15 +1030"}},
		{"the hour before midnight twice in São Paulo", "America/Sao_Paulo", daily(23, 30), "2018-02-16 23:30 -0200",
			[]string{"2018-02-17 23:30 -0200", "2018-02-18 23:30 -0300"}},
		{"the start of Ramadan in Casablanca", "Africa/Casablanca", daily(2, 30), "2025-02-22 02:30 +0100",
			[]string{"2025-02-23 02:30 +0100", "2025-02-24 02:30 +0000"}},
		{"a midnight twice in St John's", "America/St_Johns", daily(0, 0), "2010-11-06 00:00 -0230",
			[]string{"2010-11-07 00:00 -0230", "2010-11-08 00:00 -0330"}},

		{"the 31st", "Europe/Madrid", monthly(31, 12, 0), "2026-12-31 12:00 +0100",
			[]string{"2027-01-31 12:00 +0100", "2027-02-28 12:00 +0100", "2027-03-31 12:00 +0200", "2027-04-30 12:00 +0200", "2027-05-31 12:00 +0200"}},
		{"the 30th in a leap year", "UTC", monthly(30, 0, 0), "2028-01-30 00:00 +0000",
			[]string{"2028-02-29 00:00 +0000", "2028-03-30 00:00 +0000"}},
		{"the 29th", "UTC", monthly(29, 0, 0), "2027-01-29 00:00 +0000",
			[]string{"2027-02-28 00:00 +0000", "2027-03-29 00:00 +0000"}},
		{"the 31st once the 31st is past", "UTC", monthly(31, 6, 0), "2026-01-31 07:00 +0000", []string{"2026-02-28 06:00 +0000"}},
		{"29 February", "Europe/Madrid", yearly(2, 29, 12, 0), "2026-12-07 12:00 +0100",
			[]string{"2027-02-28 12:00 +0100", "2028-02-29 12:00 +0100", "2029-02-28 12:00 +0100"}},
		{"29 February in a century without one", "UTC", yearly(2, 29, 0, 0), "2096-02-29 00:00 +0000",
			[]string{"2097-02-28 00:00 +0000", "2098-02-28 00:00 +0000", "2099-02-28 00:00 +0000", "2100-02-28 00:00 +0000"}},
		{"31 June", "UTC", yearly(6, 31, 0, 0), "2026-12-07 00:00 +0000", []string{"2027-06-30 00:00 +0000"}},
		{"New Year's Eve", "Asia/Kolkata", yearly(12, 31, 23, 59), "2026-12-31 23:59 +0530", []string{"2027-12-31 23:59 +0530"}},
		{"a day that another zone is past", "Pacific/Kiritimati", monthly(1, 0, 0), "2026-11-30 09:59 +0000", []string{"2026-12-01 00:00 +1400"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in, after := zone(t, c.zone), at(t, c.after)
			for _, want := range c.want {
				due, ok := c.r.Next(after, in)
				if wanted := at(t, want); !ok || !due.Equal(wanted) {
					t.Fatalf("after %s it is due at %s (%v), not at %s", after.In(in).Format(moment), due.In(in).Format(moment), ok, want)
				}
				after = due
			}
		})
	}
}

func TestOnceIsDueOnce(t *testing.T) {
	r, now := Recurrence{Kind: Once, AtMs: 5_000}, time.UnixMilli(5_000)
	if due, ok := r.Next(now.Add(-time.Nanosecond), time.UTC); !ok || !due.Equal(now) {
		t.Errorf("before it, it is due at %s (%v)", due, ok)
	}
	for _, after := range []time.Time{now, now.Add(time.Hour)} {
		if due, ok := r.Next(after, time.UTC); ok {
			t.Errorf("after %s it is due again at %s", after, due)
		}
	}
}

func TestAnIntervalDoesNotHeedTheClocksOfAPlace(t *testing.T) {
	in := zone(t, "Europe/Madrid")
	due := at(t, "2026-03-29 01:30 +0100")
	r := Recurrence{Kind: Interval, EveryMinutes: 60}
	for _, want := range []string{"2026-03-29 03:30 +0200", "2026-03-29 04:30 +0200"} {
		if due, _ = r.Next(due, in); !due.Equal(at(t, want)) {
			t.Errorf("due at %s, not at %s", due.In(in), want)
		}
	}
}

func TestAnIntervalThatEndsPastTheCalendarIsNotDue(t *testing.T) {
	for _, every := range []int64{-1, 0, maxMinutes, 1 << 53, 1<<63 - 1} {
		r := Recurrence{Kind: Interval, EveryMinutes: every}
		if due, ok := r.Next(at(t, "2026-12-07 00:00 +0000"), time.UTC); ok {
			t.Errorf("every %d minutes is due at %s", every, due)
		}
		r.following(time.UnixMilli(0), time.UnixMilli(1), time.UTC) // ends
	}
	if due, ok := (Recurrence{Kind: Interval, EveryMinutes: maxMinutes}).Next(time.UnixMilli(0), time.UTC); !ok || due.UnixMilli() != maxMillis {
		t.Errorf("the longest interval is due at %s (%v)", due, ok)
	}
}

func TestWhatIsNoRecurrenceIsNeverDue(t *testing.T) {
	for _, r := range []Recurrence{{}, {Kind: "daily"}, {Kind: Weekly}} {
		if due, ok := r.Next(time.Now(), time.UTC); ok {
			t.Errorf("%+v is due at %s", r, due)
		}
	}
}

func TestAnIntervalDoesNotDrift(t *testing.T) {
	r := Recurrence{Kind: Interval, EveryMinutes: 7}
	first := at(t, "2026-12-07 10:00 +0000")
	due, dice := first, rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		now := due.Add(time.Duration(dice.Int64N(int64(40 * time.Minute)))) // run late, by seconds or by several intervals
		last, next, passed := r.following(due, now, time.UTC)
		if next.Sub(first)%(7*time.Minute) != 0 || !next.After(now) || next.Sub(now) > 7*time.Minute || last.After(now) || last.Sub(due) != time.Duration(passed)*7*time.Minute {
			t.Fatalf("due at %s and run at %s, it is due at %s, %d after %s", due, now, next, passed, last)
		}
		due = next
	}
}

func TestAfterASleepItGoesOnFromTheLastDueTime(t *testing.T) {
	for _, c := range []struct {
		name, zone     string
		r              Recurrence
		due, now       string
		last, next     string
		passed, orMore int64
	}{
		{"on time", "Europe/Madrid", daily(9, 0), "2026-12-07 09:00 +0100", "2026-12-07 09:00 +0100", "2026-12-07 09:00 +0100", "2026-12-08 09:00 +0100", 0, 0},
		{"twenty minutes", "Europe/Madrid", daily(9, 0), "2026-12-07 09:00 +0100", "2026-12-07 09:20 +0100", "2026-12-07 09:00 +0100", "2026-12-08 09:00 +0100", 0, 0},
		{"a weekend over a clock change", "Europe/Madrid", daily(2, 30), "2026-03-28 02:30 +0100", "2026-03-30 02:29 +0200", "2026-03-29 03:00 +0200", "2026-03-30 02:30 +0200", 1, 0},
		{"the second time of an hour", "Europe/Madrid", daily(2, 30), "2026-10-25 02:30 +0200", "2026-10-25 02:30 +0100", "2026-10-25 02:30 +0200", "2026-10-26 02:30 +0100", 0, 0},
		{"three months", "UTC", monthly(31, 9, 0), "2026-01-31 09:00 +0000", "2026-04-30 09:00 +0000", "2026-04-30 09:00 +0000", "2026-05-31 09:00 +0000", 3, 0},
		{"ten years, daily", "America/New_York", daily(9, 0), "2016-12-07 09:00 -0500", "2026-12-07 08:59 -0500", "2026-12-06 09:00 -0500", "2026-12-07 09:00 -0500", 365, 3652},
		{"ten years, monthly", "UTC", monthly(31, 9, 0), "2016-01-31 09:00 +0000", "2026-03-01 00:00 +0000", "2026-02-28 09:00 +0000", "2026-03-31 09:00 +0000", 12, 121},
		{"ten years, yearly", "UTC", yearly(2, 29, 9, 0), "2016-02-29 09:00 +0000", "2026-02-28 09:00 +0000", "2026-02-28 09:00 +0000", "2027-02-28 09:00 +0000", 1, 10},
		{"ten years, every minute", "UTC", Recurrence{Kind: Interval, EveryMinutes: 1}, "2016-12-07 09:00:30 +0000", "2026-12-07 09:00:29 +0000", "2026-12-07 08:59:30 +0000", "2026-12-07 09:00:30 +0000", 5258879, 5258879},
		{"a year that a leap day ends", "UTC", yearly(2, 29, 11, 0), "2023-02-28 11:00 +0000", "2024-02-28 12:00 +0000", "2023-02-28 11:00 +0000", "2024-02-29 11:00 +0000", 0, 0},
		{"once", "UTC", Recurrence{Kind: Once, AtMs: 0}, "1970-01-01 00:00 +0000", "2026-12-07 00:00 +0000", "1970-01-01 00:00 +0000", "", 0, 0},
		{"a clock that was set back", "UTC", daily(9, 0), "2026-12-07 09:00 +0000", "2020-01-01 00:00 +0000", "2026-12-07 09:00 +0000", "2026-12-08 09:00 +0000", 0, 0},
		{"a clock that was set back, interval", "UTC", Recurrence{Kind: Interval, EveryMinutes: 60}, "2026-12-07 09:00 +0000", "2026-12-01 00:00 +0000", "2026-12-07 09:00 +0000", "2026-12-07 10:00 +0000", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := zone(t, c.zone)
			began := time.Now()
			last, next, passed := c.r.following(at(t, c.due), at(t, c.now), in)
			if took := time.Since(began); took > time.Second {
				t.Errorf("it took %s", took)
			}
			if !last.Equal(at(t, c.last)) {
				t.Errorf("the last due time is %s, not %s", last.In(in).Format(moment), c.last)
			}
			if c.next == "" != next.IsZero() || c.next != "" && !next.Equal(at(t, c.next)) {
				t.Errorf("the next due time is %s, not %s", next.In(in).Format(moment), c.next)
			}
			if passed < c.passed || passed > max(c.passed, c.orMore) {
				t.Errorf("%d were passed over, not %d to %d", passed, c.passed, c.orMore)
			}
		})
	}
}

// oracle says what Next does in the slowest way: it goes from minute to minute, and looks at the clock. A minute is due
// when the clock shows the time wanted of a day for the first time, or when it has just skipped it.
func oracle(r Recurrence, after time.Time, in *time.Location, until time.Time) (time.Time, bool) {
	wantedOn := func(day time.Time) bool {
		switch r.Kind {
		case Weekly:
			for _, weekday := range r.Weekdays {
				if int(day.Weekday()) == weekday {
					return true
				}
			}
			return false
		case Yearly:
			if int(day.Month()) != r.Month {
				return false
			}
		}
		last := day.AddDate(0, 0, 1).Month() != day.Month()
		return day.Day() == r.Day || last && r.Day > day.Day()
	}
	wanted := func(shown time.Time) bool {
		return shown.Hour() == r.Hour && shown.Minute() == r.Minute && wantedOn(shown)
	}
	start := after.Add(-50 * time.Hour).Truncate(time.Minute) // far enough to know what was shown already
	shown := shows(start.In(in))
	latest := shown // the latest reading so far: all up to it have been shown, or skipped
	for now := start.Add(time.Minute); !now.After(until); now = now.Add(time.Minute) {
		shown = shows(now.In(in))
		reached := false
		for minute := latest.Add(time.Minute); !minute.After(shown); minute = minute.Add(time.Minute) {
			reached = reached || wanted(minute)
			latest = minute
		}
		if reached && now.After(after) {
			return now, true
		}
	}
	return time.Time{}, false
}

func TestNextIsWhatAClockShowsMinuteByMinute(t *testing.T) {
	places := []string{"Europe/Madrid", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca", "America/Sao_Paulo", "America/St_Johns",
		"Asia/Kathmandu", "America/Scoresbysund", "Asia/Tehran", "Antarctica/Troll", "Africa/Cairo", "Asia/Beirut", "Pacific/Chatham", "Europe/Dublin", "UTC"}
	dice := rand.New(rand.NewPCG(3, uint64(len(places))))
	for n := range 400 {
		name := places[n%len(places)]
		in := zone(t, name)
		after := time.Unix(int64(dice.IntN(40*366*24*60))*60+820_454_400, int64(dice.IntN(2))) // from 1996 to 2036
		if n%2 == 0 {                                                                          // around a clock change
			if _, change := after.In(in).ZoneBounds(); !change.IsZero() {
				after = change.Add(time.Duration(dice.IntN(6*24*60)-5*24*60) * time.Minute)
			}
		}
		near := after.In(in).Add(time.Duration(dice.IntN(72*60)) * time.Minute) // a day soon, so that the slow way ends
		hour, minute := dice.IntN(5), dice.IntN(60)
		if n%3 == 0 {
			hour = []int{0, 23, 1, 2, 3}[dice.IntN(5)]
			minute = []int{0, 1, 30, 59}[dice.IntN(4)]
		}
		var r Recurrence
		switch n / 2 % 3 {
		case 0:
			r = weekly(hour, minute, int(near.Weekday()))
		case 1:
			r = monthly(near.Day()+dice.IntN(2)*(31-near.Day()), hour, minute)
		case 2:
			r = yearly(int(near.Month()), near.Day(), hour, minute)
		}
		until := after.Add(33 * 24 * time.Hour)
		want, there := oracle(r, after, in, until)
		got, ok := r.Next(after, in)
		if !ok || there && !got.Equal(want) || !there && !got.After(until) {
			t.Errorf("%s: after %s, %s is due at %s (%v), by the clock at %s (%v)", name, after.In(in).Format(moment), fmt.Sprintf("%+v", r), got.In(in).Format(moment), ok, want.In(in).Format(moment), there)
		}
	}
}

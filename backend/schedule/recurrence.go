package schedule

import (
	"encoding/json"
	"fmt"
	"time"
)

// Kind is one of the five shapes of a recurrence.
type Kind string

const (
	Once     Kind = "once"
	Interval Kind = "interval"
	Weekly   Kind = "weekly"
	Monthly  Kind = "monthly"
	Yearly   Kind = "yearly"
)

// Recurrence says when a schedule is due (loca-extensions.md, ctx.schedulePrompt). Which fields count depends on the kind;
// the times of day are the computer's local ones.
type Recurrence struct {
	Kind         Kind  `json:"kind"`
	AtMs         int64 `json:"atMs,omitempty"`         // once: since 1970, UTC
	EveryMinutes int64 `json:"everyMinutes,omitempty"` // interval: at least 1
	Weekdays     []int `json:"weekdays,omitempty"`     // weekly: 0 is Sunday; ascending, each once
	Month        int   `json:"month,omitempty"`        // yearly: 1 is January
	Day          int   `json:"day,omitempty"`          // monthly, yearly: 1 to 31; past the end of a month its last day is meant
	Hour         int   `json:"hour,omitempty"`         // weekly, monthly, yearly
	Minute       int   `json:"minute,omitempty"`
}

// MarshalJSON writes the fields of its kind, those that are zero too: midnight has an hour.
func (r Recurrence) MarshalJSON() ([]byte, error) {
	switch r.Kind {
	case Once:
		return json.Marshal(struct {
			Kind Kind  `json:"kind"`
			AtMs int64 `json:"atMs"`
		}{r.Kind, r.AtMs})
	case Interval:
		return json.Marshal(struct {
			Kind         Kind  `json:"kind"`
			EveryMinutes int64 `json:"everyMinutes"`
		}{r.Kind, r.EveryMinutes})
	case Weekly:
		return json.Marshal(struct {
			Kind     Kind  `json:"kind"`
			Weekdays []int `json:"weekdays"`
			Hour     int   `json:"hour"`
			Minute   int   `json:"minute"`
		}{r.Kind, append([]int{}, r.Weekdays...), r.Hour, r.Minute}) // [] and not null, when there are none
	case Monthly:
		return json.Marshal(struct {
			Kind   Kind `json:"kind"`
			Day    int  `json:"day"`
			Hour   int  `json:"hour"`
			Minute int  `json:"minute"`
		}{r.Kind, r.Day, r.Hour, r.Minute})
	case Yearly:
		return json.Marshal(struct {
			Kind   Kind `json:"kind"`
			Month  int  `json:"month"`
			Day    int  `json:"day"`
			Hour   int  `json:"hour"`
			Minute int  `json:"minute"`
		}{r.Kind, r.Month, r.Day, r.Hour, r.Minute})
	}
	return nil, fmt.Errorf("a recurrence of kind %q", r.Kind)
}

// The last moment that a date of JavaScript can hold, and the longest interval that ends by it.
const (
	maxMillis  = 8_640_000_000_000_000
	maxMinutes = maxMillis / 60_000
)

// Next gives the first due time after a moment; false when there is none. An interval counts from that moment. A local
// time that a clock change leaves out is due at the first moment that exists after it, and one that comes twice is due
// the first time.
func (r Recurrence) Next(after time.Time, in *time.Location) (time.Time, bool) {
	switch r.Kind {
	case Once:
		at := time.UnixMilli(r.AtMs)
		return at, at.After(after)
	case Interval:
		room := (maxMillis - after.UnixMilli()) / time.Minute.Milliseconds()
		if r.EveryMinutes < 1 || r.EveryMinutes > room {
			return time.Time{}, false
		}
		return time.UnixMilli(after.UnixMilli() + r.EveryMinutes*time.Minute.Milliseconds()), true
	}
	year, month, day := after.In(in).Date()
	switch r.Kind {
	case Weekly:
		for n := range 9 { // today, the seven days that follow, and one more: its own day may lie within a day that does not exist
			date := time.Date(year, month, day+n, 0, 0, 0, 0, time.UTC)
			if r.on(date.Weekday()) {
				if due := local(date, r.Hour, r.Minute, in); due.After(after) {
					return due, true
				}
			}
		}
	case Monthly:
		for n := range 3 {
			if due := local(clamped(year, month+time.Month(n), r.Day), r.Hour, r.Minute, in); due.After(after) {
				return due, true
			}
		}
	case Yearly:
		for n := range 3 {
			if due := local(clamped(year+n, time.Month(r.Month), r.Day), r.Hour, r.Minute, in); due.After(after) {
				return due, true
			}
		}
	}
	return time.Time{}, false
}

func (r Recurrence) on(weekday time.Weekday) bool {
	for _, day := range r.Weekdays {
		if time.Weekday(day) == weekday {
			return true
		}
	}
	return false
}

// following gives the last due time up to now, the first one after it, and how many were passed over; due is the one that
// was to come next and has been reached; a clock that is before it is taken to be at it. An interval goes on from there, so that it does not drift.
func (r Recurrence) following(due, now time.Time, in *time.Location) (last, next time.Time, passed int64) {
	if now.Before(due) {
		now = due
	}
	if r.Kind == Interval {
		if r.EveryMinutes < 1 || r.EveryMinutes > maxMinutes {
			return due, time.Time{}, 0
		}
		every := r.EveryMinutes * time.Minute.Milliseconds()
		passed = (now.UnixMilli() - due.UnixMilli()) / every
		last = time.UnixMilli(due.UnixMilli() + passed*every)
		next, _ = r.Next(last, in)
		return last, next, passed
	}
	if from := now.AddDate(-1, 0, 0); due.Before(from) { // off for years: counting is for what a person remembers
		if later, ok := r.Next(from, in); ok && !later.After(now) {
			due, passed = later, 1
		}
	}
	last = due
	for {
		following, ok := r.Next(last, in)
		if !ok {
			return last, time.Time{}, passed
		}
		if following.After(now) {
			return last, following, passed
		}
		last, passed = following, passed+1
	}
}

// clamped is a day of a month, or its last one.
func clamped(year int, month time.Month, day int) time.Time {
	last := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC)
	if day >= last.Day() {
		return last
	}
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// local gives the moment at which the clocks of a place show a time on a date, of which only the date counts.
func local(date time.Time, hour, minute int, in *time.Location) time.Time {
	year, month, day := date.Date()
	wanted := time.Date(year, month, day, hour, minute, 0, 0, time.UTC)
	due := time.Date(year, month, day, hour, minute, 0, 0, in)
	from, until := due.ZoneBounds()
	switch shown := shows(due); {
	case shown.After(wanted): // left out: time.Date counted on with what was before
		return from
	case shown.Before(wanted):
		return until
	}
	if !from.IsZero() {
		_, before := from.Add(-time.Second).Zone()
		_, since := due.Zone()
		first := due.Add(-time.Duration(before-since) * time.Second)
		if first.Before(from) && shows(first).Equal(wanted) {
			return first
		}
	}
	return due
}

// shows is what the clocks show, as if it were UTC.
func shows(t time.Time) time.Time {
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	return time.Date(year, month, day, hour, minute, second, t.Nanosecond(), time.UTC)
}

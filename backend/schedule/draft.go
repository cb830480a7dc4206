// Package schedule keeps prompts that are sent by themselves: when each is due, what was run, and the loop that runs
// them.
//
// It promises: a due time is run at most once, whatever the clock does and however many processes work on one data
// folder, because the next one is on disk before it is run; what was missed is made up for once, or not at all; what a
// person removed can be brought back for a day. What a run does is left to the function that is given to the Runner.
package schedule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"portico/backend/extension"
)

// Limits of a draft (loca-notes.md, 4), in characters.
const (
	MaxTitle       = 200
	MaxInstruction = 10_000
)

// Draft is a scheduled prompt as it is proposed.
type Draft struct {
	Title       string     `json:"title"`       // 1 to MaxTitle characters, on one line
	Instruction string     `json:"instruction"` // what is sent; 1 to MaxInstruction characters
	RunMissed   bool       `json:"runMissed"`   // make up, once, for what was missed while Portico was closed
	Recurrence  Recurrence `json:"schedule"`
}

// Answer is the person's, to a draft that was proposed: when they accepted, Draft is what was saved, with their changes.
type Answer struct {
	Accepted bool   `json:"accepted"`
	Draft    *Draft `json:"draft,omitempty"`
}

// UnmarshalJSON is ReadDraft: a draft that comes from a window or a command line is checked like any other.
func (d *Draft) UnmarshalJSON(data []byte) error {
	read, err := ReadDraft(data)
	if err == nil {
		*d = read
	}
	return err
}

// ReadDraft reads a draft to the letter of the contract. The error is a *extension.Problem: that of the first broken rule,
// with all of them as its issues. Keys that mean nothing here are passed over, as another host may know more.
func ReadDraft(data json.RawMessage) (Draft, error) {
	r := &reader{}
	fields := r.object("", data)
	if fields == nil {
		return Draft{}, r.problem()
	}
	d := Draft{
		Title:       cleanTitle(r.text(fields, "title")),
		Instruction: r.text(fields, "instruction"),
		RunMissed:   r.flag(fields, "runMissed"),
	}
	switch n := utf8.RuneCountInString(d.Title); {
	case r.refused["title"]:
	case !visible(d.Title):
		r.refuse("title", noTitle())
	case n > MaxTitle:
		r.refuse("title", longTitle())
	}
	switch n := utf8.RuneCountInString(d.Instruction); {
	case r.refused["instruction"]:
	case !visible(d.Instruction):
		r.refuse("instruction", noInstruction())
	case n > MaxInstruction:
		r.refuse("instruction", longInstruction())
	}
	if value, there := fields["schedule"]; there {
		d.Recurrence = r.recurrence(value)
	} else {
		r.refuse("schedule", badShape("schedule", "it is missing"))
	}
	return d, r.problem()
}

// cleanTitle puts a title on one line, without what can't be seen.
func cleanTitle(title string) string {
	shown := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && !joins(r):
			return -1
		}
		return r
	}, title)
	return strings.Join(strings.Fields(shown), " ")
}

// joins says whether a character that is not seen changes how its neighbours look: Persian, the scripts of India, emoji
// of several people and flags need them.
func joins(r rune) bool {
	return unicode.Is(unicode.Join_Control, r) || r >= 0xE0020 && r <= 0xE007F
}

// visible says whether there is anything to see in a text.
func visible(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.In(r, unicode.White_Space, unicode.Mn, unicode.Me, unicode.Other_Default_Ignorable_Code_Point)
	})
}

// reader collects the broken rules of a draft.
type reader struct {
	first   *extension.Problem
	issues  []extension.Issue
	refused map[string]bool
}

func (r *reader) refuse(place string, p *extension.Problem) {
	if r.first == nil {
		r.first = p.At(place)
		r.refused = map[string]bool{}
	}
	r.refused[place] = true
	if place == "" {
		place = "draft"
	}
	r.issues = append(r.issues, extension.Issue{Place: place, What: p.What})
}

func (r *reader) problem() error {
	if r.first == nil {
		return nil
	}
	r.first.Issues = r.issues
	return r.first
}

// object gives the fields by their exact names; the readers of encoding/json would take any case.
func (r *reader) object(place string, data json.RawMessage) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil || fields == nil {
		r.refuse(place, badShape(named(place, "draft"), "it must be an object"))
		return nil
	}
	return fields
}

func named(place, otherwise string) string {
	if place == "" {
		return otherwise
	}
	return place
}

func (r *reader) text(fields map[string]json.RawMessage, name string) string {
	value, there := fields[name]
	var text *string
	if err := json.Unmarshal(value, &text); there && err == nil && text != nil {
		return *text
	}
	r.refuse(name, badShape(name, "it must be a text"))
	return ""
}

func (r *reader) flag(fields map[string]json.RawMessage, name string) bool {
	value, there := fields[name]
	if !there {
		return false
	}
	var flag *bool
	if err := json.Unmarshal(value, &flag); err != nil || flag == nil {
		r.refuse(name, badShape(name, "it must be true or false"))
		return false
	}
	return *flag
}

// number reads a whole number from one bound to the other.
func (r *reader) number(fields map[string]json.RawMessage, name string, least, most int64, wrong func() *extension.Problem) int64 {
	place := "schedule." + name
	value, there := fields[name]
	if !there {
		r.refuse(place, badShape(place, "it is missing"))
		return 0
	}
	whole, ok := wholeNumber(value)
	switch {
	case !ok:
		r.refuse(place, badShape(place, "it must be a whole number"))
	case whole < least || whole > most:
		r.refuse(place, wrong())
	default:
		return whole
	}
	return 0
}

func wholeNumber(value json.RawMessage) (int64, bool) {
	var number *float64
	if err := json.Unmarshal(value, &number); err != nil || number == nil {
		return 0, false
	}
	return int64(*number), *number == math.Trunc(*number) && math.Abs(*number) <= 1<<53
}

func (r *reader) recurrence(data json.RawMessage) Recurrence {
	fields := r.object("schedule", data)
	if fields == nil {
		return Recurrence{}
	}
	var kind Kind
	if err := json.Unmarshal(fields["kind"], &kind); err != nil {
		kind = ""
	}
	made := Recurrence{Kind: kind}
	switch kind {
	case Once:
		made.AtMs = r.number(fields, "atMs", -maxMillis, maxMillis, badMoment)
		return made
	case Interval:
		made.EveryMinutes = r.number(fields, "everyMinutes", 1, 1<<53, badInterval)
		if made.EveryMinutes > maxMinutes {
			r.refuse("schedule.everyMinutes", badMoment())
		}
		return made
	case Weekly:
		made.Weekdays = r.weekdays(fields)
	case Monthly:
		made.Day = int(r.number(fields, "day", 1, 31, badDay))
	case Yearly:
		made.Month = int(r.number(fields, "month", 1, 12, badMonth))
		made.Day = int(r.number(fields, "day", 1, 31, badDay))
	default:
		r.refuse("schedule.kind", badShape("schedule.kind", "it must be once, interval, weekly, monthly or yearly"))
		return made
	}
	made.Hour = int(r.number(fields, "hour", 0, 23, badTime))
	made.Minute = int(r.number(fields, "minute", 0, 59, badTime))
	return made
}

func (r *reader) weekdays(fields map[string]json.RawMessage) []int {
	const place = "schedule.weekdays"
	var values []json.RawMessage
	if err := json.Unmarshal(fields["weekdays"], &values); err != nil || values == nil {
		r.refuse(place, badShape(place, "it must be a list of days"))
		return nil
	}
	if len(values) == 0 {
		r.refuse(place, noWeekdays())
		return nil
	}
	days := make([]int, 0, 7)
	for n, value := range values {
		day, ok := wholeNumber(value)
		if !ok || day < 0 || day > 6 {
			r.refuse(fmt.Sprintf("%s[%d]", place, n), badShape(place, "each must be a number from 0, Sunday, to 6, Saturday"))
			return nil
		}
		if !slices.Contains(days, int(day)) {
			days = append(days, int(day))
		}
	}
	slices.Sort(days)
	return days
}

// Check says what is wrong with a draft that was put together in Go.
func (d Draft) Check() error {
	data, err := json.Marshal(d)
	if err != nil {
		return badShape("schedule.kind", "it must be once, interval, weekly, monthly or yearly").Because(err)
	}
	_, err = ReadDraft(data)
	return err
}

// Same says whether two recurrences are due at the same times.
func (r Recurrence) Same(other Recurrence) bool {
	one, err := json.Marshal(r)
	two, otherErr := json.Marshal(other)
	return err == nil && otherErr == nil && bytes.Equal(one, two)
}

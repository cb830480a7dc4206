package schedule

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"portico/backend/extension"
)

const everyHour = `{"kind":"interval","everyMinutes":60}`

func draftOf(title, instruction, recurrence string) string {
	return fmt.Sprintf(`{"title":%s,"instruction":%s,"runMissed":true,"schedule":%s}`, title, instruction, recurrence)
}

func withRecurrence(recurrence string) string { return draftOf(`"Report"`, `"Write it."`, recurrence) }
func withTitle(title string) string           { return draftOf(title, `"Write it."`, everyHour) }
func withInstruction(text string) string      { return draftOf(`"Report"`, text, everyHour) }

func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func TestADraftOfEachShapeIsReadAndComesBackTheSame(t *testing.T) {
	for text, want := range map[string]Recurrence{
		`{"kind":"once","atMs":1765108800000}`:                               {Kind: Once, AtMs: 1765108800000},
		`{"kind":"once","atMs":0}`:                                           {Kind: Once},
		`{"kind":"once","atMs":-8640000000000000}`:                           {Kind: Once, AtMs: -maxMillis},
		`{"kind":"once","atMs":8640000000000000}`:                            {Kind: Once, AtMs: maxMillis},
		`{"kind":"interval","everyMinutes":1}`:                               {Kind: Interval, EveryMinutes: 1},
		`{"kind":"interval","everyMinutes":144000000000}`:                    {Kind: Interval, EveryMinutes: maxMinutes},
		`{"kind":"weekly","weekdays":[0],"hour":0,"minute":0}`:               {Kind: Weekly, Weekdays: []int{0}},
		`{"kind":"weekly","weekdays":[0,3,6],"hour":23,"minute":59}`:         {Kind: Weekly, Weekdays: []int{0, 3, 6}, Hour: 23, Minute: 59},
		`{"kind":"monthly","day":1,"hour":0,"minute":0}`:                     {Kind: Monthly, Day: 1},
		`{"kind":"monthly","day":31,"hour":8,"minute":30}`:                   {Kind: Monthly, Day: 31, Hour: 8, Minute: 30},
		`{"kind":"yearly","month":1,"day":1,"hour":0,"minute":0}`:            {Kind: Yearly, Month: 1, Day: 1},
		`{"kind":"yearly","month":12,"day":31,"hour":23,"minute":59}`:        {Kind: Yearly, Month: 12, Day: 31, Hour: 23, Minute: 59},
		`{"kind":"yearly","month":2,"day":31,"hour":9,"minute":5,"more":[]}`: {Kind: Yearly, Month: 2, Day: 31, Hour: 9, Minute: 5},
	} {
		read, err := ReadDraft([]byte(withRecurrence(text)))
		if err != nil {
			t.Errorf("%s is refused: %v", text, err)
			continue
		}
		if wanted := (Draft{"Report", "Write it.", true, want}); !reflect.DeepEqual(read, wanted) {
			t.Errorf("%s is read as %+v", text, read)
		}
		written, err := json.Marshal(read)
		if err != nil {
			t.Fatal(err)
		}
		if wanted := withRecurrence(strings.Replace(text, `,"more":[]`, "", 1)); string(written) != wanted {
			t.Errorf("%s comes back as %s", wanted, written)
		}
		var again Draft
		if err := json.Unmarshal(written, &again); err != nil || !reflect.DeepEqual(again, read) {
			t.Errorf("%s is read again as %+v, %v", written, again, err)
		}
		if err := read.Check(); err != nil {
			t.Errorf("the draft %+v does not pass its own check: %v", read, err)
		}
	}
}

func TestWhatADraftMayBeIsAccepted(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want Draft
	}{
		"without runMissed":                   {`{"title":"T","instruction":"I","schedule":` + everyHour + `}`, Draft{"T", "I", false, Recurrence{Kind: Interval, EveryMinutes: 60}}},
		"with keys that mean nothing":         {`{"title":"T","Title":"no","instruction":"I","x":{},"schedule":{"kind":"interval","everyMinutes":60,"Kind":"once","hour":99}}`, Draft{"T", "I", false, Recurrence{Kind: Interval, EveryMinutes: 60}}},
		"with whole numbers in other writing": {`{"title":"T","instruction":"I","schedule":{"kind":"interval","everyMinutes":6.0e1}}`, Draft{"T", "I", false, Recurrence{Kind: Interval, EveryMinutes: 60}}},
		"with weekdays twice and unsorted":    {`{"title":"T","instruction":"I","schedule":{"kind":"weekly","weekdays":[6,1,6,-0,1,1,1,1,1],"hour":1,"minute":2}}`, Draft{"T", "I", false, Recurrence{Kind: Weekly, Weekdays: []int{0, 1, 6}, Hour: 1, Minute: 2}}},
	} {
		if got, err := ReadDraft([]byte(c.text)); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("a draft %s is read as %+v, %v", name, got, err)
		}
	}
}

func TestEachBrokenRuleOfADraftHasItsCodeAndItsPlace(t *testing.T) {
	for _, c := range []struct{ text, code, place string }{
		{``, "not-a-draft", ""},
		{`null`, "not-a-draft", ""},
		{`[]`, "not-a-draft", ""},
		{`"draft"`, "not-a-draft", ""},
		{`{"title":`, "not-a-draft", ""},
		{strings.Repeat(`{"schedule":`, 20_000), "not-a-draft", ""},
		{`{"instruction":"I","schedule":` + everyHour + `}`, "not-a-draft", "title"},
		{`{"Title":"T","instruction":"I","schedule":` + everyHour + `}`, "not-a-draft", "title"},
		{withTitle(`null`), "not-a-draft", "title"},
		{withTitle(`7`), "not-a-draft", "title"},
		{withTitle(`["T"]`), "not-a-draft", "title"},
		{withTitle(`""`), "no-title", "title"},
		{withTitle(`" \t\n\u2003"`), "no-title", "title"},
		{withTitle(`"\u0000\u001b\u007f"`), "no-title", "title"},
		{withTitle(`"\u202e\u200b\ufeff\u2066"`), "no-title", "title"},
		{withTitle(`"\u200d\u3164\ufe0f\u115f"`), "no-title", "title"},
		{withTitle(quoted(strings.Repeat("ñ", MaxTitle+1))), "long-title", "title"},
		{`{"title":"T","schedule":` + everyHour + `}`, "not-a-draft", "instruction"},
		{`{"title":"T","INSTRUCTION":"I","schedule":` + everyHour + `}`, "not-a-draft", "instruction"},
		{withInstruction(`null`), "not-a-draft", "instruction"},
		{withInstruction(`true`), "not-a-draft", "instruction"},
		{withInstruction(`""`), "no-instruction", "instruction"},
		{withInstruction(`" \n\t"`), "no-instruction", "instruction"},
		{withInstruction(`"\u200b\u2060"`), "no-instruction", "instruction"},
		{withInstruction(quoted(strings.Repeat("😀", MaxInstruction+1))), "long-instruction", "instruction"},
		{`{"title":"T","instruction":"I","runMissed":null,"schedule":` + everyHour + `}`, "not-a-draft", "runMissed"},
		{`{"title":"T","instruction":"I","runMissed":1,"schedule":` + everyHour + `}`, "not-a-draft", "runMissed"},
		{`{"title":"T","instruction":"I","runMissed":"true","schedule":` + everyHour + `}`, "not-a-draft", "runMissed"},
		{`{"title":"T","instruction":"I"}`, "not-a-draft", "schedule"},
		{`{"title":"T","instruction":"I","Schedule":` + everyHour + `}`, "not-a-draft", "schedule"},
		{withRecurrence(`null`), "not-a-draft", "schedule"},
		{withRecurrence(`"daily"`), "not-a-draft", "schedule"},
		{withRecurrence(`[]`), "not-a-draft", "schedule"},
		{withRecurrence(`{}`), "not-a-draft", "schedule.kind"},
		{withRecurrence(`{"kind":null}`), "not-a-draft", "schedule.kind"},
		{withRecurrence(`{"kind":5}`), "not-a-draft", "schedule.kind"},
		{withRecurrence(`{"kind":"Once","atMs":5}`), "not-a-draft", "schedule.kind"},
		{withRecurrence(`{"Kind":"once","atMs":5}`), "not-a-draft", "schedule.kind"},
		{withRecurrence(`{"kind":"daily","hour":5,"minute":0}`), "not-a-draft", "schedule.kind"},
		{withRecurrence(`{"kind":"once"}`), "not-a-draft", "schedule.atMs"},
		{withRecurrence(`{"kind":"once","atms":5}`), "not-a-draft", "schedule.atMs"},
		{withRecurrence(`{"kind":"once","atMs":null}`), "not-a-draft", "schedule.atMs"},
		{withRecurrence(`{"kind":"once","atMs":"5"}`), "not-a-draft", "schedule.atMs"},
		{withRecurrence(`{"kind":"once","atMs":"NaN"}`), "not-a-draft", "schedule.atMs"},
		{withRecurrence(`{"kind":"once","atMs":1.5}`), "not-a-draft", "schedule.atMs"},
		{withRecurrence(`{"kind":"once","atMs":1e400}`), "not-a-draft", "schedule.atMs"},
		{withRecurrence(`{"kind":"once","atMs":1e300}`), "not-a-draft", "schedule.atMs"},
		{withRecurrence(`{"kind":"once","atMs":8640000000000001}`), "bad-moment", "schedule.atMs"},
		{withRecurrence(`{"kind":"once","atMs":-8640000000000001}`), "bad-moment", "schedule.atMs"},
		{withRecurrence(`{"kind":"once","atMs":NaN}`), "not-a-draft", ""},
		{withRecurrence(`{"kind":"once","atMs":Infinity}`), "not-a-draft", ""},
		{withRecurrence(`{"kind":"interval"}`), "not-a-draft", "schedule.everyMinutes"},
		{withRecurrence(`{"kind":"interval","everyMinutes":null}`), "not-a-draft", "schedule.everyMinutes"},
		{withRecurrence(`{"kind":"interval","everyMinutes":0.5}`), "not-a-draft", "schedule.everyMinutes"},
		{withRecurrence(`{"kind":"interval","everyMinutes":0}`), "bad-interval", "schedule.everyMinutes"},
		{withRecurrence(`{"kind":"interval","everyMinutes":-60}`), "bad-interval", "schedule.everyMinutes"},
		{withRecurrence(`{"kind":"interval","everyMinutes":144000000001}`), "bad-moment", "schedule.everyMinutes"},
		{withRecurrence(`{"kind":"interval","everyMinutes":9007199254740992}`), "bad-moment", "schedule.everyMinutes"},
		{withRecurrence(`{"kind":"interval","everyMinutes":18446744073709551617}`), "not-a-draft", "schedule.everyMinutes"},
		{withRecurrence(`{"kind":"weekly","hour":1,"minute":1}`), "not-a-draft", "schedule.weekdays"},
		{withRecurrence(`{"kind":"weekly","weekdays":null,"hour":1,"minute":1}`), "not-a-draft", "schedule.weekdays"},
		{withRecurrence(`{"kind":"weekly","weekdays":1,"hour":1,"minute":1}`), "not-a-draft", "schedule.weekdays"},
		{withRecurrence(`{"kind":"weekly","weekdays":[],"hour":1,"minute":1}`), "no-weekdays", "schedule.weekdays"},
		{withRecurrence(`{"kind":"weekly","weekdays":[1,7],"hour":1,"minute":1}`), "not-a-draft", "schedule.weekdays[1]"},
		{withRecurrence(`{"kind":"weekly","weekdays":[-1],"hour":1,"minute":1}`), "not-a-draft", "schedule.weekdays[0]"},
		{withRecurrence(`{"kind":"weekly","weekdays":[null],"hour":1,"minute":1}`), "not-a-draft", "schedule.weekdays[0]"},
		{withRecurrence(`{"kind":"weekly","weekdays":["1"],"hour":1,"minute":1}`), "not-a-draft", "schedule.weekdays[0]"},
		{withRecurrence(`{"kind":"weekly","weekdays":[1],"minute":1}`), "not-a-draft", "schedule.hour"},
		{withRecurrence(`{"kind":"weekly","weekdays":[1],"hour":24,"minute":1}`), "bad-time", "schedule.hour"},
		{withRecurrence(`{"kind":"weekly","weekdays":[1],"hour":1}`), "not-a-draft", "schedule.minute"},
		{withRecurrence(`{"kind":"weekly","weekdays":[1],"hour":1,"minute":60}`), "bad-time", "schedule.minute"},
		{withRecurrence(`{"kind":"weekly","weekdays":[1],"hour":1,"minute":-1}`), "bad-time", "schedule.minute"},
		{withRecurrence(`{"kind":"monthly","hour":1,"minute":1}`), "not-a-draft", "schedule.day"},
		{withRecurrence(`{"kind":"monthly","day":0,"hour":1,"minute":1}`), "bad-day", "schedule.day"},
		{withRecurrence(`{"kind":"monthly","day":32,"hour":1,"minute":1}`), "bad-day", "schedule.day"},
		{withRecurrence(`{"kind":"monthly","day":1,"hour":-1,"minute":1}`), "bad-time", "schedule.hour"},
		{withRecurrence(`{"kind":"yearly","day":1,"hour":1,"minute":1}`), "not-a-draft", "schedule.month"},
		{withRecurrence(`{"kind":"yearly","month":0,"day":1,"hour":1,"minute":1}`), "bad-month", "schedule.month"},
		{withRecurrence(`{"kind":"yearly","month":13,"day":1,"hour":1,"minute":1}`), "bad-month", "schedule.month"},
		{withRecurrence(`{"kind":"yearly","month":1,"day":32,"hour":1,"minute":1}`), "bad-day", "schedule.day"},
		{withRecurrence(`{"kind":"yearly","month":1,"day":1,"hour":1,"minute":99}`), "bad-time", "schedule.minute"},
	} {
		_, err := ReadDraft([]byte(c.text))
		shown := c.text[:min(len(c.text), 120)]
		var p *extension.Problem
		if !errors.As(err, &p) {
			t.Errorf("%s is not refused with a problem: %v", shown, err)
			continue
		}
		if p.Code != "schedule."+c.code || p.Where != c.place {
			t.Errorf("%s is refused with %s at %q, not with schedule.%s at %q", shown, p.Code, p.Where, c.code, c.place)
		}
		place := c.place
		if place == "" {
			place = "draft"
		}
		if len(p.Issues) != 1 || p.Issues[0].Place != place {
			t.Errorf("%s breaks one rule, at %s, and has the issues %v", shown, place, p.Issues)
		}
	}
}

func TestAllBrokenRulesAreTold(t *testing.T) {
	_, err := ReadDraft([]byte(`{"title":"","runMissed":0,"schedule":{"kind":"yearly","month":13,"day":0,"hour":24,"minute":60}}`))
	var p *extension.Problem
	if !errors.As(err, &p) {
		t.Fatal(err)
	}
	var places []string
	for _, issue := range p.Issues {
		places = append(places, issue.Place)
	}
	want := "instruction runMissed title schedule.month schedule.day schedule.hour schedule.minute"
	if got := strings.Join(places, " "); got != want {
		t.Errorf("told of %s, not of %s", got, want)
	}
}

func TestATitleIsPutOnOneLineWithoutWhatMisleads(t *testing.T) {
	for given, want := range map[string]string{
		"  two\r\n\tlines\u2028here ":   "two lines here",
		"in\u202evoice\u2066.\u2069":    "invoice.",
		"a\x00b\x1b[31mc\u0085d\u200b":  "ab[31mc d",
		"soft\u00adhyphen\ufeff":        "softhyphen",
		"👩\u200d💻 می\u200cخواهم":        "👩\u200d💻 می\u200cخواهم",
		strings.Repeat("😀", MaxTitle):   strings.Repeat("😀", MaxTitle),
		strings.Repeat(" ", 5000) + "x": "x",
	} {
		got, err := ReadDraft([]byte(withTitle(quoted(given))))
		if err != nil || got.Title != want {
			t.Errorf("the title %q is read as %q, %v", given, got.Title, err)
		}
	}
}

func TestAnInstructionIsKeptToTheLetter(t *testing.T) {
	for _, given := range []string{"  first\n\n\tsecond  ", strings.Repeat("é", MaxInstruction), "\u202eabc"} {
		got, err := ReadDraft([]byte(withInstruction(quoted(given))))
		if err != nil || got.Instruction != given {
			t.Errorf("the instruction %.20q is read as %.20q, %v", given, got.Instruction, err)
		}
	}
}

func TestADraftMadeInGoIsCheckedByTheSameRules(t *testing.T) {
	for code, recurrence := range map[string]Recurrence{
		"schedule.not-a-draft":  {},
		"schedule.no-weekdays":  {Kind: Weekly},
		"schedule.bad-day":      {Kind: Monthly},
		"schedule.bad-month":    {Kind: Yearly, Day: 1},
		"schedule.bad-interval": {Kind: Interval},
		"schedule.bad-time":     {Kind: Monthly, Day: 1, Hour: 24},
	} {
		var p *extension.Problem
		if err := (Draft{"T", "I", false, recurrence}).Check(); !errors.As(err, &p) || p.Code != code {
			t.Errorf("%+v gives %v, not %s", recurrence, err, code)
		}
	}
}

func TestRecurrencesAreTheSameWhenTheFieldsOfTheirKindAre(t *testing.T) {
	monday := Recurrence{Kind: Weekly, Weekdays: []int{1}, Hour: 9}
	if other := (Recurrence{Kind: Weekly, Weekdays: []int{1}, Hour: 9, Day: 3}); !monday.Same(other) {
		t.Error("a field of another kind makes a difference")
	}
	if other := (Recurrence{Kind: Weekly, Weekdays: []int{1}, Hour: 9, Minute: 1}); monday.Same(other) {
		t.Error("a minute makes no difference")
	}
	if (Recurrence{}).Same(Recurrence{}) {
		t.Error("what is due at no time is the same as something")
	}
}

func FuzzWhatIsReadAsADraftKeepsTheRules(f *testing.F) {
	for _, seed := range []string{
		`null`, withTitle(`"\u202e"`), withRecurrence(`{"kind":"once","atMs":-1e15}`), withRecurrence(`{"kind":"weekly","weekdays":[6,0,6],"hour":0,"minute":0}`),
		withRecurrence(`{"kind":"monthly","day":31,"hour":2,"minute":30}`), withRecurrence(`{"kind":"yearly","month":2,"day":29,"hour":2,"minute":30}`), withTitle(`"\ud800"`),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := ReadDraft(data)
		if err != nil {
			var p *extension.Problem
			if !errors.As(err, &p) || len(p.Issues) == 0 || !strings.HasPrefix(p.Code, "schedule.") {
				t.Fatalf("refused without a problem: %v", err)
			}
			return
		}
		if n := utf8.RuneCountInString(read.Title); n < 1 || n > MaxTitle || strings.ContainsAny(read.Title, "\n\r\x00\u202e") {
			t.Fatalf("the title %q", read.Title)
		}
		written, err := json.Marshal(read)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ReadDraft(written)
		if err != nil || !reflect.DeepEqual(read, again) {
			t.Fatalf("%+v comes back as %+v, %v", read, again, err)
		}
	})
}

package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/backend/extension"
	"portico/backend/model"
	"portico/backend/session"
)

func said(kind session.Kind, text string) session.Entry {
	return session.Entry{Kind: kind, State: session.Done, Text: text}
}

func called(id, name, args string, state session.State, result string) session.Entry {
	e := session.Entry{Kind: session.ToolCall, State: state, Call: &session.CallEntry{ModelCallID: id, Name: name, Address: "kit/" + name, Args: json.RawMessage(args)}}
	if result != "" {
		e.Call.Result = json.RawMessage(result)
	}
	return e
}

func TestATranscriptIsToldTheModel(t *testing.T) {
	failed := called("c4", "t", `{}`, session.Failed, "")
	failed.Call.Error = extension.NewProblem("x", "It broke.", "Do this.")
	for _, c := range []struct {
		name    string
		entries []session.Entry
		want    string
	}{
		{"messages", []session.Entry{said(session.PersonSays, "a"), said(session.AgentSays, "b"), said(session.PersonSays, "c")}, `user "a" | assistant "b" | user "c"`},
		{"two messages in a row are one", []session.Entry{said(session.PersonSays, "a"), {Kind: session.Fails, Problem: failed.Call.Error}, said(session.PersonSays, "b")}, `user "a\n\nb"`},
		{"a call belongs to the text before it", []session.Entry{said(session.PersonSays, "a"), said(session.AgentSays, "b"), called("c1", "t", `{"x":1}`, session.Done, "7"), called("c2", "u", `{}`, session.Done, "8")},
			`user "a" | assistant "b" c1:t{"x":1} | tool c1 "7" | assistant "" c2:u{} | tool c2 "8"`},
		{"what was cut off has a result", []session.Entry{said(session.PersonSays, "a"), called("c1", "t", `{}`, session.Cancelled, ""), called("c2", "t", `{}`, session.Interrupted, ""), called("c3", "t", `{}`, session.Running, ""), failed},
			`user "a" | assistant "" c1:t{} | tool c1 "{\"error\":\"The person stopped this call.\"}" | assistant "" c2:t{} | tool c2 "{\"error\":\"This call was interrupted; whether it had an effect is not known.\"}" | assistant "" c3:t{} | tool c3 "{\"error\":\"This call was interrupted; whether it had an effect is not known.\"}" | assistant "" c4:t{} | tool c4 "{\"error\":\"It broke.\"}"`},
		{"broken arguments are an empty object", []session.Entry{called("c1", "t", `"{\"x\":"`, session.Done, "7")}, `assistant "" c1:t{} | tool c1 "7"`},
		{"the person's own run is said by the person", []session.Entry{said(session.PersonSays, "a"), called("", "t", `{"x":1}`, session.Done, "7")}, `user "a\n\n(I ran the tool kit/t myself, with {\"x\":1}. Its result: 7)"`},
		{"what is only shown is not told", []session.Entry{said(session.PersonSays, "a"), {Kind: session.Shows}, {Kind: session.Asks}, {Kind: session.Permits}, {Kind: session.Matches}, said(session.AgentSays, "")}, `user "a"`},
	} {
		var lines []string
		for _, m := range history(c.entries) {
			line := string(m.Role)
			if m.Role == model.Result {
				line += " " + m.CallID
			}
			line += fmt.Sprintf(" %q", m.Text)
			for _, asked := range m.Calls {
				line += fmt.Sprintf(" %s:%s%s", asked.ID, asked.Name, asked.Args)
			}
			lines = append(lines, line)
		}
		if got := strings.Join(lines, " | "); got != c.want {
			t.Errorf("%s: told\n%s\nnot\n%s", c.name, got, c.want)
		}
	}
}

func TestThePromptHasOneOrderAndNoTimeOfDay(t *testing.T) {
	scene := Scene{Now: time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC), Project: "/home/x/trip", Mode: session.Plan, Tools: 3, Locale: "es-ES"}
	extra := []Section{{"notes", 250, func(Scene) string { return "NOTES" }}, {"empty", 10, func(Scene) string { return " " }}}
	text := Prompt(append(HostSections(), extra...), scene)
	at := -1
	for _, part := range []string{"Portico", "Tuesday, 1 December 2026", "es-ES", "NOTES", "/home/x/trip", "Use a tool", "plan mode"} {
		next := strings.Index(text, part)
		if next < at || next < 0 {
			t.Errorf("%q is missing or stands too early in\n%s", part, text)
		}
		at = next
	}
	scene.Now = scene.Now.Add(5 * time.Hour)
	if Prompt(append(extra, HostSections()...), scene) != text {
		t.Error("the prompt changes within a day, or with the order of registration")
	}
	if strings.Contains(Prompt(HostSections(), Scene{Now: scene.Now}), "Use a tool") {
		t.Error("without tools the prompt tells how to use them")
	}
}

func TestModesOnlyNarrow(t *testing.T) {
	reads, writes := extension.Tool{Effect: extension.ReadsOnly}, extension.Tool{Effect: extension.Mutates}
	for _, c := range []struct {
		mode   session.Mode
		tool   extension.Tool
		nobody bool
		want   gate
	}{
		{session.Plan, reads, false, open}, {session.Plan, writes, false, shut}, {session.Plan, extension.Tool{}, false, shut}, {session.Plan, reads, true, open},
		{session.Interactive, reads, false, confirmed}, {session.Interactive, writes, false, confirmed}, {session.Interactive, writes, true, shut},
		{session.Guided, writes, false, open}, {session.Guided, writes, true, open}, {session.Autonomous, writes, false, open},
	} {
		got, why := gateOf(c.mode, c.tool, c.nobody)
		if got != c.want || (why != nil) != (got == shut) {
			t.Errorf("%s, %q, nobody %v: gate %d, %v", c.mode, c.tool.Effect, c.nobody, got, why)
		}
	}
}

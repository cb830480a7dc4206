package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"portico/backend/capability"
	"portico/backend/event"
	"portico/backend/extension"
	"portico/backend/model"
	"portico/backend/model/modeltest"
	"portico/backend/session"
)

func TestAnAnswerIsStreamedAndKept(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Say("\n\nHello, person.")), nil)
	turn := d.send("Hi")
	d.ended()
	d.expect(`person done "Hi"`, `agent done "Hello, person."`)
	for _, e := range d.entries() {
		if e.Turn != turn {
			t.Errorf("an entry belongs to turn %q, not %q", e.Turn, turn)
		}
	}
	if e := d.entries()[1]; e.Model != "scripted" {
		t.Errorf("the answer is of model %q", e.Model)
	}
	request := d.server.Requests()[0]
	if system := request.Messages[0]; system.Role != "system" || !strings.Contains(system.Content, "Portico") {
		t.Errorf("the prompt is %+v", system)
	}
}

func TestToolsRunInOrderAndTheModelHearsTheirResults(t *testing.T) {
	script := modeltest.Always(
		modeltest.Reply{Steps: []modeltest.Step{{Text: "Counting."}, {Call: &modeltest.Call{Name: "count", ArgText: `{"text":"one two"}`}}, {Call: &modeltest.Call{Name: "double", ArgText: `{}`}}}},
		modeltest.Ask("count", `{"text":"three"}`),
		modeltest.Say("It said {{result}}."))
	d := sit(t, script, []tool{
		{name: "count", schema: `{"type":"object","properties":{"text":{"type":"string"},"deep":{"type":"boolean","default":true}},"required":["text"]}`},
		{name: "double", do: func(context.Context, capability.Host, capability.Call, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`2`), nil
		}},
	})
	d.say("count it")
	d.expect(`person done "count it"`, `agent done "Counting."`,
		`call done count{"deep":true,"text":"one two"} -> {"deep":true,"text":"one two"}`, `call done double{} -> 2`,
		`call done count{"deep":true,"text":"three"} -> {"deep":true,"text":"three"}`,
		`agent done "It said {\"deep\":true,\"text\":\"three\"}."`)
	if told := fmt.Sprint(d.told()); told != `[{"deep":true,"text":"one two"} 2 {"deep":true,"text":"three"}]` {
		t.Errorf("the model was told %s", told)
	}
	first := d.entries()[2].Call
	if first.Address != "kit/count" || first.Title != "Count" || first.Extension != "The kit" || first.Phase != "" || first.ResultBytes != 30 || first.StartedAt == 0 || first.ModelCallID == "" {
		t.Errorf("the first call is %+v", first)
	}
	d.say("and again")
	last := d.server.Requests()[len(d.server.Requests())-1]
	roles := ""
	for _, m := range last.Messages {
		roles += m.Role[:1]
	}
	if !strings.HasPrefix(roles, "suatatatau") { // each call of the turn before with its result
		t.Errorf("in the next turn the roles begin with %s", roles)
	}
}

func TestWhatTheModelGetsWrongIsToldItAndNothingStarts(t *testing.T) {
	for _, c := range []struct{ name, tool, args, code, told string }{
		{"a tool that does not exist", "fly", `{}`, "call.no-such-tool", `{"error":"There is no tool fly. These are there: count."}`},
		{"broken JSON", "count", `{"text":`, "call.bad-json", `{"error":"The arguments are not JSON. Call it again with a JSON object."}`},
		{"arguments that break the schema", "count", `{"text":7}`, "call.bad-arguments", `"issues":["text: `},
		{"arguments that are no object", "count", `[1]`, "call.bad-arguments", `"issues":`},
		{"arguments without end", "count", `{"text":"` + strings.Repeat("x", maxArgsBytes) + `"}`, "call.arguments-too-large", `too large`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := sit(t, modeltest.Always(modeltest.Reply{Steps: []modeltest.Step{{Call: &modeltest.Call{Name: c.tool, ArgText: c.args, Whole: true}}}}, modeltest.Say("Sorry.")),
				[]tool{{name: "count", schema: `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`}})
			d.say("go")
			entries := d.entries()
			if len(entries) != 3 || entries[1].State != session.Failed || entries[1].Call.Error == nil || entries[1].Call.Error.Code != c.code {
				t.Fatalf("the session has\n%s", clip(d.transcript(), 500))
			}
			if told := d.told()[0]; !strings.Contains(told, c.told) || !json.Valid([]byte(told)) {
				t.Errorf("the model was told %s", told)
			}
			if d.tools.called() != "" {
				t.Errorf("these ran: %s", clip(d.tools.called(), 100))
			}
		})
	}
}

func TestAFailedCallIsToldTheModelAndTheTurnGoesOn(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(context.Context, capability.Host, capability.Call, json.RawMessage) (json.RawMessage, error)
		code string
		told string
	}{
		"a problem": {func(context.Context, capability.Host, capability.Call, json.RawMessage) (json.RawMessage, error) {
			return nil, extension.NewProblem("tool.threw", "no <network> & \"that\"", "For the person only.")
		}, "tool.threw", `{"error":"no <network> & \"that\""}`},
		"any error": {func(context.Context, capability.Host, capability.Call, json.RawMessage) (json.RawMessage, error) {
			return nil, errors.New("ENOENT")
		}, "call.failed", `{"error":"Count failed."}`},
		"a panic": {func(context.Context, capability.Host, capability.Call, json.RawMessage) (json.RawMessage, error) {
			panic("oh")
		}, "call.failed", `{"error":"Count failed."}`},
		"no JSON": {func(context.Context, capability.Host, capability.Call, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage("undefined"), nil
		}, "call.bad-result", `{"error":"Count gave a result that is not JSON."}`},
		"nothing": {func(context.Context, capability.Host, capability.Call, json.RawMessage) (json.RawMessage, error) {
			return nil, nil
		}, "call.bad-result", `{"error":"Count gave a result that is not JSON."}`},
	} {
		t.Run(name, func(t *testing.T) {
			d := sit(t, modeltest.Always(modeltest.Ask("count", "{}"), modeltest.Say("Oh well.")), []tool{{name: "count", do: c.do}})
			d.say("go")
			d.expect(`person done "go"`, "call failed count{} ! "+c.code, `agent done "Oh well."`)
			if told := d.told()[0]; told != c.told {
				t.Errorf("the model was told %s", told)
			}
		})
	}
}

func TestAnExtensionThatCannotStartIsAFailedCall(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("count", "{}"), modeltest.Say("Oh well.")), []tool{{name: "count"}})
	d.tools.refuse = extension.NewProblem("extension.drift", "Its files changed.", "Look at its page.")
	d.say("go")
	d.expect(`person done "go"`, "call failed count{} ! extension.drift", `agent done "Oh well."`)
}

func TestALongResultIsCutForTheModelAndForTheSession(t *testing.T) {
	long := `"` + strings.Repeat("é", 5<<20) + `"`
	d := sit(t, modeltest.Always(modeltest.Ask("dump", "{}"), modeltest.Say("Long.")), []tool{{name: "dump", do: func(context.Context, capability.Host, capability.Call, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(long), nil
	}}})
	d.say("go")
	told := d.told()[0]
	if !strings.HasSuffix(told, fmt.Sprintf("[cut: these are the first 39999 of %d bytes]", len(long))) || len(told) > MaxResultChars+100 {
		t.Errorf("the model was told %d bytes that end with %q", len(told), told[len(told)-80:])
	}
	kept := d.entries()[1].Call
	var text string
	if err := json.Unmarshal(kept.Result, &text); err != nil || kept.ResultBytes != int64(len(long)) || len(text) > MaxKeptResultBytes || !strings.HasPrefix(text, `"éé`) {
		t.Errorf("kept are %d of %d bytes, %v", len(kept.Result), kept.ResultBytes, err)
	}
}

func TestATurnHasAStepLimit(t *testing.T) {
	round := 0
	var rounds []modeltest.Reply
	for range 20 {
		round++
		rounds = append(rounds, modeltest.Ask("count", fmt.Sprintf(`{"n":%d}`, round)))
	}
	d := sit(t, modeltest.Always(rounds...), []tool{{name: "count"}}, func(o *Options) { o.Steps = func(context.Context) int { return 3 } })
	d.say("go")
	d.expect(`person done "go"`, `call done count{"n":1} -> {"n":1}`, `call done count{"n":2} -> {"n":2}`, `call done count{"n":3} -> {"n":3}`, "problem done chat.step-limit")
	if p := d.entries()[4].Problem; p.Params["limit"] != "3" || p.Next == "" {
		t.Errorf("the person is told %v", p)
	}
}

func TestTheSameCallOverAndOverIsEnded(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("count", `{"a":1,"b":2}`), modeltest.Ask("count", `{"b":2, "a":1}`), modeltest.Ask("count", `{"a":1,"b":2}`)), []tool{{name: "count"}})
	d.say("go")
	d.expect(`person done "go"`, `call done count{"a":1,"b":2} -> {"a":1,"b":2}`, `call done count{"a":1,"b":2} -> {"a":1,"b":2}`, `call failed count{"a":1,"b":2} ! call.repeated`, "problem done chat.repeating")
	if told := d.told()[2]; !strings.Contains(told, "same call") {
		t.Errorf("the model was told %s", told)
	}
}

func TestAnotherCallInBetweenIsNoRepetition(t *testing.T) {
	a, b := modeltest.Ask("count", `{"a":1}`), modeltest.Ask("count", `{"a":2}`)
	d := sit(t, modeltest.Always(a, a, b, a, a, b, modeltest.Say("Done.")), []tool{{name: "count"}})
	d.say("go")
	if got := d.transcript(); strings.Contains(got, "repeat") || !strings.HasSuffix(got, `agent done "Done."`) {
		t.Errorf("the session has\n%s", got)
	}
}

func TestWhatEndsAnAnswerIsSaid(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply modeltest.Reply
		want  []string
	}{
		{"nothing at all", modeltest.Reply{}, []string{"problem done chat.no-answer"}},
		{"blank lines", modeltest.Say("\n \n"), []string{"problem done chat.no-answer"}},
		{"the limit", modeltest.Reply{Steps: []modeltest.Step{{Text: "Once"}}, Finish: "length"}, []string{`agent done "Once"`, "problem done chat.cut-off"}},
		{"a filter", modeltest.Reply{Finish: "content_filter"}, []string{"problem done chat.withheld"}},
		{"a broken connection", modeltest.Reply{Steps: []modeltest.Step{{Text: "Once upon a time"}, {DelayMs: 50, Drop: true}}}, []string{`agent failed "Once upon a time"`, "problem done model.dropped"}},
		{"a refusal", modeltest.Reply{Status: 401, Body: `{"error":{"message":"no"}}`}, []string{"problem done model.refused-key"}},
		{"a broken connection after a call", modeltest.Reply{Steps: []modeltest.Step{{Call: &modeltest.Call{Name: "count", ArgText: "{}"}}, {DelayMs: 50, Drop: true}}}, []string{"problem done model.dropped"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := sit(t, modeltest.Always(c.reply), []tool{{name: "count"}})
			d.say("go")
			d.expect(append([]string{`person done "go"`}, c.want...)...)
			if d.tools.called() != "" {
				t.Errorf("these ran: %s", d.tools.called())
			}
		})
	}
}

func TestRetrySendsTheLastMessageInPlaceOfWhatFollowed(t *testing.T) {
	d := sit(t, modeltest.Script{Turns: []modeltest.Turn{
		{When: "first", Rounds: []modeltest.Reply{modeltest.Say("One.")}},
		{When: "second", Fails: []modeltest.Reply{{Status: 400, Body: `{"error":{"message":"not now"}}`}}, Rounds: []modeltest.Reply{modeltest.Say("Two.")}},
	}}, nil)
	if _, err := d.Retry(t.Context(), d.session); !isProblem(err, "chat.nothing-to-retry") {
		t.Errorf("without a message: %v", err)
	}
	d.say("first")
	d.say("second")
	d.expect(`person done "first"`, `agent done "One."`, `person done "second"`, "problem done model.refused")
	if _, err := d.Retry(t.Context(), d.session); err != nil {
		t.Fatal(err)
	}
	d.settled()
	d.expect(`person done "first"`, `agent done "One."`, `person done "second"`, `agent done "Two."`)
	if _, err := d.Retry(t.Context(), d.session); err != nil {
		t.Fatal(err)
	}
	d.settled()
	d.expect(`person done "first"`, `agent done "One."`, `person done "second"`, `agent done "Two."`)
}

func TestWithoutAModelTheBestToolsAreOffered(t *testing.T) {
	d := sit(t, modeltest.Script{}, []tool{{name: "word_art", off: true}, {name: "open_file"}, {name: "word_list"}, {name: "words_of_the_day"}, {name: "word_game"}, {name: "word_count"}, {name: "wordless"}})
	d.say("words")
	d.expect(`person done "words"`, "matches done 5 of 7")
	if first := d.entries()[1].Matches.Tools[0]; first.Address != "kit/word_art" {
		t.Errorf("the first is %+v, though a tool that is off can be run by hand", first)
	}
	d.say("zzzz")
	if found := d.entries()[3].Matches; found.Tools == nil || len(found.Tools) != 0 || found.Of != 7 {
		t.Errorf("for nonsense there is %+v", found)
	}
}

func TestAPersonRunsAToolByItsForm(t *testing.T) {
	d := sit(t, modeltest.Script{}, []tool{{name: "count", off: true, schema: `{"type":"object","properties":{"text":{"type":"string"},"deep":{"type":"boolean","default":true}},"required":["text"]}`,
		do: func(_ context.Context, _ capability.Host, call capability.Call, args json.RawMessage) (json.RawMessage, error) {
			return json.Marshal(call.UserMessage + " " + call.Locale + " " + string(args))
		}}})
	_, err := d.RunTool(t.Context(), d.session, "kit/count", json.RawMessage(`{"text":7}`))
	var p *extension.Problem
	if !errors.As(err, &p) || p.Code != "call.bad-arguments" || len(p.Issues) != 1 || p.Issues[0].Place != "text" {
		t.Fatalf("broken arguments give %#v", err)
	}
	if _, err := d.RunTool(t.Context(), d.session, "kit/other", nil); !isProblem(err, "tool.missing") {
		t.Errorf("a tool that is not there gives %v", err)
	}
	if got := d.transcript(); got != "" {
		t.Errorf("something was written:\n%s", got)
	}
	d.say("how long is this")
	d.choose(session.Plan) // is about what the agent does
	turn, err := d.RunTool(t.Context(), d.session, "kit/count", json.RawMessage(`{"text":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	d.settled()
	last := d.entries()[2]
	if last.Turn != turn || last.State != session.Done || string(last.Call.Result) != `"how long is this en-GB {\"deep\":true,\"text\":\"a\"}"` || last.Call.ModelCallID != "" {
		t.Errorf("the call is %+v %s", last, last.Call.Result)
	}
}

func TestAnEmptyMessageIsNotSent(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Say("?")), nil)
	if _, err := d.Send(t.Context(), d.session, " \n "); !isProblem(err, "chat.empty") {
		t.Errorf("it gives %v", err)
	}
	if _, err := d.Send(t.Context(), "nowhere", "hi"); !isProblem(err, "session.missing") {
		t.Errorf("to a session that is not there it gives %v", err)
	}
	if _, err := d.Send(t.Context(), d.session, strings.Repeat("x", session.MaxMessageBytes+1)); !isProblem(err, "session.too-large") {
		t.Errorf("one that is too large gives %v", err)
	}
	d.say("hi") // none of these left the session busy
	d.expect(`person done "hi"`, `agent done "?"`)
}

// brokenClient panics in the middle of an answer.
type brokenClient struct{}

func (brokenClient) Stream(context.Context, model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		yield(model.Event{Kind: model.Text, Text: "Once"}, nil)
		panic("oh")
	}
}

func TestAPanicEndsTheTurnAndNothingElse(t *testing.T) {
	d := sit(t, modeltest.Script{}, nil, func(o *Options) {
		o.Model = func(context.Context, session.Session) (model.Client, string, error) {
			return brokenClient{}, "broken", nil
		}
	})
	d.say("go")
	d.expect(`person done "go"`, `agent failed "Once"`, "problem done chat.panic")
	d.say("again")
}

func TestOneSessionHasOneTurnAndOthersDoNotWait(t *testing.T) {
	d := sit(t, modeltest.Script{Turns: []modeltest.Turn{
		{When: "slow", Rounds: []modeltest.Reply{{Steps: []modeltest.Step{{Text: "Once"}, {Hang: true}}}}},
		{Rounds: []modeltest.Reply{modeltest.Say("Quick.")}},
	}}, nil)
	d.send("slow")
	d.until("text", func(e event.Event) bool {
		entry, ok := e.Payload.(session.Entry)
		return ok && entry.Kind == session.AgentSays
	})
	if _, err := d.Send(t.Context(), d.session, "more"); !isProblem(err, "session.busy") {
		t.Errorf("a second message gives %v", err)
	}
	if _, err := d.Retry(t.Context(), d.session); !isProblem(err, "session.busy") {
		t.Errorf("a retry gives %v", err)
	}
	other, err := d.sessions.Create(t.Context(), session.Session{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Send(t.Context(), other.ID, "quick"); err != nil {
		t.Fatal(err)
	}
	d.until("the other answer", func(e event.Event) bool {
		entry, ok := e.Payload.(session.Entry)
		return ok && entry.Session == other.ID && entry.Kind == session.AgentSays && entry.State == session.Done
	})
	if err := d.Stop(t.Context(), d.session); err != nil {
		t.Fatal(err)
	}
	d.expect(`person done "slow"`, `agent cancelled "Once"`)
}

func TestATurnCanBeginInTheMomentTheLastOneEnds(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Say("Yes.")), nil)
	for n := range 20 {
		d.send(fmt.Sprint("message ", n))
		d.ended()
	}
	if n := len(d.entries()); n != 40 {
		t.Errorf("there are %d entries", n)
	}
	if s, err := d.sessions.Get(t.Context(), d.session); err != nil || s.Running {
		t.Errorf("the session is %+v, %v", s, err)
	}
}

// fullDisk fails to add entries of one kind.
type fullDisk struct {
	Sessions
	kind session.Kind
}

func (f fullDisk) Append(ctx context.Context, e session.Entry) (session.Entry, error) {
	if e.Kind == f.kind {
		return session.Entry{}, extension.NewProblem("store.disk-full", "The disk is full.", "Make room.")
	}
	return f.Sessions.Append(ctx, e)
}

func TestAFullDiskEndsTheTurnAndNotTheSession(t *testing.T) {
	for kind, want := range map[session.Kind][]string{
		session.PersonSays: nil,
		session.ToolCall:   {`person done "go"`, "problem done store.disk-full"},
		session.Asks:       {`person done "go"`, "call failed ask{} ! store.disk-full", `agent done "Oh."`},
		session.Fails:      {`person done "go"`, `call failed ask{} ! call.bad-arguments`, `agent done "Oh."`},
	} {
		t.Run(string(kind), func(t *testing.T) {
			one := asks(colour)
			if kind == session.Fails {
				one.schema = `{"type":"object","required":["x"]}`
			}
			d := sit(t, modeltest.Always(modeltest.Ask("ask", "{}"), modeltest.Say("Oh.")), []tool{one}, func(o *Options) { o.Sessions = fullDisk{o.Sessions, kind} })
			if _, err := d.Send(t.Context(), d.session, "go"); (err != nil) != (kind == session.PersonSays) {
				t.Errorf("sending gives %v", err)
			}
			d.settled()
			d.expect(want...)
		})
	}
}

package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/backend/capability"
	"portico/backend/event"
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/model/modeltest"
	"portico/backend/session"
)

// asks is a tool that asks these questions and gives the answers.
func asks(questions ...capability.Question) tool {
	return tool{name: "ask", do: func(ctx context.Context, host capability.Host, call capability.Call, _ json.RawMessage) (json.RawMessage, error) {
		answers, err := host.Ask(ctx, call, questions)
		if err != nil {
			return nil, err
		}
		return json.Marshal(answers)
	}}
}

var colour = capability.Question{Question: "Which colour?", Options: []capability.Option{{Label: "Red", Value: "red"}, {Label: "Blue", Value: "blue"}}}

func TestAToolAsksAndIsAnswered(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("ask", "{}"), modeltest.Say("You chose {{result}}.")), []tool{asks(colour, capability.Question{Question: "Why?"})})
	d.send("go")
	asked := d.entry(session.Asks, session.Open)
	if asked.Question.Extension != "The kit" || asked.Parent == "" || len(asked.Question.Questions) != 2 {
		t.Errorf("the question is %+v", asked)
	}
	if s, err := d.sessions.Get(t.Context(), d.session); err != nil || !s.Running || !s.Waiting {
		t.Errorf("the session is %+v, %v", s, err)
	}
	if call := d.entries()[1]; call.Call.Phase != phaseAsking || call.ID != asked.Parent {
		t.Errorf("the call is %+v", call.Call)
	}
	for what, wrong := range map[string][]json.RawMessage{"ask.wrong-number": answer(`"red"`), "ask.bad-answer": answer(`"green"`, `"x"`)} {
		if err := d.Answer(t.Context(), asked.ID, wrong); !isProblem(err, what) {
			t.Errorf("a wrong answer gives %v, not %s", err, what)
		}
	}
	if err := d.Decide(t.Context(), asked.ID, grant.Answer{Decision: grant.Allow, Lasting: grant.Once}); !isProblem(err, "chat.wrong-answer") {
		t.Errorf("a decision about a question gives %v", err)
	}
	if err := d.Answer(t.Context(), asked.ID, answer(`"red"`, `"warm"`)); err != nil {
		t.Fatal(err)
	}
	if err := d.Answer(t.Context(), asked.ID, answer(`"blue"`, `"cold"`)); !isProblem(err, "chat.already-answered") {
		t.Errorf("a second answer gives %v", err)
	}
	d.settled()
	d.expect(`person done "go"`, `call done ask{} -> ["red","warm"]`, `question done "Which colour?" ["red" "warm"]`, `agent done "You chose [\"red\",\"warm\"]."`)
	if s, err := d.sessions.Get(t.Context(), d.session); err != nil || s.Waiting {
		t.Errorf("the session still waits: %+v, %v", s, err)
	}
	if err := d.Answer(t.Context(), asked.ID, answer(`"blue"`, `"cold"`)); !isProblem(err, "chat.already-answered") {
		t.Errorf("an answer after the end gives %v", err)
	}
	if err := d.Answer(t.Context(), "nothing", nil); !isProblem(err, "session.entry-missing") {
		t.Errorf("an answer to nothing gives %v", err)
	}
}

func TestOfManyAnswersAtTheSameTimeOneWins(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("ask", "{}"), modeltest.Say("Done.")), []tool{asks(colour)})
	d.send("go")
	asked := d.entry(session.Asks, session.Open)
	var won, lost atomic.Int32
	var all sync.WaitGroup
	for n := range 16 {
		all.Go(func() {
			err := d.Answer(context.Background(), asked.ID, answer([]string{`"red"`, `"blue"`}[n%2]))
			switch {
			case err == nil:
				won.Add(1)
			case isProblem(err, "chat.already-answered"):
				lost.Add(1)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 || lost.Load() != 15 {
		t.Errorf("%d won and %d lost", won.Load(), lost.Load())
	}
	d.settled()
	entries := d.entries()
	if string(entries[1].Call.Result) != "["+string(entries[2].Question.Answers[0])+"]" {
		t.Errorf("the tool got %s, the session has %s", entries[1].Call.Result, entries[2].Question.Answers)
	}
}

func TestSeveralQuestionsCanWaitAtOnce(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("ask", "{}"), modeltest.Say("Done.")), []tool{{name: "ask", do: func(ctx context.Context, host capability.Host, call capability.Call, _ json.RawMessage) (json.RawMessage, error) {
		results := make([]string, 3)
		var all sync.WaitGroup
		for n := range results {
			all.Go(func() {
				answers, err := host.Ask(ctx, call, []capability.Question{{Question: fmt.Sprint("number ", n)}})
				if err != nil {
					results[n] = err.Error()
					return
				}
				results[n] = string(answers[0])
			})
		}
		all.Wait()
		return json.Marshal(results)
	}}})
	d.send("go")
	var open []session.Entry
	for range 3 {
		open = append(open, d.entry(session.Asks, session.Open))
	}
	for n := len(open) - 1; n >= 0; n-- {
		number := strings.TrimPrefix(open[n].Question.Questions[0].Question, "number ")
		if err := d.Answer(t.Context(), open[n].ID, answer(`"`+number+`"`)); err != nil {
			t.Fatal(err)
		}
	}
	d.settled()
	if result := string(d.entries()[1].Call.Result); result != `["\"0\"","\"1\"","\"2\""]` {
		t.Errorf("the tool got %s", result)
	}
}

func TestWhatNobodyCouldAnswerIsNotAsked(t *testing.T) {
	for why, q := range map[string]capability.Question{
		"no kind":        {Kind: "essay", Question: "?"},
		"no actions":     {Kind: "image", Question: "?"},
		"no files":       {Kind: "files", Question: "?"},
		"no columns":     {Kind: "table", Question: "?"},
		"a huge picture": {Kind: "image", Question: "?", DataB64: strings.Repeat("x", maxImageChars+1), Actions: []capability.Option{{Label: "a", Value: "a"}}},
	} {
		t.Run(why, func(t *testing.T) {
			d := sit(t, modeltest.Always(modeltest.Ask("ask", "{}"), modeltest.Say("Oh.")), []tool{asks(q)})
			d.say("go")
			d.expect(`person done "go"`, "call failed ask{} ! ask.bad-question", `agent done "Oh."`)
		})
	}
	d := sit(t, modeltest.Always(modeltest.Ask("ask", "{}"), modeltest.Say("Oh.")), []tool{asks()})
	d.say("go")
	d.expect(`person done "go"`, "call done ask{} -> []", `agent done "Oh."`)
}

// permitted is a tool that asks for its permissions and gives the decisions.
func permitted(keys ...string) tool {
	var declared []extension.Permission
	for _, path := range keys {
		declared = append(declared, extension.Permission{Kind: extension.Write, Path: path, Reason: "To save."})
	}
	return tool{name: "save", permissions: declared, do: func(ctx context.Context, host capability.Host, call capability.Call, _ json.RawMessage) (json.RawMessage, error) {
		tool := extension.Tool{Name: "save", Permissions: declared}
		decided, err := host.Decided(ctx, call, tool)
		if err != nil {
			return nil, err
		}
		var undecided []extension.Permission
		for _, one := range decided {
			if one.Decision == grant.Ask {
				undecided = append(undecided, one.Permission)
			}
		}
		answers, err := host.Permit(ctx, call, tool, undecided)
		if err != nil {
			return nil, err
		}
		var got []string
		for n, one := range answers {
			got = append(got, undecided[n].Path+" "+string(one.Decision))
		}
		return json.Marshal(got)
	}}
}

func TestPermissionsAreAskedInOrderAndRememberedAsLongAsTheyLast(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("save", "{}"), modeltest.Say("Done.")), []tool{permitted("/once", "/session", "/always", "/never")},
		func(o *Options) {
			o.Explain = func(_ extension.Ref, p extension.Permission) (string, grant.Risk) {
				return "resolved " + p.Path, grant.Risk{Code: "replace-files", Level: "medium"}
			}
		})
	decide := func(decision grant.Decision, lasting grant.Lasting) {
		t.Helper()
		prompt := d.entry(session.Permits, session.Open)
		p := prompt.Permission
		if p.Extension != "The kit" || p.Address != "kit/save" || p.Resolved != "resolved "+p.Permission.Path || p.Risk.Level != "medium" || p.Permission.Reason != "To save." {
			t.Errorf("the prompt is %+v", p)
		}
		if err := d.Decide(t.Context(), prompt.ID, grant.Answer{Decision: decision, Lasting: lasting}); err != nil {
			t.Fatal(err)
		}
		if err := d.Decide(t.Context(), prompt.ID, grant.Answer{Decision: grant.Allow, Lasting: grant.Always}); !isProblem(err, "chat.already-answered") {
			t.Errorf("a second decision gives %v", err)
		}
	}
	d.send("go")
	decide(grant.Allow, grant.Once)
	decide(grant.Allow, grant.Session)
	decide(grant.Allow, grant.Always)
	decide(grant.Deny, "")
	d.settled()
	d.expect(`person done "go"`, `call done save{} -> ["/once allow","/session allow","/always allow","/never deny"]`,
		"permission done write:/once allow once", "permission done write:/session allow session", "permission done write:/always allow always", "permission done write:/never deny once", `agent done "Done."`)

	d.send("again")
	decide(grant.Deny, grant.Always)
	decide(grant.Allow, grant.Once)
	d.settled()
	if result := string(d.entries()[8].Call.Result); result != `["/once deny","/never allow"]` {
		t.Errorf("the second time the tool got %s", result)
	}

	other, err := d.sessions.Create(t.Context(), session.Session{})
	if err != nil {
		t.Fatal(err)
	}
	d.session = other.ID
	d.send("elsewhere")
	decide(grant.Deny, grant.Once)
	decide(grant.Deny, grant.Once)
	d.settled()
	if result := string(d.entries()[1].Call.Result); result != `["/session deny","/never deny"]` {
		t.Errorf("in another session the tool got %s", result)
	}
}

func TestADecisionHasToBeOne(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("save", "{}"), modeltest.Say("Done.")), []tool{permitted("/x")})
	d.send("go")
	prompt := d.entry(session.Permits, session.Open)
	for _, wrong := range []grant.Answer{{}, {Decision: grant.Ask, Lasting: grant.Once}, {Decision: grant.Allow, Lasting: "forever"}, {Decision: "yes", Lasting: grant.Once}} {
		if err := d.Decide(t.Context(), prompt.ID, wrong); !isProblem(err, "chat.bad-decision") {
			t.Errorf("%+v gives %v", wrong, err)
		}
	}
	if err := d.Answer(t.Context(), prompt.ID, answer(`"yes"`)); !isProblem(err, "chat.wrong-answer") {
		t.Errorf("an answer to a prompt gives %v", err)
	}
	if err := d.Decide(t.Context(), prompt.ID, grant.Answer{Decision: grant.Allow}); err != nil {
		t.Error(err)
	}
	d.settled()
}

func TestWhereNobodyIsThereAskBecomesDeny(t *testing.T) {
	for name, set := range map[string]struct {
		change func(*Options)
		mode   session.Mode
	}{
		"nobody present": {func(o *Options) { o.Present = false }, session.Guided},
		"autonomous":     {func(*Options) {}, session.Autonomous},
	} {
		t.Run(name, func(t *testing.T) {
			d := sit(t, modeltest.Always(modeltest.Ask("save", "{}"), modeltest.Say("Done.")), []tool{permitted("/a", "/b")}, set.change)
			d.choose(set.mode)
			d.say("go")
			d.expect(`person done "go"`, `call done save{} -> ["/a deny","/b deny"]`, `agent done "Done."`)
			log := d.entries()[1].Call.Log
			if len(log) != 2 || log[0].Level != "warn" || !strings.Contains(log[0].Message, "write:/a was denied without asking") {
				t.Errorf("the call's log is %+v", log)
			}
		})
	}
	d := sit(t, modeltest.Always(modeltest.Ask("ask", "{}"), modeltest.Say("Oh.")), []tool{asks(colour)}, func(o *Options) { o.Present = false })
	d.say("go")
	d.expect(`person done "go"`, "call failed ask{} ! ask.nobody", `agent done "Oh."`)
}

func TestInAutonomousModeAPersonWhoIsThereIsStillAsked(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("ask", "{}"), modeltest.Say("Done.")), []tool{asks(colour)})
	d.choose(session.Autonomous)
	d.send("go")
	if err := d.Answer(t.Context(), d.entry(session.Asks, session.Open).ID, answer(`"red"`)); err != nil {
		t.Fatal(err)
	}
	d.settled()
}

func TestAPersonWhoRunsAToolIsAskedInEveryMode(t *testing.T) {
	d := sit(t, modeltest.Script{}, []tool{permitted("/x")})
	d.choose(session.Autonomous)
	if _, err := d.RunTool(t.Context(), d.session, "kit/save", nil); err != nil {
		t.Fatal(err)
	}
	if err := d.Decide(t.Context(), d.entry(session.Permits, session.Open).ID, grant.Answer{Decision: grant.Allow}); err != nil {
		t.Fatal(err)
	}
	d.settled()
	d.expect(`call done save{} -> ["/x allow"]`, "permission done write:/x allow once")
}

func TestPlanModeLetsOnlyReadersThrough(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("look", "{}"), modeltest.Ask("change", "{}"), modeltest.Say("A plan.")), []tool{{name: "look", effect: extension.ReadsOnly}, {name: "change"}})
	d.choose(session.Plan)
	d.say("go")
	d.expect(`person done "go"`, "call done look{} -> {}", "call failed change{} ! call.plan-mode", `agent done "A plan."`)
	if told := d.told()[1]; !strings.Contains(told, "plan mode") || d.tools.called() != "look{}" {
		t.Errorf("the model was told %s, and %s ran", told, d.tools.called())
	}
}

func TestInteractiveModeConfirmsEachCall(t *testing.T) {
	script := modeltest.Always(modeltest.Ask("look", `{"n":1}`), modeltest.Ask("look", `{"n":2}`), modeltest.Ask("look", `{"n":3}`), modeltest.Say("Never said."))
	d := sit(t, script, []tool{{name: "look", effect: extension.ReadsOnly}})
	d.choose(session.Interactive)
	d.send("go")
	say := func(value string) {
		t.Helper()
		asked := d.entry(session.Asks, session.Open)
		q := asked.Question
		if q.Extension != "" || len(q.Questions) != 1 || len(q.Questions[0].Options) != 3 || asked.Parent == "" {
			t.Errorf("the question is %+v", q)
		}
		if err := d.Answer(t.Context(), asked.ID, answer(value)); err != nil {
			t.Fatal(err)
		}
	}
	say(`"yes"`)
	say(`"no"`)
	say(`"stop"`)
	d.settled()
	d.expect(`person done "go"`, `call done look{"n":1} -> {"n":1}`, `question done "Run Look?" ["yes"]`, `call failed look{"n":2} ! call.declined`, `question done "Run Look?" ["no"]`,
		`call cancelled look{"n":3}`, `question done "Run Look?" ["stop"]`)
	if told := d.told()[1]; !strings.Contains(told, "did not let Look run") || d.tools.called() != `look{"n":1}` {
		t.Errorf("the model was told %s, and %s ran", told, d.tools.called())
	}
}

func TestInteractiveModeWithNobodyThereRunsNothing(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("look", "{}"), modeltest.Say("Oh.")), []tool{{name: "look", effect: extension.ReadsOnly}}, func(o *Options) { o.Present = false })
	d.choose(session.Interactive)
	d.say("go")
	d.expect(`person done "go"`, "call failed look{} ! call.nobody", `agent done "Oh."`)
}

func TestTheModeCanBeSwitchedWhileATurnGoesOn(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("ask", "{}"), modeltest.Ask("ask", `{"x":1}`), modeltest.Say("A plan.")), []tool{asks(colour)})
	d.send("go")
	asked := d.entry(session.Asks, session.Open)
	d.choose(session.Plan)
	if err := d.Answer(t.Context(), asked.ID, answer(`"red"`)); err != nil {
		t.Fatal(err)
	}
	d.settled()
	d.expect(`person done "go"`, `call done ask{} -> ["red"]`, `question done "Which colour?" ["red"]`, `call failed ask{"x":1} ! call.plan-mode`, `agent done "A plan."`)
}

// hangs is a tool that does what it is told and then waits for its end.
func hangs(first func(host capability.Host, call capability.Call)) tool {
	return tool{name: "hang", do: func(ctx context.Context, host capability.Host, call capability.Call, _ json.RawMessage) (json.RawMessage, error) {
		first(host, call)
		<-ctx.Done()
		return nil, ctx.Err()
	}}
}

func TestStopEndsEverythingBeforeItReturns(t *testing.T) {
	text := modeltest.Reply{Steps: []modeltest.Step{{Text: "Once"}, {Hang: true}}}
	for _, c := range []struct {
		name  string
		reply modeltest.Reply
		tool  tool
		at    func(*desk)
		want  []string
	}{
		{"in the middle of a text", text, tool{name: "x"}, func(d *desk) {
			d.until("text", func(e event.Event) bool {
				entry, ok := e.Payload.(session.Entry)
				return ok && entry.Kind == session.AgentSays
			})
		}, []string{`agent cancelled "Once"`}},
		{"before the first word", modeltest.Reply{Steps: []modeltest.Step{{Hang: true}}}, tool{name: "x"}, func(d *desk) { d.entry(session.PersonSays, session.Done) }, nil},
		{"in a tool", modeltest.Ask("hang", "{}"), hangs(func(capability.Host, capability.Call) {}), func(d *desk) { d.entry(session.ToolCall, session.Running) }, []string{"call cancelled hang{}"}},
		{"in a question", modeltest.Ask("ask", "{}"), asks(colour), func(d *desk) { d.entry(session.Asks, session.Open) }, []string{"call cancelled ask{}", `question cancelled "Which colour?" []`}},
		{"in a permission prompt", modeltest.Ask("save", "{}"), permitted("/x"), func(d *desk) { d.entry(session.Permits, session.Open) }, []string{"call cancelled save{}", "permission cancelled write:/x"}},
		{"in a question that the tool does not wait for", modeltest.Ask("hang", "{}"), hangs(func(host capability.Host, call capability.Call) {
			go func() { _, _ = host.Ask(context.Background(), call, []capability.Question{colour}) }()
		}), func(d *desk) { d.entry(session.Asks, session.Open) }, []string{"call cancelled hang{}", `question cancelled "Which colour?" []`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := sit(t, modeltest.Always(c.reply), []tool{c.tool})
			d.send("go")
			c.at(d)
			if err := d.Stop(t.Context(), d.session); err != nil {
				t.Fatal(err)
			}
			d.expect(append([]string{`person done "go"`}, c.want...)...)
			if s, err := d.sessions.Get(t.Context(), d.session); err != nil || s.Running || s.Waiting {
				t.Errorf("the session is %+v, %v", s, err)
			}
			if err := d.Stop(t.Context(), d.session); err != nil {
				t.Errorf("a second stop gives %v", err)
			}
		})
	}
}

func TestStopAlsoConfirmsNothing(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("look", "{}")), []tool{{name: "look"}})
	d.choose(session.Interactive)
	d.send("go")
	d.entry(session.Asks, session.Open)
	if err := d.Stop(t.Context(), d.session); err != nil {
		t.Fatal(err)
	}
	d.expect(`person done "go"`, "call cancelled look{}", `question cancelled "Run Look?" []`)
}

func TestClosingEndsTurnsAsInterrupted(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("ask", "{}")), []tool{asks(colour)})
	d.send("go")
	d.entry(session.Asks, session.Open)
	if err := d.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.expect(`person done "go"`, "call interrupted ask{}", `question interrupted "Which colour?" []`)
	if _, err := d.Send(t.Context(), d.session, "more"); !isProblem(err, "chat.closing") {
		t.Errorf("a message after it gives %v", err)
	}
}

func TestATurnGoesOnWhenWhoSentItHasGone(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("ask", "{}"), modeltest.Say("Done.")), []tool{asks(colour)})
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := d.Send(ctx, d.session, "go"); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := d.Answer(t.Context(), d.entry(session.Asks, session.Open).ID, answer(`"red"`)); err != nil {
		t.Fatal(err)
	}
	d.settled()
	d.expect(`person done "go"`, `call done ask{} -> ["red"]`, `question done "Which colour?" ["red"]`, `agent done "Done."`)
}

func TestAQuestionThatATimeLimitCutsOffEnds(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("ask", "{}"), modeltest.Say("Oh.")), []tool{{name: "ask", do: func(ctx context.Context, host capability.Host, call capability.Call, _ json.RawMessage) (json.RawMessage, error) {
		limited, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		_, err := host.Ask(limited, call, []capability.Question{colour})
		if !errors.Is(err, context.DeadlineExceeded) {
			return nil, fmt.Errorf("ask gave %v", err)
		}
		return json.RawMessage(`"too late"`), nil
	}}})
	d.say("go")
	d.expect(`person done "go"`, `call done ask{} -> "too late"`, `question cancelled "Which colour?" []`, `agent done "Oh."`)
}

func TestWaitingForAPersonIsNotTheToolsTime(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("ask", "{}"), modeltest.Say("Done.")), []tool{asks(colour)})
	d.send("go")
	asked := d.entry(session.Asks, session.Open)
	time.Sleep(400 * time.Millisecond)
	if err := d.Answer(t.Context(), asked.ID, answer(`"red"`)); err != nil {
		t.Fatal(err)
	}
	d.settled()
	entries := d.entries()
	waited := time.Now().UnixMilli() - entries[1].Call.StartedAt
	if took := entries[1].Call.DurationMs; took > waited-400 {
		t.Errorf("of %d ms, %d count as the tool's", waited, took)
	}
}

func TestAQuestionOfAnotherProcessIsSaidToBeOne(t *testing.T) {
	d := sit(t, modeltest.Script{}, nil)
	entry, err := d.sessions.Append(t.Context(), session.Entry{Session: d.session, Kind: session.Asks, State: session.Open, Question: &session.QuestionEntry{Questions: []capability.Question{colour}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Answer(t.Context(), entry.ID, answer(`"red"`)); !isProblem(err, "chat.elsewhere") {
		t.Errorf("the answer gives %v", err)
	}
}

package deno

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/grant"
)

func TestProgressIsClampedAndItsLastIsNeverLost(t *testing.T) {
	s := onStage(t, examples+"/progress")
	s.works("count_up", `{"to":100}`, `{"counted":100}`)
	seen := s.person.progress
	if len(seen) == 0 || len(seen) > 60 || seen[len(seen)-1].Fraction != 1 || seen[len(seen)-1].Label != "Counted 100 of 100" {
		t.Errorf("got %d progresses, the last %+v", len(seen), seen[max(0, len(seen)-1)])
	}
	s.works("wild_progress", `{}`, `"done"`)
	for _, p := range s.person.progress {
		if p.Fraction < 0 || p.Fraction > 1 {
			t.Errorf("got %v", p)
		}
	}
}

func TestWhatAToolSaysIsInItsCallAndInItsLog(t *testing.T) {
	s := onStage(t, examples+"/progress")
	s.works("chatter", `{}`, `null`)
	for _, want := range []string{"debug: a line at debug", "info: a line at info", "warn: a line at warn", "error: a line at error", "info: a line at shout", "info: printed { a: 1 } [ 1, 2 ]", "error: printed as an error"} {
		if !s.person.logged(want) {
			t.Errorf("the call lacks %q: %q", want, s.person.logs)
		}
	}
	if err := s.instance.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(LogFile(s.runtime.options.Logs, s.ext.Ref()))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"warn  [chatter] a line at warn", "print written to the output", "error written to the errors"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the log lacks %q:\n%s", want, data)
		}
	}
}

func TestAToolKnowsTheChat(t *testing.T) {
	s := onStage(t, examples+"/progress")
	s.works("context", `{}`, `{"sessionId":null,"userMessage":""}`)
	got, err := s.callWith(t.Context(), capability.Call{Session: "s1", UserMessage: "how long is “this”?", Locale: "es-ES"}, "context", `{}`)
	if want := `{"locale":"es-ES","sessionId":"s1","userMessage":"how long is “this”?"}`; err != nil || got != want {
		t.Errorf("got %s, %v", got, err)
	}
}

// answering answers every question alike.
func answering(answers ...string) func(context.Context, []capability.Question) ([]json.RawMessage, error) {
	return func(context.Context, []capability.Question) ([]json.RawMessage, error) {
		var all []json.RawMessage
		for _, a := range answers {
			all = append(all, json.RawMessage(a))
		}
		return all, nil
	}
}

func TestAQuestionIsAnswered(t *testing.T) {
	s := onStage(t, examples+"/questions")
	s.person.ask = answering(`"green"`)
	s.works("pick_colour", `{}`, `{"colour":"green"}`)
	q := s.person.asked[0][0]
	if q.Kind != "choice" || q.Question != "Pick a favourite colour." || len(q.Options) != 3 || q.Options[1].Value != "green" {
		t.Errorf("got %+v", q)
	}
}

func TestEveryKindOfQuestionReachesThePerson(t *testing.T) {
	s := onStage(t, examples+"/questions")
	all := []string{`["red","mine"]`, `"accept"`, `["/a/two.txt"]`, `"keep"`, `[{"name":"Ada","age":"37"}]`}
	s.person.ask = answering(all...)
	s.works("ask_all", `{}`, "["+strings.Join(all, ",")+"]")
	var kinds []string
	for _, q := range s.person.asked[0] {
		kinds = append(kinds, q.Kind)
	}
	if got := strings.Join(kinds, " "); got != "choice diff files image table" {
		t.Errorf("got %s", got)
	}
}

func TestAFormThatIsNoneResolvesToNothing(t *testing.T) {
	s := onStage(t, examples+"/questions")
	s.works("ask_badly", `{}`, `[[],[],[],[],[],[],[],[]]`)
	if len(s.person.asked) != 0 {
		t.Errorf("the person was asked %+v", s.person.asked)
	}
}

func TestTwoFormsAtTheSameTimeAreAnsweredEachByItsOwn(t *testing.T) {
	s := onStage(t, examples+"/questions")
	s.person.ask = func(_ context.Context, questions []capability.Question) ([]json.RawMessage, error) {
		if questions[0].Question == "one?" {
			time.Sleep(30 * time.Millisecond)
		}
		answer, err := json.Marshal("to " + questions[0].Question)
		return []json.RawMessage{answer}, err
	}
	s.works("ask_twice", `{}`, `["to one?","to two?"]`)
}

func TestNobodyToAnswerIsAnErrorInWordsForTheTool(t *testing.T) {
	s := onStage(t, examples+"/questions")
	s.person.ask = func(context.Context, []capability.Question) ([]json.RawMessage, error) {
		return nil, extension.NewProblem("ask.nobody", "Nobody is there.", "Answer.")
	}
	if p := s.fails("pick_colour", `{}`, "call.failed"); p.What != "Nobody is there." {
		t.Errorf("got %q", p.What)
	}
}

func TestTheTimeLimitPausesWhileThePersonThinks(t *testing.T) {
	s := onStage(t, examples+"/questions")
	limit := 400 * time.Millisecond
	s.ext.Tool("ask_slowly").TimeLimit = limit
	s.person.ask = func(context.Context, []capability.Question) ([]json.RawMessage, error) {
		time.Sleep(2 * limit)
		return []json.RawMessage{json.RawMessage(`"yes"`)}, nil
	}
	s.works("ask_slowly", `{}`, `"yes"`)
}

func TestCallsThatWaitForAPersonHoldUpNoOther(t *testing.T) {
	s := onStage(t, examples+"/questions")
	s.runtime.running = newSlots(1)
	asked, answer := make(chan struct{}), make(chan struct{})
	s.person.ask = func(ctx context.Context, _ []capability.Question) ([]json.RawMessage, error) {
		asked <- struct{}{}
		<-answer
		return []json.RawMessage{json.RawMessage(`"red"`)}, nil
	}
	done := make(chan string)
	for range 2 {
		go func() {
			got, err := s.call("pick_colour", `{}`)
			done <- got + detailed(err)
		}()
	}
	<-asked
	<-asked // the second runs although there is one slot, and the first waits
	close(answer)
	for range 2 {
		if got := <-done; got != `{"colour":"red"}no error` {
			t.Errorf("got %s", got)
		}
	}
}

func TestFourKindsOfResultAreShown(t *testing.T) {
	s := onStage(t, examples+"/displays")
	s.works("show_all", `{}`, `{"shown":4}`)
	var kinds []string
	for _, d := range s.person.displays {
		kinds = append(kinds, d.Kind)
	}
	if got := strings.Join(kinds, " "); got != "markdown image table diff" {
		t.Fatalf("got %s", got)
	}
	if cell := s.person.displays[2].Rows[2][1]; cell != `{"born":1912}` {
		t.Errorf("got %v", cell)
	}
}

func TestWhatIsTooMuchToShowIsCutOrDroppedWithAWarning(t *testing.T) {
	s := onStage(t, examples+"/displays")
	s.works("show_too_much", `{}`, `null`)
	if len(s.person.displays) != 2 || len([]rune(s.person.displays[0].Markdown)) != maxMarkdown || s.person.displays[1].Markdown != "undefined" {
		t.Errorf("got %d displays", len(s.person.displays))
	}
	if len(s.person.logs) != 10 {
		t.Errorf("got %d warnings, want one for each of 10: %q", len(s.person.logs), s.person.logs)
	}
}

func TestWhatIsAllowedIsNotAskedAboutAndWhatIsDeniedEndsTheCall(t *testing.T) {
	s := onStage(t, examples+"/permissions")
	s.instance.places.Downloads = t.TempDir()
	s.works("needs_nothing", `{}`, `"nothing"`)
	path, err := json.Marshal(map[string]string{"path": s.instance.places.Downloads + "/a.txt", "text": "hello"})
	if err != nil {
		t.Fatal(err)
	}

	p := s.fails("save_note", string(path), "call.failed")
	if !strings.Contains(p.What, "permission denied: write:$downloads") || s.askedAbout() != "write:$downloads" {
		t.Errorf("got %q", p.What)
	}
	if _, err := os.Stat(s.instance.places.Downloads + "/a.txt"); err == nil {
		t.Error("it was written all the same")
	}

	s.person.allow("write:$downloads")
	s.works("save_note", string(path), `{"length":null}`) // without the optional one
	if got := s.askedAbout(); got != "read:$downloads" {
		t.Errorf("asked about %s", got)
	}

	s.person.allow("read:$downloads")
	s.person.permit = func([]extension.Permission) ([]grant.Answer, error) { return nil, errors.New("asked again") }
	s.works("save_note", string(path), `{"length":5}`)

	s.person.decisions["write:$downloads"] = grant.Deny
	p = s.fails("save_note", string(path), "call.denied")
	if !strings.Contains(p.What, "permission denied: write:$downloads") {
		t.Errorf("got %q", p.What)
	}
}

func TestAnErrorOfThePersonsEndIsTheCalls(t *testing.T) {
	s := onStage(t, examples+"/permissions")
	nobody := errors.New("nobody is there")
	s.person.permit = func([]extension.Permission) ([]grant.Answer, error) { return nil, nobody }
	if _, err := s.call("say_granted", `{}`); !errors.Is(err, nobody) { // asked before the start
		t.Errorf("got %v", err)
	}
	if p := s.fails("fetch_page", `{"url":"https://example.com"}`, "call.failed"); !strings.Contains(p.What, "nobody is there") { // asked in use
		t.Errorf("got %s", detailed(p))
	}
}

func TestModulesAreFoundWhereTheAuthorPutThem(t *testing.T) {
	s := onStage(t, examples+"/modules")
	s.works("add_up", `{"a":1,"b":2}`, `{"sum":6,"word":"sum","note":"a note","path":"`+jsonPath("a", "b")+`","name":"lazy"}`)
	s.works("computed_import", `{"name":"./lib/computed.ts"}`, `"found"`)
}

func jsonPath(parts ...string) string {
	return strings.Join(parts, strings.ReplaceAll(string(os.PathSeparator), `\`, `\\`))
}

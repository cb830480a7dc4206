package deno

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/grant"
)

// recorder stands behind every capability and gives back what it was given: what a runtime passes on is what is tested.
type recorder struct {
	capability.Memories
	completing atomic.Int32
	peak       atomic.Int32
	hold       chan struct{} // completions wait for it
}

func (r *recorder) List(context.Context) ([]capability.Memory, error) { return nil, nil }
func (r *recorder) Get(_ context.Context, title string) (capability.MemoryText, error) {
	if title == "none" {
		return capability.MemoryText{}, extension.NewProblem("memory.missing", "There is no memory {title}.", "", "title", title)
	}
	return capability.MemoryText{Title: title, Content: "text of " + title}, nil
}
func (r *recorder) File(_ context.Context, title, name string) (capability.MemoryFile, error) {
	return capability.MemoryFile{Title: title, Name: name, Content: "text of " + name}, nil
}
func (r *recorder) Write(_ context.Context, title, content string) (capability.MemoryChange, error) {
	return capability.MemoryChange{Title: title, After: content, Created: true}, nil
}
func (r *recorder) Edit(_ context.Context, title, find, replace string) (capability.MemoryChange, error) {
	return capability.MemoryChange{Title: title, Before: find, After: replace}, nil
}
func (r *recorder) Query(_ context.Context, query string, params []any) (capability.Rows, error) {
	return capability.Rows{Columns: []string{"z", "a"}, Values: [][]any{{query, fmt.Sprintf("%T", params)}, {fmt.Sprintf("%#v", params), nil}}}, nil
}
func (r *recorder) Execute(_ context.Context, query string, params []any) (capability.Changes, error) {
	if query == "long" {
		return capability.Changes{}, errors.New(strings.Repeat("x", 100))
	}
	return capability.Changes{Changes: int64(len(params)), LastInsertRowID: "9007199254740993"}, nil
}
func (r *recorder) Complete(ctx context.Context, c capability.Completion) (string, error) {
	now := r.completing.Add(1)
	defer r.completing.Add(-1)
	for {
		if peak := r.peak.Load(); now <= peak || r.peak.CompareAndSwap(peak, now) {
			break
		}
	}
	if r.hold != nil {
		select {
		case <-r.hold:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return fmt.Sprintf("  %s|%s|%d\n", c.Prompt, c.SystemPrompt, c.MaxTokens), nil
}
func (r *recorder) Speak(_ context.Context, text string) (capability.Sound, error) {
	return capability.Sound{DataB64: strings.Repeat("U", 6<<20), Mime: "audio/wav", SampleRate: len(text)}, nil
}
func (r *recorder) Transcribe(_ context.Context, heard capability.Recording) (string, error) {
	language := heard.Language
	if len(language) > 100 {
		language = fmt.Sprintf("%d characters, %d faces", utf8.RuneCountInString(language), strings.Count(language, "😀"))
	}
	return fmt.Sprintf("%d %s %s", len(heard.DataB64), heard.Mime, language), nil
}

// withServices lets the person's tools reach a recorder.
func (s *stage) withServices(keys ...string) *recorder {
	r := &recorder{}
	s.person.Gate = capability.Gate{Extension: s.ext, Asks: s.person, Services: capability.Services{
		Memories: r, Completer: func(capability.Call) capability.Completer { return r }, Speaker: r, Transcriber: r, Databases: func(extension.Ref) (capability.Database, error) { return r, nil },
	}}
	s.person.allow(keys...)
	return r
}

func TestEachMemberGivesWhatTheNotesSay(t *testing.T) {
	s := onStage(t, examples+"/members")
	s.withServices("memories:write", "llm", "tts", "stt")
	for _, c := range []struct{ member, args, want string }{
		{"memories.list", `[]`, `{"gave":[]}`},
		{"memories.get", `["Home"]`, `{"gave":{"title":"Home","content":"text of Home"}}`},
		{"memories.get", `["none"]`, `{"error":"There is no memory none."}`},
		{"memories.get", `[]`, `{"error":"memories.get: title is missing"}`},
		{"memories.get", `[7]`, `{"error":"memories.get: title must be a text, not a number"}`},
		{"memories.getFile", `["Home","a/b.md"]`, `{"gave":{"title":"Home","name":"a/b.md","content":"text of a/b.md"}}`},
		{"memories.write", `["Home","<b>\u2028😀"]`, `{"gave":{"title":"Home","before":"","after":"<b>` + "\u2028" + `😀","created":true}}`},
		{"memories.write", `["Home"]`, `{"error":"memories.write: content is missing"}`},
		{"memories.edit", `["Home","a",""]`, `{"gave":{"after":"","before":"a","title":"Home"}}`},
		{"memories.edit", `["Home","a",null]`, `{"error":"memories.edit: replace is missing"}`},
		{"db.query", `["SELECT 1"]`, `{"gave":[{"z":"SELECT 1","a":"[]interface {}"},{"z":"[]interface {}(nil)","a":null}]}`},
		{"db.query", `["q",["a",1,1.5,true,null]]`, `{"gave":[{"z":"q","a":"[]interface {}"},{"z":"[]interface {}{\"a\", 1, 1.5, true, interface {}(nil)}","a":null}]}`},
		{"db.query", `["q",[{}]]`, `{"error":"db.query: parameter 1 must be a text, a number, true, false or null"}`},
		{"db.query", `["q","a"]`, `{"error":"db.query: params must be a list"}`},
		{"db.query", `[]`, `{"error":"db.query: sql is missing"}`},
		{"db.execute", `["x",[1,2]]`, `{"gave":{"changes":2,"lastInsertRowId":"9007199254740993"}}`},
		{"llm.complete", `[{"prompt":"p"}]`, `{"gave":{"text":"p||512"}}`},
		{"llm.complete", `[{"prompt":"p","systemPrompt":"s","maxTokens":5000}]`, `{"gave":{"text":"p|s|1024"}}`},
		{"llm.complete", `[{"prompt":"p","maxTokens":0}]`, `{"error":"llm.complete: maxTokens must be 1 or more"}`},
		{"llm.complete", `[]`, `{"error":"llm.complete: prompt is missing"}`},
		{"llm.complete", `["p"]`, `{"error":"llm.complete: prompt is missing"}`},
		{"stt.transcribe", `[{"dataB64":"AAAA","mime":"audio/ogg","language":"es"}]`, `{"gave":{"text":"4 audio/ogg es"}}`},
		{"stt.transcribe", `[{"dataB64":[]}]`, `{"error":"stt.transcribe: dataB64 must be a text, not a list"}`},
		{"tts.speak", `[]`, `{"error":"tts.speak: text is missing"}`},
	} {
		args := fmt.Sprintf(`{"member":%q,"args":%s}`, c.member, c.args)
		got, err := s.call("use_member", args)
		var is, want any
		if err != nil || json.Unmarshal([]byte(got), &is) != nil || json.Unmarshal([]byte(c.want), &want) != nil {
			t.Fatalf("%s%s: got %s, %s", c.member, c.args, got, detailed(err))
		}
		if got != c.want {
			t.Errorf("%s%s\ngot  %s\nwant %s", c.member, c.args, got, c.want)
		}
	}
	got, err := s.call("use_member", `{"member":"tts.speak","args":["hello"]}`)
	if err != nil || len(got) < 6<<20 || !strings.HasSuffix(got, `"mime":"audio/wav","sampleRate":5}}`) {
		t.Errorf("speech gave %d bytes, %s", len(got), detailed(err))
	}
}

func TestWhatIsNotDeclaredOrDeniedIsAnErrorThatAToolCanCatch(t *testing.T) {
	s := onStage(t, examples+"/members")
	s.withServices("llm")
	for tool, want := range map[string]string{
		"use_nothing": `{"error":"loca-extension-members/use_nothing does not declare the permission memories:read."}`,
		"use_member":  `{"error":"permission denied: memories:write."}`,
	} {
		s.works(tool, `{"member":"memories.list","args":[]}`, want)
	}
	s.works("use_nothing", `{"member":"db.execute","args":["x"]}`, `{"gave":{"changes":0,"lastInsertRowId":"9007199254740993"}}`) // needs none
	s.ext.Database = false
	s.works("use_nothing", `{"member":"db.execute","args":["x"]}`, `{"error":"Members does not declare a database."}`)
}

func TestALongRecordingTravelsInParts(t *testing.T) {
	s := onStage(t, examples+"/members")
	s.withServices("stt")
	s.works("hear_long", `{"characters":33554432,"language":"es"}`, `{"text":"33554432  es"}`)
	// Pairs of surrogates stand where parts end, whichever way they fall.
	const faces = 3 << 20
	for _, before := range []string{"", "x"} {
		args, err := json.Marshal(map[string]any{"characters": 1, "language": before + strings.Repeat("😀", faces)})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.call("hear_long", string(args)); err != nil || got != fmt.Sprintf(`{"text":"1  %d characters, %d faces"}`, faces+len(before), faces) {
			t.Errorf("got %.200s, %s", got, detailed(err))
		}
	}
	s.works("hear_long", `{"characters":52428800}`, `{"error":"stt.transcribe: the arguments take more than 48 MB"}`)
}

func TestRequestsOfOneCallAreBounded(t *testing.T) {
	s := onStage(t, examples+"/members")
	r := s.withServices("llm")
	s.works("use_many", `{"times":60}`, `{"worked":60,"errors":[]}`)
	r.hold = make(chan struct{})
	done := make(chan string)
	go func() {
		got, err := s.call("use_many", `{"times":500}`)
		done <- got + detailed(err)
	}()
	for r.completing.Load() < maxRequests { // the test's own time limit ends it
		time.Sleep(time.Millisecond)
	}
	close(r.hold)
	if got := <-done; !strings.HasSuffix(got, `"errors":["llm.complete: more than 64 requests at the same time; await them"]}no error`) {
		t.Errorf("got %s", got)
	}
	if peak := r.peak.Load(); peak != maxRequests {
		t.Errorf("%d ran at once", peak)
	}
}

func TestWhileThePersonIsAskedForACapabilityTheTimeStandsStill(t *testing.T) {
	s := onStage(t, examples+"/members")
	s.withServices()
	const limit = 2 * time.Second
	s.ext.Tool("use_many").TimeLimit = limit
	asked := make(chan struct{}, 1)
	answer := make(chan struct{})
	s.person.permit = func([]extension.Permission) ([]grant.Answer, error) {
		asked <- struct{}{}
		<-answer
		return []grant.Answer{{Decision: grant.Allow, Lasting: grant.Once}}, nil
	}
	done := make(chan string)
	go func() {
		got, err := s.call("use_many", `{"times":1}`)
		done <- got + detailed(err)
	}()
	<-asked
	if s.runtime.running.inUse() != 0 {
		t.Error("a call that waits for the person takes another's place")
	}
	time.Sleep(limit + limit/4)
	close(answer)
	if got := <-done; got != `{"worked":1,"errors":[]}no error` {
		t.Errorf("got %s", got)
	}
}

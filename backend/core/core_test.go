package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"portico/backend/event"
	"portico/backend/extension"
	"portico/backend/model/modeltest"
	"portico/backend/session"
)

// The thread that starts children lives as long as the process.
func TestMain(m *testing.M) {
	if data := os.Getenv(scheduledChild); data != "" {
		scheduledMain(data)
	}
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("portico/backend/confine.spawnLoop"))
}

// patience is how long a test waits for something that has to come; it never decides on speed.
const patience = 30 * time.Second

func open(t *testing.T, data string) *Core {
	t.Helper()
	c, err := Open(t.Context(), Options{Data: data, Present: true, Locale: "en-GB"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func installed(t *testing.T, c *Core, example string, tools ...string) ExtensionView {
	t.Helper()
	v, err := c.Install(t.Context(), InstallRequest{Source: filepath.Join("../../testdata/loca", example), Tools: tools})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// installedFrom installs an extension of these files.
func installedFrom(t *testing.T, c *Core, files map[string]string) ExtensionView {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	v, err := c.Install(t.Context(), InstallRequest{Source: folder})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func newSession(t *testing.T, c *Core) session.Session {
	t.Helper()
	s, err := c.Sessions.Create(t.Context(), session.Session{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// scripted connects a core with a model that answers from a script.
func scripted(t *testing.T, c *Core, script string) *modeltest.Server {
	t.Helper()
	var s modeltest.Script
	if err := json.Unmarshal([]byte(script), &s); err != nil {
		t.Fatal(err)
	}
	server, err := modeltest.Start(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, _, err := c.ChooseModel(t.Context(), server.URL, "scripted"); err != nil {
		t.Fatal(err)
	}
	return server
}

// settled waits until the session's turn is over and gives its transcript.
func settled(t *testing.T, c *Core, id string, act func(session.Entry)) []session.Entry {
	t.Helper()
	acted := map[string]bool{}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		// The session first: entries that were read before the turn ended may still be running.
		s, err := c.Sessions.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		entries, err := c.Sessions.Entries(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if entry.State == session.Open && act != nil && !acted[entry.ID] {
				acted[entry.ID] = true
				act(entry)
			}
		}
		if !s.Running && len(entries) > 0 {
			return entries
		}
	}
	t.Fatal("the turn does not end")
	return nil
}

func kinds(entries []session.Entry) string {
	var all []string
	for _, e := range entries {
		all = append(all, fmt.Sprintf("%s:%s", e.Kind, e.State))
	}
	return strings.Join(all, " ")
}

func TestAModelCallsAToolThatRunsInItsSandbox(t *testing.T) {
	c := open(t, t.TempDir())
	installed(t, c, "wordcount", "word_count")
	server := scripted(t, c, `{"turns":[{"when":"how long","rounds":[
		{"steps":[{"text":"I'll count."},{"call":{"name":"word_count","args":{"text":"one two three"}}}]},
		{"steps":[{"text":"Three words: {{result}}"}]}]}]}`)
	s := newSession(t, c)
	if _, err := c.Send(t.Context(), s.ID, "how long is this?"); err != nil {
		t.Fatal(err)
	}
	entries := settled(t, c, s.ID, nil)
	if got := kinds(entries); got != "person:done agent:done call:done agent:done" {
		t.Fatalf("got %s", got)
	}
	if call := entries[2].Call; string(call.Result) != `{"words":3,"characters":13}` || call.Address != "loca-extension-wordcount/word_count" || call.Extension != "Word Count" {
		t.Errorf("got %+v", call)
	}
	if !strings.Contains(entries[3].Text, `{"words":3,"characters":13}`) {
		t.Errorf("the model was told %q", entries[3].Text)
	}
	if asked := server.Requests(); len(asked) != 2 {
		t.Errorf("the model was asked %d times", len(asked))
	}
	if now, _ := c.Sessions.Get(t.Context(), s.ID); now.Title != "how long is this?" {
		t.Errorf("the session is called %q", now.Title)
	}
}

func TestWithoutAModelDirectModeDoesTheMainJob(t *testing.T) {
	c := open(t, t.TempDir())
	installed(t, c, "wordcount") // its tool's switch is off: the person runs it, not the model
	s := newSession(t, c)
	if _, err := c.Send(t.Context(), s.ID, "count the words in this"); err != nil {
		t.Fatal(err)
	}
	entries := settled(t, c, s.ID, nil)
	if got := kinds(entries); got != "person:done matches:done" || len(entries[1].Matches.Tools) == 0 || entries[1].Matches.Tools[0].Address != "loca-extension-wordcount/word_count" {
		t.Fatalf("got %s %+v", got, entries[len(entries)-1].Matches)
	}
	var p *extension.Problem
	if _, err := c.RunTool(t.Context(), s.ID, "loca-extension-wordcount/word_count", json.RawMessage(`{}`)); !errors.As(err, &p) || len(p.Issues) != 1 || p.Issues[0].Place != "text" {
		t.Errorf("arguments that break the schema: %v", err)
	}
	if _, err := c.RunTool(t.Context(), s.ID, "loca-extension-wordcount/word_count", json.RawMessage(`{"text":"a b"}`)); err != nil {
		t.Fatal(err)
	}
	entries = settled(t, c, s.ID, nil)
	if last := entries[len(entries)-1]; last.Kind != session.ToolCall || string(last.Call.Result) != `{"words":2,"characters":3}` {
		t.Errorf("got %s %+v", kinds(entries), last.Call)
	}
}

func TestChangedFilesDoNotRun(t *testing.T) {
	c := open(t, t.TempDir())
	v := installed(t, c, "wordcount", "word_count")
	if err := os.WriteFile(filepath.Join(v.Root, "index.ts"), []byte("export function wordCount() { return 'evil'; }"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newSession(t, c)
	_, err := c.RunTool(t.Context(), s.ID, extension.Address(v.ID, "word_count"), json.RawMessage(`{"text":"x"}`))
	if err == nil {
		entries := settled(t, c, s.ID, nil)
		last := entries[len(entries)-1]
		if last.State != session.Failed || !strings.Contains(last.Call.Error.Error(), "changed") {
			t.Errorf("got %s %+v", last.State, last.Call)
		}
	} else if !strings.Contains(err.Error(), "changed") {
		t.Errorf("got %v", err)
	}
}

func TestRemovingLeavesNoTrace(t *testing.T) {
	data := t.TempDir()
	c := open(t, data)
	v := installed(t, c, "wordcount", "word_count")
	s := newSession(t, c)
	if _, err := c.RunTool(t.Context(), s.ID, extension.Address(v.ID, "word_count"), json.RawMessage(`{"text":"x"}`)); err != nil {
		t.Fatal(err)
	}
	settled(t, c, s.ID, nil)
	if err := c.Remove(t.Context(), v.Ref()); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(data, func(path string, entry os.DirEntry, err error) error {
		if err == nil && strings.Contains(entry.Name(), "wordcount") {
			t.Errorf("left behind: %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	again := installed(t, c, "wordcount")
	if again.Tools[0].Enabled {
		t.Error("a tool of an extension that was removed and added again is still on")
	}
}

func TestAnotherProcessesInstallIsHeard(t *testing.T) {
	data := t.TempDir()
	app, line := open(t, data), open(t, data)
	heard := app.Events.Subscribe()
	defer heard.Close()
	installed(t, line, "wordcount")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		events, err := heard.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Topic == event.Extensions {
				return
			}
		}
	}
}

func TestReconcileEndsWhatShouldNotRun(t *testing.T) {
	ref := func(id string) extension.Ref {
		return extension.Ref{Scope: extension.Agent, Format: extension.Loca, ID: id}
	}
	ext := func(id, fingerprint string, enabled bool, problem *extension.Problem) extension.Copy {
		return extension.Copy{Extension: extension.Extension{ID: id, Format: extension.Loca}, Scope: extension.Agent, Fingerprint: fingerprint, Enabled: enabled, Problem: problem}
	}
	running := map[extension.Ref]string{ref("same"): "1", ref("changed"): "1", ref("off"): "1", ref("gone"): "1", ref("drifted"): "1"}
	wanted := []extension.Copy{ext("same", "1", true, nil), ext("changed", "2", true, nil), ext("off", "1", false, nil), ext("drifted", "1", true, &extension.Problem{}), ext("new", "1", true, nil)}
	stop := map[extension.Ref]bool{}
	for _, ref := range reconcile(running, wanted) {
		stop[ref] = true
	}
	if len(stop) != 4 || stop[ref("same")] || !stop[ref("changed")] || !stop[ref("off")] || !stop[ref("gone")] || !stop[ref("drifted")] {
		t.Errorf("got %v", stop)
	}
}

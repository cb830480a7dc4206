package core

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/session"
)

func TestASwitchedOffToolIsNotSeenByTheModel(t *testing.T) {
	c := open(t, t.TempDir())
	v := installed(t, c, "wordcount")
	server := scripted(t, c, `{"turns":[{"rounds":[{"steps":[{"text":"Hello."}]}]}]}`)
	tools := func() int {
		t.Helper()
		s := newSession(t, c)
		if _, err := c.Send(t.Context(), s.ID, "count the words in this"); err != nil {
			t.Fatal(err)
		}
		settled(t, c, s.ID, nil)
		asked := server.Requests()
		return len(asked[len(asked)-1].Tools)
	}
	if n := tools(); n != 0 {
		t.Errorf("off: the model sees %d tools", n)
	}
	if _, err := c.SetToolEnabled(t.Context(), v.Ref(), "word_count", true); err != nil {
		t.Fatal(err)
	}
	if n := tools(); n != 1 {
		t.Errorf("on: the model sees %d tools", n)
	}
	if _, err := c.SetEnabled(t.Context(), v.Ref(), false); err != nil {
		t.Fatal(err)
	}
	if n := tools(); n != 0 {
		t.Errorf("the extension off: the model sees %d tools", n)
	}
}

func TestAToolOfAnotherSystemIsOfferedNowhereAndDoesNotRun(t *testing.T) {
	c := open(t, t.TempDir())
	other := "windows"
	if slices.Contains(grant.Platforms(), other) {
		other = "darwin"
	}
	v := installedFrom(t, c, map[string]string{
		"loca.json": `{"name":"elsewhere","displayName":"Elsewhere","description":"Counts the words elsewhere.","tools":[{"name":"count_words","description":"Counts the words.",
			"triggers":["count the words in this"],"parameters":{"type":"object"},"function":"f","platforms":["` + other + `"]}]}`,
		"index.ts": `export const f = () => 1;`,
	})
	if tool := v.Tools[0]; tool.Available {
		t.Error("its page says that it runs here")
	}
	if _, err := c.SetToolEnabled(t.Context(), v.Ref(), "count_words", true); err != nil {
		t.Fatal(err)
	}
	s := newSession(t, c)
	if _, err := c.Send(t.Context(), s.ID, "count the words in this"); err != nil {
		t.Fatal(err)
	}
	entries := settled(t, c, s.ID, nil)
	if found := entries[len(entries)-1].Matches; found == nil || found.Of != 0 {
		t.Errorf("direct mode ranks it: %+v", found)
	}
	server := scripted(t, c, `{"turns":[{"rounds":[{"steps":[{"text":"Hello."}]}]}]}`)
	if _, err := c.Send(t.Context(), s.ID, "and now?"); err != nil {
		t.Fatal(err)
	}
	settled(t, c, s.ID, nil)
	if asked := server.Requests(); len(asked) != 1 || len(asked[0].Tools) != 0 {
		t.Errorf("the model sees it: %+v", asked)
	}
	var p *extension.Problem
	if _, err := c.RunTool(t.Context(), s.ID, extension.Address(v.ID, "count_words"), json.RawMessage(`{}`)); !errors.As(err, &p) || p.Code != "tool.missing" {
		t.Errorf("a form runs it: %v", err)
	}
	if _, err := c.RunDirect(t.Context(), Direct{Ref: v.Ref(), Tool: "count_words"}); !errors.As(err, &p) || p.Code != "tool.wrong-system" {
		t.Errorf("the command line runs it: %v", err)
	}
}

func TestAnUndecidedPermissionIsAskedBeforeTheStart(t *testing.T) {
	c := open(t, t.TempDir())
	folder := t.TempDir()
	file := filepath.Join(folder, "note.txt")
	v := installedFrom(t, c, map[string]string{
		"loca.json": `{"name":"reader","displayName":"Reader","description":"Reads.","tools":[{"name":"read_file","description":"Reads a file.","parameters":{"type":"object"},
			"function":"read","permissions":{"read":[{"path":` + quoted(folder) + `,"reason":"To read your note."}]}}]}`,
		"index.ts": `export const read = ({ path }: { path: string }) => Deno.readTextFileSync(path);`,
	})
	if err := os.WriteFile(file, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newSession(t, c)
	run := func(answer grant.Answer, prompts int) session.Entry {
		t.Helper()
		if _, err := c.RunTool(t.Context(), s.ID, extension.Address(v.ID, "read_file"), json.RawMessage(`{"path":`+quoted(file)+`}`)); err != nil {
			t.Fatal(err)
		}
		asked := 0
		entries := settled(t, c, s.ID, func(e session.Entry) {
			asked++
			if e.Kind != session.Permits || e.Permission.Permission.Reason == "" || e.Permission.Risk.Code == "" {
				t.Errorf("got %+v", e)
			}
			if err := c.DecidePermission(t.Context(), e.ID, answer); err != nil {
				t.Error(err)
			}
			if err := c.DecidePermission(t.Context(), e.ID, grant.Answer{Decision: grant.Allow, Lasting: grant.Always}); err == nil {
				t.Error("a second answer counted")
			}
		})
		if asked != prompts {
			t.Errorf("%v: the person was asked %d times, want %d", answer, asked, prompts)
		}
		for n := len(entries) - 1; ; n-- {
			if entries[n].Kind == session.ToolCall {
				return entries[n]
			}
		}
	}
	if call := run(grant.Answer{Decision: grant.Deny, Lasting: grant.Once}, 1); call.State != session.Failed || !strings.Contains(call.Call.Error.Error(), "denied") {
		t.Errorf("denied: got %s %+v", call.State, call.Call.Error)
	}
	if call := run(grant.Answer{Decision: grant.Allow, Lasting: grant.Once}, 1); call.State != session.Done || string(call.Call.Result) != `"hello"` {
		t.Errorf("allowed once: got %s %+v", call.State, call.Call.Error)
	}
	for _, prompts := range []int{1, 0} { // once was for that call; always is for all
		if call := run(grant.Answer{Decision: grant.Allow, Lasting: grant.Always}, prompts); call.State != session.Done {
			t.Errorf("allowed: got %s %+v", call.State, call.Call.Error)
		}
	}
	views, err := c.Extensions(t.Context())
	if err != nil || views[0].Tools[0].Permissions[0].Decision != grant.Allow {
		t.Errorf("it is not remembered: %+v %v", views, err)
	}
}

func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

func TestInstallingAgainKeepsWhatThePersonDecided(t *testing.T) {
	c := open(t, t.TempDir())
	manifest := func(reason, more string) map[string]string {
		return map[string]string{
			"loca.json": `{"name":"reader","displayName":"Reader","description":"Reads.","tools":[{"name":"read_file","description":"Reads a file.","parameters":{"type":"object"},
				"function":"read","permissions":{"read":[{"path":"$downloads","reason":"` + reason + `"}]}}` + more + `]}`,
			"index.ts": `export const read = () => 1;`,
		}
	}
	v := installedFrom(t, c, manifest("To read.", ""))
	if _, err := c.SetToolEnabled(t.Context(), v.Ref(), "read_file", true); err != nil {
		t.Fatal(err)
	}
	if _, err := c.SetGrant(t.Context(), grant.Subject{Ref: v.Ref(), Tool: "read_file"}, "read:$downloads", grant.Allow); err != nil {
		t.Fatal(err)
	}
	again := installedFrom(t, c, manifest("To read it better.", `,{"name":"write_file","description":"Writes.","parameters":{"type":"object"},"function":"read",
		"permissions":{"write":[{"path":"$downloads","reason":"To write."}],"read":[{"path":"$downloads","reason":"To read."}]}}`))
	old, added := again.Tools[0], again.Tools[1]
	if !old.Enabled || old.Permissions[0].Decision != grant.Allow {
		t.Errorf("the tool that was there: on %v, %+v", old.Enabled, old.Permissions)
	}
	if added.Enabled || len(added.Permissions) != 2 || added.Permissions[0].Decision != grant.Ask || added.Permissions[1].Decision != grant.Ask {
		t.Errorf("the tool that is new: on %v, %+v", added.Enabled, added.Permissions)
	}
}

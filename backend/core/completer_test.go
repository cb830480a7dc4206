package core

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"portico/backend/capability"
	"portico/backend/extension"
)

// asks makes a completion as a tool of a session would.
func asks(t *testing.T, c *Core, inSession string) (string, error) {
	t.Helper()
	return c.services().Completer(capability.Call{Session: inSession}).Complete(t.Context(), capability.Completion{
		Prompt: "How many?", SystemPrompt: "Count.", MaxTokens: 300,
	})
}

func TestATextIsAskedOfTheSessionsModelWithoutItsThoughts(t *testing.T) {
	c := open(t, t.TempDir())
	server := scripted(t, c, `{"models":["scripted","large"],"turns":[{"rounds":[{"steps":[{"reasoning":"Let me count."},{"text":" <think>One, two.</think>\n"},{"text":"Two. "}]}]}]}`)
	if text, err := asks(t, c, ""); err != nil || text != "Two." {
		t.Fatalf("outside of a session: %q %v", text, err)
	}
	s := newSession(t, c)
	large := "large"
	if _, err := c.Sessions.Choose(t.Context(), s.ID, nil, &large); err != nil {
		t.Fatal(err)
	}
	if text, err := asks(t, c, s.ID); err != nil || text != "Two." {
		t.Fatalf("in a session: %q %v", text, err)
	}
	var models []string
	for _, r := range server.Requests() {
		models = append(models, r.Model)
		var sent struct {
			MaxTokens int64 `json:"max_tokens"`
			Template  struct {
				Thinks *bool `json:"enable_thinking"`
			} `json:"chat_template_kwargs"`
			Effort string `json:"reasoning_effort"`
		}
		if err := json.Unmarshal(r.Raw, &sent); err != nil {
			t.Fatal(err)
		}
		if sent.MaxTokens != 300 || sent.Template.Thinks == nil || *sent.Template.Thinks || sent.Effort != "none" {
			t.Errorf("the request was %s", r.Raw)
		}
		if len(r.Messages) != 2 || r.Messages[0].Content != "Count." || r.Messages[1].Content != "How many?" || len(r.Tools) != 0 {
			t.Errorf("the request was %s", r.Raw)
		}
	}
	if got := strings.Join(models, " "); got != "scripted large" {
		t.Errorf("asked of %s", got)
	}
}

func TestAServerThatKnowsNoFieldAboutThinkingIsAskedWithoutIt(t *testing.T) {
	c := open(t, t.TempDir())
	server := scripted(t, c, `{"models":["m"],"turns":[{"fails":[{"status":400,"body":"{\"error\":{\"message\":\"Unrecognized request argument supplied: chat_template_kwargs\"}}"}],"rounds":[{"steps":[{"text":"Two."}]}]}]}`)
	if text, err := asks(t, c, ""); err != nil || text != "Two." {
		t.Fatalf("got %q %v", text, err)
	}
	all := server.Requests()
	if len(all) != 2 || strings.Contains(string(all[1].Raw), "thinking") || strings.Contains(string(all[1].Raw), "effort") {
		t.Errorf("%d requests, the last: %s", len(all), all[len(all)-1].Raw)
	}
}

func TestACompletionThatGivesNoTextSaysWhy(t *testing.T) {
	for name, c := range map[string]struct{ script, code string }{
		"all of it was thought": {`{"models":["m"],"turns":[{"rounds":[{"finish":"length","steps":[{"reasoning":"Hm"}]}]}]}`, "llm.too-short"},
		"withheld":              {`{"models":["m"],"turns":[{"rounds":[{"finish":"content_filter","steps":[{"text":" "}]}]}]}`, "llm.withheld"},
		"the server fails":      {`{"models":["m"],"turns":[{"rounds":[{"status":401}]}]}`, "model.refused-key"},
		"no model is chosen":    {"", "llm.no-model"},
	} {
		t.Run(name, func(t *testing.T) {
			core := open(t, t.TempDir())
			if c.script != "" {
				scripted(t, core, c.script)
			}
			text, err := asks(t, core, "")
			var p *extension.Problem
			if !errors.As(err, &p) || text != "" || p.Code != c.code {
				t.Errorf("got %q and %v, want %q", text, err, c.code)
			}
		})
	}
}

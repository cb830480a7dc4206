// Package modeltest is a model at the wire: an HTTP server that speaks the OpenAI API and answers from a script, with
// text in small chunks, tool calls split in the middle of a token, refusals, errors within a stream, silence and dropped
// connections. Requests are kept, so that a test can see what a model would have been told. It serves tests of any
// package, and by its command those of the browser.
package modeltest

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
)

// Script is what the server says. A request is answered by the first turn whose When matches its last user message;
// within a turn, by the round that the request has come to, which the request itself tells: one per assistant message
// with tool calls after that user message. So answers do not depend on what was asked before.
type Script struct {
	Models []string `json:"models,omitempty"` // what /models lists; none: "scripted"
	Owner  string   `json:"owner,omitempty"`  // their owned_by
	Key    string   `json:"key,omitempty"`    // the only key that is let in; empty: any
	Turns  []Turn   `json:"turns"`
}

// Turn answers a user message.
type Turn struct {
	When   string  `json:"when,omitempty"`   // a regular expression (RE2) over the last user message; empty: any
	Fails  []Reply `json:"fails,omitempty"`  // given first, one for each request, before the rounds begin
	Rounds []Reply `json:"rounds,omitempty"` // the last one also answers every further round
}

// Reply is one answer. With a Status it is no stream but that status and Body.
type Reply struct {
	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
	Hangup  bool              `json:"hangup,omitempty"` // the connection is reset in place of an answer
	Steps   []Step            `json:"steps,omitempty"`
	Finish  string            `json:"finish,omitempty"` // finish_reason; empty: "tool_calls" after calls, "stop" otherwise; "none": none
	NoDone  bool              `json:"noDone,omitempty"` // no [DONE] at the end
}

// Step is one thing that happens in a stream. Exactly one field is set, but for DelayMs, which comes first.
type Step struct {
	DelayMs   int             `json:"delayMs,omitempty"`
	Text      string          `json:"text,omitempty"` // "{{result}}": the newest tool result of the request
	Reasoning string          `json:"reasoning,omitempty"`
	Call      *Call           `json:"call,omitempty"`
	Chunk     json.RawMessage `json:"chunk,omitempty"`   // sent as it is
	Raw       string          `json:"raw,omitempty"`     // bytes on the wire, as they are
	Comment   string          `json:"comment,omitempty"` // a keep-alive
	Error     json.RawMessage `json:"error,omitempty"`   // an error object within the stream
	Drop      bool            `json:"drop,omitempty"`    // the connection breaks here
	Hang      bool            `json:"hang,omitempty"`    // nothing more comes, until the client goes
}

// Call is a tool call, sent in fragments.
type Call struct {
	ID      string          `json:"id,omitempty"`
	Name    string          `json:"name"`
	Args    json.RawMessage `json:"args,omitempty"`
	ArgText string          `json:"argText,omitempty"` // in place of Args: any text, broken JSON too
	Whole   bool            `json:"whole,omitempty"`   // in one fragment, as llama.cpp does
	NoIndex bool            `json:"noIndex,omitempty"`
}

// Read reads a script from a file. Unknown fields are an error: a misspelt one would be a test that tests nothing.
func Read(file string) (Script, error) {
	in, err := os.Open(file)
	if err != nil {
		return Script{}, fmt.Errorf("open the script: %w", err)
	}
	defer in.Close()
	decoder := json.NewDecoder(in)
	decoder.DisallowUnknownFields()
	var script Script
	if err := decoder.Decode(&script); err != nil {
		return Script{}, fmt.Errorf("read the script %s: %w", file, err)
	}
	return script, nil
}

// compile reads the turns' expressions.
func (s Script) compile() ([]*regexp.Regexp, error) {
	compiled := make([]*regexp.Regexp, len(s.Turns))
	for n, turn := range s.Turns {
		expression, err := regexp.Compile(turn.When)
		if err != nil {
			return nil, fmt.Errorf("turns[%d].when: %w", n, err)
		}
		compiled[n] = expression
	}
	return compiled, nil
}

// Say is a reply of text alone.
func Say(text string) Reply { return Reply{Steps: []Step{{Text: text}}} }

// Ask is a reply that calls one tool. args is JSON.
func Ask(name, args string) Reply {
	return Reply{Steps: []Step{{Call: &Call{Name: name, ArgText: args}}}}
}

// Always is a script of one turn that answers every message with these rounds.
func Always(rounds ...Reply) Script { return Script{Turns: []Turn{{Rounds: rounds}}} }

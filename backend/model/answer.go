package model

import (
	"encoding/json"

	"github.com/openai/openai-go/v3"
)

// answer collects one streamed answer: text goes through at once, calls are handed out when they are complete.
type answer struct {
	calls    assembler
	thoughts thoughts
	usage    *Usage
	reason   string
	done     bool // the server said [DONE]
	bytes    int  // that were said, thought and asked for
}

// take gives what a chunk adds. A chunk may have no choices (the one with the usage).
func (a *answer) take(chunk openai.ChatCompletionChunk) []Event {
	if chunk.JSON.Usage.Valid() && chunk.Usage.TotalTokens+chunk.Usage.CompletionTokens+chunk.Usage.PromptTokens > 0 {
		a.usage = &Usage{Input: chunk.Usage.PromptTokens, Output: chunk.Usage.CompletionTokens}
	}
	if len(chunk.Choices) == 0 {
		return nil
	}
	choice := chunk.Choices[0]
	if choice.FinishReason != "" {
		a.reason = choice.FinishReason
	}
	delta := choice.Delta
	a.bytes += len(delta.Content) + len(delta.Refusal)
	var events []Event
	for _, field := range []string{"reasoning_content", "reasoning"} { // OpenRouter and newer vLLM use the second name
		if text := extraText(delta, field); text != "" {
			events = append(events, Event{Kind: Reasoning, Text: text})
			a.bytes += len(text)
			break
		}
	}
	thinking, text := a.thoughts.split(delta.Content)
	events = append(append(events, spoken(Reasoning, thinking)...), spoken(Text, text)...)
	events = append(events, spoken(Text, delta.Refusal)...)
	for _, call := range delta.ToolCalls {
		p := part{
			index: call.Index, hasIndex: call.JSON.Index.Valid(),
			id: call.ID, name: call.Function.Name, args: argsOf(call),
		}
		a.bytes += len(p.id) + len(p.name) + len(p.args)
		a.calls.add(p)
		if a.endless() {
			break
		}
	}
	return events
}

// What one answer may hold at most: a model that runs in circles, or a server that means harm, sends without an end.
const (
	maxAnswerBytes = 16 << 20 // text, thoughts and calls
	maxAnswerCalls = 512
)

func (a *answer) endless() bool {
	return a.bytes > maxAnswerBytes || len(a.calls.slots) > maxAnswerCalls
}

// complete says whether the server ended the answer, rather than the connection.
func (a *answer) complete() bool { return a.done || a.reason != "" }

// end gives what is left when the stream is over.
func (a *answer) end() []Event {
	thinking, text := a.thoughts.rest()
	events := append(spoken(Reasoning, thinking), spoken(Text, text)...)
	calls := a.calls.calls()
	for n := range calls {
		events = append(events, Event{Kind: Call, Call: &calls[n]})
	}
	if a.usage != nil {
		events = append(events, Event{Kind: Used, Usage: a.usage})
	}
	return append(events, Event{Kind: Finish, Reason: a.why(len(calls))})
}

// why reads the reason. Many servers say "stop" after tool calls, so the calls themselves decide, but for calls that were
// cut in the middle.
func (a *answer) why(calls int) Reason {
	switch {
	case a.reason == "length":
		return Length
	case calls > 0:
		return Calls
	case a.reason == "content_filter":
		return Filtered
	}
	return Stopped
}

func spoken(kind Kind, text string) []Event {
	if text == "" {
		return nil
	}
	return []Event{{Kind: kind, Text: text}}
}

func extraText(delta openai.ChatCompletionChunkChoiceDelta, field string) string {
	extra, ok := delta.JSON.ExtraFields[field]
	if !ok {
		return ""
	}
	var text string
	if json.Unmarshal([]byte(extra.Raw()), &text) != nil {
		return ""
	}
	return text
}

// argsOf gives the fragment of arguments as text, also where the server sends an object in place of one.
func argsOf(call openai.ChatCompletionChunkChoiceDeltaToolCall) string {
	raw := call.Function.JSON.Arguments.Raw()
	if raw == "" || raw == "null" {
		return ""
	}
	var text string
	if json.Unmarshal([]byte(raw), &text) == nil {
		return text
	}
	return raw
}

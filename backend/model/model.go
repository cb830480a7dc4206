// Package model speaks with language models. A Client streams one answer as events of one shape, whatever the provider;
// OpenAI is the client for everything that speaks the OpenAI API. What goes wrong reaches the caller as a
// *extension.Problem with a code below "model.". A request is repeated only while nothing of its answer was handed out.
// Which model a session uses, what is said to it and what its tool calls do is left to others.
package model

import (
	"context"
	"encoding/json"
	"iter"
)

// Client is one model server.
type Client interface {
	// Stream asks for one answer. The sequence ends after a Finish event, or with one error, which is ctx.Err() when the
	// caller cancelled and a *extension.Problem otherwise. Ending the iteration early ends the request.
	Stream(ctx context.Context, r Request) iter.Seq2[Event, error]
}

// Request is what a model is asked.
type Request struct {
	Model     string
	System    string // empty: none
	Messages  []Message
	Tools     []Tool
	MaxTokens int64 // of the answer; 0: the server's own limit
	Direct    bool  // answer without thinking first; a server that can't be told so thinks
}

// Role says who speaks.
type Role string

const (
	User      Role = "user"
	Assistant Role = "assistant"
	Result    Role = "tool" // the result of one tool call
)

// Message is one contribution to the conversation.
type Message struct {
	Role   Role
	Text   string
	Calls  []ToolCall // of the assistant
	CallID string     // of a Result: the call it answers
}

// Tool is something the model may call.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments; empty: none are taken
}

// ToolCall is a call that the model asks for. Args is what the model wrote: mostly a JSON object, and never empty, but
// a model can write anything.
type ToolCall struct {
	ID   string
	Name string
	Args string
}

// Kind says what an event is.
type Kind string

const (
	Text      Kind = "text"      // Event.Text: more of the answer
	Reasoning Kind = "reasoning" // Event.Text: more of what the model thinks before it answers
	Call      Kind = "call"      // Event.Call, complete
	Used      Kind = "usage"     // Event.Usage
	Finish    Kind = "finish"    // Event.Reason; always the last event
)

// Event is one piece of an answer.
type Event struct {
	Kind   Kind
	Text   string
	Call   *ToolCall
	Usage  *Usage
	Reason Reason
}

// Usage counts tokens.
type Usage struct {
	Input  int64
	Output int64
}

// Reason says why an answer ended.
type Reason string

const (
	Stopped  Reason = "stop"   // it is complete
	Calls    Reason = "calls"  // the model waits for the results of its calls
	Length   Reason = "length" // it was cut at a limit
	Filtered Reason = "filter" // the server withheld it
)

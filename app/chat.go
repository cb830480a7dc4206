package app

import (
	"context"
	"encoding/json"

	"portico/backend/core"
	"portico/backend/grant"
)

// Chat is the transcript and the composer.
type Chat struct{ core *core.Core }

type Message struct {
	Session string `json:"session"`
	Text    string `json:"text"`
}

type InSession struct {
	Session string `json:"session"`
}

type Turn struct {
	Turn string `json:"turn"`
}

type AnswerQuestion struct {
	Entry   string            `json:"entry"`
	Answers []json.RawMessage `json:"answers"`
}

type DecidePermission struct {
	Entry  string       `json:"entry"`
	Answer grant.Answer `json:"answer"`
}

type RunTool struct {
	Session string          `json:"session"`
	Address string          `json:"address"`
	Args    json.RawMessage `json:"args"`
}

// Send starts a turn with the person's message. It returns when the message is on disk; the rest arrives as events.
// Without a model the turn is direct mode's: its answer is an entry of matching tools.
func (c *Chat) Send(ctx context.Context, r Message) (Turn, error) {
	id, err := c.core.Send(ctx, r.Session, r.Text)
	return Turn{id}, err
}

// Stop ends the running turn of the session with its tools, and returns when they are gone.
func (c *Chat) Stop(ctx context.Context, r InSession) (None, error) {
	return None{}, c.core.StopTurn(ctx, r.Session)
}

// Retry sends the last message again, in place of what followed it.
func (c *Chat) Retry(ctx context.Context, r InSession) (Turn, error) {
	id, err := c.core.Retry(ctx, r.Session)
	return Turn{id}, err
}

// Answer answers a waiting question. The first answer wins; a second one is a Problem.
func (c *Chat) Answer(ctx context.Context, r AnswerQuestion) (None, error) {
	return None{}, c.core.AnswerQuestion(ctx, r.Entry, r.Answers)
}

// Decide answers a waiting permission prompt. The first answer wins; a second one is a Problem.
func (c *Chat) Decide(ctx context.Context, r DecidePermission) (None, error) {
	return None{}, c.core.DecidePermission(ctx, r.Entry, r.Answer)
}

// Run calls a tool as the person, from a form: arguments that break the schema are a Problem and nothing starts.
func (c *Chat) Run(ctx context.Context, r RunTool) (Turn, error) {
	id, err := c.core.RunTool(ctx, r.Session, r.Address, r.Args)
	return Turn{id}, err
}

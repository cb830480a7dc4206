package core

import (
	"context"
	"strings"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/model"
	"portico/backend/session"
)

// completer asks the model of a call's session, or the one of Settings outside of any.
type completer struct {
	core    *Core
	session string
}

// Complete gives one text. What the model thinks is no part of it.
func (m completer) Complete(ctx context.Context, c capability.Completion) (string, error) {
	var in session.Session
	if m.session != "" {
		var err error
		if in, err = m.core.Sessions.Get(ctx, m.session); err != nil {
			return "", err
		}
	}
	client, name, err := m.core.modelOf(ctx, in)
	if err != nil {
		return "", err
	}
	if client == nil {
		return "", extension.NewProblem("llm.no-model", "No model is chosen, so there is none to ask.", "Choose one in Settings › Models.")
	}
	request := model.Request{
		Model: name, System: c.SystemPrompt, Messages: []model.Message{{Role: model.User, Text: c.Prompt}},
		MaxTokens: int64(c.MaxTokens), Direct: true,
	}
	var text strings.Builder
	var ended model.Reason
	for event, err := range client.Stream(ctx, request) {
		if err != nil {
			return "", err
		}
		switch event.Kind {
		case model.Text:
			text.WriteString(event.Text)
		case model.Finish:
			ended = event.Reason
		}
	}
	said := strings.TrimSpace(text.String())
	if said != "" {
		return said, nil
	}
	switch ended {
	case model.Length:
		return "", extension.NewProblem("llm.too-short", "{model} used all of the tokens it may without answering.", "Allow it more, or choose a model that thinks less.", "model", name)
	case model.Filtered:
		return "", extension.NewProblem("llm.withheld", "The server of {model} withheld the answer.", "Ask in other words.", "model", name)
	}
	return "", nil
}

package agent

import (
	"bytes"
	"encoding/json"
	"fmt"

	"portico/backend/model"
	"portico/backend/session"
)

// history is a transcript as the model is told it. Every call has its result, also one that was cut off, because servers
// refuse a call without; messages of the person that follow each other are one, because many chat templates want the
// roles to alternate. What was only shown to the person is not in it.
func history(entries []session.Entry) []model.Message {
	var told []model.Message
	user := func(text string) {
		if n := len(told); n > 0 && told[n-1].Role == model.User {
			told[n-1].Text += "\n\n" + text
			return
		}
		told = append(told, model.Message{Role: model.User, Text: text})
	}
	for _, e := range entries {
		switch e.Kind {
		case session.PersonSays:
			user(e.Text)
		case session.AgentSays:
			if e.Text != "" {
				told = append(told, model.Message{Role: model.Assistant, Text: e.Text})
			}
		case session.ToolCall:
			if e.Call.ModelCallID == "" {
				user(fmt.Sprintf("(I ran the tool %s myself, with %s. Its result: %s)", e.Call.Address, objectArgs(e.Call.Args), resultOf(e)))
				continue
			}
			asked := model.ToolCall{ID: e.Call.ModelCallID, Name: e.Call.Name, Args: objectArgs(e.Call.Args)}
			if n := len(told); n > 0 && told[n-1].Role == model.Assistant && len(told[n-1].Calls) == 0 {
				told[n-1].Calls = []model.ToolCall{asked} // the text before it is of the same answer
			} else {
				told = append(told, model.Message{Role: model.Assistant, Calls: []model.ToolCall{asked}})
			}
			told = append(told, model.Message{Role: model.Result, CallID: asked.ID, Text: resultOf(e)})
		}
	}
	return told
}

// resultOf is what the model is told of how a call ended.
func resultOf(e session.Entry) string {
	switch {
	case e.Call.Error != nil:
		return toModel(nil, e.Call.Error)
	case e.State == session.Done:
		return toModel(e.Call.Result, nil)
	case e.State == session.Cancelled:
		return `{"error":"The person stopped this call."}`
	}
	return `{"error":"This call was interrupted; whether it had an effect is not known."}`
}

// objectArgs are arguments as chat templates can read them: a JSON object, whatever the model had written.
func objectArgs(args json.RawMessage) string {
	if trimmed := bytes.TrimSpace(args); len(trimmed) > 0 && trimmed[0] == '{' {
		return string(args)
	}
	return "{}"
}

// messagesOf are the person's messages, the oldest first.
func messagesOf(entries []session.Entry) []string {
	var said []string
	for _, e := range entries {
		if e.Kind == session.PersonSays {
			said = append(said, e.Text)
		}
	}
	return said
}

// namesIn are the names that the model has used in a session, by the key of the tool.
func namesIn(entries []session.Entry) map[string]string {
	names := map[string]string{}
	for _, e := range entries {
		if e.Kind == session.ToolCall && e.Call.ModelCallID != "" && e.Call.Address != "" {
			names[e.Call.Address] = e.Call.Name
		}
	}
	return names
}

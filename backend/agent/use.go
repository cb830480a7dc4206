package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"portico/backend/extension"
	"portico/backend/model"
	"portico/backend/schema"
	"portico/backend/session"
)

// use does one call that the model asks for, and gives what the model is told. An error ends the turn.
func (t *talk) use(asked model.ToolCall) (string, error) {
	if err := t.ctx.Err(); err != nil {
		return "", err
	}
	times := t.repeats.add(asked)
	offer, known := t.tools[asked.Name]
	entry := callEntry(offer, asked.ID, asked.Name, keptArgs(asked.Args))
	if times > maxRepeats {
		return "", extension.NewProblem("chat.repeating", "The agent kept making the same call of {tool} and was stopped.", "Say what you want in another way, or choose another model.", "tool", clip(asked.Name, maxLabelChars))
	}
	if !known {
		entry.Call.Title, entry.Call.Address, entry.Call.Extension = extension.Tool{Name: asked.Name}.Title(), "", ""
		return t.refuse(entry, t.noSuchTool(asked.Name))
	}
	if times == maxRepeats {
		return t.refuse(entry, extension.NewProblem("call.repeated", "This is the same call as the {times} before it.", "Use the result that is there, or do something else.", "times", fmt.Sprint(times-1)))
	}
	if len(asked.Args) > maxArgsBytes {
		return t.refuse(entry, argsTooLarge(offer))
	}
	if !json.Valid([]byte(asked.Args)) {
		return t.refuse(entry, extension.NewProblem("call.bad-json", "The arguments are not JSON.", "Call it again with a JSON object."))
	}
	args, err := schema.Arguments(offer.Tool, offer.Address(), json.RawMessage(asked.Args))
	if err != nil {
		return t.refuse(entry, extension.AsProblem(err, "call.bad-arguments", "", ""))
	}
	entry.Call.Args = args
	mode, err := t.mode()
	if err != nil {
		return "", err
	}
	gate, why := gateOf(mode, offer.Tool, t.nobody())
	if gate == shut {
		return t.refuse(entry, why)
	}
	c, err := t.startCall(t.ctx, offer, entry)
	if err != nil {
		return "", err
	}
	if gate == confirmed {
		if declined, err := c.confirm(); err != nil || declined != nil {
			return toModel(nil, declined), err
		}
	}
	result, failed, err := c.run()
	return toModel(result, failed), err
}

// refuse writes a call that does not run, with the reason, which the model is told too.
func (t *talk) refuse(entry session.Entry, why *extension.Problem) (string, error) {
	entry.State, entry.Call.Phase, entry.Call.Error = session.Failed, "", why
	return toModel(nil, why), t.append(t.ctx, entry)
}

func (t *talk) noSuchTool(name string) *extension.Problem {
	names := make([]string, 0, len(t.tools))
	for have := range t.tools {
		names = append(names, have)
	}
	slices.Sort(names)
	have := strings.Join(names[:min(len(names), maxNamedTools)], ", ")
	if have == "" {
		have = "none"
	}
	return extension.NewProblem("call.no-such-tool", "There is no tool {tool}.", "These are there: {tools}.", "tool", clip(name, maxLabelChars), "tools", have)
}

// callEntry is the entry of a call that is about to start.
func callEntry(offer Offer, id, name string, args json.RawMessage) session.Entry {
	entry := session.Entry{Kind: session.ToolCall, State: session.Running, Call: &session.CallEntry{
		ModelCallID: id, Name: name, Args: args, Phase: phaseStarting,
	}}
	if offer.Copy != nil {
		entry.Call.Address, entry.Call.Title, entry.Call.Extension = offer.Address(), offer.Tool.Title(), offer.Copy.DisplayName
	}
	return entry
}

// keptArgs are the arguments as an entry can hold them: what is no JSON, or is too large, as a text.
func keptArgs(args string) json.RawMessage {
	if json.Valid([]byte(args)) && len(args) <= maxArgsBytes {
		return json.RawMessage(args)
	}
	return asText([]byte(args), maxArgsBytes)
}

func argsTooLarge(offer Offer) *extension.Problem {
	return extension.NewProblem("call.arguments-too-large", "The arguments for {tool} are too large: at most {limit} bytes fit.", "Pass a file's path in place of its text where the tool takes one.",
		"tool", offer.Address(), "limit", fmt.Sprint(maxArgsBytes))
}

// toModel is what the model is told: the result as JSON, or {"error": …}; cut where it is too long.
func toModel(result json.RawMessage, failed *extension.Problem) string {
	if failed == nil {
		text := strings.ToValidUTF8(string(result), "�")
		short := cut(text, MaxResultChars)
		if len(short) < len(text) {
			short += fmt.Sprintf("\n[cut: these are the first %d of %d bytes]", len(short), len(text))
		}
		return short
	}
	told := struct {
		Error  string   `json:"error"`
		Issues []string `json:"issues,omitempty"`
	}{Error: clip(strings.TrimSpace(failed.What+" "+nextForModel(failed)), MaxResultChars)}
	for _, issue := range failed.Issues {
		told.Issues = append(told.Issues, clip(issue.String(), maxLabelChars*4))
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(told); err != nil {
		return `{"error":"the call failed"}`
	}
	return strings.TrimSpace(out.String())
}

// nextForModel: what to do next is mostly for the person; of these it is for the model.
func nextForModel(p *extension.Problem) string {
	switch p.Code {
	case "call.no-such-tool", "call.bad-json", "call.repeated", "call.plan-mode", "call.declined", "call.nobody":
		return p.Next
	}
	return ""
}

// keptResult is a result as the session keeps it.
func keptResult(result json.RawMessage) json.RawMessage {
	if len(result) <= MaxKeptResultBytes {
		return result
	}
	return asText(result, MaxKeptResultBytes)
}

// asText gives the beginning of something as a JSON text.
func asText(data []byte, limit int) json.RawMessage {
	text, err := json.Marshal(strings.ToValidUTF8(string(data[:min(len(data), limit)]), ""))
	if err != nil {
		return json.RawMessage(`""`)
	}
	return text
}

// cut shortens to a number of bytes, never in the middle of a character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}

// clip is cut with a sign that it was.
func clip(text string, limit int) string {
	text = strings.ToValidUTF8(text, "�")
	if len(text) <= limit {
		return text
	}
	return cut(text, limit) + "…"
}

// repeats counts how often the same call came in a row.
type repeats struct {
	last  string
	times int
}

func (r *repeats) add(asked model.ToolCall) int {
	now := asked.Name + "\x00" + canonical(asked.Args)
	if now != r.last {
		r.last, r.times = now, 0
	}
	r.times++
	return r.times
}

// canonical writes arguments so that order and white space make no difference.
func canonical(args string) string {
	decoder := json.NewDecoder(strings.NewReader(args))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil || decoder.More() {
		return args
	}
	text, err := json.Marshal(value)
	if err != nil {
		return args
	}
	return string(text)
}

package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/session"
)

// Host gives what the code of one copy of an extension reaches in the host, whichever turn calls it.
func (a *Agent) Host(ext *extension.Copy) capability.Host {
	h := &host{agent: a, ref: ext.Ref(), name: ext.DisplayName}
	h.Gate = capability.Gate{Services: a.Services, Extension: ext, Asks: h}
	return h
}

type host struct {
	capability.Gate
	agent *Agent
	ref   extension.Ref
	name  string
}

var _ capability.Host = (*host)(nil)

// call finds a running call of this extension; an id of another's finds none.
func (h *host) call(info capability.Call) (*call, error) {
	h.agent.mu.Lock()
	c := h.agent.calls[info.ID]
	h.agent.mu.Unlock()
	if c == nil || c.info.Extension != h.ref {
		return nil, notRunning(info.ID)
	}
	return c, nil
}

func notRunning(id string) error {
	return extension.NewProblem("call.not-running", "This call is over.", "A tool can only ask and show while it runs.", "call", id)
}

func (h *host) subject(tool string) grant.Subject { return grant.Subject{Ref: h.ref, Tool: tool} }

// Decided gives what is remembered for the call's session and, where that decides nothing, what was answered in the call.
func (h *host) Decided(ctx context.Context, info capability.Call, tool extension.Tool) ([]grant.Decided, error) {
	remembered, err := h.agent.Grants.Remembered(ctx, h.subject(tool.Name), info.Session)
	if err != nil {
		return nil, fmt.Errorf("look up what %s may do: %w", extension.Address(h.ref.ID, tool.Name), err)
	}
	decided := grant.Decide(tool.Permissions, remembered)
	c, err := h.call(info)
	if err != nil {
		return decided, nil // booting ahead of any call
	}
	for n := range decided {
		if answer := c.permits.Answered(decided[n].Permission.Key()); answer != nil && decided[n].Decision == grant.Ask {
			decided[n].Decision, decided[n].Lasting = answer.Decision, answer.Lasting
		}
	}
	return decided, nil
}

// Permit asks about one permission after the other. Where nobody can answer, and in autonomous mode, all are denied; the
// call's log says so.
func (h *host) Permit(ctx context.Context, info capability.Call, tool extension.Tool, undecided []extension.Permission) ([]grant.Answer, error) {
	c, err := h.call(info)
	if err != nil {
		return nil, err
	}
	answers := make([]grant.Answer, 0, len(undecided))
	for _, permission := range undecided {
		answer, err := c.permits.Once(ctx, permission.Key(), func() (grant.Answer, error) { return h.permit(ctx, c, tool, permission) })
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

// unasked says why the person is not asked for a permission; empty: they are.
func unasked(mode session.Mode, nobody bool) string {
	switch {
	case nobody:
		return "nobody is here to answer"
	case mode == session.Autonomous:
		return "in autonomous mode only what was allowed before is allowed"
	}
	return ""
}

func (h *host) permit(ctx context.Context, c *call, tool extension.Tool, permission extension.Permission) (grant.Answer, error) {
	// Another session, or the prompt before this one, may have decided it in the meantime.
	decided, err := h.Decided(ctx, c.info, extension.Tool{Name: tool.Name, Permissions: []extension.Permission{permission}})
	if err != nil {
		return grant.Answer{}, err
	}
	if len(decided) == 1 && decided[0].Decision != grant.Ask {
		return grant.Answer{Decision: decided[0].Decision, Lasting: decided[0].Lasting}, nil
	}
	mode, err := c.turn.mode()
	if err != nil {
		return grant.Answer{}, err
	}
	if why := unasked(mode, c.turn.nobody()); why != "" {
		c.log("warn", permission.Key()+" was denied without asking: "+why)
		return grant.Answer{Decision: grant.Deny, Lasting: grant.Once}, nil
	}
	resolved, risk := h.agent.Explain(h.ref, permission)
	entry := session.Entry{Kind: session.Permits, Permission: &session.PermissionEntry{
		Extension: h.name, Address: extension.Address(h.ref.ID, tool.Name), Permission: permission, Resolved: resolved, Risk: risk,
	}}
	answered, err := c.put(ctx, entry, phasePermission, &pending{remember: func(ctx context.Context, answer grant.Answer) error {
		return h.agent.Grants.Remember(ctx, h.subject(tool.Name), c.turn.session, permission.Key(), answer)
	}})
	if err != nil {
		return grant.Answer{}, err
	}
	return *answered.Permission.Answer, nil
}

// Ask shows the questions of a tool and waits.
func (h *host) Ask(ctx context.Context, info capability.Call, questions []capability.Question) ([]json.RawMessage, error) {
	c, err := h.call(info)
	if err != nil {
		return nil, err
	}
	if len(questions) == 0 {
		return []json.RawMessage{}, nil
	}
	if c.turn.nobody() {
		return nil, extension.NewProblem("ask.nobody", "{extension} asked “{question}” and nobody is there to answer.", "Run it where somebody can answer.",
			"extension", h.name, "question", clip(questions[0].Question, maxLabelChars))
	}
	if err := checkQuestions(questions); err != nil {
		return nil, err
	}
	if err := h.fewWaiting(c); err != nil {
		return nil, err
	}
	return c.ask(ctx, h.name, questions)
}

// fewWaiting says whether a call may put one more thing before the person.
func (h *host) fewWaiting(c *call) error {
	if len(c.waiting()) < maxOpenQuestions {
		return nil
	}
	return extension.NewProblem("ask.too-many", "{extension} asked more than {limit} things at the same time.", "Tell the extension's author.", "extension", h.name, "limit", fmt.Sprint(maxOpenQuestions))
}

// ask puts questions to the person; extension is whose they are, empty for the host's own.
func (c *call) ask(ctx context.Context, extension string, questions []capability.Question) ([]json.RawMessage, error) {
	answered, err := c.put(ctx, session.Entry{Kind: session.Asks, Question: &session.QuestionEntry{Extension: extension, Questions: questions}}, phaseAsking, &pending{})
	if err != nil {
		return nil, err
	}
	return answered.Question.Answers, nil
}

func (c *call) waiting() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waits
}

// Display shows something below the call.
func (h *host) Display(info capability.Call, display capability.Display) {
	c, err := h.call(info)
	if err != nil {
		return
	}
	shown, why := fitted(display)
	if why == "" {
		why = c.count(sizeOf(shown))
	}
	if why != "" {
		c.report("display", "A display was dropped: "+why)
		return
	}
	err = c.add(context.WithoutCancel(c.turn.ctx), session.Entry{
		Session: c.turn.session, Turn: c.turn.id, Parent: info.ID, Kind: session.Shows, State: session.Done, Display: &shown,
	})
	if err != nil {
		c.report("display", "A display could not be kept: "+err.Error())
	}
}

// count counts a display and says why it is one too many. Every one is kept in the session for good.
func (c *call) count(bytes int) (tooMuch string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.displays >= maxDisplays:
		return fmt.Sprintf("it showed more than %d things", maxDisplays)
	case c.shownBytes+bytes > maxDisplayBytes:
		return fmt.Sprintf("it showed more than %d MB", maxDisplayBytes>>20)
	}
	c.displays++
	c.shownBytes += bytes
	return ""
}

// sizeOf is about what a display takes on disk.
func sizeOf(d capability.Display) int {
	size := len(d.Markdown) + len(d.DataB64) + len(d.Alt) + len(d.Before) + len(d.After) + len(d.Title)
	for _, column := range d.Columns {
		size += len(column)
	}
	for _, row := range d.Rows {
		for _, cell := range row {
			text, _ := cell.(string)
			size += len(text) + 8 // a number, and what is around it
		}
	}
	return size
}

// report logs something once for each kind.
func (c *call) report(kind, message string) {
	c.mu.Lock()
	before := c.dropped[kind+message]
	c.dropped[kind+message] = true
	c.mu.Unlock()
	if !before {
		c.log("warn", message)
	}
}

// Progress shows how far the call is.
func (h *host) Progress(info capability.Call, progress capability.Progress) {
	c, err := h.call(info)
	if err != nil {
		return
	}
	if math.IsNaN(progress.Fraction) {
		progress.Fraction = 0
	}
	progress.Fraction = min(1, max(0, progress.Fraction))
	progress.Label, progress.Description = clip(progress.Label, maxLabelChars), clip(progress.Description, maxLabelChars)
	c.change(func(e *session.CallEntry) { e.Progress = &progress })
}

// Log keeps a line with the call; the runtime writes it to the extension's log file.
func (h *host) Log(info capability.Call, level, message string) {
	c, err := h.call(info)
	if err != nil {
		return
	}
	switch level {
	case "debug", "info", "warn", "error":
	default:
		level = "info"
	}
	c.log(level, message)
}

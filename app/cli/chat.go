package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"portico/backend/core"
	"portico/backend/event"
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/session"
)

var modes = []string{string(session.Plan), string(session.Interactive), string(session.Guided), string(session.Autonomous)}

func newChat(t Terminal) *cobra.Command {
	var model, mode, id string
	var asJSON bool
	c := &cobra.Command{Use: "chat MESSAGE", Short: "Send one message and follow the turn to its end", Args: exactly("a message"), RunE: func(c *cobra.Command, args []string) error {
		if mode != "" && !slices.Contains(modes, mode) {
			return wrongUsage("there is no mode %q; there are %s", mode, strings.Join(modes, ", "))
		}
		if strings.TrimSpace(args[0]) == "" {
			return wrongUsage("the message is empty")
		}
		return withCore(c.Context(), t, func(k *core.Core) error {
			in, err := chosenSession(c.Context(), k, id, model, session.Mode(mode))
			if err != nil {
				return err
			}
			turn := &follower{core: k, session: in.ID, terminal: t, asJSON: asJSON, lines: bufio.NewReader(t.In), printed: map[string]int{}, seen: map[string]session.State{}}
			return turn.run(c.Context(), args[0])
		})
	}}
	c.Flags().StringVar(&model, "model", "", "the model to use, for this session from now on")
	c.Flags().StringVar(&mode, "mode", "", "plan, interactive, guided or autonomous")
	c.Flags().StringVar(&id, "session", "", "go on in this session instead of a new one")
	c.Flags().BoolVar(&asJSON, "json", false, "print each event as one line of JSON")
	return c
}

func chosenSession(ctx context.Context, k *core.Core, id, model string, mode session.Mode) (session.Session, error) {
	if id == "" {
		return k.Sessions.Create(ctx, session.Session{Model: model, Mode: mode})
	}
	in, err := k.Sessions.Get(ctx, id)
	if err != nil || model == "" && mode == "" {
		return in, err
	}
	choose := struct {
		mode  *session.Mode
		model *string
	}{}
	if mode != "" {
		choose.mode = &mode
	}
	if model != "" {
		choose.model = &model
	}
	return k.Sessions.Choose(ctx, id, choose.mode, choose.model)
}

// follower prints one turn as it happens.
type follower struct {
	core     *core.Core
	session  string
	terminal Terminal
	asJSON   bool
	lines    *bufio.Reader
	printed  map[string]int           // bytes of each text entry that are on the terminal
	seen     map[string]session.State // of the other entries
	failed   *extension.Problem
	running  bool
}

func (f *follower) run(ctx context.Context, message string) error {
	subscription := f.core.Events.Subscribe()
	defer subscription.Close()
	if _, err := f.core.Send(ctx, f.session, message); err != nil {
		return err
	}
	for {
		events, err := subscription.Next(ctx)
		if err != nil { // interrupted: the turn stops with its tools
			return extension.NewProblem("chat.stopped", "The turn was stopped.", "").Because(f.core.StopTurn(context.WithoutCancel(ctx), f.session))
		}
		for _, e := range events {
			ended, err := f.take(ctx, e)
			if err != nil {
				return err
			}
			if ended {
				return f.finish()
			}
		}
	}
}

// finish names the session, so that another call can go on in it, and fails when the turn did.
func (f *follower) finish() error {
	if !f.asJSON {
		fmt.Fprintf(f.terminal.Err, "(session %s)\n", f.session)
	}
	if f.failed != nil {
		if f.asJSON {
			return reportedError{f.failed}
		}
		return f.failed
	}
	return nil
}

// take handles one event; it says whether the turn is over.
func (f *follower) take(ctx context.Context, e event.Event) (ended bool, err error) {
	if !f.concerns(e) {
		return false, nil
	}
	if f.asJSON {
		line, err := json.Marshal(e)
		if err != nil {
			return false, fmt.Errorf("write an event: %w", err)
		}
		fmt.Fprintf(f.terminal.Out, "%s\n", escaped(line))
	}
	switch payload := e.Payload.(type) {
	case session.Session:
		if f.running && !payload.Running {
			return true, nil
		}
		f.running = payload.Running
	case event.TextDelta:
		if !f.asJSON {
			fmt.Fprint(f.terminal.Out, extension.Plain(payload.Text))
			f.printed[payload.Entry] += len(payload.Text)
		}
	case session.Entry:
		return false, f.entry(ctx, payload)
	}
	return false, nil
}

func (f *follower) concerns(e event.Event) bool {
	switch payload := e.Payload.(type) {
	case session.Session:
		return payload.ID == f.session
	case session.Entry:
		return payload.Session == f.session
	case event.TextDelta:
		return payload.Session == f.session
	}
	return false
}

func (f *follower) entry(ctx context.Context, entry session.Entry) error {
	if entry.Kind == session.Fails {
		f.failed = entry.Problem
	}
	switch {
	case entry.Kind == session.Asks && entry.State == session.Open && f.terminal.Interactive:
		return f.ask(ctx, entry)
	case entry.Kind == session.Permits && entry.State == session.Open && f.terminal.Interactive:
		return f.permit(ctx, entry)
	case entry.Kind == session.Proposes && entry.State == session.Open && f.terminal.Interactive:
		return f.review(ctx, entry)
	}
	if f.asJSON {
		return nil
	}
	before := f.seen[entry.ID]
	f.seen[entry.ID] = entry.State
	switch entry.Kind {
	case session.AgentSays:
		if printed := f.printed[entry.ID]; printed < len(entry.Text) {
			fmt.Fprint(f.terminal.Out, extension.Plain(entry.Text[printed:]))
			f.printed[entry.ID] = len(entry.Text)
		}
		if entry.State.Ended() && !before.Ended() && before != "" {
			fmt.Fprintln(f.terminal.Out)
		}
	case session.ToolCall:
		if entry.State != before && entry.State.Ended() {
			fmt.Fprintf(f.terminal.Err, "[%s %s, %d ms] %s\n", oneLine(entry.Call.Title), entry.State, entry.Call.DurationMs, indented(outcome(entry.Call)))
		}
	case session.Matches:
		f.matches(entry.Matches)
	}
	return nil
}

func outcome(call *session.CallEntry) string {
	if call.Error != nil {
		return call.Error.Error()
	}
	return string(call.Result)
}

func (f *follower) matches(found *session.MatchesEntry) {
	if found == nil || len(found.Tools) == 0 {
		fmt.Fprintln(f.terminal.Out, "No model is connected, and no installed tool fits. Add extensions with `portico extension add FOLDER`, or choose a model in Settings.")
		return
	}
	fmt.Fprintf(f.terminal.Out, "No model is connected. Best matches of %d tools; run one with `portico run`:\n", found.Of)
	for _, tool := range found.Tools {
		fmt.Fprintf(f.terminal.Out, "  %s  %s\n", oneLine(tool.Address), oneLine(tool.Text))
	}
}

func (f *follower) ask(ctx context.Context, entry session.Entry) error {
	name := entry.Question.Extension
	if name == "" {
		name = "Portico"
	}
	asks := &person{terminal: f.terminal, name: name, lines: f.lines}
	answers := make([]json.RawMessage, 0, len(entry.Question.Questions))
	for _, question := range entry.Question.Questions {
		answer, err := asks.askOne(ctx, question)
		if err != nil {
			return err
		}
		answers = append(answers, answer)
	}
	return f.core.AnswerQuestion(ctx, entry.ID, answers)
}

func (f *follower) permit(ctx context.Context, entry session.Entry) error {
	p := entry.Permission
	asks := &person{terminal: f.terminal, name: p.Extension, lines: f.lines}
	asks.forget()
	fmt.Fprintf(f.terminal.Err, "%s asks for %s: “%s” Allow? [n]o, [o]nce, this [s]ession, [a]lways: ", oneLine(p.Extension), oneLine(p.Permission.Key()), oneLine(p.Permission.Reason))
	line, err := asks.readLine(ctx)
	if err != nil {
		return err
	}
	answer := grant.Answer{Decision: grant.Deny, Lasting: grant.Once}
	switch strings.ToLower(line) {
	case "o", "once":
		answer = grant.Answer{Decision: grant.Allow, Lasting: grant.Once}
	case "s", "session":
		answer = grant.Answer{Decision: grant.Allow, Lasting: grant.Session}
	case "a", "always":
		answer = grant.Answer{Decision: grant.Allow, Lasting: grant.Always}
	}
	return f.core.DecidePermission(ctx, entry.ID, answer)
}

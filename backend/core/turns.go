package core

import (
	"context"
	"encoding/json"
	"time"

	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/model"
	"portico/backend/session"
)

// stopLimit is how long deleting a session waits for its turn to end: a tool has two seconds before it is killed.
const stopLimit = 5 * time.Second

// Send starts a turn with the person's message.
func (c *Core) Send(ctx context.Context, session, text string) (turn string, err error) {
	return c.agent.Send(ctx, session, text)
}

// Retry sends the last message again, in place of what followed it.
func (c *Core) Retry(ctx context.Context, session string) (turn string, err error) {
	return c.agent.Retry(ctx, session)
}

// RunTool runs a tool as the person, from a form.
func (c *Core) RunTool(ctx context.Context, session, address string, args json.RawMessage) (turn string, err error) {
	if err := c.runnable(ctx, address); err != nil {
		return "", err
	}
	return c.agent.RunTool(ctx, session, address, args)
}

// runnable says why an installed extension's tools can't run, where that is the reason.
func (c *Core) runnable(ctx context.Context, address string) error {
	id, _, ok := extension.SplitAddress(address)
	if !ok {
		return nil
	}
	copies, err := c.installer.List(ctx)
	if err != nil {
		return err
	}
	for n := range copies {
		switch ext := &copies[n]; {
		case ext.ID != id:
		case ext.Problem != nil:
			return ext.Problem
		case !ext.Enabled:
			return switchedOff(ext)
		}
	}
	return nil
}

func switchedOff(ext *extension.Copy) error {
	return extension.NewProblem("extension.off", "{extension} is switched off.", "Switch it on in Settings › Extensions.", "extension", ext.DisplayName)
}

// StopTurn ends the session's turn with its tools, and returns when they are gone.
func (c *Core) StopTurn(ctx context.Context, session string) error { return c.agent.Stop(ctx, session) }

// AnswerQuestion answers a waiting question.
func (c *Core) AnswerQuestion(ctx context.Context, entry string, answers []json.RawMessage) error {
	return c.agent.Answer(ctx, entry, answers)
}

// DecidePermission answers a waiting permission prompt.
func (c *Core) DecidePermission(ctx context.Context, entry string, answer grant.Answer) error {
	if err := c.agent.Decide(ctx, entry, answer); err != nil {
		return err
	}
	if answer.Lasting == grant.Always {
		c.extensionsChanged() // what is allowed stands on the extension's page too
	}
	return nil
}

// DeleteSession ends the session's turn and hides the session.
func (c *Core) DeleteSession(ctx context.Context, id string) error {
	stopping, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	if err := c.agent.Stop(stopping, id); err != nil {
		return err
	}
	return c.Sessions.Delete(ctx, id)
}

// modelOf gives the client and the model of a session: its own choice, else the one of Settings. No server or no model:
// no client, and direct mode.
func (c *Core) modelOf(ctx context.Context, s session.Session) (model.Client, string, error) {
	baseURL, name, err := c.ModelChoice(ctx)
	if err != nil {
		return nil, "", err
	}
	if s.Model != "" {
		name = s.Model
	}
	if baseURL == "" || name == "" {
		return nil, "", nil
	}
	return model.NewOpenAI(baseURL, model.WithKeys(c.keyOf(baseURL))), name, nil
}

func (c *Core) stepLimit(ctx context.Context) int {
	s, err := c.Settings(ctx)
	if err != nil {
		return defaultStepLimit
	}
	return s.StepLimit
}

// explain says what a permission means on this computer.
func (c *Core) explain(ref extension.Ref, p extension.Permission) (string, grant.Risk) {
	return grant.Resolve(p, c.placesOf(ref)), grant.RiskOf(p, c.level.Name)
}

// placesOf are the folders that an extension's templates stand for.
func (c *Core) placesOf(ref extension.Ref) grant.Places {
	p := grant.SystemPlaces()
	p.Data, p.Models, p.Sessions = c.places.Data, c.places.Models, c.places.Sessions
	if folder, err := c.installer.Folder(ref); err == nil {
		p.Extension = folder
	}
	return p
}

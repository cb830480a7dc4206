// Package agent holds the turn: one message of the person and all that follows until the agent is done. It asks the model,
// runs the tools it calls, in order, asks the person where a mode, a permission or a tool wants it, and writes everything
// into the session as it happens. Without a model it offers the tools that fit the message.
//
// A turn goes on in a goroutine of the agent's own and ends with its last step, Stop or Close; whatever it started has
// ended then, and so have its questions. A session has one turn at a time; sessions do not wait for each other. What was
// written is as durable as the session's store makes it. Where tools come from and what runs them is left to the Toolbox,
// what was allowed to Grants.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/model"
	"portico/backend/runtime"
	"portico/backend/schema"
	"portico/backend/session"
)

// Sessions is what a turn needs of the sessions' store.
type Sessions interface {
	Get(ctx context.Context, id string) (session.Session, error)
	Entries(ctx context.Context, session string) ([]session.Entry, error)
	Entry(ctx context.Context, id string) (session.Entry, error)
	Append(ctx context.Context, entry session.Entry) (session.Entry, error)
	Update(ctx context.Context, entry session.Entry) error
	UpdateLive(entry session.Entry)
	StreamText(ctx context.Context, entry session.Entry) *session.TextStream
	BeginTurn(ctx context.Context, session string) (turn string, release func(), err error)
	SetRunning(session string, running, waiting bool)
	DeleteAfter(ctx context.Context, session string, seq int64) error
}

// Offer is one tool of one extension.
type Offer struct {
	Copy *extension.Copy
	Tool extension.Tool
}

// Address is how a person names the tool.
func (o Offer) Address() string { return extension.Address(o.Copy.ID, o.Tool.Name) }

// Toolbox knows the tools and starts what runs them.
type Toolbox interface {
	// Offered gives the tools that a session's model may see.
	Offered(ctx context.Context, session string) ([]Offer, error)
	// Installed gives every tool that a person may run by hand, switched on or not.
	Installed(ctx context.Context) ([]Offer, error)
	// Instance gives the running extension; host is called when it has to be started.
	Instance(ctx context.Context, ref extension.Ref, host func(*extension.Copy) capability.Host) (runtime.Instance, error)
}

// Grants is what a turn needs of the remembered permissions.
type Grants interface {
	Remembered(ctx context.Context, subject grant.Subject, session string) (map[string]grant.Decision, error)
	Remember(ctx context.Context, subject grant.Subject, session, key string, answer grant.Answer) error
}

// Options are what an agent stands on. Sessions, Tools and Grants are needed; the rest has a meaning when it is empty.
type Options struct {
	Sessions Sessions
	Tools    Toolbox
	Grants   Grants

	// Model gives the client and the name of the model for a session. A nil client, or no Model: direct mode.
	Model func(context.Context, session.Session) (model.Client, string, error)
	// Explain says what a permission means here: the path that a template stands for, and the risk.
	Explain func(extension.Ref, extension.Permission) (resolved string, risk grant.Risk)
	// Steps is how often the model may be asked within one turn; 0, or no Steps: DefaultSteps.
	Steps func(context.Context) int
	// Services are what tools reach beyond their sandbox.
	Services capability.Services
	// Memories are offered to the model; nil: none are.
	Memories Memories
	// Sections are added to the host's own in the prompt.
	Sections []Section
	// Locale is the person's (BCP 47); nil: unknown.
	Locale  func(context.Context) string
	Present bool // a person is there to answer
	Now     func() time.Time
}

// Agent runs turns. It is safe for concurrent use.
type Agent struct {
	Options
	ctx     context.Context
	end     context.CancelCauseFunc
	running sync.WaitGroup
	asked   broker

	mu     sync.Mutex
	closed bool
	turns  map[string]*turn // by session
	calls  map[string]*call // by the call's id
}

// Why a turn's context ended.
var (
	errStopped = errors.New("the person stopped the turn")
	errClosing = errors.New("Portico is closing")
)

// New makes an agent. Close it to end its turns.
func New(options Options) *Agent {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Model == nil {
		options.Model = func(context.Context, session.Session) (model.Client, string, error) { return nil, "", nil }
	}
	if options.Explain == nil {
		options.Explain = func(extension.Ref, extension.Permission) (string, grant.Risk) { return "", grant.Risk{} }
	}
	if options.Locale == nil {
		options.Locale = func(context.Context) string { return "" }
	}
	if options.Steps == nil {
		options.Steps = func(context.Context) int { return DefaultSteps }
	}
	a := &Agent{Options: options, turns: map[string]*turn{}, calls: map[string]*call{}, asked: broker{open: map[string]*pending{}}}
	a.ctx, a.end = context.WithCancelCause(context.Background())
	return a
}

// Close ends every turn, and returns when all they started has ended, or with ctx.
func (a *Agent) Close(ctx context.Context) error {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.end(errClosing)
	ended := make(chan struct{})
	go func() { // outlives this call only when a turn does
		a.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("end the turns that go on: %w", ctx.Err())
	}
}

// Send starts a turn with the person's message. It returns when the message is on disk. While a turn of the session goes
// on it is a Problem "session.busy".
func (a *Agent) Send(ctx context.Context, in, text string) (turn string, err error) {
	return a.send(ctx, a.newTurn(in), text)
}

func (a *Agent) send(ctx context.Context, t *turn, text string) (turn string, err error) {
	if strings.TrimSpace(text) == "" {
		t.cancel(nil)
		return "", extension.NewProblem("chat.empty", "There is nothing to send.", "Write a message first.")
	}
	t.text = text
	return t.begin(ctx, func() error {
		return t.append(ctx, session.Entry{Kind: session.PersonSays, State: session.Done, Text: text})
	}, t.converse)
}

// Retry drops what followed the last message of the person, and starts a turn with that message again.
func (a *Agent) Retry(ctx context.Context, in string) (turn string, err error) {
	return a.retry(ctx, a.newTurn(in))
}

func (a *Agent) retry(ctx context.Context, t *turn) (turn string, err error) {
	return t.begin(ctx, func() error {
		entries, err := a.Sessions.Entries(ctx, t.session)
		if err != nil {
			return err
		}
		last := lastMessage(entries)
		if last == nil {
			return extension.NewProblem("chat.nothing-to-retry", "There is no message to send again.", "Write one.")
		}
		t.text = last.Text
		return a.Sessions.DeleteAfter(ctx, t.session, last.Seq)
	}, t.converse)
}

// RunTool runs a tool as the person, who filled its form; what it gives stands in the session as the entry of the call.
// Arguments that break the schema are a Problem "call.bad-arguments" with the broken places, and nothing starts.
func (a *Agent) RunTool(ctx context.Context, in, address string, args json.RawMessage) (turn string, err error) {
	offer, err := a.installed(ctx, address)
	if err != nil {
		return "", err
	}
	if len(args) > maxArgsBytes {
		return "", argsTooLarge(offer)
	}
	args, err = schema.Arguments(offer.Tool, offer.Address(), args)
	if err != nil {
		return "", err
	}
	t := a.newTurn(in)
	t.byHand = true
	var c *call
	return t.begin(ctx, func() error {
		entries, err := a.Sessions.Entries(ctx, in)
		if err != nil {
			return err
		}
		if last := lastMessage(entries); last != nil {
			t.text = last.Text
		}
		c, err = t.startCall(ctx, offer, callEntry(offer, "", offer.Tool.Name, args))
		return err
	}, func() error {
		_, _, err := c.run()
		return err
	})
}

func (a *Agent) installed(ctx context.Context, address string) (Offer, error) {
	offers, err := a.Tools.Installed(ctx)
	if err != nil {
		return Offer{}, err
	}
	for _, offer := range offers {
		if offer.Address() == address {
			return offer, nil
		}
	}
	return Offer{}, extension.NewProblem("tool.missing", "There is no tool {tool} that can run here.", "Look at Settings › Tools for those there are; its extension may be switched off.", "tool", address)
}

func lastMessage(entries []session.Entry) *session.Entry {
	for n := len(entries) - 1; n >= 0; n-- {
		if entries[n].Kind == session.PersonSays {
			return &entries[n]
		}
	}
	return nil
}

// Stop ends the running turn of a session with everything it started, and returns when all has ended. Without a turn it
// does nothing.
func (a *Agent) Stop(ctx context.Context, in string) error {
	a.mu.Lock()
	t := a.turns[in]
	a.mu.Unlock()
	if t == nil {
		return nil
	}
	t.cancel(errStopped)
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop the turn: %w", ctx.Err())
	}
}

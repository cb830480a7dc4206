package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/session"
)

// What a running call does (session.CallEntry.Phase).
const (
	phaseStarting   = "starting"
	phaseRunning    = "running"
	phaseAsking     = "asking"
	phasePermission = "permission"
)

// call is one call of a tool while it goes on.
type call struct {
	turn  *turn
	offer Offer
	info  capability.Call
	ctx   context.Context // ends with the call
	end   context.CancelFunc

	asking  sync.WaitGroup     // what waits for the person; nothing is added when the call is over
	permits capability.Permits // what the person was asked to permit
	order   sync.Mutex         // held while an entry below the call is added, so that they keep the tool's order

	mu                   sync.Mutex
	entry                session.Entry
	over                 bool
	waits                []string // the phases of what waits for the person, the newest last
	waitFrom             time.Time
	waited               time.Duration
	displays, shownBytes int
	dropped              map[string]bool // of what, so that a flood is reported once
}

// newID gives ids that sort by the time they were made.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// startCall adds the call's entry; from now on its extension may refer to it.
func (t *turn) startCall(ctx context.Context, offer Offer, entry session.Entry) (*call, error) {
	entry.ID, entry.Session, entry.Turn = newID(), t.session, t.id
	entry.Call.StartedAt = t.agent.Now().UnixMilli()
	added, err := t.agent.Sessions.Append(ctx, entry)
	if err != nil {
		return nil, err
	}
	c := &call{turn: t, offer: offer, entry: added, dropped: map[string]bool{}, info: capability.Call{
		ID: added.ID, Extension: offer.Copy.Ref(), Tool: offer.Tool.Name, Session: t.session, Turn: t.id,
		Origin: t.origin, UserMessage: t.text, Locale: t.agent.Locale(ctx),
	}}
	c.ctx, c.end = context.WithCancel(t.ctx)
	t.agent.mu.Lock()
	t.agent.calls[added.ID] = c
	t.agent.mu.Unlock()
	return c, nil
}

// run runs the tool and writes how it ended. failed is what the tool, or its runtime, says went wrong; err ends the turn.
func (c *call) run() (result json.RawMessage, failed *extension.Problem, err error) {
	began := time.Now()
	result, runErr := c.invoke()
	if c.turn.ctx.Err() != nil {
		return nil, nil, errors.Join(c.turn.ctx.Err(), c.finish(c.turn.endState(), nil, nil, time.Since(began)))
	}
	if runErr != nil {
		if !errors.As(runErr, &failed) {
			failed = extension.NewProblem("call.failed", "{tool} failed.", "The details say more.", "tool", c.offer.Tool.Title()).Because(runErr)
		}
		return nil, failed, c.finish(session.Failed, nil, failed, time.Since(began))
	}
	return result, nil, c.finish(session.Done, result, nil, time.Since(began))
}

// invoke calls the tool. A runtime that panics fails this call and no more.
func (c *call) invoke() (result json.RawMessage, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	instance, err := c.turn.agent.Tools.Instance(c.ctx, c.info.Extension, c.turn.agent.Host)
	if err != nil {
		return nil, err
	}
	c.change(func(e *session.CallEntry) { e.Phase = phaseRunning })
	result, err = instance.Call(c.ctx, c.info, c.offer.Tool.Name, c.entry.Call.Args)
	if err != nil {
		return nil, err
	}
	if !json.Valid(result) { // promised by the runtime; the session and the model rely on it
		return nil, extension.NewProblem("call.bad-result", "{tool} gave a result that is not JSON.", "Tell the extension's author.", "tool", c.offer.Tool.Title())
	}
	return result, nil
}

// finish ends the call: nothing its extension still says about it counts.
func (c *call) finish(state session.State, result json.RawMessage, failed *extension.Problem, took time.Duration) error {
	c.end()
	c.turn.agent.mu.Lock()
	delete(c.turn.agent.calls, c.info.ID)
	c.turn.agent.mu.Unlock()
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	c.asking.Wait() // its questions end before it does
	c.order.Lock()  // and what was shown before the end stands before it
	defer c.order.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle()
	call := *c.entry.Call
	call.Phase, call.Error = "", failed
	call.Result, call.ResultBytes = keptResult(result), int64(len(result))
	call.DurationMs = max(0, took-c.waited).Milliseconds()
	c.entry.State, c.entry.Call = state, &call
	return c.turn.agent.Sessions.Update(context.WithoutCancel(c.turn.ctx), c.entry)
}

// change shows how far the call is.
func (c *call) change(do func(*session.CallEntry)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return
	}
	do(c.entry.Call)
	c.turn.agent.Sessions.UpdateLive(c.entry)
}

// log adds a line; only the newest stay.
func (c *call) log(level, message string) {
	c.change(func(e *session.CallEntry) {
		e.Log = append(e.Log, session.LogLine{At: c.turn.agent.Now().UnixMilli(), Level: level, Message: clip(message, session.MaxLogLineBytes)})
		if extra := len(e.Log) - session.MaxLogLines; extra > 0 {
			e.Log = slices.Delete(e.Log, 0, extra)
		}
	})
}

// wait shows that the call waits for the person, and stops its clock, until the returned function is called. It is nil
// when the call is over.
func (c *call) wait(phase string) (stop func()) {
	c.mu.Lock()
	if c.over {
		c.mu.Unlock()
		return nil
	}
	c.asking.Add(1)
	if len(c.waits) == 0 {
		c.waitFrom = time.Now()
	}
	c.waits = append(c.waits, phase)
	c.mu.Unlock()
	c.change(func(e *session.CallEntry) { e.Phase = phase })
	stopTurn := c.turn.wait()
	return func() {
		defer c.asking.Done()
		c.change(func(e *session.CallEntry) {
			if at := slices.Index(c.waits, phase); at >= 0 {
				c.waits = slices.Delete(c.waits, at, at+1)
			}
			e.Phase = phaseRunning
			if n := len(c.waits); n > 0 {
				e.Phase = c.waits[n-1]
			} else {
				c.settle()
			}
		})
		stopTurn()
	}
}

// settle adds the time since the wait began to what was waited. The caller holds mu.
func (c *call) settle() {
	if !c.waitFrom.IsZero() {
		c.waited += time.Since(c.waitFrom)
		c.waitFrom = time.Time{}
	}
}

// The answers to a confirmation. Their wording is the host's; the frontend translates by value.
const (
	confirmYes  = "yes"
	confirmNo   = "no"
	confirmStop = "stop"
)

// confirm asks the person whether the call may run. declined is why it did not, and the call has ended then.
func (c *call) confirm() (declined *extension.Problem, err error) {
	question := capability.Question{
		Kind: "choice", Question: "Run " + c.offer.Tool.Title() + "?",
		Options: []capability.Option{{Label: "Yes", Value: confirmYes}, {Label: "No", Value: confirmNo}, {Label: "Stop", Value: confirmStop}},
	}
	answers, err := c.ask(c.ctx, "", []capability.Question{question})
	if err != nil {
		return nil, errors.Join(err, c.finish(c.turn.endState(), nil, nil, 0))
	}
	var answer string
	if err := json.Unmarshal(answers[0], &answer); err != nil {
		return nil, errors.Join(err, c.finish(session.Failed, nil, nil, 0))
	}
	switch answer {
	case confirmYes:
		return nil, nil
	case confirmStop:
		c.turn.cancel(errStopped)
		return nil, errors.Join(c.turn.ctx.Err(), c.finish(session.Cancelled, nil, nil, 0))
	}
	declined = extension.NewProblem("call.declined", "The person did not let {tool} run.", "Do without it, or ask what they want instead.", "tool", c.offer.Tool.Title())
	return declined, c.finish(session.Failed, nil, declined, 0)
}

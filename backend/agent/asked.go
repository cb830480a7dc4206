package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/schedule"
	"portico/backend/session"
)

// broker knows the questions and permission prompts that wait for the person. Each is settled once: of two windows that
// answer at the same time, one wins and the other is told.
type broker struct {
	mu   sync.Mutex
	open map[string]*pending // by entry
}

// pending is one that waits. Its mutex is held while an answer is written to disk, so that a second answer, or the end of
// the call, sees either an open question or a settled one.
type pending struct {
	mu       sync.Mutex
	entry    session.Entry
	settled  bool
	answered chan session.Entry                                               // one place; filled when it was answered
	remember func(context.Context, grant.Answer) error                        // of a permission
	save     func(context.Context, schedule.Draft) (schedule.Schedule, error) // of a schedule
}

func (b *broker) add(id string, p *pending) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open[id] = p
}

func (b *broker) remove(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, id)
}

func (b *broker) get(id string) *pending {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open[id]
}

// put adds an entry that waits for the person, below the call, and waits; p says what an answer does beside. When ctx, the call or the turn ends first, the
// entry ends too.
func (c *call) put(ctx context.Context, entry session.Entry, phase string, p *pending) (session.Entry, error) {
	entry.ID, entry.Session, entry.Turn, entry.Parent, entry.State = newID(), c.turn.session, c.turn.id, c.info.ID, session.Open
	entry.CreatedAt = c.turn.agent.Now().UnixMilli()
	stop := c.wait(phase)
	if stop == nil {
		return session.Entry{}, notRunning(c.info.ID)
	}
	defer stop()
	p.entry, p.answered = entry, make(chan session.Entry, 1)
	broker := &c.turn.agent.asked
	broker.add(entry.ID, p) // before it is announced: the answer may be that quick
	defer broker.remove(entry.ID)
	if err := c.add(ctx, entry); err != nil {
		return session.Entry{}, err
	}
	select {
	case answered := <-p.answered:
		return answered, nil
	case <-ctx.Done():
	case <-c.ctx.Done():
	}
	return session.Entry{}, p.withdraw(ctx, c)
}

// add adds an entry below the call, in order.
func (c *call) add(ctx context.Context, entry session.Entry) error {
	c.order.Lock()
	defer c.order.Unlock()
	if c.ended() {
		return notRunning(c.info.ID)
	}
	_, err := c.turn.agent.Sessions.Append(ctx, entry)
	return err
}

func (c *call) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.over
}

// withdraw ends a question that nobody needs answered any more.
func (p *pending) withdraw(ctx context.Context, c *call) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := ctx.Err()
	if err == nil {
		err = c.ctx.Err()
	}
	if p.settled {
		return err // it was answered in the same moment, too late for the call
	}
	p.settled = true
	p.entry.State = c.turn.endState()
	if updateErr := c.turn.agent.Sessions.Update(context.WithoutCancel(ctx), p.entry); updateErr != nil {
		return updateErr
	}
	return err
}

// Answer answers a waiting question: one answer for each of its questions, in order. The first answer wins; a later one
// is a Problem "chat.already-answered", and one that does not fit a question is "ask.bad-answer" and changes nothing.
func (a *Agent) Answer(ctx context.Context, entry string, answers []json.RawMessage) error {
	return a.settle(ctx, entry, session.Asks, func(_ *pending, e *session.Entry) error {
		asked := *e.Question
		if len(answers) != len(asked.Questions) {
			return extension.NewProblem("ask.wrong-number", "{given} answers were given to {asked} questions.", "Answer each of them.", "given", strconv.Itoa(len(answers)), "asked", strconv.Itoa(len(asked.Questions)))
		}
		for n, question := range asked.Questions {
			if err := capability.CheckAnswer(question, answers[n]); err != nil {
				return err
			}
		}
		asked.Answers = answers
		e.Question = &asked
		return nil
	})
}

// Decide answers a waiting permission prompt, and remembers what should last. The first answer wins, as in Answer.
func (a *Agent) Decide(ctx context.Context, entry string, answer grant.Answer) error {
	if answer.Lasting == "" {
		answer.Lasting = grant.Once
	}
	validFor := answer.Lasting == grant.Once || answer.Lasting == grant.Session || answer.Lasting == grant.Always
	if answer.Decision != grant.Allow && answer.Decision != grant.Deny || !validFor {
		return extension.NewProblem("chat.bad-decision", "“{decision}, {lasting}” is no answer to a permission prompt.", "Answer allow or deny: once, for the session or always.",
			"decision", string(answer.Decision), "lasting", string(answer.Lasting))
	}
	return a.settle(ctx, entry, session.Permits, func(p *pending, e *session.Entry) error {
		if answer.Lasting != grant.Once {
			if err := p.remember(ctx, answer); err != nil {
				return fmt.Errorf("remember the decision: %w", err)
			}
		}
		asked := *e.Permission
		asked.Answer = &answer
		e.Permission = &asked
		return nil
	})
}

// settle writes an answer and then hands it to whoever waits.
func (a *Agent) settle(ctx context.Context, id string, kind session.Kind, answer func(*pending, *session.Entry) error) error {
	p := a.asked.get(id)
	if p == nil {
		return a.notWaiting(ctx, id)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.settled:
		return alreadyAnswered(id)
	case p.entry.Kind != kind:
		return extension.NewProblem("chat.wrong-answer", "This answer belongs to another kind of question.", "Open the session again.", "entry", id)
	}
	answered := p.entry
	if err := answer(p, &answered); err != nil {
		return err
	}
	answered.State = session.Done
	if err := a.Sessions.Update(ctx, answered); err != nil {
		return err
	}
	p.entry, p.settled = answered, true
	p.answered <- answered
	return nil
}

func (a *Agent) notWaiting(ctx context.Context, id string) error {
	entry, err := a.Sessions.Entry(ctx, id)
	switch {
	case err != nil:
		return err
	case entry.State.Ended():
		return alreadyAnswered(id)
	}
	return extension.NewProblem("chat.elsewhere", "This question belongs to a turn that another Portico runs.", "Answer it there.", "entry", id)
}

func alreadyAnswered(id string) error {
	return extension.NewProblem("chat.already-answered", "That is settled already.", "The transcript shows how.", "entry", id)
}

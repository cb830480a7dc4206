package agent

import (
	"context"
	"errors"

	"portico/backend/capability"
	"portico/backend/extension"
)

// Wait returns when a turn is over, or with ctx. Its error is why the turn failed; "chat.stopped" when the person stopped it.
type Wait func(ctx context.Context) error

// SendFor is Send for what is no person: during the turn nobody is asked.
func (a *Agent) SendFor(ctx context.Context, in, text string, origin capability.Origin) (Wait, error) {
	t := a.newTurn(in)
	t.origin = origin
	_, err := a.send(ctx, t, text)
	return t.ended, err
}

// RetryFor is Retry for what is no person.
func (a *Agent) RetryFor(ctx context.Context, in string, origin capability.Origin) (Wait, error) {
	t := a.newTurn(in)
	t.origin = origin
	_, err := a.retry(ctx, t)
	return t.ended, err
}

func (t *turn) ended(ctx context.Context) error {
	select {
	case <-t.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if errors.Is(t.outcome, errStopped) {
		return extension.NewProblem("chat.stopped", "The turn was stopped.", "").Because(t.outcome)
	}
	return t.outcome
}

package deno

import (
	"context"
	"encoding/json"
	"errors"

	"portico/backend/schedule"
)

// propose puts a schedule before the person. What is no draft is not accepted (loca-notes.md, 4), and the call's log says
// why.
func propose(ctx context.Context, c *conversation, args json.RawMessage, back func() error) (any, error) {
	answer, err := reviewed(ctx, c, args)
	if err := errors.Join(err, back()); err != nil {
		return nil, err
	}
	return answer, nil
}

func reviewed(ctx context.Context, c *conversation, args json.RawMessage) (schedule.Answer, error) {
	draft, err := schedule.ReadDraft(args)
	if err != nil {
		c.instance.say(c.call, "warn", "The schedule was not accepted: "+inWords(err))
		return schedule.Answer{}, nil
	}
	return c.host.Propose(ctx, c.call, draft)
}

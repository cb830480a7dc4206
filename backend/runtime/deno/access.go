package deno

import (
	"context"

	"portico/backend/extension"
	"portico/backend/grant"
)

// beforeCall judges what an extension's modules reach for while they load: nobody can be asked yet.
func (i *instance) beforeCall(judge *grant.Judge) verdict {
	return func(kind extension.Kind, value string) (bool, string) {
		found, why := judge.Find(kind, value)
		switch {
		case why != "":
		case found.Decision == grant.Allow:
			return true, ""
		case found.Decision == grant.Ask:
			why = found.Permission.Key() + " is asked about during a call, not while the module loads"
		default:
			why = "permission denied: " + found.Permission.Key()
		}
		i.note("warn", "%s", why)
		return false, why
	}
}

// access judges what a running call reaches for. What is undecided is asked about, once in a call; the time limit stands
// still meanwhile, and the tool's thread does. What is taken back in Settings counts from the next access on.
func (c *conversation) access(ctx context.Context, kind extension.Kind, value string) (bool, string) {
	if generation := c.current(); generation != c.judged {
		decided, err := c.host.Decided(ctx, c.call, c.tool)
		if err != nil {
			return false, inWords(err)
		}
		c.judge, c.judged = grant.NewJudge(decided, c.places, c.free), generation
	}
	found, why := c.judge.Find(kind, value)
	if why != "" {
		c.say(c.call, "warn", why)
		return false, why
	}
	if found.Decision == grant.Ask {
		c.seat.leave()
		answers, err := c.host.Permit(ctx, c.call, c.tool, []extension.Permission{found.Permission})
		if back := c.seat.back(ctx); err == nil {
			err = back
		}
		if err != nil {
			return false, inWords(err)
		}
		found.Decision = grant.Deny // an answer that is none allows nothing
		if len(answers) == 1 {
			found.Decision = answers[0].Decision
		}
		c.judge.Settle(found.Permission.Key(), found.Decision)
	}
	if found.Decision != grant.Allow {
		return false, inWords(denied(c.ext, c.tool, found.Permission))
	}
	return true, ""
}

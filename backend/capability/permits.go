package capability

import (
	"context"
	"sync"

	"portico/backend/grant"
)

// Permits are the answers to a call's permission prompts. Whoever needs a permission that is being asked about waits for
// that answer; one for once counts until the call ends. The zero value is empty.
type Permits struct {
	mu    sync.Mutex
	byKey map[string]*permitting
}

type permitting struct {
	done   chan struct{}
	answer *grant.Answer // set when done is closed; nil: the one who asked gave up
}

// Answered gives the answer to a permission, or nil.
func (p *Permits) Answered(key string) *grant.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if asked := p.byKey[key]; asked != nil {
		return asked.answer
	}
	return nil
}

// Once asks about a permission unless that was done, or is being done.
func (p *Permits) Once(ctx context.Context, key string, ask func() (grant.Answer, error)) (grant.Answer, error) {
	for {
		p.mu.Lock()
		asked := p.byKey[key]
		if asked == nil {
			asked = &permitting{done: make(chan struct{})}
			if p.byKey == nil {
				p.byKey = map[string]*permitting{}
			}
			p.byKey[key] = asked
			p.mu.Unlock()
			return p.settle(key, asked, ask)
		}
		answer := asked.answer
		p.mu.Unlock()
		if answer != nil {
			return *answer, nil
		}
		select {
		case <-asked.done:
		case <-ctx.Done():
			return grant.Answer{}, ctx.Err()
		}
	}
}

func (p *Permits) settle(key string, asked *permitting, ask func() (grant.Answer, error)) (grant.Answer, error) {
	answer, err := ask()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		delete(p.byKey, key) // the next one asks anew
	} else {
		asked.answer = &answer
	}
	close(asked.done)
	return answer, err
}

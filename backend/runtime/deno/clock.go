package deno

import (
	"time"

	"portico/backend/capability"
)

// clock is a call's time limit, which pauses while a person is asked. The zero clock never runs out.
type clock struct {
	left  time.Duration
	since time.Time
	timer *time.Timer   // nil: paused, or without a limit
	over  chan struct{} // one place; filled when the time is over
}

func (c *clock) start(limit time.Duration) {
	c.left, c.over = limit, make(chan struct{}, 1)
	c.resume()
}

func (c *clock) pause() {
	if c.timer == nil {
		return
	}
	c.timer.Stop()
	c.timer = nil
	if c.left -= time.Since(c.since); c.left <= 0 {
		c.left = time.Nanosecond // 0 is no limit
	}
}

func (c *clock) resume() {
	if c.left > 0 && c.timer == nil {
		c.since = time.Now()
		over := c.over
		c.timer = time.AfterFunc(c.left, func() {
			select {
			case over <- struct{}{}:
			default:
			}
		})
	}
}

func (c *clock) stop() { c.pause() }

// coalescer passes progress on at most so often: the first at once, then the newest. Nothing that was last is lost.
type coalescer struct {
	pass  func(capability.Progress)
	last  time.Time
	held  *capability.Progress
	timer *time.Timer
}

func (c *coalescer) add(p capability.Progress) {
	wait := progressEvery - time.Since(c.last)
	if wait <= 0 && c.held == nil {
		c.last = time.Now()
		c.pass(p)
		return
	}
	c.held = &p
	if c.timer == nil {
		c.timer = time.NewTimer(max(wait, 0))
	}
}

// due gives what is signalled when what is held should be passed on.
func (c *coalescer) due() <-chan time.Time {
	if c.timer == nil {
		return nil
	}
	return c.timer.C
}

func (c *coalescer) flush() {
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
	if c.held != nil {
		p := *c.held
		c.held, c.last = nil, time.Now()
		c.pass(p)
	}
}

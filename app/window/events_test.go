package window

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"portico/backend/event"
)

// carried runs carry over a hub, and gives the batches with the time at which each was handed over.
type carried struct {
	batches [][]event.Event
	at      []time.Duration
}

func carryFrom(t *testing.T, hub *event.Hub, took chan struct{}) (*carried, func()) {
	t.Helper()
	c := &carried{}
	start := time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	events := hub.Subscribe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		carry(ctx, events.Next, func(batch []event.Event) {
			c.batches = append(c.batches, batch)
			c.at = append(c.at, time.Since(start))
		}, took)
	}()
	return c, func() { cancel(); <-done }
}

func text(at int, s string) event.Event {
	return event.Event{Topic: event.Delta, Payload: event.TextDelta{Session: "s", Entry: "e", At: at, Text: s}}
}

func TestThePageHearsOneBatchAFrameAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub, took := event.NewHub(), make(chan struct{}, eventCredit)
		c, stop := carryFrom(t, hub, took)
		for n := range 100 {
			hub.Publish(text(n, "x"))
			time.Sleep(time.Millisecond)
			select {
			case took <- struct{}{}:
			default:
			}
		}
		time.Sleep(time.Second)
		stop()
		for n := 1; n < len(c.at); n++ {
			if gap := c.at[n] - c.at[n-1]; gap < batchEvery {
				t.Errorf("batches %d and %d are %s apart", n-1, n, gap)
			}
		}
		var all string
		for _, batch := range c.batches {
			for _, e := range batch {
				all += e.Payload.(event.TextDelta).Text
			}
		}
		if len(all) != 100 {
			t.Errorf("%d of 100 letters arrived", len(all))
		}
	})
}

func TestAPageThatHangsIsNotFlooded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub, took := event.NewHub(), make(chan struct{}, eventCredit)
		c, stop := carryFrom(t, hub, took)
		for n := range 90 { // 1.8 s: less than creditAnyway, from a page that takes nothing
			hub.Publish(text(n, "x"))
			time.Sleep(20 * time.Millisecond)
		}
		synctest.Wait()
		if len(c.batches) != eventCredit {
			t.Errorf("%d batches are on their way to a page that took none", len(c.batches))
		}
		took <- struct{}{}
		synctest.Wait()
		if len(c.batches) != eventCredit+1 {
			t.Errorf("one was taken, and %d went out", len(c.batches))
		}
		if last := c.batches[len(c.batches)-1]; len(last) != 1 || len(last[0].Payload.(event.TextDelta).Text) != 90-eventCredit {
			t.Errorf("what waited is not one piece of text: %d events", len(last))
		}
		stop()
	})
}

func TestAReloadedPageHearsEventsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := event.NewHub()
		c, stop := carryFrom(t, hub, make(chan struct{}))
		for range eventCredit {
			hub.Publish(event.Event{Topic: event.Extensions})
			time.Sleep(batchEvery)
			synctest.Wait()
		}
		hub.Publish(event.Event{Topic: event.Settings})
		time.Sleep(creditAnyway + batchEvery)
		synctest.Wait()
		if last := c.batches[len(c.batches)-1]; last[0].Topic != event.Settings {
			t.Errorf("the last event is %q", last[0].Topic)
		}
		stop()
	})
}

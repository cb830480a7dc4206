package window

import (
	"context"
	"time"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"portico/backend/event"
)

const (
	// batchEvery folds what happens within one frame of the screen into one event of the page's.
	batchEvery = 16 * time.Millisecond
	// eventCredit is how many batches may be on their way to the page. Wails queues without a bound, so a page that
	// hangs would otherwise take all memory; what waits in the core's hub is folded instead.
	eventCredit = 4
	// creditAnyway frees the credit of a page that was reloaded and so never said that it took its batches.
	creditAnyway = 2 * time.Second

	eventsName = "portico"       // batches, to the page
	tookName   = "portico.took"  // the page's script ran up to here
	movedName  = "portico.moved" // the page saw the window change or lose the focus
)

// takeScript is run by the page after each batch: scripts run in order, so it comes when the batch was heard.
const takeScript = `window.runtime?.EventsEmit("` + tookName + `")`

// pump carries the core's events to the page until ctx ends.
func (w *Window) pump(ctx context.Context) {
	events := w.core.Events.Subscribe()
	defer events.Close()
	took := make(chan struct{}, eventCredit)
	defer runtime.EventsOn(w.ctx, tookName, func(...any) {
		select {
		case took <- struct{}{}:
		default: // a page that says it twice gains nothing
		}
	})()
	defer runtime.EventsOn(w.ctx, movedName, func(...any) { w.boundsChanged() })()
	carry(ctx, events.Next, func(batch []event.Event) {
		for _, e := range batch {
			if e.Topic == event.Settings {
				w.restyle()
			}
		}
		runtime.EventsEmit(w.ctx, eventsName, batch)
		runtime.WindowExecJS(w.ctx, takeScript)
	}, took)
}

// carry hands over batches, one a frame at most and no more than eventCredit ahead of what was taken.
func carry(ctx context.Context, next func(context.Context) ([]event.Event, error), emit func([]event.Event), took <-chan struct{}) {
	ahead := 0
	for {
		batch, err := next(ctx)
		if err != nil {
			return
		}
		emit(batch)
		ahead++
		frame, stuck := time.NewTimer(batchEvery), time.NewTimer(creditAnyway)
		for drawn := false; !drawn || ahead >= eventCredit; {
			select {
			case <-ctx.Done():
				return
			case <-took:
				ahead = max(ahead-1, 0) // what was given up below may be taken late
			case <-frame.C:
				drawn = true
			case <-stuck.C:
				ahead = 0
			}
		}
	}
}

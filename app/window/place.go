package window

import (
	"log/slog"
	"sync"
	"time"
)

// settleTime is how long the window must rest before its place is kept: a drag moves it hundreds of times.
const settleTime = 400 * time.Millisecond

// hooks are what the system's window tells.
type hooks struct {
	changed func()               // it was moved, resized or maximised
	link    func(address string) // the page tried to go there; it does not
}

// settling calls once, when changes have rested.
type settling struct {
	mu    sync.Mutex
	timer *time.Timer
}

func (s *settling) after(rest time.Duration, call func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
	s.timer = time.AfterFunc(rest, call)
}

func (s *settling) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
}

func (w *Window) boundsChanged() { w.moved.after(settleTime, w.saveBounds) }

// saveBounds keeps where the window is. A disk that refuses costs the place and nothing else, so the log has it.
func (w *Window) saveBounds() {
	select {
	case <-w.started:
	default: // the window is being made
		return
	}
	seen, ok := w.native.seen(w.ctx)
	if !ok {
		return
	}
	if err := w.bounds.see(seen); err != nil {
		slog.Warn("the window's place was not kept", "error", err)
	}
}

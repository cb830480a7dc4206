package deno

import (
	"context"
	"slices"
	"sync"
)

// slots bound how many calls run at the same time. Who waits longest is next. The bound may change at any time; fewer take
// effect as calls end. It is safe for concurrent use.
type slots struct {
	mu      sync.Mutex
	max     int
	taken   int
	waiting []chan struct{} // closed when a slot was taken for it; the one that waits longest first
}

func newSlots(max int) *slots { return &slots{max: max} }

// acquire waits for a slot; each needs one release. An error is ctx's.
func (s *slots) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if len(s.waiting) == 0 && s.taken < s.max {
		s.taken++
		s.mu.Unlock()
		return nil
	}
	mine := make(chan struct{})
	s.waiting = append(s.waiting, mine)
	s.mu.Unlock()
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := slices.Index(s.waiting, mine); at >= 0 {
		s.waiting = slices.Delete(s.waiting, at, at+1)
	} else { // it came at the same moment
		s.taken--
		s.admit()
	}
	return ctx.Err()
}

func (s *slots) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	s.admit()
}

// resize changes the bound.
func (s *slots) resize(max int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.max = max
	s.admit()
}

// inUse counts the slots that are taken.
func (s *slots) inUse() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken
}

func (s *slots) admit() {
	for len(s.waiting) > 0 && s.taken < s.max {
		s.taken++
		close(s.waiting[0])
		s.waiting = s.waiting[1:]
	}
}

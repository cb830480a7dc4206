package deno

import (
	"context"
	"sync"
	"time"
)

// seat is a call's place among those that run at the same time, and its time limit. While a person is asked on the call's
// behalf the limit stands still and the place is another's. It is safe for concurrent use.
type seat struct {
	places *slots

	mu     sync.Mutex
	clock  clock
	taken  bool
	open   int           // how much waits for the person
	taking chan struct{} // closed when the place that somebody waits for is taken, or given up; nil: nobody waits
}

// leave counts one thing more that waits for the person; each needs one return.
func (s *seat) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open++
	s.clock.pause()
	if s.taken {
		s.taken = false
		s.places.release()
	}
}

// back ends one leave, when the call has a place again. An error is ctx's: the call is over then, and has none.
func (s *seat) back(ctx context.Context) error {
	for {
		s.mu.Lock()
		switch {
		case s.taken:
			if s.open--; s.open == 0 {
				s.clock.resume()
			}
			s.mu.Unlock()
			return nil
		case s.taking != nil: // of several that come back, one waits for the place
			taking := s.taking
			s.mu.Unlock()
			select {
			case <-taking:
			case <-ctx.Done():
				return ctx.Err()
			}
			continue
		}
		taking := make(chan struct{})
		s.taking = taking
		s.mu.Unlock()
		err := s.places.acquire(ctx)
		s.mu.Lock()
		s.taking, s.taken = nil, err == nil
		s.mu.Unlock()
		close(taking)
		if err != nil {
			return err
		}
	}
}

// start begins the time limit.
func (s *seat) start(limit time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock.start(limit)
}

// out gives what is signalled when the time is over.
func (s *seat) out() <-chan struct{} { return s.clock.over }

// end stops the time and gives the place back.
func (s *seat) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock.stop()
	if s.taken {
		s.taken = false
		s.places.release()
	}
}

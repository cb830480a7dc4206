package deno

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
)

func TestSlotsAreGivenInOrderAndFollowTheirBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(1)
		if err := s.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		gone, leave := context.WithCancel(t.Context())
		var mu sync.Mutex
		var got []int
		came := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, n)
		}
		for n := range 4 {
			ctx := t.Context()
			if n == 1 {
				ctx = gone
			}
			go func() {
				if s.acquire(ctx) == nil {
					came(n)
				}
			}()
			synctest.Wait()
		}
		leave()
		synctest.Wait()
		if got != nil {
			t.Fatalf("%v did not wait", got)
		}
		s.release()
		synctest.Wait()
		if len(got) != 1 || got[0] != 0 {
			t.Fatalf("first %v, want 0", got)
		}
		s.resize(3)
		synctest.Wait()
		if s.inUse() != 3 || len(got) != 3 {
			t.Fatalf("%d of 3 are in use by %v", s.inUse(), got)
		}
		s.resize(1)
		for range 2 {
			s.release()
		}
		go func() {
			if s.acquire(t.Context()) == nil {
				came(4)
			}
		}()
		synctest.Wait()
		if s.inUse() != 1 || len(got) != 3 {
			t.Fatalf("a smaller bound let %v in", got)
		}
		s.release()
		synctest.Wait()
		if s.inUse() != 1 || len(got) != 4 {
			t.Errorf("%d in use, by %v", s.inUse(), got)
		}
		if err := s.acquire(gone); err == nil || s.inUse() != 1 {
			t.Error("a cancelled call took a slot")
		}
	})
}

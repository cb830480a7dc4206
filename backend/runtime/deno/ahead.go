package deno

import (
	"sync"
	"time"
)

// ahead holds the workers that are booted and wait for their call. It is bounded in number and in memory; the one that
// waited longest goes first. It owns them: whoever takes one out ends it.
type ahead struct {
	max      int
	maxBytes int64

	mu      sync.Mutex
	waiting []*aheadWorker // oldest first
	booting map[aheadKey]bool
}

type aheadKey struct {
	owner *instance
	key   string
}

type aheadWorker struct {
	aheadKey
	worker *worker
	bytes  int64
	idle   *time.Timer
}

func newAhead(max int, maxBytes int64) *ahead {
	return &ahead{max: max, maxBytes: maxBytes, booting: map[aheadKey]bool{}}
}

// reserve asks to boot one; no when there is one, or one on its way, or no room for it.
func (a *ahead) reserve(owner *instance, key string) bool {
	a.mu.Lock()
	want := aheadKey{owner, key}
	if a.booting[want] || len(a.booting) >= a.max {
		a.mu.Unlock()
		return false
	}
	for _, w := range a.waiting {
		if w.aheadKey == want && !w.worker.gone() {
			a.mu.Unlock()
			return false
		}
	}
	a.booting[want] = true
	ended := a.fit()
	a.mu.Unlock()
	end(ended)
	return true
}

func (a *ahead) cancel(owner *instance, key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.booting, aheadKey{owner, key})
}

// put hands over a booted worker.
func (a *ahead) put(owner *instance, key string, w *worker) {
	entry := &aheadWorker{aheadKey: aheadKey{owner, key}, worker: w, bytes: w.memory()}
	a.mu.Lock()
	delete(a.booting, entry.aheadKey)
	a.waiting = append(a.waiting, entry)
	entry.idle = time.AfterFunc(aheadIdle, func() { a.remove(func(w *aheadWorker) bool { return w == entry }) })
	ended := a.fit()
	a.mu.Unlock()
	end(ended)
}

// take gives a worker that was booted for exactly this, or nil.
func (a *ahead) take(owner *instance, key string) *worker {
	a.mu.Lock()
	defer a.mu.Unlock()
	for n, w := range a.waiting {
		if w.aheadKey == (aheadKey{owner, key}) {
			w.idle.Stop()
			a.waiting = append(a.waiting[:n:n], a.waiting[n+1:]...)
			return w.worker
		}
	}
	return nil
}

// drop ends all of an owner's, and returns when they are gone.
func (a *ahead) drop(owner *instance) {
	a.remove(func(w *aheadWorker) bool { return w.owner == owner })
}

// resize changes the bound, and ends all that wait: they were booted under other limits.
func (a *ahead) resize(max int) {
	a.mu.Lock()
	a.max = max
	a.mu.Unlock()
	a.remove(func(*aheadWorker) bool { return true })
}

func (a *ahead) remove(match func(*aheadWorker) bool) {
	a.mu.Lock()
	var kept, ended []*aheadWorker
	for _, w := range a.waiting {
		if match(w) {
			ended = append(ended, w)
		} else {
			kept = append(kept, w)
		}
	}
	a.waiting = kept
	a.mu.Unlock()
	end(ended)
}

// fit takes out what is too much, the oldest first.
func (a *ahead) fit() (ended []*aheadWorker) {
	total := int64(0)
	for _, w := range a.waiting {
		total += w.bytes
	}
	for len(a.waiting) > 0 && (len(a.waiting)+len(a.booting) > a.max || total > a.maxBytes) {
		total -= a.waiting[0].bytes
		ended = append(ended, a.waiting[0])
		a.waiting = a.waiting[1:]
	}
	return ended
}

func end(ended []*aheadWorker) {
	for _, w := range ended {
		w.idle.Stop()
		w.worker.end()
	}
}

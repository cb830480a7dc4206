package session

import (
	"context"
	"database/sql"
	"maps"
	"strings"
	"sync"
	"time"

	"portico/backend/event"
)

// live is what this process knows beyond the disk: its unfinished entries, its turns, and what runs.
type live struct {
	mu      *sync.Mutex // held while an event about an entry is published, so that they have one order
	entries map[string]*unfinished
	flags   map[string]flags // by session
	turns   map[string]struct{}

	publishSoon, saveSoon chan struct{} // each holds a token when its goroutine has something new to look at
}

// flags are Session.Running and Session.Waiting.
type flags struct{ running, waiting bool }

// unfinished is an entry of this process that is open or running.
type unfinished struct {
	entry     Entry
	text      strings.Builder // of a stream, in place of entry.Text
	streams   bool
	announced bool // everything but text was
	shown     int  // bytes of text announced
	units     int  // the same in UTF-16 code units
	last      time.Time
	unsaved   time.Time // since when something is; zero: nothing is
}

func newLive() live {
	return live{mu: new(sync.Mutex), entries: map[string]*unfinished{}, flags: map[string]flags{}, turns: map[string]struct{}{},
		publishSoon: make(chan struct{}, 1), saveSoon: make(chan struct{}, 1)}
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it will look anyway
	}
}

// whole is the entry with all its text.
func (u *unfinished) whole() Entry {
	e := clone(u.entry)
	if u.streams {
		e.Text = u.text.String()
	}
	return e
}

// due says when the entry may be announced next; never (zero) when there is nothing new.
func (u *unfinished) due() time.Time {
	switch {
	case !u.announced:
		return u.last.Add(liveEvery)
	case u.streams && u.shown < u.text.Len():
		return u.last.Add(deltaEvery)
	}
	return time.Time{}
}

// announceLive publishes what is new about an unfinished entry. The caller holds mu.
func (u *unfinished) announceLive(publish func(event.Event), now time.Time) {
	switch {
	case !u.announced:
		u.announceWhole(publish, now)
	case u.streams && u.shown < u.text.Len():
		more := u.text.String()[u.shown:]
		publish(event.Event{Topic: event.Delta, Payload: event.TextDelta{Session: u.entry.Session, Entry: u.entry.ID, At: u.units, Text: more}})
		u.shown += len(more)
		u.units += event.UTF16Len(more)
		u.last = now
	}
}

func (u *unfinished) announceWhole(publish func(event.Event), now time.Time) {
	e := u.whole()
	publish(event.Event{Topic: event.Entry, Payload: e})
	u.announced, u.shown, u.units, u.last = true, len(e.Text), event.UTF16Len(e.Text), now
}

// announce publishes entries that are on disk, and keeps those of ours that are unfinished.
func (s *Store) announce(entries ...Entry) {
	s.live.mu.Lock()
	defer s.live.mu.Unlock()
	for _, e := range entries {
		if e.State.Ended() {
			delete(s.live.entries, e.ID)
			s.publish(event.Event{Topic: event.Entry, Payload: clone(e)})
			continue
		}
		u := s.live.entries[e.ID]
		if u == nil {
			u = &unfinished{}
			s.live.entries[e.ID] = u
		}
		u.entry, u.announced = clone(e), false
		if !u.streams {
			u.unsaved = time.Time{}
		}
		u.announceWhole(s.publish, time.Now())
	}
}

// UpdateLive shows how far a running entry is: at once, but not more often than a window draws, and saved soon. It is ignored for an
// entry that ended or is not this store's, and cannot end one.
func (s *Store) UpdateLive(changed Entry) {
	if changed.State.Ended() {
		return
	}
	changed, err := bounded(changed)
	if err != nil {
		return // Update says so
	}
	now := time.Now()
	s.live.mu.Lock()
	defer s.live.mu.Unlock()
	u := s.live.entries[changed.ID]
	if u == nil {
		return
	}
	u.entry, u.announced = keepIdentity(changed, u.entry), false
	s.live.changed(u, s.publish, now)
}

// changed announces at once where that is due, and has the rest done. The caller holds mu.
func (l *live) changed(u *unfinished, publish func(event.Event), now time.Time) {
	if u.unsaved.IsZero() {
		u.unsaved = now
		poke(l.saveSoon)
	}
	if u.due().After(now) {
		poke(l.publishSoon)
		return
	}
	u.announceLive(publish, now)
}

// keepPublishing announces what was too soon to be announced at once.
func (s *Store) keepPublishing(ctx context.Context) {
	s.keep(ctx, s.live.publishSoon, func() time.Time {
		s.live.mu.Lock()
		defer s.live.mu.Unlock()
		now := time.Now()
		var next time.Time
		for _, u := range s.live.entries {
			due := u.due()
			if due.IsZero() {
				continue
			}
			if !due.After(now) {
				u.announceLive(s.publish, now)
				continue
			}
			next = earlier(next, due)
		}
		return next
	})
}

// keepSaving saves what only was shown.
func (s *Store) keepSaving(ctx context.Context) {
	var again time.Time // not before that, after a failure
	s.keep(ctx, s.live.saveSoon, func() time.Time {
		now := time.Now()
		next := s.live.nextSave()
		if next.Before(again) && !next.IsZero() {
			next = again
		}
		if next.IsZero() || next.After(now) {
			return next
		}
		again = time.Time{}
		if s.save(ctx) != nil {
			again = now.Add(saveAgainAfter)
		}
		return again
	})
}

// keep calls step at its start, whenever soon has a token, and at the time that step last gave, until ctx ends.
func (s *Store) keep(ctx context.Context, soon <-chan struct{}, step func() time.Time) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		var tick <-chan time.Time
		if next := step(); !next.IsZero() {
			timer.Reset(time.Until(next))
			tick = timer.C
		}
		select {
		case <-soon:
		case <-tick:
		case <-ctx.Done():
			return
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

func (l *live) nextSave() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	var next time.Time
	for _, u := range l.entries {
		if !u.unsaved.IsZero() {
			next = earlier(next, u.unsaved.Add(saveEvery))
		}
	}
	return next
}

// save writes every unfinished entry that has something unsaved, in one transaction.
func (s *Store) save(ctx context.Context) error {
	s.order.Lock() // or an entry could end in between
	defer s.order.Unlock()
	unsaved := s.live.takeUnsaved()
	if len(unsaved) == 0 {
		return nil
	}
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		for _, e := range unsaved {
			if _, err := encodeBody(e); err != nil {
				continue // Update says so
			}
			if err := writeEntry(context.WithoutCancel(ctx), tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.live.stillUnsaved(unsaved)
	}
	return err
}

func (l *live) takeUnsaved() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	var unsaved []Entry
	for _, u := range l.entries {
		if !u.unsaved.IsZero() {
			u.unsaved = time.Time{}
			unsaved = append(unsaved, u.whole())
		}
	}
	return unsaved
}

func (l *live) stillUnsaved(entries []Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range entries {
		if u := l.entries[e.ID]; u != nil && u.unsaved.IsZero() {
			u.unsaved = time.Now()
		}
	}
}

// newest is the entry as listeners have it, after what they do not have yet is announced.
func (l *live) newest(onDisk Entry, publish func(event.Event)) Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.entries[onDisk.ID]
	if u == nil {
		return onDisk
	}
	u.announceLive(publish, time.Now())
	return u.whole()
}

// textOf is the text an entry is to be saved with: of one that streams, what was streamed.
func (l *live) textOf(e Entry) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if u := l.entries[e.ID]; u != nil && u.streams {
		return u.text.String()
	}
	return e.Text
}

// current is the newest of an entry that is unfinished here, and otherwise the entry itself.
func (l *live) current(e Entry) Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	if u := l.entries[e.ID]; u != nil {
		return u.whole()
	}
	return e
}

func (l *live) forget(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.entries, id)
}

func (l *live) forgetAfter(session string, seq int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.entries, func(_ string, u *unfinished) bool { return u.entry.Session == session && u.entry.Seq > seq })
}

func (l *live) forgetAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.entries)
}

func (l *live) flagged(s Session) Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.flags[s.ID]
	s.Running, s.Waiting = f.running, f.waiting
	return s
}

func (l *live) setFlags(session string, f flags) (changed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	changed = l.flags[session] != f
	if f == (flags{}) {
		delete(l.flags, session)
	} else {
		l.flags[session] = f
	}
	return changed
}

func (l *live) forgetFlags(session string) { l.setFlags(session, flags{}) }

func (l *live) beginTurn(turn string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turns[turn] = struct{}{}
}

func (l *live) endTurn(turn string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.turns, turn)
}

func (l *live) inTurn(turn string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, in := l.turns[turn]
	return in
}

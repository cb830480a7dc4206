package event

import (
	"context"
	"errors"
	"slices"
	"sync"
	"unicode/utf16"
)

const (
	// MaxPending is how many events wait for a listener. A window that is 4,096 events behind, folded as they are, is
	// quicker to fetch everything again; it is told so with one Resync.
	MaxPending = 4096
	// MaxPendingTextBytes bounds the streamed text that waits for a listener.
	MaxPendingTextBytes = 8 << 20
)

// ErrClosed says that no more events come.
var ErrClosed = errors.New("the event subscription is closed")

// Subject is what a payload implements that says all there is to say about one thing: while a listener is behind, a newer
// one takes the place of an older one. The subject is unique within its topic; that of an entry is its id, which is also
// what a TextDelta names.
type Subject interface{ EventSubject() string }

// EventSubject makes only the newest step of an install wait.
func (s InstallStep) EventSubject() string { return s.Job }

// Hub hands every event to every subscription, in one order for all. It has no goroutine.
type Hub struct {
	mu     sync.Mutex
	subs   map[*Subscription]struct{}
	closed bool
}

// NewHub makes a hub that nobody listens to yet.
func NewHub() *Hub { return &Hub{subs: map[*Subscription]struct{}{}} }

// Publish gives an event to all that listen. It never blocks on a listener. The payload must not be changed afterwards.
func (h *Hub) Publish(e Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		s.add(e)
	}
}

// Subscribe starts to listen: everything published from now on is for it, until it or the hub is closed.
func (h *Hub) Subscribe() *Subscription {
	s := &Subscription{hub: h, about: map[subject][]int{}, ready: make(chan struct{}, 1), done: make(chan struct{})}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		close(s.done)
		return s
	}
	h.subs[s] = struct{}{}
	return s
}

// Close ends all subscriptions; what waits in them can still be taken.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for s := range h.subs {
		close(s.done)
	}
	clear(h.subs)
}

// Subscription is one listener's queue.
type Subscription struct {
	hub   *Hub
	ready chan struct{} // holds a token while something waits
	done  chan struct{}

	mu        sync.Mutex
	queue     []pending
	waiting   int // those of the queue that nothing replaced
	textBytes int
	about     map[subject][]int // where in the queue the events about each subject are, ascending
}

type subject struct {
	topic Topic
	name  string
}

// pending is an event that waits. Its topic is empty when something later says it all.
type pending struct {
	Event
	delta *growing // of a TextDelta, in place of its payload
}

// growing is a TextDelta to which more text is added.
type growing struct {
	first TextDelta
	text  []byte
	end   int // length of the entry's text after it, in UTF-16 code units
}

// Next gives all that waits, at least one event, in order; it waits while there is none. It fails with ctx.Err(), or with
// ErrClosed when everything was taken and nothing more comes.
func (s *Subscription) Next(ctx context.Context) ([]Event, error) {
	for {
		if events := s.take(); len(events) > 0 {
			return events, nil
		}
		select {
		case <-s.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.done:
			if events := s.take(); len(events) > 0 {
				return events, nil
			}
			return nil, ErrClosed
		}
	}
}

// Close stops listening and drops what waits.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if _, listening := s.hub.subs[s]; listening {
		delete(s.hub.subs, s)
		close(s.done)
	}
	s.take()
}

func (s *Subscription) take() []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	events := make([]Event, 0, s.waiting)
	for _, p := range s.queue {
		switch {
		case p.Topic == "":
		case p.delta != nil:
			d := p.delta.first
			d.Text = string(p.delta.text)
			events = append(events, Event{Topic: Delta, Payload: d})
		default:
			events = append(events, p.Event)
		}
	}
	s.empty()
	return events
}

func (s *Subscription) empty() {
	s.queue, s.waiting, s.textBytes = nil, 0, 0
	clear(s.about)
}

func (s *Subscription) add(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fold(e)
	if s.waiting > MaxPending || s.textBytes > MaxPendingTextBytes {
		s.empty()
		s.push(pending{Event: Event{Topic: Resync}})
	}
	if len(s.queue) > 2*MaxPending { // mostly replaced ones
		s.compact()
	}
	select {
	case s.ready <- struct{}{}:
	default: // the token is there already
	}
}

// fold puts an event into the queue. What it replaces, it replaces where the first event about the same thing waits, so
// that things still appear in the order in which they began: a call before the question it asks.
func (s *Subscription) fold(e Event) {
	switch payload := e.Payload.(type) {
	case TextDelta:
		s.foldText(payload)
		return
	case Subject:
		s.replace(subject{e.Topic, payload.EventSubject()}, e)
		return
	case nil:
		if e.Topic != Resync {
			s.replace(subject{topic: e.Topic}, e)
			return
		}
	}
	s.push(pending{Event: e})
	if e.Topic == Resync || e.Topic == SessionGone {
		clear(s.about) // a later event must not move in front of this one: it may be about a session that came back
	}
}

func (s *Subscription) replace(about subject, e Event) {
	places := s.about[about]
	if len(places) == 0 {
		s.about[about] = []int{s.push(pending{Event: e})}
		return
	}
	for _, i := range places {
		if d := s.queue[i].delta; d != nil {
			s.textBytes -= len(d.text)
		}
		s.queue[i] = pending{}
	}
	s.waiting -= len(places) - 1
	s.queue[places[0]] = pending{Event: e}
	s.about[about] = places[:1]
}

func (s *Subscription) foldText(d TextDelta) {
	about := subject{Entry, d.Entry}
	s.textBytes += len(d.Text)
	places := s.about[about]
	if len(places) > 0 {
		if last := s.queue[places[len(places)-1]].delta; last != nil && last.end == d.At {
			last.text = append(last.text, d.Text...)
			last.end += UTF16Len(d.Text)
			return
		}
	}
	i := s.push(pending{Event: Event{Topic: Delta}, delta: &growing{d, []byte(d.Text), d.At + UTF16Len(d.Text)}})
	s.about[about] = append(places, i)
}

func (s *Subscription) push(p pending) int {
	s.queue = append(s.queue, p)
	s.waiting++
	return len(s.queue) - 1
}

func (s *Subscription) compact() {
	moved := make([]int, len(s.queue))
	kept := s.queue[:0]
	for i, p := range s.queue {
		moved[i] = len(kept)
		if p.Topic != "" {
			kept = append(kept, p)
		}
	}
	s.queue = slices.Clip(kept)
	for _, places := range s.about {
		for i := range places {
			places[i] = moved[places[i]]
		}
	}
}

// UTF16Len is the length of a text as JavaScript counts it.
func UTF16Len(text string) int {
	n := 0
	for _, r := range text {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

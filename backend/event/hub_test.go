package event

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"unicode/utf16"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// entry and talk stand for session.Entry and session.Session, which this package must not know.
type entry struct {
	ID, Talk, Parent, Text string
	Version                int
}

func (e entry) EventSubject() string { return e.ID }

type talk struct {
	ID      string
	Version int
}

func (t talk) EventSubject() string { return t.ID }

func said(e entry) Event { return Event{Entry, e} }
func more(id string, at int, text string) Event {
	return Event{Delta, TextDelta{Session: "s", Entry: id, At: at, Text: text}}
}

func all(t *testing.T, s *Subscription) []Event {
	t.Helper()
	events, err := s.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func TestWhatWaitsIsFolded(t *testing.T) {
	a, b := entry{ID: "a"}, entry{ID: "b", Parent: "a"}
	at := func(e entry, version int) Event { e.Version = version; return said(e) }
	menu := func(action string) Event { return Event{Menu, MenuAction{action}} }
	step := func(job, step string) Event { return Event{Install, InstallStep{Job: job, Step: step}} }
	cases := []struct {
		name      string
		published []Event
		arrive    []Event
	}{
		{"text is put together and keeps its first place",
			[]Event{more("a", 0, "one"), more("a", 3, " two"), more("a", 7, "!")}, []Event{more("a", 0, "one two!")}},
		{"places count as JavaScript counts", []Event{more("a", 0, "é😀"), more("a", 3, "x")}, []Event{more("a", 0, "é😀x")}},
		{"text that does not follow on stays apart", []Event{more("a", 0, "one"), more("a", 9, "two")}, []Event{more("a", 0, "one"), more("a", 9, "two")}},
		{"texts of two entries do not mix", []Event{more("a", 0, "1"), more("b", 0, "2"), more("a", 1, "3")}, []Event{more("a", 0, "13"), more("b", 0, "2")}},
		{"an entry replaces itself and its text", []Event{at(a, 1), more("a", 0, "x"), at(a, 2)}, []Event{at(a, 2)}},
		{"an entry replaces text that waits alone", []Event{more("a", 0, "x"), menu("m"), at(a, 1)}, []Event{at(a, 1), menu("m")}},
		{"text after an entry follows it", []Event{at(a, 1), more("a", 5, "x"), more("a", 6, "y")}, []Event{at(a, 1), more("a", 5, "xy")}},
		{"a call that changed stays in front of what it asks", []Event{at(a, 1), at(b, 1), at(a, 2), at(b, 2)}, []Event{at(a, 2), at(b, 2)}},
		{"what has no subject is kept, in order", []Event{menu("1"), menu("2"), menu("2")}, []Event{menu("1"), menu("2"), menu("2")}},
		{"of calls to list again one is enough", []Event{{Topic: Extensions}, menu("1"), {Topic: Extensions}, {Topic: Models}}, []Event{{Topic: Extensions}, menu("1"), {Topic: Models}}},
		{"the newest step of each install", []Event{step("1", "read"), step("2", "read"), step("1", "done")}, []Event{step("1", "done"), step("2", "read")}},
		{"nothing moves in front of a deletion",
			[]Event{{Session, talk{"s", 1}}, at(a, 1), {SessionGone, Gone{"s"}}, {Session, talk{"s", 2}}, at(a, 2)},
			[]Event{{Session, talk{"s", 1}}, at(a, 1), {SessionGone, Gone{"s"}}, {Session, talk{"s", 2}}, at(a, 2)}},
		{"nor in front of a resync", []Event{at(a, 1), {Topic: Resync}, at(a, 2)}, []Event{at(a, 1), {Topic: Resync}, at(a, 2)}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			hub := NewHub()
			s := hub.Subscribe()
			for _, e := range c.published {
				hub.Publish(e)
			}
			if got := all(t, s); !reflect.DeepEqual(got, c.arrive) {
				t.Errorf("got  %v\nwant %v", got, c.arrive)
			}
		})
	}
}

func TestNothingIsFoldedIntoWhatWasTaken(t *testing.T) {
	hub := NewHub()
	s := hub.Subscribe()
	hub.Publish(more("a", 0, "one"))
	first := all(t, s)
	hub.Publish(more("a", 3, "two"))
	if got := all(t, s); !reflect.DeepEqual(got, []Event{more("a", 3, "two")}) || !reflect.DeepEqual(first, []Event{more("a", 0, "one")}) {
		t.Errorf("%v, then %v", first, got)
	}
}

func TestAListenerTooFarBehindGetsOneResyncAndWhatCameAfter(t *testing.T) {
	floods := map[string]func(*Hub){
		"by events": func(h *Hub) {
			for i := range 3*MaxPending + 3 { // the third overflow leaves the resync and a few
				h.Publish(Event{Menu, MenuAction{fmt.Sprint(i)}})
			}
		},
		"by text": func(h *Hub) {
			text := strings.Repeat("x", 1<<20)
			for i := range 2*(MaxPendingTextBytes>>20) + 3 {
				h.Publish(more("a", i<<20, text))
			}
		},
	}
	for name, flood := range floods {
		t.Run(name, func(t *testing.T) {
			hub := NewHub()
			slow, quick := hub.Subscribe(), hub.Subscribe()
			quickly := 0
			flood(hub)
			quickly += len(all(t, quick))
			got := all(t, slow)
			resyncs := 0
			for _, e := range got {
				if e.Topic == Resync {
					resyncs++
				}
			}
			if resyncs != 1 || got[0].Topic != Resync || len(got) < 2 || len(got) > MaxPending {
				t.Errorf("%d events, %d resyncs, first %v", len(got), resyncs, got[0].Topic)
			}
			hub.Publish(more("a", 0, "after"))
			if next := all(t, slow); !reflect.DeepEqual(next, []Event{more("a", 0, "after")}) {
				t.Errorf("after it: %v", next)
			}
		})
	}
}

func TestChangesOfOneThingNeverPileUp(t *testing.T) {
	hub := NewHub()
	s := hub.Subscribe()
	for i := range 10 * MaxPending {
		hub.Publish(said(entry{ID: "a", Version: i}))
		hub.Publish(more("a", 0, "x"))
	}
	if n := len(s.queue); n > 2*MaxPending+1 {
		t.Errorf("the queue has %d places", n)
	}
	if got := all(t, s); len(got) != 2 {
		t.Errorf("%d events", len(got))
	}
}

func TestNextWaitsAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := NewHub()
		s, other := hub.Subscribe(), hub.Subscribe()
		type outcome struct {
			events []Event
			err    error
		}
		outcomes := make(chan outcome)
		next := func(ctx context.Context, s *Subscription) {
			events, err := s.Next(ctx)
			outcomes <- outcome{events, err}
		}
		go next(t.Context(), s)
		synctest.Wait() // it waits
		hub.Publish(more("a", 0, "x"))
		if got := <-outcomes; got.err != nil || len(got.events) != 1 {
			t.Errorf("an event: %v", got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go next(ctx, s)
		synctest.Wait()
		cancel()
		if got := <-outcomes; !errors.Is(got.err, context.Canceled) {
			t.Errorf("cancelled: %v", got)
		}
		go next(t.Context(), s)
		synctest.Wait()
		s.Close()
		s.Close()
		if got := <-outcomes; !errors.Is(got.err, ErrClosed) {
			t.Errorf("closed: %v", got)
		}
		hub.Close()
		hub.Publish(more("a", 0, "nobody"))
		if events, err := other.Next(t.Context()); err != nil || len(events) != 1 {
			t.Errorf("what waited when the hub closed: %v %v", events, err)
		}
		for _, s := range []*Subscription{other, hub.Subscribe()} {
			if events, err := s.Next(t.Context()); !errors.Is(err, ErrClosed) {
				t.Errorf("after that: %v %v", events, err)
			}
		}
	})
}

// world is what is true, and what a listener made of its events.
type world struct {
	talks   map[string]int
	entries map[string]entry
}

func newWorld() *world { return &world{map[string]int{}, map[string]entry{}} }

func (w *world) copyOf(truth *world) {
	w.talks, w.entries = maps.Clone(truth.talks), maps.Clone(truth.entries)
}

func (w *world) forget(id string) {
	delete(w.talks, id)
	maps.DeleteFunc(w.entries, func(_ string, e entry) bool { return e.Talk == id })
}

// hear does what event.go tells a listener to do.
func (w *world) hear(t *testing.T, e Event, truth *world) {
	switch e.Topic {
	case Resync:
		w.copyOf(truth)
	case Session:
		w.talks[e.Payload.(talk).ID] = e.Payload.(talk).Version
	case SessionGone:
		w.forget(e.Payload.(Gone).ID)
	case Entry:
		heard := e.Payload.(entry)
		_, known := w.entries[heard.Parent]
		if _, real := truth.entries[heard.Parent]; real && !known {
			t.Fatalf("%s arrived before its parent %s", heard.ID, heard.Parent)
		}
		w.entries[heard.ID] = heard
	case Delta:
		d := e.Payload.(TextDelta)
		have, known := w.entries[d.Entry]
		if _, real := truth.entries[d.Entry]; !known && !real {
			return // gone in the meantime: a listener that asks for it learns so
		}
		if !known {
			t.Fatalf("text of %s, which never arrived", d.Entry)
		}
		units := utf16.Encode([]rune(have.Text))
		if len(units) < d.At {
			t.Fatalf("%s misses text: has %d, more at %d", d.Entry, len(units), d.At)
		}
		if added := utf16.Encode([]rune(d.Text)); d.At+len(added) > len(units) {
			have.Text += string(utf16.Decode(added[len(units)-d.At:]))
			w.entries[d.Entry] = have
		}
	}
}

func TestWhatAListenerPutsTogetherIsTheTruth(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		hub := NewHub()
		truth := newWorld()
		listeners := []*world{newWorld(), newWorld(), newWorld()}
		subs := make([]*Subscription, len(listeners))
		for i := range subs {
			subs[i] = hub.Subscribe()
		}
		hear := func(i int) {
			if subs[i].waiting == 0 {
				return
			}
			for _, e := range all(t, subs[i]) {
				listeners[i].hear(t, e, truth)
			}
		}
		made := 0
		var ids, talks []string // in the order they were made
		change := func() {
			switch n := r.IntN(20); {
			case len(talks) == 0 || n == 0:
				made++
				id := fmt.Sprint("s", made)
				truth.talks[id] = 0
				talks = append(talks, id)
				hub.Publish(Event{Session, talk{id, 0}})
			case n == 1:
				id := talks[r.IntN(len(talks))]
				truth.talks[id]++
				hub.Publish(Event{Session, talk{id, truth.talks[id]}})
			case n == 2 && r.IntN(4) == 0: // gone, and back with nothing in it
				id := talks[r.IntN(len(talks))]
				truth.forget(id)
				ids = slices.DeleteFunc(ids, func(e string) bool { _, there := truth.entries[e]; return !there })
				talks = slices.DeleteFunc(talks, func(s string) bool { return s == id })
				hub.Publish(Event{SessionGone, Gone{id}})
				if r.IntN(2) == 0 {
					truth.talks[id] = 100
					talks = append(talks, id)
					hub.Publish(Event{Session, talk{id, 100}})
				}
			case n < 6 || len(ids) == 0:
				made++
				e := entry{ID: fmt.Sprint("e", made), Talk: talks[r.IntN(len(talks))]}
				if len(ids) > 0 && truth.entries[ids[len(ids)-1]].Talk == e.Talk {
					e.Parent = ids[len(ids)-1]
				}
				truth.entries[e.ID] = e
				ids = append(ids, e.ID)
				hub.Publish(said(e))
			case n < 8:
				e := truth.entries[ids[r.IntN(len(ids))]]
				e.Version++
				truth.entries[e.ID] = e
				hub.Publish(said(e))
			default:
				e := truth.entries[ids[r.IntN(len(ids))]]
				text := []string{"a", "bc ", "é", "😀", "日本", ""}[r.IntN(6)]
				hub.Publish(more(e.ID, UTF16Len(e.Text), text))
				e.Text += text
				truth.entries[e.ID] = e
			}
		}
		steps := 400
		if seed%50 == 0 {
			steps = 4 * MaxPending // far enough behind for resyncs
		}
		for range steps {
			change()
			hear(0) // one that is never behind,
			if r.IntN(50) == 0 {
				hear(1) // one that is sometimes, and one that always is
			}
		}
		for i, heard := range listeners {
			hear(i)
			if !reflect.DeepEqual(heard, truth) {
				t.Fatalf("seed %d, listener %d:\nhas  %v\ntrue %v", seed, i, heard, truth)
			}
		}
	}
}

func TestManyPublishAndListenAtOnce(t *testing.T) {
	const publishers, each = 8, 500
	hub := NewHub()
	var listening, publishing sync.WaitGroup
	for range 4 {
		s := hub.Subscribe()
		listening.Go(func() {
			texts, actions := map[string]string{}, map[string]int{}
			for {
				events, err := s.Next(t.Context())
				if err != nil {
					break
				}
				for _, e := range events {
					switch p := e.Payload.(type) {
					case TextDelta:
						if p.At != len(texts[p.Entry]) {
							t.Errorf("text of %s at %d, have %d", p.Entry, p.At, len(texts[p.Entry]))
						}
						texts[p.Entry] += p.Text
					case MenuAction:
						who, n := "", 0
						_, _ = fmt.Sscanf(p.Action, "%s %d", &who, &n)
						if n != actions[who] {
							t.Errorf("%s: %d came in place of %d", who, n, actions[who])
						}
						actions[who]++
					}
				}
			}
			for i := range publishers {
				who := fmt.Sprint("p", i)
				if len(texts[who]) != each || actions[who] != each/10 {
					t.Errorf("of %s %d letters and %d actions arrived", who, len(texts[who]), actions[who])
				}
			}
		})
	}
	for i := range publishers {
		who := fmt.Sprint("p", i)
		publishing.Go(func() {
			for n := range each {
				hub.Publish(more(who, n, "x"))
				if n%10 == 0 {
					hub.Publish(Event{Menu, MenuAction{fmt.Sprintf("%s %d", who, n/10)}})
				}
			}
		})
	}
	publishing.Wait()
	hub.Close()
	listening.Wait()
}

package session

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"portico/backend/capability"
	"portico/backend/event"
	"portico/backend/store"
)

// saveBound is the promise of architecture.md, Streaming and disk.
const saveBound = 250 * time.Millisecond

// timed keeps when which topic was published.
func timed(s *Store) func(event.Topic) []time.Time {
	var mu sync.Mutex
	times := map[event.Topic][]time.Time{}
	before := s.publish
	s.publish = func(e event.Event) {
		mu.Lock()
		times[e.Topic] = append(times[e.Topic], time.Now())
		mu.Unlock()
		before(e)
	}
	return func(topic event.Topic) []time.Time {
		mu.Lock()
		defer mu.Unlock()
		return times[topic]
	}
}

func wantSpaced(t *testing.T, times []time.Time, least time.Duration) {
	t.Helper()
	for i := 1; i < len(times); i++ {
		if gap := times[i].Sub(times[i-1]); gap < least {
			t.Errorf("%d and %d are %v apart, want %v", i-1, i, gap, least)
		}
	}
}

func TestStreamedTextIsShownAtOnceAndSavedWithinTheBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, h := in(t, t.TempDir())
		published := timed(s)
		stream := s.StreamText(t.Context(), Entry{Session: newSession(t, s).ID, Kind: AgentSays, Model: "m"})
		stream.Write("0 ")
		id := stream.entry.ID
		written := "0 "
		var lengths []int // of what was written, by 5 ms
		for i := range 300 {
			lengths = append(lengths, len(written))
			time.Sleep(5 * time.Millisecond)
			synctest.Wait()
			saved := onDisk(t, s, id)
			if saved.State != Running || !strings.HasPrefix(written, saved.Text) {
				t.Fatalf("on disk %+v", saved)
			}
			if ago := i - int(saveBound/(5*time.Millisecond)); ago >= 0 && len(saved.Text) < lengths[ago] {
				t.Fatalf("%d of the %d bytes that are older than %v are on disk", len(saved.Text), lengths[ago], saveBound)
			}
			piece := fmt.Sprint(i, "é😀 ")
			stream.Write(piece)
			written += piece
		}
		deltas := published(event.Delta)
		wantSpaced(t, deltas, deltaEvery)
		if len(deltas) < 50 { // 1.5 s at one in 25 ms
			t.Errorf("only %d deltas in 1.5 s", len(deltas))
		}
		ended, err := stream.Close(t.Context(), Done)
		if err != nil || ended.Text != written || ended.State != Done || ended.Model != "m" {
			t.Errorf("%+v %v", ended, err)
		}
		if got := onDisk(t, s, id); !reflect.DeepEqual(got, ended) {
			t.Errorf("on disk %+v", got)
		}
		text := ""
		for _, e := range h.events {
			switch p := e.Payload.(type) {
			case event.TextDelta:
				if p.At != event.UTF16Len(text) {
					t.Fatalf("a delta at %d, have %d", p.At, event.UTF16Len(text))
				}
				text += p.Text
			case Entry:
				if !strings.HasPrefix(p.Text, text) {
					t.Fatalf("an entry takes text back: %q", p.Text)
				}
				text = p.Text
			}
		}
		if text != written {
			t.Errorf("a listener has %d of %d bytes", len(text), len(written))
		}
		stream.Write("too late")
		h.take()
		time.Sleep(time.Hour)
		h.expect(t) // and all is quiet
	})
}

func TestTheLastTextBeforeAPauseIsShownAndSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, h := in(t, t.TempDir())
		e := add(t, s, Entry{Session: newSession(t, s).ID, Kind: AgentSays, State: Running})
		time.Sleep(time.Second)
		h.take()
		stream := s.StreamText(t.Context(), e)
		stream.Write("a")
		h.expect(t, `delta at 0 "a"`) // at once
		stream.Write("b")
		stream.Write("c")
		h.expect(t)
		time.Sleep(deltaEvery)
		synctest.Wait()
		h.expect(t, `delta at 1 "bc"`)
		time.Sleep(saveBound - deltaEvery)
		synctest.Wait()
		if got := onDisk(t, s, e.ID); got.Text != "abc" {
			t.Errorf("on disk %q", got.Text)
		}
	})
}

func TestACharacterThatComesInPartsIsShownWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := in(t, t.TempDir())
		stream := s.StreamText(t.Context(), Entry{Session: newSession(t, s).ID, Kind: AgentSays})
		for _, b := range []byte("é😀日\xff!\xe6\x97") {
			stream.Write(string([]byte{b}))
			time.Sleep(time.Second)
		}
		ended, err := stream.Close(t.Context(), Done)
		if err != nil || ended.Text != "é😀日\uFFFD!\uFFFD" {
			t.Errorf("%q %v", ended.Text, err)
		}
	})
}

func TestAnAnswerWithoutTextLeavesNoEntry(t *testing.T) {
	s, h := in(t, t.TempDir())
	id := newSession(t, s).ID
	h.take()
	stream := s.StreamText(t.Context(), Entry{Session: id, Kind: AgentSays})
	stream.Write("")
	if got, err := stream.Close(t.Context(), Done); err != nil || got.ID != "" {
		t.Errorf("%+v %v", got, err)
	}
	h.expect(t)
	nowhere := s.StreamText(t.Context(), Entry{Session: "x", Kind: AgentSays})
	nowhere.Write("x")
	_, err := nowhere.Close(t.Context(), Done)
	wantCode(t, err, "session.missing")
}

func TestATextThatIsTooLongIsCutAndSaysSo(t *testing.T) {
	s, _ := in(t, t.TempDir())
	stream := s.StreamText(t.Context(), Entry{Session: newSession(t, s).ID, Kind: AgentSays})
	stream.Write("x")
	for range MaxTextBytes / (2 << 20) {
		stream.Write(strings.Repeat("é", 1<<20))
	}
	stream.Write("more")
	if !stream.Full() {
		t.Error("it is not full")
	}
	got, err := stream.Close(t.Context(), Done)
	if err != nil || got.State != Failed || got.Problem == nil || got.Problem.Code != "session.too-large" || len(got.Text) != MaxTextBytes-1 {
		t.Errorf("%s %v %d %v", got.State, got.Problem, len(got.Text), err)
	}
}

func TestProgressIsShownAsOftenAsAWindowDrawsAndSavedWithinTheBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, h := in(t, t.TempDir())
		e := add(t, s, Entry{Session: newSession(t, s).ID, Kind: ToolCall, State: Running, Call: &CallEntry{Phase: "running"}})
		time.Sleep(time.Second)
		h.take()
		published := timed(s)
		step := func(i int) {
			e.Call.Progress = &capability.Progress{Fraction: float64(i) / 1000}
			s.UpdateLive(e)
		}
		fraction := func(e Entry) int { return int(e.Call.Progress.Fraction*1000 + 0.5) }
		step(0)
		if n := len(published(event.Entry)); n != 1 {
			t.Fatalf("the first was announced %d times", n)
		}
		for i := 1; i <= 200; i++ { // a flood: one a millisecond, then nothing
			time.Sleep(time.Millisecond)
			step(i)
		}
		time.Sleep(saveBound)
		synctest.Wait()
		wantSpaced(t, published(event.Entry), time.Second/30)
		last := h.events[len(h.events)-1].Payload.(Entry)
		if fraction(last) != 200 || fraction(onDisk(t, s, e.ID)) != 200 {
			t.Errorf("shown %d, on disk %d", fraction(last), fraction(onDisk(t, s, e.ID)))
		}
		// The end takes the place of progress that still waits.
		step(201)
		step(202)
		e.State = Done
		if err := s.Update(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		e.State = Running
		step(203)
		h.take()
		time.Sleep(time.Hour)
		h.expect(t)
		if got := onDisk(t, s, e.ID); got.State != Done || fraction(got) != 202 {
			t.Errorf("%+v", got)
		}
	})
}

func TestWhatAnotherProcessEndedStaysEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := t.TempDir()
		s, h := in(t, folder)
		other, _ := in(t, folder)
		e := add(t, s, Entry{Session: newSession(t, s).ID, Kind: ToolCall, State: Running})
		time.Sleep(time.Second)
		ended := e
		ended.State, ended.Text = Done, "by the other"
		if err := other.Update(t.Context(), ended); err != nil {
			t.Fatal(err)
		}
		e.Text = "still running"
		s.UpdateLive(e)
		time.Sleep(time.Second)
		e.State = Failed
		wantCode(t, s.Update(t.Context(), e), "session.entry-ended")
		h.take()
		e.State = Running
		s.UpdateLive(e)
		time.Sleep(time.Second)
		h.expect(t)
		if got := onDisk(t, s, e.ID); got.State != Done || got.Text != "by the other" {
			t.Errorf("%+v", got)
		}
	})
}

func TestAStreamingEntryCanChangeOtherwiseToo(t *testing.T) {
	s, _ := in(t, t.TempDir())
	e := add(t, s, Entry{Session: newSession(t, s).ID, Kind: AgentSays, State: Running})
	stream := s.StreamText(t.Context(), e)
	stream.Write("one ")
	e.Model, e.Text = "m", "a stale copy of the text"
	if err := s.Update(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	stream.Write("two")
	got, err := stream.Close(t.Context(), Done, func(e *Entry) { e.Turn = "not this"; e.Problem = nil })
	if err != nil || got.Model != "m" || got.Text != "one two" || got.Turn != "" {
		t.Errorf("%+v %v", got, err)
	}
}

func TestATranscriptHasWhatIsNotSavedYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, h := in(t, t.TempDir())
		id := newSession(t, s).ID
		stream := s.StreamText(t.Context(), Entry{Session: id, Kind: AgentSays})
		stream.Write("a")
		stream.Write("b")
		h.take()
		entries, err := s.Entries(t.Context(), id)
		if err != nil || len(entries) != 1 || entries[0].Text != "ab" || onDisk(t, s, entries[0].ID).Text == "ab" {
			t.Errorf("%+v %v", entries, err)
		}
		h.expect(t, `delta at 1 "b"`) // so that no listener is behind what was fetched
		if got := entryOf(t, s, entries[0].ID); got.Text != "ab" {
			t.Errorf("%+v", got)
		}
	})
}

func TestAFullDiskStopsNoStreamAndIsSaidAtItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, h := in(t, t.TempDir())
		room := func(pages string) {
			err := s.db.Write(t.Context(), func(tx *sql.Tx) error {
				var n int
				return tx.QueryRow(`PRAGMA max_page_count = ` + pages).Scan(&n)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		id := newSession(t, s).ID
		stream := s.StreamText(t.Context(), Entry{Session: id, Kind: AgentSays})
		stream.Write("start")
		time.Sleep(time.Second)
		room("1") // no less than there is
		h.take()
		long := strings.Repeat("x", 100_000)
		stream.Write(long)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		h.expect(t, fmt.Sprintf("delta at 5 %q", long))
		if got := onDisk(t, s, stream.entry.ID); got.Text != "start" {
			t.Fatalf("%d bytes are on a full disk", len(got.Text))
		}
		_, err := stream.Close(t.Context(), Done)
		wantCode(t, err, "store.full")
		_, err = s.Append(t.Context(), Entry{Session: id, Kind: PersonSays, Text: long})
		wantCode(t, err, "store.full")
		h.expect(t) // what could not be saved is not shown
		room("1000000")
		time.Sleep(saveAgainAfter + saveBound)
		synctest.Wait()
		if got := onDisk(t, s, stream.entry.ID); got.Text != "start"+long {
			t.Errorf("with space again %d bytes are on disk", len(got.Text))
		}
		if got, err := stream.Close(t.Context(), Done); err != nil || got.Text != "start"+long {
			t.Errorf("%s %v", got.State, err)
		}
	})
}

// listener does with the events of a hub what model.go and event.go tell a listener to do.
type listener struct {
	store   *Store
	session string
	entries map[string]Entry
}

func (l *listener) fetch(t *testing.T) {
	entries, err := l.store.Entries(t.Context(), l.session)
	if err != nil {
		t.Error(err)
	}
	for _, e := range entries {
		l.merge(e)
	}
}

func (l *listener) merge(e Entry) {
	have, known := l.entries[e.ID]
	if known && (have.State.Ended() || !e.State.Ended() && len(have.Text) > len(e.Text)) {
		return
	}
	l.entries[e.ID] = e
}

func (l *listener) hear(t *testing.T, e event.Event) {
	switch p := e.Payload.(type) {
	case Entry:
		l.merge(p)
	case event.TextDelta:
		have, known := l.entries[p.Entry]
		units, added := utf16.Encode([]rune(have.Text)), utf16.Encode([]rune(p.Text))
		switch {
		case !known || len(units) < p.At:
			t.Errorf("text of %s at %d, have %d", p.Entry, p.At, len(units))
		case p.At+len(added) > len(units):
			have.Text += string(utf16.Decode(added[len(units)-p.At:]))
			l.entries[p.Entry] = have
		}
	default:
		if e.Topic == event.Resync {
			l.fetch(t)
		}
	}
}

func TestWhatAWindowPutsTogetherIsWhatIsOnDisk(t *testing.T) {
	folder := t.TempDir()
	db, err := store.Open(t.Context(), filepath.Join(folder, "portico.db"))
	if err != nil {
		t.Fatal(err)
	}
	hub := event.NewHub()
	s, err := NewStore(db, hub.Publish, folder)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(s.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	}()
	id := newSession(t, s).ID
	var listening, working sync.WaitGroup
	var listeners []*listener
	for i := range 3 {
		l := &listener{s, id, map[string]Entry{}}
		listeners = append(listeners, l)
		sub := hub.Subscribe()
		listening.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 2))
			for {
				events, err := sub.Next(t.Context())
				if err != nil {
					return
				}
				for _, e := range events {
					l.hear(t, e)
				}
				if i > 0 && r.IntN(10) == 0 { // opens the session again in the middle
					l.fetch(t)
				}
				time.Sleep(time.Duration(i*r.IntN(40)) * time.Millisecond)
			}
		})
	}
	for i := range 4 {
		working.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			for range 5 {
				stream := s.StreamText(t.Context(), Entry{Session: id, Kind: AgentSays})
				call := add(t, s, Entry{Session: id, Kind: ToolCall, State: Running, Call: &CallEntry{Args: json.RawMessage(`{}`)}})
				for n := range 60 {
					stream.Write([]string{"word ", "é", "😀", "日本"}[r.IntN(4)])
					call.Call.Progress = &capability.Progress{Fraction: float64(n)}
					s.UpdateLive(call)
					time.Sleep(time.Duration(r.IntN(3)) * time.Millisecond)
				}
				if _, err := stream.Close(t.Context(), Done); err != nil {
					t.Error(err)
				}
				call.State = Done
				if err := s.Update(t.Context(), call); err != nil {
					t.Error(err)
				}
			}
		})
	}
	working.Wait()
	hub.Close()
	listening.Wait()
	truth, err := s.Entries(t.Context(), id)
	if err != nil || len(truth) != 40 {
		t.Fatalf("%d entries, %v", len(truth), err)
	}
	for i, l := range listeners {
		if len(l.entries) != len(truth) {
			t.Errorf("listener %d has %d entries", i, len(l.entries))
		}
		for _, e := range truth {
			is, _ := json.Marshal(l.entries[e.ID])
			want, _ := json.Marshal(e)
			if string(is) != string(want) {
				t.Errorf("listener %d has %s, true is %s", i, is, want)
			}
		}
	}
}

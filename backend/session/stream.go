package session

import (
	"context"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"portico/backend/extension"
)

// TextStream is the text of one entry as it comes. One goroutine writes.
type TextStream struct {
	store *Store
	ctx   context.Context // for the entry that is not there yet

	mu    sync.Mutex
	entry Entry
	begun bool
	err   error  // why the entry could not be added
	tail  string // the start of a character whose end is still to come
	full  bool
	ended bool
}

// StreamText streams into an entry that Append added, in state Running; or, when it has no id, into one that is added with the first
// text, so that an answer without text leaves no entry. The same ctx bounds that.
func (s *Store) StreamText(ctx context.Context, entry Entry) *TextStream {
	entry.State = Running
	t := &TextStream{store: s, ctx: ctx, entry: entry}
	if entry.ID != "" {
		t.begin()
	}
	return t
}

// begin makes the store's unfinished entry a streaming one. The caller holds mu, or nobody else has the stream yet.
func (t *TextStream) begin() {
	if t.entry.ID == "" {
		if t.entry, t.err = t.store.Append(t.ctx, t.entry); t.err != nil {
			return
		}
	}
	if !t.store.live.stream(t.entry.ID) {
		t.err = entryMissing(t.entry.ID)
		return
	}
	t.begun = true
}

// stream makes the text of an unfinished entry grow from what it is.
func (l *live) stream(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.entries[id]
	if u == nil {
		return false
	}
	if !u.streams {
		u.streams = true
		u.text.WriteString(u.entry.Text)
	}
	return true
}

// Write shows more text at once, but not more often than a window draws, and has it saved within 250 ms. It may end in the middle of a
// character. What goes beyond MaxTextBytes is dropped; see Full. It never waits for the disk but for the first text of an
// entry that is not there yet.
func (t *TextStream) Write(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text == "" || t.ended || t.full || t.err != nil {
		return
	}
	text, t.tail = wholeRunes(t.tail + text)
	t.write(text)
}

func (t *TextStream) write(text string) {
	if text == "" {
		return
	}
	if !t.begun {
		if len(text) <= MaxTextBytes { // shown with the entry, not after it
			t.entry.Text, text = text, ""
		}
		if t.begin(); t.err != nil || text == "" {
			return
		}
	}
	t.full = t.store.grow(t.entry.ID, text)
}

// grow adds text to a streaming entry and says whether it did not all fit.
func (s *Store) grow(id, text string) (full bool) {
	now := time.Now()
	s.live.mu.Lock()
	defer s.live.mu.Unlock()
	u := s.live.entries[id]
	if u == nil {
		return false
	}
	if room := MaxTextBytes - u.text.Len(); len(text) > room {
		for room > 0 && !utf8.RuneStart(text[room]) {
			room--
		}
		text, full = text[:room], true
	}
	u.text.WriteString(text)
	s.live.changed(u, s.publish, now)
	return full
}

// wholeRunes parts a text before a character that is not all there, and makes the first part valid.
func wholeRunes(text string) (whole, tail string) {
	cut := len(text)
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if at := len(text) - back; utf8.RuneStart(text[at]) {
			if !utf8.FullRuneInString(text[at:]) {
				cut = at
			}
			break
		}
	}
	return validText(text[:cut]), text[cut:]
}

// Full says that the text reached MaxTextBytes: whoever writes it should stop.
func (t *TextStream) Full() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.full
}

// Close ends the entry in that state, after change was applied to it, and gives it as it is on disk. An entry that was never
// added, because no text came, is given without an id, and nothing is announced. A text that was cut ends as Failed with
// session.too-large. Close can be tried again when it failed; that ctx is cancelled does not stop it.
func (t *TextStream) Close(ctx context.Context, state State, change ...func(*Entry)) (Entry, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !state.Ended() {
		return Entry{}, fmt.Errorf("a stream of text can't end as %s", state)
	}
	if t.err == nil && !t.ended {
		t.write(validText(t.tail))
	}
	t.ended, t.tail = true, ""
	if t.err != nil {
		return Entry{}, t.err
	}
	if !t.begun {
		return Entry{}, nil
	}
	end := t.store.live.current(t.entry)
	end.State = state
	for _, apply := range change {
		apply(&end)
	}
	if t.full {
		end.State, end.Problem = Failed, extension.AsProblem(tooLarge("text", MaxTextBytes), "", "", "")
	}
	return t.store.update(ctx, end)
}

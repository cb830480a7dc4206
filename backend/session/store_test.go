package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"portico/backend/event"
	"portico/backend/extension"
	"portico/backend/store"
)

func TestMain(m *testing.M) {
	if folder := os.Getenv(childVariable); folder != "" {
		childMain(folder)
		return
	}
	goleak.VerifyTestMain(m)
}

// heard keeps what a store publishes.
type heard struct {
	mu     sync.Mutex
	events []event.Event
}

func (h *heard) publish(e event.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e)
}

// take gives what was heard since the last time, in one line each.
func (h *heard) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var lines []string
	for _, e := range h.events {
		switch p := e.Payload.(type) {
		case Entry:
			lines = append(lines, fmt.Sprintf("entry %s %q", p.State, p.Text))
		case Session:
			lines = append(lines, fmt.Sprintf("session %q %s running=%v waiting=%v", p.Title, p.Mode, p.Running, p.Waiting))
		case event.TextDelta:
			lines = append(lines, fmt.Sprintf("delta at %d %q", p.At, p.Text))
		case event.Gone:
			lines = append(lines, "gone")
		default:
			lines = append(lines, string(e.Topic))
		}
	}
	h.events = nil
	return lines
}

func (h *heard) expect(t *testing.T, want ...string) {
	t.Helper()
	if got := h.take(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("heard\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// in opens a store on a folder.
func in(t *testing.T, folder string) (*Store, *heard) {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(folder, "portico.db"))
	if err != nil {
		t.Fatal(err)
	}
	h := &heard{}
	s, err := NewStore(db, h.publish, folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	return s, h
}

func newSession(t *testing.T, s *Store) Session {
	t.Helper()
	made, err := s.Create(t.Context(), Session{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func add(t *testing.T, s *Store, e Entry) Entry {
	t.Helper()
	added, err := s.Append(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func entryOf(t *testing.T, s *Store, id string) Entry {
	t.Helper()
	found, err := s.Entry(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// onDisk reads an entry past everything the store has in memory.
func onDisk(t *testing.T, s *Store, id string) Entry {
	t.Helper()
	found, err := readEntry(t.Context(), s.db.Read(), id)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	var p *extension.Problem
	if !errors.As(err, &p) || p.Code != code {
		t.Errorf("got %v, want the problem %s", err, code)
		return
	}
	if p.What == "" || p.Next == "" || strings.ContainsAny(p.What+p.Next, "{}") {
		t.Errorf("%s says %q, %q", code, p.What, p.Next)
	}
}

package session

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/backend/store"
)

const childVariable = "PORTICO_TEST_STREAM_IN" // makes this binary a second process that streams without end

// contextOfChild has the child end with the process that started it, whose end closes the pipe.
func contextOfChild() context.Context {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(2)
	}()
	return context.Background()
}

// childMain leaves one entry of every unfinished kind in a session whose turn it has, says so, and streams until it is killed.
func childMain(folder string) {
	err := func() error {
		ctx := contextOfChild()
		db, err := store.Open(ctx, filepath.Join(folder, "portico.db"))
		if err != nil {
			return err
		}
		s, err := NewStore(db, (&heard{}).publish, folder)
		if err != nil {
			return err
		}
		in, err := s.Create(ctx, Session{})
		if err != nil {
			return err
		}
		turn, _, err := s.BeginTurn(ctx, in.ID)
		if err != nil {
			return err
		}
		for _, e := range []Entry{
			{Kind: PersonSays, Text: "Count for me"},
			{Kind: ToolCall, State: Running, Call: &CallEntry{Phase: "asking"}},
			{Kind: Asks, State: Open},
		} {
			e.Session, e.Turn = in.ID, turn
			if _, err := s.Append(ctx, e); err != nil {
				return err
			}
		}
		said, err := s.Append(ctx, Entry{Session: in.ID, Turn: turn, Kind: AgentSays, State: Running})
		if err != nil {
			return err
		}
		fmt.Println(in.ID, said.ID)
		stream := s.StreamText(ctx, said)
		for i := 0; ; i++ {
			stream.Write(fmt.Sprint(i, " "))
			time.Sleep(time.Millisecond)
		}
	}()
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// child starts that process; it ends with the test at the latest.
func child(t *testing.T, folder string) (process *exec.Cmd, session, said string) {
	t.Helper()
	process = exec.Command(os.Args[0])
	process.Env = append(os.Environ(), childVariable+"="+folder)
	process.Stderr = os.Stderr
	life, err := process.StdinPipe() // it ends when this closes
	if err != nil {
		t.Fatal(err)
	}
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = life.Close()
		_ = process.Process.Kill()
		_ = process.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(line, &session, &said); err != nil {
		t.Fatal(err)
	}
	return process, session, said
}

func TestAfterACrashTheTextIsThereAndMarkedInterrupted(t *testing.T) {
	folder := t.TempDir()
	s, h := in(t, folder)
	process, session, said := child(t, folder)

	var seen string // on disk while the other process streams
	for deadline := time.Now().Add(time.Minute); len(seen) < 500; time.Sleep(5 * time.Millisecond) {
		if seen = onDisk(t, s, said).Text; time.Now().After(deadline) {
			t.Fatal("nothing is saved")
		}
	}
	// While that process lives, what it has unfinished stays so, and its turn is its own.
	if err := s.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := onDisk(t, s, said); got.State != Running {
		t.Fatalf("a text that still streams was marked %s", got.State)
	}
	_, _, err := s.BeginTurn(t.Context(), session)
	wantCode(t, err, "session.busy")

	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = process.Wait()
	h.take()
	if err := s.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	entries, err := s.Entries(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	var states []State
	for _, e := range entries {
		states = append(states, e.State)
		if e.Call != nil && e.Call.Phase != "" {
			t.Errorf("an interrupted call is still %q", e.Call.Phase)
		}
	}
	if !slices.Equal(states, []State{Done, Interrupted, Interrupted, Interrupted}) {
		t.Fatalf("%v", states)
	}
	text := entries[3].Text
	var whole strings.Builder
	for i := 0; whole.Len() < len(text); i++ {
		fmt.Fprint(&whole, i, " ")
	}
	if !strings.HasPrefix(text, seen) || !strings.HasPrefix(whole.String(), text) {
		t.Errorf("%d bytes were seen on disk before, and are now %q…", len(seen), text[:min(len(text), 100)])
	}
	if lines := h.take(); len(lines) != 3 {
		t.Errorf("heard %v", lines)
	}
	if _, release, err := s.BeginTurn(t.Context(), session); err != nil {
		t.Errorf("the turn of a process that is gone: %v", err)
	} else {
		release()
	}
	if locks, err := os.ReadDir(filepath.Join(folder, "locks")); err != nil || len(locks) != 1 {
		t.Errorf("%v %v", locks, err)
	}
}

func TestATurnTakesOverWhatADeadProcessLeftInItsSession(t *testing.T) {
	folder := t.TempDir()
	s, _ := in(t, folder)
	process, session, said := child(t, folder)
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = process.Wait()
	turn, release, err := s.BeginTurn(t.Context(), session) // no restart, no Recover
	if err != nil || turn == "" {
		t.Fatal(err)
	}
	defer release()
	if got := onDisk(t, s, said); got.State != Interrupted {
		t.Errorf("%+v", got)
	}
}

func TestASessionHasOneTurnAtATime(t *testing.T) {
	folder := t.TempDir()
	a, _ := in(t, folder)
	b, _ := in(t, folder)
	one, other := newSession(t, a).ID, newSession(t, a).ID
	turn, release, err := a.BeginTurn(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Store{a, b} {
		_, _, err := s.BeginTurn(t.Context(), one)
		wantCode(t, err, "session.busy")
	}
	_, releaseOther, err := b.BeginTurn(t.Context(), other)
	if err != nil {
		t.Errorf("another session: %v", err)
	}
	releaseOther()
	release()
	next, releaseNext, err := b.BeginTurn(t.Context(), one)
	if err != nil || next == turn {
		t.Fatal(err)
	}
	release() // a second time: it must not end the turn of somebody else
	_, _, err = a.BeginTurn(t.Context(), one)
	wantCode(t, err, "session.busy")
	releaseNext()
}

func TestOfManyTurnsAtOnceOneBegins(t *testing.T) {
	folder := t.TempDir()
	a, _ := in(t, folder)
	b, _ := in(t, folder)
	id := newSession(t, a).ID
	var group sync.WaitGroup
	var mu sync.Mutex
	begun := 0
	for i := range 8 {
		group.Go(func() {
			_, release, err := []*Store{a, b}[i%2].BeginTurn(t.Context(), id)
			if err != nil {
				wantCode(t, err, "session.busy")
				return
			}
			defer t.Cleanup(release)
			mu.Lock()
			defer mu.Unlock()
			begun++
		})
	}
	group.Wait()
	if begun != 1 {
		t.Errorf("%d began", begun)
	}
}

func TestClosingLeavesNothingUnfinished(t *testing.T) {
	folder := t.TempDir()
	s, _ := in(t, folder)
	other, _ := in(t, folder)
	id := newSession(t, s).ID
	theirs := add(t, other, Entry{Session: id, Kind: ToolCall, State: Running})
	stream := s.StreamText(t.Context(), Entry{Session: id, Kind: AgentSays})
	stream.Write("all of it")
	stream.Write(", to the last word")
	if _, _, err := s.BeginTurn(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	if got := onDisk(t, other, stream.entry.ID); got.State != Interrupted || got.Text != "all of it, to the last word" {
		t.Errorf("%+v", got)
	}
	if got := onDisk(t, other, theirs.ID); got.State != Running {
		t.Errorf("another's: %+v", got)
	}
	if _, release, err := other.BeginTurn(t.Context(), id); err != nil {
		t.Error(err)
	} else {
		release()
	}
	if locks, err := os.ReadDir(filepath.Join(folder, "locks")); err != nil || len(locks) != 1 {
		t.Errorf("%v %v", locks, err)
	}
}

func TestOwnersComeAndGoWhileOthersSweep(t *testing.T) {
	folder := t.TempDir()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				o, err := newOwner(folder)
				if err != nil {
					t.Error(err)
					return
				}
				if err := o.sweep(); err != nil {
					t.Error(err)
				}
				looking := &owner{id: newID(), folder: o.folder}
				if !looking.alive(o.id) {
					t.Error("a living owner was taken for gone")
				}
				o.release()
				if looking.alive(o.id) {
					t.Error("a gone owner was taken for living")
				}
			}
		})
	}
	group.Wait()
	for _, name := range []string{"", "x", "../portico"} {
		if (&owner{id: "me", folder: filepath.Join(folder, "locks")}).alive(name) {
			t.Errorf("%q is no owner", name)
		}
	}
}

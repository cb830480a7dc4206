package deno

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"portico/backend/capability"
	"portico/backend/grant"
)

// settle waits until nothing is being booted, and gives how many wait.
func (a *ahead) settle() int {
	for {
		a.mu.Lock()
		booting, waiting := len(a.booting), len(a.waiting)
		a.mu.Unlock()
		if booting == 0 {
			return waiting
		}
		time.Sleep(time.Millisecond)
	}
}

func (s *stage) warm(tool string) int {
	s.instance.Warm(capability.Call{Tool: tool}, tool)
	s.instance.busy.Wait()
	return s.runtime.ahead.settle()
}

// waits gives the worker that waits, or nil.
func (s *stage) waits() *worker {
	s.runtime.ahead.mu.Lock()
	defer s.runtime.ahead.mu.Unlock()
	if len(s.runtime.ahead.waiting) == 0 {
		return nil
	}
	return s.runtime.ahead.waiting[0].worker
}

func TestAWorkerThatWaitsTakesOneCall(t *testing.T) {
	s := onStage(t, examples+"/permissions")
	s.warm("needs_nothing")
	first := s.waits()
	if first == nil {
		t.Fatal("none waits")
	}
	s.works("needs_nothing", `{}`, `"nothing"`)
	<-first.process.Exited() // it took the call, and ended with it
	if s.waits() != nil {
		t.Error("one waits that nobody asked for: the call had no session")
	}
	s.works("needs_nothing", `{}`, `"nothing"`)
}

func TestInASessionTheNextWorkerIsBootedAhead(t *testing.T) {
	s := onStage(t, examples+"/permissions")
	if got, err := s.callWith(t.Context(), capability.Call{Session: "s1"}, "needs_nothing", `{}`); err != nil {
		t.Fatal(got, err)
	}
	for s.waits() == nil {
		time.Sleep(time.Millisecond)
	}
}

func TestAWorkerOfOtherGrantsIsNotUsed(t *testing.T) {
	s := onStage(t, examples+"/permissions")
	s.person.decisions = map[string]grant.Decision{"env:LANG": grant.Allow, "read:$home": grant.Deny}
	s.warm("say_granted")
	before := s.waits()
	s.works("say_granted", `{}`, `{"env":"granted","everything":"prompt"}`)
	<-before.process.Exited()

	s.warm("say_granted")
	before = s.waits()
	s.person.mu.Lock()
	s.person.decisions["env:LANG"] = grant.Deny
	s.person.mu.Unlock()
	s.works("say_granted", `{}`, `{"env":"prompt","everything":"prompt"}`)
	if before.gone() {
		t.Error("the worker of the older grants took the call")
	}
	s.instance.Refresh()
	if !before.gone() || s.waits() != nil {
		t.Error("Refresh left a worker of older grants")
	}
}

func TestAToolThatAsksBeforeItsStartIsNotBootedAhead(t *testing.T) {
	s := onStage(t, examples+"/permissions")
	s.instance.Warm(capability.Call{}, "say_granted") // it wants a variable
	s.instance.Warm(capability.Call{}, "no_such_tool")
	s.instance.busy.Wait()
	if s.waits() != nil || len(s.person.permitted) > 0 {
		t.Errorf("one waits, or the person was asked: %v", s.person.permitted)
	}
}

func TestAWorkerThatDiedWhileItWaitedIsReplaced(t *testing.T) {
	s := onStage(t, examples+"/permissions")
	s.warm("needs_nothing")
	w := s.waits()
	w.process.Kill()
	<-w.process.Exited()
	s.works("needs_nothing", `{}`, `"nothing"`)
}

func TestWhatWaitsIsBoundedInNumberAndMemory(t *testing.T) {
	s := onStage(t, examples+"/thrower")
	for _, tool := range s.ext.Tools[:6] {
		s.instance.Warm(capability.Call{}, tool.Name)
		s.instance.busy.Wait()
	}
	if n := s.runtime.ahead.settle(); n != StandardLimits.Ahead {
		t.Errorf("got %d, want %d", n, StandardLimits.Ahead)
	}
	s.instance.Refresh()
	s.runtime.ahead.maxBytes = 1
	s.instance.Warm(capability.Call{}, "fine")
	s.instance.busy.Wait()
	if n := s.runtime.ahead.settle(); n != 0 {
		t.Errorf("got %d beyond the memory they may have", n)
	}
}

func TestAnExtensionIsMadeReadyOnceForTheSameFiles(t *testing.T) {
	s := onStage(t, examples+"/wordcount")
	s.works("word_count", `{"text":"a"}`, `{"words":1,"characters":1}`)
	all := filepath.Join(s.runtime.options.Cache, "deno", s.ext.Ref().Key())
	entries, err := os.ReadDir(all)
	if err != nil || len(entries) != 1 {
		t.Fatalf("got %v, %v, want one cache", entries, err)
	}
	before := entries[0].Name()
	again := func() string {
		started, err := s.runtime.Start(t.Context(), s.ext, s.person)
		if err != nil {
			t.Fatal(err)
		}
		p, err := started.(*instance).prepare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(all)
		if err != nil || len(entries) != 1 || filepath.Base(p.dir) != entries[0].Name() {
			t.Fatalf("got %v, %v", entries, err)
		}
		return entries[0].Name()
	}
	if got := again(); got != before {
		t.Error("the same files were made ready twice")
	}
	if err := os.WriteFile(filepath.Join(s.ext.Root, "index.ts"), []byte("export const wordCount = () => 7;"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := again(); got == before {
		t.Error("other files used the older cache")
	}
}

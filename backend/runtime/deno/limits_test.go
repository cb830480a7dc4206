package deno

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"portico/backend/capability"
)

func TestChangedLimitsHoldFromTheNextWorkerOn(t *testing.T) {
	s := onStage(t, examples+"/crash")
	s.warm("fine")
	before := s.waits()
	if before == nil {
		t.Fatal("none was booted ahead")
	}
	limits := StandardLimits
	limits.Megabytes = 128
	s.runtime.Limit(limits)
	if !before.gone() {
		t.Error("a worker of the older limits waits on")
	}
	p := s.fails("exhaust_heap", `{}`, "call.crashed")
	if !strings.Contains(p.What, "needed more memory than the 128 MB") {
		t.Errorf("got %s", detailed(p))
	}
	s.works("fine", `{}`, `"fine"`)

	s.runtime.Limit(StandardLimits)
	if p := s.fails("exhaust_heap", `{}`, "call.crashed"); !strings.Contains(p.What, "the 512 MB") {
		t.Errorf("got %s", detailed(p))
	}
}

func TestEveryLimitThatCanBeChosenBootsAWorker(t *testing.T) {
	for _, limits := range []Limits{LeastLimits, MostLimits} {
		s := onStage(t, examples+"/crash")
		s.runtime.Limit(limits)
		s.works("fine", `{}`, `"fine"`)
		s.instance.Warm(capability.Call{}, "fine")
		s.instance.busy.Wait()
		if n := s.runtime.ahead.settle(); n != min(1, limits.Ahead) {
			t.Errorf("%+v: %d were booted ahead", limits, n)
		}
	}
}

func TestAWorkerThatComputesLongerThanItMayIsEnded(t *testing.T) {
	s := onStage(t, examples+"/hang")
	limits := StandardLimits
	limits.CPUSeconds = 1
	s.runtime.Limit(limits)
	s.ext.Tool("spin").TimeLimit = time.Minute
	begin := time.Now()
	p := s.fails("spin", `{}`, "call.crashed")
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it took %s: %s", took, detailed(p))
	}
	s.works("fine", `{}`, `"fine"`)
}

func TestNoMoreCallsRunThanMay(t *testing.T) {
	s := onStage(t, examples+"/hang")
	limits := StandardLimits
	limits.Running = 2
	s.runtime.Limit(limits)
	s.ext.Tool("wait_for_ever").TimeLimit = 300 * time.Millisecond
	done := make(chan error)
	for range 5 {
		go func() {
			_, err := s.instance.Call(t.Context(), capability.Call{ID: "c"}, "wait_for_ever", json.RawMessage(`{}`))
			done <- err
		}()
	}
	most := 0
	for range 5 {
		for waiting := true; waiting; {
			select {
			case err := <-done:
				if err == nil {
					t.Error("a call that waits for ever gave a result")
				}
				waiting = false
			case <-time.After(5 * time.Millisecond):
			}
			most = max(most, s.runtime.running.inUse())
		}
	}
	if most != 2 {
		t.Errorf("%d ran at the same time, want 2", most)
	}
}

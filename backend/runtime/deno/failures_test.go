package deno

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/backend/capability"
	"portico/backend/extension"
)

func TestWhateverIsThrownBecomesWords(t *testing.T) {
	s := onStage(t, examples+"/thrower")
	for _, c := range []struct{ tool, want string }{
		{"throw_error", "the file is empty"},
		{"throw_text", "just a text"},
		{"throw_nothing", "the tool threw undefined"},
		{"throw_object", `{"code":7,"why":"because"}`},
		{"throw_monster", "the tool threw something that can't be put into words"},
		{"missing_export", `the extension's entry module has no export "noSuchFunction"`},
		{"no_function", `the extension's entry module has no export "notAFunction"`},
	} {
		if p := s.fails(c.tool, `{}`, "call.failed"); p.What != c.want {
			t.Errorf("%s: got %q, want %q", c.tool, p.What, c.want)
		}
	}
	if p := s.fails("throw_long", `{}`, "call.failed"); len(p.What) != maxShortText {
		t.Errorf("got %d characters", len(p.What))
	}
	if p := s.fails("throw_error", `{}`, "call.failed"); !strings.Contains(p.Detail, "index.ts") {
		t.Errorf("the detail lacks the stack: %q", p.Detail)
	}
	s.works("fine", `{}`, `"fine"`)
}

func TestWhatHasNoJSONIsNormalisedOrAFailure(t *testing.T) {
	s := onStage(t, examples+"/unserialisable")
	for tool, part := range map[string]string{"bigint": "BigInt", "cycle": "circular", "angry_to_json": "never"} {
		if p := s.fails(tool, `{}`, "call.unserialisable"); !strings.Contains(p.What, part) {
			t.Errorf("%s: got %q", tool, p.What)
		}
	}
	s.works("nothing", `{}`, `null`)
	s.works("function", `{}`, `null`)
	s.works("odd_numbers", `{}`, `[null,null,0]`)
	s.works("half_character", `{}`, `"\ud800"`)
}

func TestAProcessThatEndsIsAFailedCallAndTheNextWorks(t *testing.T) {
	s := onStage(t, examples+"/exit-early")
	for _, tool := range []string{"exit_zero", "exit_later"} {
		if p := s.fails(tool, `{}`, "call.crashed"); p.Params["exit"] != "0" {
			t.Errorf("%s: got %+v", tool, p)
		}
		s.works("fine", `{}`, `"fine"`)
	}
	if len(s.person.displays) != 1 {
		t.Errorf("got %d displays, want what was shown before the end", len(s.person.displays))
	}
}

func TestACrashIsToldWithWhatTheProcessSaidLast(t *testing.T) {
	s := onStage(t, examples+"/crash")
	p := s.fails("say_and_die", `{}`, "call.crashed")
	if p.Params["exit"] != "7" || p.Detail != "the disk is on fire" {
		t.Errorf("got %+v", p)
	}
	p = s.fails("throw_later", `{}`, "call.crashed")
	if !strings.Contains(p.Detail, "out of the blue") {
		t.Errorf("got %+v", p)
	}
	if p := s.fails("abort", `{}`, "call.crashed"); !strings.Contains(p.What, "killed") {
		t.Errorf("got %s", p.What)
	}
	s.works("reject_later", `{}`, `"went on"`)
	if p := s.fails("exhaust_heap", `{}`, "call.crashed"); !strings.Contains(p.What, "needed more memory than the 512 MB") {
		t.Errorf("got %s", detailed(p))
	}
	if p := s.fails("exhaust_buffers", `{}`, "call.failed"); p.What != "Array buffer allocation failed" {
		t.Errorf("got %s", detailed(p))
	}
	s.works("fine", `{}`, `"fine"`)
}

func TestAHangEndsAtItsTimeLimit(t *testing.T) {
	s := onStage(t, examples+"/hang")
	for _, tool := range []string{"wait_for_ever", "spin"} {
		s.ext.Tool(tool).TimeLimit = 300 * time.Millisecond
		s.fails(tool, `{}`, "call.timeout")
		s.works("fine", `{}`, `"fine"`)
	}
}

// whenWaiting cancels once the tool has reported progress.
func (s *stage) whenWaiting(cancel func()) {
	for {
		s.person.mu.Lock()
		waiting := len(s.person.progress) > 0
		s.person.mu.Unlock()
		if waiting {
			cancel()
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestACancelledCallIsToldFirstAndEndedThen(t *testing.T) {
	for _, c := range []struct {
		tool string
		told bool
	}{{"stop_when_asked", true}, {"ignore_cancel", false}} {
		s := onStage(t, examples+"/hang")
		ctx, cancel := context.WithCancel(t.Context())
		go s.whenWaiting(cancel)
		if got, err := s.callWith(ctx, capability.Call{}, c.tool, `{}`); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %s, %v", c.tool, got, err)
		}
		if s.person.logged("info: tidied up") != c.told {
			t.Errorf("%s: got %q", c.tool, s.person.logs)
		}
		s.works("fine", `{}`, `"fine"`)
	}
}

func TestASpinningToolIsEndedByCancelling(t *testing.T) {
	s := onStage(t, examples+"/hang")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if got, err := s.callWith(ctx, capability.Call{}, "spin", `{}`); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestStopEndsWhatRuns(t *testing.T) {
	s := onStage(t, examples+"/hang")
	done := make(chan error)
	go func() {
		_, err := s.call("spin", `{}`)
		done <- err
	}()
	for s.runtime.running.inUse() == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := s.instance.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-done; err == nil {
		t.Error("the call did not fail")
	}
	s.fails("fine", `{}`, "call.stopped")
}

func TestAFloodIsBounded(t *testing.T) {
	s := onStage(t, examples+"/flood")
	s.works("flood_output", `{}`, `"still here"`)
	s.works("flood_progress", `{}`, `"still here"`)
	if n := len(s.person.progress); n > 2_000 || s.person.progress[n-1].Label != "step 100000" {
		t.Errorf("got %d progresses, the last %+v", n, s.person.progress[n-1])
	}
	s.works("flood_log", `{}`, `"still here"`)
	if n := len(s.person.logs); n != maxLogLines+1 {
		t.Errorf("got %d lines", n)
	}
	s.works("flood_displays", `{}`, `"still here"`)
	if n := len(s.person.displays); n != maxDisplays {
		t.Errorf("got %d displays", n)
	}
	s.fails("flood_for_ever", `{}`, "call.flood")
	if err := s.instance.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(LogFile(s.runtime.options.Logs, s.ext.Ref()))
	if err != nil || info.Size() > 2<<20 {
		t.Errorf("the log has %v, %v", info.Size(), err)
	}
}

func TestALargeResultIsPassedOnOrAFailure(t *testing.T) {
	s := onStage(t, examples+"/big-result")
	s.fails("ten_megabytes", `{}`, "call.too-big")
	if got, err := s.call("six_megabytes", `{}`); err != nil || len(got) != 6<<20+2 {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
	if got, err := s.call("deep", `{}`); err != nil || len(got) != 10_001 {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

func TestFramesOfTheToolsOwnAreNone(t *testing.T) {
	s := onStage(t, examples+"/forge")
	s.works("forge_frames", `{}`, `"real"`)
	if len(s.person.permitted)+len(s.person.asked) > 0 {
		t.Errorf("a printed line asked the person: %v %v", s.person.permitted, s.person.asked)
	}
	if n := len(s.person.progress); n != 1 {
		t.Errorf("got %d progresses", n)
	}
	s.person.ask = answering(`"from the person"`)
	s.works("answer_itself", `{}`, `"from the person"`)
}

func TestTheMarkIsNotSeenByWhatAToolReplaces(t *testing.T) {
	onStage(t, examples+"/forge").works("steal_mark", `{}`, `{"seen":0}`)
}

func TestJunkIsPutUpWith(t *testing.T) {
	s := onStage(t, examples+"/junk")
	s.works("print_junk", `{}`, `{"junk":true}`)
	s.works("break_globals", `{}`, `{"broken":true}`)
}

func TestAnEntryThatCantBeLoadedIsTold(t *testing.T) {
	for name, c := range map[string]struct{ source, code, part string }{
		"a syntax error":           {"export const fine = (;", "call.unloadable", "index.ts:1"},
		"a throw at the top level": {`throw new Error("not today");`, "call.unloadable", "not today"},
		"an end at the top level":  {"Deno.exit(0);", "call.crashed", "code 0"},
		"a missing module":         {`import "./nowhere.ts";`, "call.unloadable", "nowhere.ts"},
	} {
		s := onStage(t, examples+"/exit-early")
		if err := os.WriteFile(filepath.Join(s.ext.Root, "index.ts"), []byte(c.source), 0o600); err != nil {
			t.Fatal(err)
		}
		if p := s.fails("fine", `{}`, c.code); !strings.Contains(p.Error()+"\n"+p.Detail, c.part) || strings.Contains(p.Error(), "\n") {
			t.Errorf("%s: got %s", name, detailed(p))
		}
	}
}

func TestAMissingDenoIsToldInWords(t *testing.T) {
	s := onStageWith(t, examples+"/wordcount", Options{Data: t.TempDir(), Binary: filepath.Join(t.TempDir(), "deno")})
	p := s.fails("word_count", `{"text":""}`, "deno.missing")
	if p.Next == "" {
		t.Error("it does not say what to do")
	}
}

// What this computer or this installation lacks is not the extension's fault: its author is not blamed.
func TestADenoThatDoesNotBeginIsNotTheAuthorsFault(t *testing.T) {
	for name, spoil := range map[string]func(o *Options){
		"a program that can't be executed": func(o *Options) {
			o.Binary = filepath.Join(o.Data, "deno")
			if err := os.WriteFile(o.Binary, []byte("\x7fELF, but no more of it"), 0o700); err != nil {
				t.Fatal(err)
			}
		},
		"a cache that can't be written": func(o *Options) {
			o.Cache = filepath.Join(o.Data, "cache")
			if err := os.WriteFile(filepath.Join(o.Data, "bin"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.MkdirAll(o.Cache, 0o700), os.Symlink(filepath.Join(o.Data, "bin"), filepath.Join(o.Cache, "bin"))); err != nil {
				t.Fatal(err)
			}
		},
	} {
		options := Options{Data: t.TempDir()}
		spoil(&options)
		_, err := onStageWith(t, examples+"/wordcount", options).call("word_count", `{"text":"a"}`)
		var p *extension.Problem
		if !errors.As(err, &p) || strings.Contains(p.Next, "author") || strings.HasPrefix(p.Code, "extension.") {
			t.Errorf("%s: got %+v", name, err)
		}
	}
}

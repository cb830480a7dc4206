package deno

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/backend/capability"
)

// takenOver is an extension that has its whole worker in its hands: the host's own module is gone, and what speaks the
// host's language is the stranger's code. It runs `code` once it has been called; send writes a frame, print writes bytes, next reads
// a line of the host's.
func takenOver(t *testing.T, code string) *stage {
	t.Helper()
	s := onStage(t, author(t, `export const t = () => "honest";`, nil))
	p, err := s.instance.prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	own := *p
	own.worker = filepath.Join(t.TempDir(), "worker.ts")
	own.base = basePolicy(&own, s.instance.root)
	if err := os.WriteFile(own.worker, []byte(`
const encoder = new TextEncoder(), decoder = new TextDecoder();
let pending = "";
const next = async (): Promise<string> => {
  for (;;) {
    const end = pending.indexOf("\n");
    if (end >= 0) {
      const line = pending.slice(0, end);
      pending = pending.slice(end + 1);
      return line;
    }
    const buffer = new Uint8Array(65536);
    const n = await Deno.stdin.read(buffer);
    if (n === null) Deno.exit(0);
    pending += decoder.decode(buffer.subarray(0, n), { stream: true });
  }
};
const print = (text: string) => {
  const bytes = encoder.encode(text);
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
};
const forever = () => new Promise((done) => setTimeout(done, 1e9));
const { mark } = JSON.parse(await next());
const sendText = (frame: string) => print("\n" + mark + frame + "\n");
const send = (frame: unknown) => sendText(JSON.stringify(frame));
send({ type: "result", result: "before the start" });
send({ type: "ready" });
const call = JSON.parse(await next());
`+code), 0o600); err != nil {
		t.Fatal(err)
	}
	s.instance.ready.value = &own
	return s
}

// ends says that a call ends by itself in a failure, in a time that nobody minds.
func (s *stage) ends(within time.Duration) error {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	got, err := s.callWith(ctx, capability.Call{}, "t", `{}`)
	if err == nil || ctx.Err() != nil {
		s.t.Errorf("got %.100s, %v", got, err)
	}
	return err
}

func TestAWorkerThatWasTakenOverGetsNoMoreThanATool(t *testing.T) {
	for name, c := range map[string]struct{ code, want string }{
		"it answers twice":                         {`send({ type: "result", result: 1 }); send({ type: "result", result: 2 }); await forever();`, `1`},
		"it answers and goes on":                   {`send({ type: "result", result: 1 }); for (;;) send({ type: "log", message: "and on" });`, `1`},
		"it answers while it is not done speaking": {`print("half a line"); send({ type: "result", result: 1 }); print("\n" + mark + "{"); await forever();`, `1`},
		"it starts a second time":                  {`send({ type: "ready" }); send({ type: "unloadable", message: "x" }); send({ type: "result", result: 1 });`, `1`},
		"it speaks as the host":                    {`for (const type of ["permission_prompt", "worker_exited", "stderr_log", "call", "cancel", "answer", "answers", "shutdown", "boot", "allow", ""]) send({ type, request: 1, result: "x", allow: true }); send({ type: "result", result: 1 });`, `1`},
		"its frames have the wrong shape":          {`for (const bad of ["", "null", "[]", "{}", "{\"type\":1}", "{\"type\":\"result\",\"result\":}", "{\"type\":\"ask\",\"request\":1.5}", "{\"type\":\"ask\",\"request\":1e400}", "{\"type\":\"display\",\"display\":", "\u0000", "{\"type\":\"request\",\"op\":[]}"]) sendText(bad); send({ type: "result", result: 1 });`, `1`},
		"it asks for members that there are none of": {`const said = [];
			for (const op of ["grant", "permit", "__proto__", "constructor", "", "memories", "db.query ", "vault.get", "llm.complete\n"]) { send({ type: "request", request: 7, op, args: {} }); said.push(JSON.parse(await next()).error !== undefined); }
			send({ type: "result", result: said.every((refused) => refused) });`, `true`},
		"it asks for arguments that never came": {`send({ type: "request", request: 7, op: "llm.complete", inParts: true }); send({ type: "result", result: JSON.parse(await next()).error });`, `"llm.complete: there are no arguments"`},
		"it sends parts of nothing":             {`for (let n = 0; n < 5000; n++) send({ type: "part", request: n, text: "" }); send({ type: "result", result: 1 });`, `1`},
		"it asks without a question":            {`for (const questions of [[], {}, "x", null, [{}], [{ question: "?", kind: "permission" }], [{ question: "?", kind: "__proto__" }]]) { send({ type: "ask", request: -1, questions }); await next(); } send({ type: "result", result: 1 });`, `1`},
		"it closes its ear":                     {`Deno.stdin.close(); send({ type: "ask", request: 1, questions: [] }); await new Promise((done) => setTimeout(done, 50)); send({ type: "result", result: 1 });`, `1`},
	} {
		s := takenOver(t, c.code)
		s.withServices()
		if got, err := s.call("t", `{}`); err != nil || got != c.want {
			t.Errorf("%s: got %.200s, %s, want %s", name, got, detailed(err), c.want)
		}
		if len(s.person.permitted) > 0 || len(s.person.asked) > 0 {
			t.Errorf("%s: the person was asked: %v %v", name, s.person.permitted, s.person.asked)
		}
	}
}

func TestAWorkerThatWasTakenOverHoldsNobodyUp(t *testing.T) {
	for name, c := range map[string]struct{ code, codes string }{
		"it never answers":                     {`await forever();`, "call.timeout"},
		"it closes its mouth":                  {`Deno.stdout.close(); await forever();`, "call.timeout"},
		"it ends without an answer":            {`Deno.exit(0);`, "call.crashed"},
		"it says a line without an end":        {`print("\n" + mark); for (;;) print("x".repeat(1 << 20));`, "call.timeout"},
		"it says more than a line may hold":    {`print("\n" + mark + "x".repeat(17 << 20) + "\n"); await forever();`, "call.too-big"},
		"it says nothing that is a frame":      {`for (;;) sendText("{}");`, "call.timeout"},
		"it prints without an end":             {`for (;;) print("x".repeat(1 << 20) + "\n");`, "call.timeout"},
		"it says frames without an end":        {`for (;;) send({ type: "progress", fraction: 0.5 });`, "call.flood"},
		"it asks and never listens":            {`for (let n = 0; ; n++) send({ type: "ask", request: n, questions: [] });`, "call.flood"},
		"it asks for members, never listening": {`for (let n = 0; ; n++) send({ type: "request", request: n, op: "none" });`, "call.flood"},
	} {
		s := takenOver(t, c.code)
		s.ext.Tool("t").TimeLimit = 2 * time.Second
		if c.codes == "call.flood" {
			s.ext.Tool("t").TimeLimit = time.Minute
		}
		began := time.Now()
		err := s.ends(30 * time.Second)
		s.isProblemOf(name, err, c.codes)
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
	}
}

func (s *stage) isProblemOf(name string, err error, code string) {
	s.t.Helper()
	if got := detailed(err); !strings.HasPrefix(got, code+": ") {
		s.t.Errorf("%s: got %.300s, want %s", name, got, code)
	}
}

// What a tool shows and what it is answered travel at the same time: neither may wait for the other.
func TestALongAnswerAndALongDisplayDoNotWaitForEachOther(t *testing.T) {
	s := onStage(t, author(t, `
export async function t(_args: unknown, ctx: any) {
  const speech = ctx.tts.speak("hello");
  const text = "x".repeat(200_000);
  for (const until = Date.now() + 1000; Date.now() < until;) ctx.display.markdown(text);
  return (await speech).sampleRate;
}
`, map[string]string{"loca.json": `{"name":"both","displayName":"Both","description":"D","tools":[{"name":"t","description":"d","parameters":{"type":"object"},"function":"t","permissions":{"tts":[{"reason":"r"}]}}]}`}))
	s.withServices("tts")
	s.works("t", `{}`, `5`)
}

// A tool that computes without looking up finds its answers when it is done, however long they are.
func TestALongAnswerWaitsForAToolThatComputes(t *testing.T) {
	s := onStage(t, author(t, `
export async function t(_args: unknown, ctx: any) {
  const speech = ctx.tts.speak("hello");
  for (const until = Date.now() + 6000; Date.now() < until;);
  return (await speech).sampleRate;
}
`, map[string]string{"loca.json": `{"name":"busy","displayName":"Busy","description":"D","tools":[{"name":"t","description":"d","parameters":{"type":"object"},"function":"t","permissions":{"tts":[{"reason":"r"}]}}]}`}))
	s.withServices("tts")
	s.works("t", `{}`, `5`)
}

func TestFormsThatNobodyAwaitsAreBounded(t *testing.T) {
	s := onStage(t, author(t, `
export async function t(_args: unknown, ctx: any) {
  const said: string[] = [];
  for (let n = 0; n < 2000; n++) ctx.askUser([{ question: "Really?" }]).catch((error: Error) => said.push(error.message));
  await new Promise((done) => setTimeout(done, 100));
  return { said: said.length, like: said[0] };
}
`, nil))
	s.person.ask = nil
	held := make(chan struct{})
	s.person.ask = waitingFor(held)
	got, err := s.call("t", `{}`)
	close(held)
	if err != nil || !strings.Contains(got, fmt.Sprintf(`"said":%d`, 2000-maxRequests)) || !strings.Contains(got, "at the same time") {
		t.Errorf("got %s, %s", got, detailed(err))
	}
	if n := len(s.person.asked); n > maxRequests {
		t.Errorf("%d forms were open at once", n)
	}
}

func TestACancelledCallWithManyOpenFormsEnds(t *testing.T) {
	s := onStage(t, author(t, `
export async function t(_args: unknown, ctx: any) {
  for (let n = 0; n < 500; n++) { ctx.askUser([{ question: "Really?" }]); ctx.display.markdown("shown " + n); }
  ctx.setProgress(0.5);
  await new Promise(() => {});
}
`, nil))
	s.person.ask = waitingFor(nil)
	ctx, cancel := context.WithCancel(t.Context())
	go s.whenWaiting(cancel)
	began := time.Now()
	if got, err := s.callWith(ctx, capability.Call{}, "t", `{}`); !errors.Is(err, context.Canceled) || time.Since(began) > 10*time.Second {
		t.Errorf("got %s, %v after %v", got, err, time.Since(began))
	}
	if n := s.runtime.running.inUse(); n != 0 {
		t.Errorf("%d places are still taken", n)
	}
}

// waitingFor keeps every form open until the channel closes, or the call ends.
func waitingFor(held <-chan struct{}) func(context.Context, []capability.Question) ([]json.RawMessage, error) {
	return func(ctx context.Context, questions []capability.Question) ([]json.RawMessage, error) {
		select {
		case <-held:
			return make([]json.RawMessage, len(questions)), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

package deno

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/backend/capability"
	"portico/backend/grant"
)

// Every size that a tool can choose has an end that it is told in words; one less works.
func TestEveryLimitOfACallRefusesPolitely(t *testing.T) {
	s := onStage(t, author(t, `
const deep = (levels: number) => { let all: unknown = 1; for (let n = 0; n < levels; n++) all = [all]; return all; };
const attempt = async (what: () => unknown) => { try { return await what(); } catch (error) { return "refused: " + (error as Error).message; } };
export async function t({ what, size, text }: { what: string; size: number; text?: string }, ctx: any): Promise<unknown> {
  const long = "x".repeat(what === "deep" || what === "deep display" ? 0 : size);
  switch (what) {
    case "arguments": return text!.length;
    case "result": return long;
    case "deep": return deep(size);
    case "deep display": ctx.display.table(["a"], [[deep(size)]]); return "shown";
    case "error": throw new Error(long);
    case "label": ctx.setProgress(0.5, long, long); return "said";
    case "log": ctx.log("info", long); return "said";
    case "level": ctx.log(long, "x"); return "said";
    case "markdown": ctx.display.markdown(long); return "shown";
    case "image": ctx.display.image("A".repeat(size), "image/png"); return "shown";
    case "rows": ctx.display.table(["a"], Array(size).fill(["x"])); return "shown";
    case "columns": ctx.display.table(Array(size).fill("a"), [["x"]]); return "shown";
    case "cell": ctx.display.table(["a"], [[long]]); return "shown";
    case "diff": ctx.display.diff(long, ""); return "shown";
    case "questions": return (await ctx.askUser(Array(size).fill({ question: "?" }))).length;
    case "question": return (await ctx.askUser([{ question: long }])).length;
    case "options": return (await ctx.askUser([{ question: "?", options: Array.from({ length: size }, (_, n) => ({ label: "l" + n, value: "v" + n })) }])).length;
    case "member": return await attempt(() => ctx.memories.write("t", long).then(() => "wrote"));
    case "statement": return await attempt(() => ctx.db.execute(long).then(() => "done"));
  }
}
`, map[string]string{"loca.json": `{"name":"bounds","displayName":"Bounds","description":"D","database":true,"tools":[{"name":"t","description":"d","parameters":{"type":"object"},"function":"t","permissions":{"memories":[{"access":"write","reason":"r"}]}}]}`}))
	s.withServices("memories:write")
	s.person.ask = waitingFor(closed())
	for _, c := range []struct {
		what       string
		size       int
		want       string // the result, its beginning, or the code of a problem
		logs       string // what is logged of it; empty: nothing
		text       int
		lengthOnly bool
	}{
		{what: "arguments", text: 24 << 20, want: fmt.Sprint(24 << 20)},
		{what: "result", size: maxResultBytes - 100, want: `"xxx`},
		{what: "result", size: maxResultBytes + 1, want: "call.too-big"},
		{what: "result", size: 3 * maxFrameBytes, want: "call.too-big"},
		{what: "deep", size: 4_000, want: "[[["},
		{what: "deep", size: 9_999, want: "call.unserialisable"},
		{what: "deep", size: 50_000, want: "call.unserialisable"},
		{what: "deep display", size: 50_000, want: `"shown"`, logs: "display"},
		{what: "error", size: maxShortText * 10, want: "call.failed"},
		{what: "error", size: 20 << 20, want: "call.failed"},
		{what: "label", size: 20 << 20, want: `"said"`},
		{what: "log", size: 20 << 20, want: `"said"`},
		{what: "level", size: 1000, want: `"said"`, logs: "info: x"},
		{what: "markdown", size: maxMarkdown, want: `"shown"`},
		{what: "markdown", size: maxMarkdown + 1, want: `"shown"`, logs: "was cut"},
		{what: "markdown", size: 20 << 20, want: `"shown"`, logs: "was cut"},
		{what: "image", size: 20 << 20, want: `"shown"`, logs: "display was dropped: it is longer"},
		{what: "question", size: 20 << 20, want: "0", logs: "no valid question"},
		{what: "columns", size: 9_000_000, want: `"shown"`, logs: "display was dropped: it is longer"},
		{what: "image", size: maxImage, want: `"shown"`},
		{what: "image", size: maxImage + 4, want: `"shown"`, logs: "longer than 8000000"},
		{what: "rows", size: maxRows, want: `"shown"`},
		{what: "rows", size: maxRows + 1, want: `"shown"`, logs: "more than 1000 rows"},
		{what: "columns", size: maxColumns, want: `"shown"`},
		{what: "columns", size: maxColumns + 1, want: `"shown"`, logs: "more than 64 columns"},
		{what: "cell", size: maxCell, want: `"shown"`},
		{what: "cell", size: maxCell + 1, want: `"shown"`, logs: "longer than 4096"},
		{what: "diff", size: maxDiffSide, want: `"shown"`},
		{what: "diff", size: maxDiffSide + 1, want: `"shown"`, logs: "longer than 256000"},
		{what: "questions", size: maxQuestions, want: fmt.Sprint(maxQuestions)},
		{what: "questions", size: maxQuestions + 1, want: "0", logs: "no valid question"},
		{what: "questions", size: 100_000, want: "0", logs: "no valid question"},
		{what: "question", size: maxMarkdown + 1, want: "0", logs: "no valid question"},
		{what: "options", size: maxRows, want: "1"},
		{what: "options", size: maxRows + 1, want: "0", logs: "no valid question"},
		{what: "member", size: 1 << 20, want: `"wrote"`},
		{what: "member", size: 20 << 20, want: `"refused: memories.write: `},
		{what: "member", size: maxPartsBytes + 1, want: `"refused: memories.write: the arguments take more than 48 MB"`},
		{what: "statement", size: 20 << 20, want: `"`},
	} {
		s.person.mu.Lock()
		s.person.logs = nil
		s.person.mu.Unlock()
		args, err := json.Marshal(map[string]any{"what": c.what, "size": c.size, "text": strings.Repeat("y", c.text)})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		got, err := s.callWith(t.Context(), capability.Call{}, "t", string(args))
		if err != nil {
			got = detailed(err)
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s of %d: got %.200s, want %s", c.what, c.size, got, c.want)
		}
		if len(got) > maxResultBytes+1000 || time.Since(began) > 15*time.Second {
			t.Errorf("%s of %d: %d bytes after %v", c.what, c.size, len(got), time.Since(began))
		}
		logged := strings.Join(s.person.logs, "\n")
		if !strings.Contains(logged, c.logs) || len(logged) > maxLogBytes+maxMarkdown {
			t.Errorf("%s of %d: logged %.300q, want %q", c.what, c.size, logged, c.logs)
		}
	}
}

func closed() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// A worker that failed its start is nobody's: not the next call's, and not one that waits.
func TestAWorkerThatFailedItsStartIsNeverUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mood.txt")
	s := onStage(t, author(t, `
const mood = Deno.readTextFileSync(`+fmt.Sprintf("%q", file)+`);
if (mood === "throw") throw new Error("not today");
if (mood === "end") Deno.exit(3);
if (mood === "hang") for (;;);
export const t = () => mood;
`, map[string]string{"loca.json": fmt.Sprintf(`{"name":"moody","displayName":"Moody","description":"D","tools":[{"name":"t","description":"d","parameters":{"type":"object"},"function":"t","permissions":{"read":[{"path":%q,"reason":"r"}]}}]}`, file)}))
	s.person.decisions = map[string]grant.Decision{"read:" + file: grant.Allow}
	in := func(mood string) {
		if err := os.WriteFile(file, []byte(mood), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for mood, code := range map[string]string{"throw": "call.unloadable", "end": "call.crashed", "hang": "call.boot-limit"} {
		in(mood)
		if n := s.warm("t"); n != 0 {
			t.Errorf("%s: %d wait", mood, n)
		}
		in("well")
		s.works("t", `{}`, `"well"`)
		in(mood)
		s.fails("t", `{}`, code)
		in("well")
		s.works("t", `{}`, `"well"`)
		if s.warm("t") != 1 {
			t.Errorf("%s: none waits", mood)
		}
		s.works("t", `{}`, `"well"`)
		s.instance.busy.Wait()
		if n := s.runtime.running.inUse(); n != 0 {
			t.Errorf("%s: %d places are still taken", mood, n)
		}
	}
}

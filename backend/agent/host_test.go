package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/model/modeltest"
	"portico/backend/session"
)

// does is a tool that does something with its host and gives null.
func does(name string, do func(host capability.Host, call capability.Call)) tool {
	return tool{name: name, do: func(_ context.Context, host capability.Host, call capability.Call, _ json.RawMessage) (json.RawMessage, error) {
		do(host, call)
		return json.RawMessage("null"), nil
	}}
}

func TestDisplaysKeepTheToolsOrderAndStandBelowTheCall(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("show", "{}"), modeltest.Say("Shown.")), []tool{does("show", func(host capability.Host, call capability.Call) {
		for n := range 10 {
			host.Display(call, capability.Display{Kind: "markdown", Markdown: fmt.Sprint("number ", n)})
		}
		host.Display(call, capability.Display{Kind: "table", Columns: []string{"a"}, Rows: [][]any{{1}}})
		host.Display(call, capability.Display{Kind: "image", DataB64: "AA==", Mime: "image/png", Alt: "a dot"})
		host.Display(call, capability.Display{Kind: "diff", Before: "a", After: "b", Title: "t"})
	})})
	d.say("go")
	entries := d.entries()
	if len(entries) != 16 {
		t.Fatalf("the session has\n%s", d.transcript())
	}
	for n, e := range entries[2:12] {
		if e.Parent != entries[1].ID || e.Display.Markdown != fmt.Sprint("number ", n) {
			t.Errorf("display %d is %+v", n, e.Display)
		}
	}
	if last := d.told(); len(last) != 1 || last[0] != "null" {
		t.Errorf("the model was told %v", last)
	}
}

func TestADisplayThatDoesNotFitIsDroppedAndTheCallSaysSo(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("show", "{}"), modeltest.Say("Shown.")), []tool{does("show", func(host capability.Host, call capability.Call) {
		for _, display := range []capability.Display{
			{Kind: "image", Mime: "image/png", DataB64: strings.Repeat("A", maxImageChars+1)},
			{Kind: "image", Mime: "text/html", DataB64: "AA=="},
			{Kind: "table", Columns: make([]string, maxTableColumns+1)},
			{Kind: "table", Rows: make([][]any, maxTableRows+1)},
			{Kind: "table", Columns: []string{"a"}, Rows: [][]any{{strings.Repeat("x", maxCellChars+1)}}},
			{Kind: "diff", Before: strings.Repeat("x", maxDiffChars+1)},
			{Kind: "script", Markdown: "<script>"},
			{Kind: "markdown", Markdown: strings.Repeat("x", maxMarkdownChars+1)},
		} {
			host.Display(call, display)
			host.Display(call, display)
		}
	})})
	d.say("go")
	entries := d.entries()
	if len(entries) != 5 || len(entries[2].Display.Markdown) != maxMarkdownChars+len("…") {
		t.Errorf("%d entries", len(entries))
	}
	if log := entries[1].Call.Log; len(log) != 7 || log[0].Level != "warn" || !strings.HasPrefix(log[0].Message, "A display was dropped: ") {
		t.Errorf("the log is %+v", log)
	}
}

// What is shown is kept in the session for good: a call could fill the disk with what each by itself may show.
func TestLargeDisplaysEndBeforeTheyFillTheDisk(t *testing.T) {
	for name, display := range map[string]capability.Display{
		"image":    {Kind: "image", Mime: "image/png", DataB64: strings.Repeat("A", maxImageChars)},
		"markdown": {Kind: "markdown", Markdown: strings.Repeat("x", maxMarkdownChars)},
		"diff":     {Kind: "diff", Before: strings.Repeat("x", maxDiffChars), After: strings.Repeat("y", maxDiffChars)},
		"table":    {Kind: "table", Columns: []string{"a"}, Rows: slices.Repeat([][]any{{strings.Repeat("x", maxCellChars)}}, maxTableRows)},
	} {
		d := sit(t, modeltest.Always(modeltest.Ask("show", "{}"), modeltest.Say("Shown.")), []tool{does("show", func(host capability.Host, call capability.Call) {
			for range maxDisplays {
				host.Display(call, display)
			}
			host.Display(call, capability.Display{Kind: "markdown", Markdown: "the last one"})
		})})
		d.say("go")
		kept, last := 0, false
		for _, e := range d.entries() {
			if e.Kind == session.Shows {
				kept += sizeOf(*e.Display)
				last = e.Display.Markdown == "the last one"
			}
		}
		if kept < maxDisplayBytes/2 || kept > maxDisplayBytes || !last {
			t.Errorf("%s: %d bytes are kept, the small one: %v", name, kept, last)
		}
	}
}

func TestAFloodOfDisplaysEnds(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("show", "{}"), modeltest.Say("Shown.")), []tool{does("show", func(host capability.Host, call capability.Call) {
		for range maxDisplays + 100 {
			host.Display(call, capability.Display{Kind: "markdown", Markdown: "x"})
		}
	})})
	d.say("go")
	if n := len(d.entries()); n != maxDisplays+3 {
		t.Errorf("there are %d entries", n)
	}
	if log := d.entries()[1].Call.Log; len(log) != 1 {
		t.Errorf("the log is %+v", log)
	}
}

func TestProgressAndLogStandWithTheCall(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("work", "{}"), modeltest.Say("Done.")), []tool{does("work", func(host capability.Host, call capability.Call) {
		host.Progress(call, capability.Progress{Fraction: math.NaN()})
		host.Progress(call, capability.Progress{Fraction: -3})
		var all sync.WaitGroup
		for n := range 8 {
			all.Go(func() {
				for i := range 200 {
					host.Progress(call, capability.Progress{Fraction: float64(i) / 200})
					host.Log(call, "debug", fmt.Sprintf("%d of %d", i, n))
				}
			})
		}
		all.Wait()
		host.Log(call, "shout", strings.Repeat("x", 3*session.MaxLogLineBytes))
		host.Progress(call, capability.Progress{Fraction: 7, Label: strings.Repeat("é", 500)})
	})})
	d.say("go")
	call := d.entries()[1].Call
	if call.Progress.Fraction != 1 || len(call.Progress.Label) > maxLabelChars+3 {
		t.Errorf("the progress is %+v", call.Progress)
	}
	if n := len(call.Log); n != session.MaxLogLines || call.Log[n-1].Level != "info" || len(call.Log[n-1].Message) > session.MaxLogLineBytes+3 || call.Log[0].At == 0 {
		t.Errorf("%d lines, the last %+v", n, call.Log[n-1].Level)
	}
}

func TestACallThatIsOverOrAnothersReachesNothing(t *testing.T) {
	var first capability.Call
	var hostOfKit capability.Host
	d := sit(t, modeltest.Always(modeltest.Ask("work", "{}"), modeltest.Ask("peek", "{}"), modeltest.Say("Done.")), []tool{
		does("work", func(host capability.Host, call capability.Call) { first, hostOfKit = call, host }),
		{name: "stranger/peek", do: func(ctx context.Context, host capability.Host, call capability.Call, _ json.RawMessage) (json.RawMessage, error) {
			for _, c := range []struct {
				host capability.Host
				call capability.Call
			}{{host, first}, {hostOfKit, first}, {hostOfKit, call}} {
				c.host.Display(c.call, capability.Display{Kind: "markdown", Markdown: "forged"})
				c.host.Log(c.call, "info", "forged")
				c.host.Progress(c.call, capability.Progress{Fraction: 0.5})
				if _, err := c.host.Ask(ctx, c.call, []capability.Question{colour}); !isProblem(err, "call.not-running") {
					return nil, fmt.Errorf("ask gives %w", err)
				}
				if _, err := c.host.Permit(ctx, c.call, extension.Tool{}, []extension.Permission{{Kind: extension.LLM}}); !isProblem(err, "call.not-running") {
					return nil, errors.New("permit worked")
				}
			}
			return json.RawMessage("null"), nil
		}},
	})
	d.say("go")
	d.expect(`person done "go"`, "call done work{} -> null", "call done peek{} -> null", `agent done "Done."`)
	for _, e := range d.entries() {
		if e.Call != nil && (len(e.Call.Log) != 0 || e.Call.Progress != nil) {
			t.Errorf("the call %s has %+v", e.Call.Name, e.Call)
		}
	}
}

func TestToolsOfOneNameAreKeptApart(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("a__open", `{"x":1}`), modeltest.Ask("b__open", `{"x":2}`), modeltest.Ask("open", "{}"), modeltest.Say("Done.")), []tool{{name: "a/open"}, {name: "b/open"}})
	d.say("go")
	entries := d.entries()
	if entries[1].Call.Address != "a/open" || entries[2].Call.Address != "b/open" || entries[3].Call.Error == nil {
		t.Errorf("the session has\n%s", d.transcript())
	}
}

func TestAToolThatIsSwitchedOffIsGoneInTheNextStep(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("look", `{"n":1}`), modeltest.Ask("look", `{"n":2}`), modeltest.Say("Done.")), nil)
	d.tools.offers = tools("kit/look | x")
	d.tools.offers[0].Tool.Schema = json.RawMessage(anySchema)
	d.tools.do["kit/look"] = tool{do: func(context.Context, capability.Host, capability.Call, json.RawMessage) (json.RawMessage, error) {
		d.tools.mu.Lock()
		defer d.tools.mu.Unlock()
		d.tools.off["kit/look"] = true
		return json.RawMessage("1"), nil
	}}
	d.say("go")
	d.expect(`person done "go"`, `call done look{"n":1} -> 1`, `call failed look{"n":2} ! call.no-such-tool`, `agent done "Done."`)
	if n := len(d.server.Requests()[1].Tools); n != 0 {
		t.Errorf("the model was shown %d tools after it", n)
	}
}

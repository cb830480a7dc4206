package deno

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/grant"
)

// Call runs one tool. What the person is asked before the start counts for no time limit; then the call has a process of
// its own, and returns when that is gone; with a result, when it has been killed: a single process runs no more code
// then, and collecting it takes ten times as long as a small call.
func (i *instance) Call(ctx context.Context, call capability.Call, name string, args json.RawMessage) (json.RawMessage, error) {
	generation, ok := i.enter()
	if !ok {
		return nil, extension.NewProblem("call.stopped", "{extension} was stopped.", "Try again.", "extension", i.ext.DisplayName)
	}
	defer i.busy.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(i.ctx, cancel)()
	tool := i.ext.Tool(name)
	if tool == nil {
		return nil, extension.NewProblem("tool.missing", "{extension} has no tool {tool}.", "Its page lists the tools it has.", "extension", i.ext.DisplayName, "tool", name)
	}
	p, err := i.prepare(ctx)
	if err != nil {
		return nil, err
	}
	decided, err := i.permit(ctx, call, *tool)
	if err != nil {
		return nil, err
	}
	pl := i.plan(decided)
	for _, refused := range pl.layers.Refused {
		i.say(call, "warn", fmt.Sprintf("%s is not given: %s", refused.Permission.Key(), refused.Why))
	}
	for _, pair := range pl.layers.Env {
		if name, _, _ := strings.Cut(pair, "="); steers(name) {
			i.say(call, "warn", fmt.Sprintf("env:%s is not given: it steers the sandbox itself", name))
		}
	}
	if err := i.runtime.running.acquire(ctx); err != nil {
		return nil, err
	}
	w, err := i.worker(ctx, p, *tool, pl, generation)
	if err != nil {
		i.runtime.running.release()
		return nil, err
	}
	c := &conversation{instance: i, call: call, tool: *tool, worker: w, seat: seat{places: i.runtime.running, taken: true}, starts: pl.layers.System.Starts}
	if pl.watched {
		c.judge, c.judged = grant.NewJudge(decided, i.places, p.packages), generation
		c.free = p.packages
	}
	takenBack := i.heed(ctx, call, *tool, pl, generation, w)
	result, err := c.run(ctx, args)
	if why := takenBack(); why != nil && err != nil && ctx.Err() == nil {
		err = why
	}
	if err == nil && call.Session != "" {
		i.Warm(call, name) // in use in a session: the next call finds a worker
	}
	return result, err
}

// worker gives one that was booted ahead for exactly this, or boots one.
func (i *instance) worker(ctx context.Context, p *prepared, tool extension.Tool, pl plan, generation int) (*worker, error) {
	if i.current() == generation {
		if w := i.runtime.ahead.take(i, i.key(p, tool, pl)); w != nil {
			if !w.gone() {
				return w, nil
			}
			w.end() // it died while it waited
		}
	}
	return i.boot(ctx, p, pl)
}

// permit asks about what has to be decided before anything starts, and gives the decisions for this call.
func (i *instance) permit(ctx context.Context, call capability.Call, tool extension.Tool) ([]grant.Decided, error) {
	decided, err := i.host.Decided(ctx, call, tool)
	if err != nil {
		return nil, err
	}
	if p := missing(decided); p != nil {
		return nil, denied(i.ext, tool, *p) // asking about the others would be for nothing
	}
	for {
		open := firstAsked(decided)
		if len(open) == 0 {
			return decided, nil
		}
		asked := make([]extension.Permission, len(open))
		for n, at := range open {
			asked[n] = decided[at].Permission
		}
		answers, err := i.host.Permit(ctx, call, tool, asked)
		if err != nil {
			return nil, err
		}
		for n, at := range open { // a program that was allowed now has the others asked about too
			decided[at].Decision = grant.Deny // an answer that is none allows nothing
			if n < len(answers) && answers[n].Decision == grant.Allow {
				decided[at].Decision, decided[at].Lasting = grant.Allow, answers[n].Lasting
			}
		}
		if p := missing(decided); p != nil {
			return nil, denied(i.ext, tool, *p)
		}
	}
}

func denied(ext *extension.Copy, tool extension.Tool, p extension.Permission) *extension.Problem {
	return capability.Denied(ext.DisplayName, extension.Address(ext.ID, tool.Name), p)
}

// say logs a line with the call and in the extension's log.
func (i *instance) say(call capability.Call, level, message string) {
	i.note(level, "[%s] %s", call.Tool, message)
	i.host.Log(call, level, message)
}

// conversation is one call with its worker. Its loop is the only one that touches its fields.
type conversation struct {
	*instance
	call   capability.Call
	tool   extension.Tool
	worker *worker

	seat     seat
	progress coalescer
	starts   bool // it may have started programs

	judge  *grant.Judge // of a watched worker; the broker's, while the call runs
	judged int          // the generation of what it judges by
	free   string       // a folder that may be read

	asking   sync.WaitGroup
	answered chan answer

	unsent   []any         // frames for the worker, in order
	outgoing chan any      // to the goroutine that writes them
	written  chan struct{} // closed when that has ended

	parts                                parts
	frames, logLines, logBytes, displays int
	requests, held                       int // forms and requests whose answer is not on its way yet, and their bytes
}

// answer is the frame that answers a form or a request.
type answer struct {
	bytes   int               // what was asked took; 0: it was refused at once
	Type    string            `json:"type"`
	Request int               `json:"request"`
	Answers []json.RawMessage `json:"answers,omitempty"` // to a form
	Result  json.RawMessage   `json:"result,omitempty"`  // of a request
	Error   string            `json:"error,omitempty"`
}

func (c *conversation) run(ctx context.Context, args json.RawMessage) (result json.RawMessage, err error) {
	asking, stopAsking := context.WithCancel(ctx)
	c.answered, c.outgoing, c.written = make(chan answer), make(chan any), make(chan struct{})
	go c.write() // ends with outgoing, at the latest with the process
	c.seat.start(c.tool.TimeLimit)
	c.progress.pass = func(p capability.Progress) { c.host.Progress(c.call, p) }
	if c.judge != nil {
		c.worker.broker.use(func(kind extension.Kind, value string) (bool, string) { return c.access(asking, kind, value) })
	}
	defer func() {
		stopAsking()
		if c.judge != nil {
			c.worker.broker.use(nil)
		}
		c.progress.flush()
		c.worker.process.Kill()
		c.asking.Wait()
		close(c.outgoing)
		if err == nil && !c.starts {
			c.busy.Add(1) // it is above zero: Call holds one
			go func() {   // ends with the process, which has been killed
				defer c.busy.Done()
				c.leave()
			}()
			return
		}
		c.leave()
	}()
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	chat := map[string]any{"userMessage": c.call.UserMessage, "sessionId": nil}
	if c.call.Session != "" {
		chat["sessionId"] = c.call.Session
	}
	if c.call.Locale != "" {
		chat["locale"] = c.call.Locale
	}
	c.tell(map[string]any{"type": "call", "call": map[string]any{"fn": c.tool.Function, "args": args, "context": chat}})
	cancelled := ctx.Done()
	var grace <-chan time.Time
	for {
		var outgoing chan any // nil: there is nothing to write
		var next any
		if len(c.unsent) > 0 {
			outgoing, next = c.outgoing, c.unsent[0]
		}
		select {
		case outgoing <- next:
			c.unsent = c.unsent[1:]
			if a, ok := next.(answer); ok && a.bytes > 0 {
				c.requests, c.held = c.requests-1, c.held-a.bytes
			}
		case f, ok := <-c.worker.frames:
			switch {
			case ctx.Err() != nil && (!ok || f.last()):
				return nil, ctx.Err() // what a cancelled call still says counts no more
			case !ok:
				return nil, c.worker.failed(c.ext, nil)
			case f.last():
				return c.ended(f)
			}
			if c.frames++; c.frames > maxFrames || len(c.unsent) > maxUnsent {
				return nil, extension.NewProblem("call.flood", "{tool} sent more than {count} messages and was ended.", "Its author has to make it report less often.", "tool", c.tool.Title(), "count", fmt.Sprint(c.frames-1))
			}
			c.handle(asking, f)
		case a := <-c.answered:
			c.tell(a)
		case <-c.progress.due():
			c.progress.flush()
		case <-c.seat.out():
			return nil, extension.NewProblem("call.timeout", "{tool} took longer than {seconds} seconds and was ended.", "Try again, perhaps with less to do.", "tool", c.tool.Title(), "seconds", fmt.Sprint(int(c.tool.TimeLimit.Seconds())))
		case <-cancelled:
			cancelled = nil
			c.unsent = slices.Insert(c.unsent, 0, any(map[string]any{"type": "cancel"}))
			timer := time.NewTimer(cancelGrace)
			defer timer.Stop()
			grace = timer.C
		case <-grace:
			return nil, ctx.Err()
		}
	}
}

// tell puts a frame among those that are written to the worker as fast as it reads. The loop never waits for that: a worker
// that writes itself, or computes, reads later.
func (c *conversation) tell(frame any) { c.unsent = append(c.unsent, frame) }

// write writes what the loop hands out. A worker that closed its input goes without: it is told nothing more, and ends by
// its own answer or by the time limit.
func (c *conversation) write() {
	defer close(c.written)
	var err error
	for frame := range c.outgoing {
		if err == nil {
			err = c.worker.send(frame)
		}
	}
}

// take counts a form or a request that has to be answered, or says why there are too many.
func (c *conversation) take(bytes int) error {
	switch {
	case c.requests >= maxRequests:
		return fmt.Errorf("more than %d requests at the same time; await them", maxRequests)
	case c.held+bytes > maxHeldBytes:
		return fmt.Errorf("what waits for an answer takes more than %d MB; await it", maxHeldBytes>>20)
	}
	c.requests, c.held = c.requests+1, c.held+bytes
	return nil
}

// last says whether a frame ends the call.
func (f frame) last() bool {
	switch f.Type {
	case "result", "failed", "unserialisable", "too-big":
		return true
	}
	return false
}

func (c *conversation) ended(f frame) (json.RawMessage, error) {
	address := extension.Address(c.ext.ID, c.tool.Name)
	switch f.Type {
	case "result":
		if len(f.Result) > maxResultBytes {
			return nil, c.tooBig(int64(len(f.Result)))
		}
		if deeper(f.Result, maxDepth) {
			return nil, extension.NewProblem("call.unserialisable", "{tool} gave a result that can't be passed on: {error}.", "Its author has to return plain values.", "tool", address, "error", fmt.Sprintf("it is nested deeper than %d levels", maxDepth))
		}
		if len(f.Result) == 0 {
			return json.RawMessage("null"), nil
		}
		return f.Result, nil
	case "too-big":
		return nil, c.tooBig(f.Size)
	case "unserialisable":
		return nil, extension.NewProblem("call.unserialisable", "{tool} gave a result that can't be passed on: {error}.", "Its author has to return plain values.", "tool", address, "error", sentence(f.Message)).Because(thrown(f))
	}
	message := cut(inPorticosWords(f.Message), maxShortText)
	if message == "" {
		message = "the tool failed without saying why"
	}
	c.note("error", "[%s] %v", c.call.Tool, thrown(f))
	p := extension.NewProblem("call.failed", "", "", "tool", c.tool.Title(), "error", message)
	p.What = message // in the tool's own words, whatever braces they hold
	return nil, p.Because(thrown(f))
}

func (c *conversation) tooBig(size int64) error {
	return extension.NewProblem("call.too-big", "{tool} gave a result of {size} MB; {max} MB is the most that is passed on.", "Ask for less, or for a file.",
		"tool", extension.Address(c.ext.ID, c.tool.Name), "size", fmt.Sprintf("%.1f", float64(size)/(1<<20)), "max", fmt.Sprint(maxResultBytes>>20))
}

func (c *conversation) handle(ctx context.Context, f frame) {
	switch f.Type {
	case "progress":
		c.progress.add(f.progress())
	case "log":
		c.logged(f.level(), f.Message)
	case "display":
		if c.displays++; c.displays > maxDisplays {
			if c.displays == maxDisplays+1 {
				c.logged("warn", fmt.Sprintf("more than %d displays: the rest is dropped", maxDisplays))
			}
			return
		}
		display, show, warning := checkDisplay(f.Display)
		if warning != "" {
			c.logged("warn", warning)
		}
		if show {
			c.progress.flush() // what is shown stays in order
			c.host.Display(c.call, display)
		}
	case "ask":
		c.ask(ctx, f)
	case "part":
		c.parts.add(f)
	case "request":
		c.request(ctx, f)
	}
}

func (c *conversation) logged(level, message string) {
	if c.logLines > maxLogLines || c.logBytes > maxLogBytes {
		return
	}
	message = cut(message, maxMarkdown)
	c.logLines++
	c.logBytes += len(message)
	if c.logLines > maxLogLines || c.logBytes > maxLogBytes {
		level, message = "warn", "(the tool logs more than is kept; the rest is dropped)"
	}
	c.say(c.call, level, message)
}

// ask shows a form. The time limit pauses and the call counts as not running until it is answered.
func (c *conversation) ask(ctx context.Context, f frame) {
	questions, why := checkQuestions(f.Questions)
	if why != "" {
		c.logged("warn", "askUser was given no valid question: it resolves to []: "+why)
		c.tell(answer{Type: "answers", Request: f.Request, Answers: []json.RawMessage{}})
		return
	}
	if err := c.take(len(f.Questions)); err != nil {
		c.tell(answer{Type: "answers", Request: f.Request, Error: "askUser: " + err.Error()})
		return
	}
	c.seat.leave()
	c.asking.Add(1)
	go func() { // ends with the answer, at the latest with the call
		defer c.asking.Done()
		a := answer{bytes: len(f.Questions), Type: "answers", Request: f.Request}
		answers, err := c.host.Ask(ctx, c.call, questions)
		switch {
		case err != nil:
			a.Error = inWords(err)
		case len(answers) != len(questions):
			a.Error = "not every question was answered"
		default:
			for n, question := range questions {
				a.Answers = append(a.Answers, capability.Tidied(question, answers[n]))
			}
		}
		if c.seat.back(ctx) == nil {
			c.reply(ctx, a)
		}
	}()
}

// reply hands an answer to the loop, which takes it to the worker.
func (c *conversation) reply(ctx context.Context, a answer) {
	select {
	case c.answered <- a:
	case <-ctx.Done():
	}
}

func inWords(err error) string {
	var p *extension.Problem
	if errors.As(err, &p) {
		return p.What
	}
	if errors.Is(err, context.Canceled) {
		return "User interrupted"
	}
	return err.Error()
}

// leave returns when the process is gone.
func (c *conversation) leave() {
	c.worker.end()
	<-c.written
	c.seat.end()
	if n := c.worker.dropped.Load(); n > 0 {
		c.note("warn", "[%s] %d frames were no frames and were dropped", c.call.Tool, n)
	}
}

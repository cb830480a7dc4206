package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/model"
	"portico/backend/session"
)

// turn is one turn of one session.
type turn struct {
	agent   *Agent
	session string
	id      string
	text    string // the message that started it
	origin  capability.Origin
	byHand  bool // the person runs one tool: no mode stands between

	ctx     context.Context // ends with errStopped or errClosing as its cause
	cancel  context.CancelCauseFunc
	release func()
	shown   bool // the session was announced as running
	done    chan struct{}
	outcome error // once done is closed: why the turn failed, or its context ended

	mu      sync.Mutex
	waiting int // for the person, on how many questions
	over    bool
}

func (a *Agent) newTurn(in string) *turn {
	t := &turn{agent: a, session: in, origin: capability.FromPerson, done: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancelCause(a.ctx)
	return t
}

// begin takes the session's turn, does the first step in the caller's time, and the rest in the background.
func (t *turn) begin(ctx context.Context, first, rest func() error) (string, error) {
	var err error
	if t.id, t.release, err = t.agent.Sessions.BeginTurn(ctx, t.session); err != nil {
		t.cancel(nil)
		return "", err
	}
	if err := t.agent.register(ctx, t); err != nil {
		t.cancel(nil)
		t.release()
		return "", err
	}
	if err := first(); err != nil {
		t.finish()
		return "", err
	}
	t.shown = true
	t.agent.Sessions.SetRunning(t.session, true, false)
	go func() { // ends with the turn; Close waits for it
		defer t.finish()
		t.outcome = t.guarded(rest)
		if cause := context.Cause(t.ctx); cause != nil {
			t.outcome = cause
		} else if t.outcome != nil {
			t.fail(t.outcome)
		}
	}()
	return t.id, nil
}

// register makes the turn the session's. One that has given up its place in the store but is not out of here yet is
// waited for.
func (a *Agent) register(ctx context.Context, t *turn) error {
	for {
		a.mu.Lock()
		if a.closed {
			a.mu.Unlock()
			return extension.NewProblem("chat.closing", "Portico is closing.", "Start it again and send the message then.")
		}
		before := a.turns[t.session]
		if before == nil {
			a.turns[t.session] = t
			a.running.Add(1)
			a.mu.Unlock()
			return nil
		}
		a.mu.Unlock()
		select {
		case <-before.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// finish gives the session's turn back. The next one may begin from the moment the session is announced as not running.
func (t *turn) finish() {
	t.cancel(nil)
	t.release()
	t.mu.Lock()
	t.over = true
	t.mu.Unlock()
	t.agent.mu.Lock()
	if t.shown {
		t.agent.Sessions.SetRunning(t.session, false, false)
	}
	delete(t.agent.turns, t.session)
	close(t.done)
	t.agent.mu.Unlock()
	t.agent.running.Done()
}

// guarded turns a panic into a failed turn: one broken answer must not take every other session along.
func (t *turn) guarded(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = extension.NewProblem("chat.panic", "Portico hit an error of its own in this turn.", "Try again; if it happens again, report it with the details.").
				Because(fmt.Errorf("%v\n%s", r, debug.Stack()))
			t.sweep()
		}
	}()
	return do()
}

// sweep ends what a panic left unfinished.
func (t *turn) sweep() {
	ctx := context.WithoutCancel(t.ctx)
	entries, err := t.agent.Sessions.Entries(ctx, t.session)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Turn == t.id && !e.State.Ended() {
			e.State = session.Failed
			_ = t.agent.Sessions.Update(ctx, e)
		}
	}
}

// append adds an entry of this turn.
func (t *turn) append(ctx context.Context, e session.Entry) error {
	e.Session, e.Turn = t.session, t.id
	_, err := t.agent.Sessions.Append(ctx, e)
	return err
}

// fail writes why the turn could not go on.
func (t *turn) fail(err error) {
	p := extension.AsProblem(err, "chat.failed", "The turn could not go on.", "Try again; the details say more.")
	// When this can't be written either, the disk is the problem, and the end of the turn still shows.
	_ = t.append(context.WithoutCancel(t.ctx), session.Entry{Kind: session.Fails, State: session.Done, Problem: p})
}

// endState is the state of what the end of the turn's context cut off.
func (t *turn) endState() session.State {
	if errors.Is(context.Cause(t.ctx), errClosing) {
		return session.Interrupted
	}
	return session.Cancelled
}

// wait counts a question that waits for the person; the returned function takes it back.
func (t *turn) wait() (over func()) {
	add := func(n int) {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.waiting += n; t.over {
			return
		}
		t.agent.Sessions.SetRunning(t.session, true, t.waiting > 0)
	}
	add(1)
	return func() { add(-1) }
}

// nobody says whether no person can answer.
func (t *turn) nobody() bool { return !t.agent.Present || t.origin != capability.FromPerson }

// mode is the session's as it stands now: the person may switch it while the turn goes on.
func (t *turn) mode() (session.Mode, error) {
	if t.byHand {
		return session.Guided, nil
	}
	in, err := t.agent.Sessions.Get(t.ctx, t.session)
	return in.Mode, err
}

// converse answers the message.
func (t *turn) converse() error {
	in, err := t.agent.Sessions.Get(t.ctx, t.session)
	if err != nil {
		return err
	}
	client, name, err := t.agent.Model(t.ctx, in)
	if err != nil {
		return err
	}
	if client == nil {
		return t.offerTools()
	}
	return (&talk{turn: t, client: client, model: name}).run()
}

// offerTools is direct mode: the tools that fit the message.
func (t *turn) offerTools() error {
	offers, err := t.agent.Tools.Installed(t.ctx)
	if err != nil {
		return err
	}
	best := Rank(t.text, offers)
	return t.append(t.ctx, session.Entry{Kind: session.Matches, State: session.Done,
		Matches: &session.MatchesEntry{Of: len(offers), Tools: best[:min(len(best), MaxMatches)]}})
}

// talk is a turn with a model.
type talk struct {
	*turn
	client   model.Client
	model    string
	names    map[string]string // by tool: what the model calls it, in this session
	tools    map[string]Offer  // by that name
	messages []model.Message
	memories []capability.Memory // offered in this turn
	repeats  repeats
}

func (t *talk) run() error {
	entries, err := t.agent.Sessions.Entries(t.ctx, t.session)
	if err != nil {
		return err
	}
	with, inlined := t.withMemories(entries)
	t.names, t.messages, t.memories = namesIn(entries), history(with), t.recall(inlined)
	said := messagesOf(entries)
	steps := t.agent.Steps(t.ctx)
	if steps <= 0 {
		steps = DefaultSteps
	}
	for range steps {
		request, err := t.request(said)
		if err != nil {
			return err
		}
		heard, err := t.listen(request)
		if err != nil {
			return err
		}
		if len(heard.calls) == 0 {
			return heard.end()
		}
		if err := t.work(heard); err != nil {
			return err
		}
	}
	return extension.NewProblem("chat.step-limit", "The agent took {limit} steps and was not done; it stopped there.", "Say “go on” to let it continue, or set a higher limit in Settings.", "limit", fmt.Sprint(steps))
}

// request is made anew for every step: tools are switched and modes chosen while a turn goes on.
func (t *talk) request(said []string) (model.Request, error) {
	in, err := t.agent.Sessions.Get(t.ctx, t.session)
	if err != nil {
		return model.Request{}, err
	}
	offers, err := t.agent.Tools.Offered(t.ctx, t.session)
	if err != nil {
		return model.Request{}, err
	}
	t.names = Names(offers, t.names)
	t.tools = make(map[string]Offer, len(offers))
	for _, offer := range offers {
		t.tools[t.names[key(offer)]] = offer
	}
	request := model.Request{Model: t.model, Messages: t.messages}
	chosen := Choose(t.text, said, offers, MaxTools)
	if len(t.memories) > 0 {
		chosen = withReaders(chosen, offers)
	}
	for _, offer := range chosen {
		request.Tools = append(request.Tools, model.Tool{Name: t.names[key(offer)], Description: offer.Tool.Description, Schema: offer.Tool.Schema})
	}
	request.System = Prompt(append(HostSections(), t.agent.Sections...), Scene{
		Now: t.agent.Now(), Project: in.Project, Mode: in.Mode, Tools: len(request.Tools), Locale: t.agent.Locale(t.ctx),
		Memories: t.memories, ReadMemory: t.readerName(chosen, readMemory), ReadSkillFile: t.readerName(chosen, readSkillFile),
	})
	return request, nil
}

// heard is one answer of the model.
type heard struct {
	text   string
	calls  []model.ToolCall
	reason model.Reason
	full   bool
}

// listen streams one answer into the session. Text that came before something went wrong stays.
func (t *talk) listen(request model.Request) (heard, error) {
	stream := t.agent.Sessions.StreamText(t.ctx, session.Entry{Session: t.session, Turn: t.id, Kind: session.AgentSays, Model: t.model})
	var h heard
	var text strings.Builder
	var failed error
	for event, err := range t.client.Stream(t.ctx, request) {
		if err != nil {
			failed = err
			break
		}
		switch event.Kind {
		case model.Text:
			more := event.Text
			if text.Len() == 0 { // blank lines before a tool call would be an empty answer of their own
				more = strings.TrimLeft(more, " \t\r\n")
			}
			text.WriteString(more)
			stream.Write(more)
		case model.Call:
			h.calls = append(h.calls, *event.Call)
		case model.Finish:
			h.reason = event.Reason
		}
		if h.full = stream.Full(); h.full {
			break
		}
	}
	state := session.Done
	switch {
	case t.ctx.Err() != nil:
		state, failed = t.endState(), t.ctx.Err()
	case failed != nil:
		state = session.Failed
	}
	h.text = text.String()
	if _, err := stream.Close(context.WithoutCancel(t.ctx), state); err != nil && failed == nil {
		failed = err
	}
	return h, failed
}

// end says how an answer without calls ends the turn.
func (h heard) end() error {
	switch {
	case h.full:
		return nil // the entry itself says so
	case h.reason == model.Length:
		return extension.NewProblem("chat.cut-off", "The answer was cut: the model reached the limit of what it may say at once.", "Say “go on” to let it continue.")
	case h.reason == model.Filtered:
		return extension.NewProblem("chat.withheld", "The model's server withheld the answer.", "Say it in another way, or choose another model.")
	case h.text == "":
		return extension.NewProblem("chat.no-answer", "The model gave an empty answer.", "Try again, or choose another model.")
	}
	return nil
}

// work runs the calls of one answer, in order, and keeps what the model is told.
func (t *talk) work(h heard) error {
	calls := h.calls[:min(len(h.calls), maxCalls)]
	t.messages = append(t.messages, model.Message{Role: model.Assistant, Text: h.text, Calls: calls})
	for _, asked := range calls {
		result, err := t.use(asked)
		if err != nil {
			return err
		}
		t.messages = append(t.messages, model.Message{Role: model.Result, CallID: asked.ID, Text: result})
	}
	return nil
}

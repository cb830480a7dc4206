package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"portico/backend/capability"
	"portico/backend/event"
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/model"
	"portico/backend/model/modeltest"
	"portico/backend/runtime"
	"portico/backend/session"
	"portico/backend/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for something that must happen; it is only ever used up by a failure.
const patience = 20 * time.Second

// desk is an agent with real sessions and grants, a scripted model at the wire, and tools that are Go functions in place of
// processes.
type desk struct {
	*Agent
	t        *testing.T
	sessions *session.Store
	grants   *grant.Store
	events   *event.Subscription
	seen     []event.Event
	server   *modeltest.Server
	tools    *toolbox
	session  string
}

// tool is a tool of the extension "kit" unless its name has another one in front.
type tool struct {
	name        string
	schema      string
	effect      extension.Effect
	permissions []extension.Permission
	off         bool // installed, and not switched on
	do          func(ctx context.Context, host capability.Host, call capability.Call, args json.RawMessage) (json.RawMessage, error)
}

type toolbox struct {
	mu     sync.Mutex
	offers []Offer
	off    map[string]bool
	do     map[string]tool
	calls  []string
	refuse error // by Instance
}

func (b *toolbox) Installed(context.Context) ([]Offer, error) { return b.offers, nil }

func (b *toolbox) Offered(context.Context, string) ([]Offer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var on []Offer
	for _, o := range b.offers {
		if !b.off[o.Address()] {
			on = append(on, o)
		}
	}
	return on, nil
}

func (b *toolbox) Instance(_ context.Context, ref extension.Ref, host func(*extension.Copy) capability.Host) (runtime.Instance, error) {
	if b.refuse != nil {
		return nil, b.refuse
	}
	for _, o := range b.offers {
		if o.Copy.Ref() == ref {
			return &instance{box: b, id: ref.ID, host: host(o.Copy)}, nil
		}
	}
	return nil, errors.New("no such extension")
}

func (b *toolbox) called() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.calls, " ")
}

// instance runs a tool's function.
type instance struct {
	runtime.Instance
	box  *toolbox
	id   string
	host capability.Host
}

func (i *instance) Call(ctx context.Context, call capability.Call, name string, args json.RawMessage) (json.RawMessage, error) {
	i.box.mu.Lock()
	i.box.calls = append(i.box.calls, name+string(args))
	do := i.box.do[extension.Address(i.id, name)].do
	i.box.mu.Unlock()
	return do(ctx, i.host, call, args)
}

const anySchema = `{"type":"object"}`

func echo(_ context.Context, _ capability.Host, _ capability.Call, args json.RawMessage) (json.RawMessage, error) {
	return args, nil
}

// sit puts a desk together. A script without turns: no model.
func sit(t *testing.T, script modeltest.Script, all []tool, change ...func(*Options)) *desk {
	t.Helper()
	folder := t.TempDir()
	db, err := store.Open(t.Context(), filepath.Join(folder, "portico.db"))
	if err != nil {
		t.Fatal(err)
	}
	hub := event.NewHub()
	d := &desk{t: t, grants: grant.NewStore(db), events: hub.Subscribe(), tools: &toolbox{do: map[string]tool{}, off: map[string]bool{}}}
	if d.sessions, err = session.NewStore(db, hub.Publish, folder); err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		id, name, ok := extension.SplitAddress(one.name)
		if !ok {
			id, name = "kit", one.name
		}
		if one.schema == "" {
			one.schema = anySchema
		}
		if one.do == nil {
			one.do = echo
		}
		if one.effect == "" {
			one.effect = extension.Mutates
		}
		made := extension.Tool{Name: name, Description: "Does " + name + ".", Schema: json.RawMessage(one.schema), Permissions: one.permissions, Effect: one.effect}
		d.tools.offers = append(d.tools.offers, Offer{Tool: made, Copy: &extension.Copy{
			Extension: extension.Extension{ID: id, Format: extension.Loca, DisplayName: "The " + id, Tools: []extension.Tool{made}}, Scope: extension.Agent, Enabled: true,
		}})
		d.tools.do[extension.Address(id, name)] = one
		d.tools.off[extension.Address(id, name)] = one.off
	}
	options := Options{Sessions: d.sessions, Tools: d.tools, Grants: d.grants, Present: true, Locale: func(context.Context) string { return "en-GB" }}
	transport := &http.Transport{}
	if len(script.Turns) > 0 {
		if d.server, err = modeltest.Start(script); err != nil {
			t.Fatal(err)
		}
		client := model.NewOpenAI(d.server.URL, model.WithHTTP(&http.Client{Transport: transport}), model.WithRetries(1, time.Millisecond))
		options.Model = func(context.Context, session.Session) (model.Client, string, error) { return client, "scripted", nil }
	}
	for _, apply := range change {
		apply(&options)
	}
	d.Agent = New(options)
	made, err := d.sessions.Create(t.Context(), session.Session{})
	if err != nil {
		t.Fatal(err)
	}
	d.session = made.ID
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		errs := []error{d.Agent.Close(ctx)}
		if d.server != nil {
			errs = append(errs, d.server.Close())
		}
		transport.CloseIdleConnections()
		d.events.Close()
		if err := errors.Join(append(errs, d.sessions.Close(), db.Close())...); err != nil {
			t.Error(err)
		}
	})
	return d
}

// until takes events until one is what is waited for.
func (d *desk) until(what string, is func(event.Event) bool) event.Event {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	for {
		for n, e := range d.seen {
			if is(e) {
				d.seen = d.seen[n+1:]
				return e
			}
		}
		d.seen = nil
		more, err := d.events.Next(ctx)
		if err != nil {
			d.t.Fatalf("%s did not happen; the session has\n%s", what, d.transcript())
		}
		d.seen = more
	}
}

func (d *desk) entry(kind session.Kind, state session.State) session.Entry {
	d.t.Helper()
	e := d.until(fmt.Sprintf("an entry %s %s", kind, state), func(e event.Event) bool {
		entry, ok := e.Payload.(session.Entry)
		return ok && entry.Kind == kind && entry.State == state
	})
	return e.Payload.(session.Entry)
}

// ended waits for the end of the turn.
func (d *desk) ended() {
	d.t.Helper()
	running := false
	d.until("the end of the turn", func(e event.Event) bool {
		s, ok := e.Payload.(session.Session)
		if !ok {
			return false
		}
		ended := running && !s.Running
		running = s.Running
		return ended
	})
}

// say sends a message and waits for the end of the turn.
func (d *desk) say(text string) {
	d.t.Helper()
	d.send(text)
	d.settled()
}

func (d *desk) send(text string) string {
	d.t.Helper()
	turn, err := d.Send(d.t.Context(), d.session, text)
	if err != nil {
		d.t.Fatal(err)
	}
	return turn
}

// settled waits until no turn of the session goes on.
func (d *desk) settled() {
	d.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		s, err := d.sessions.Get(d.t.Context(), d.session)
		if err != nil {
			d.t.Fatal(err)
		}
		if !s.Running {
			return
		}
		if time.Now().After(deadline) {
			d.t.Fatalf("the turn does not end; the session has\n%s", d.transcript())
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func (d *desk) entries() []session.Entry {
	d.t.Helper()
	entries, err := d.sessions.Entries(context.Background(), d.session)
	if err != nil {
		d.t.Fatal(err)
	}
	return entries
}

// transcript is the session in one line an entry.
func (d *desk) transcript() string {
	var lines []string
	for _, e := range d.entries() {
		line := fmt.Sprintf("%s %s", e.Kind, e.State)
		switch {
		case e.Call != nil:
			line += " " + e.Call.Name + string(e.Call.Args)
			if e.Call.Result != nil {
				line += " -> " + clip(string(e.Call.Result), 80)
			}
			if e.Call.Error != nil {
				line += " ! " + e.Call.Error.Code
			}
		case e.Question != nil:
			line += fmt.Sprintf(" %q %s", e.Question.Questions[0].Question, e.Question.Answers)
		case e.Permission != nil:
			line += " " + e.Permission.Permission.Key()
			if e.Permission.Answer != nil {
				line += fmt.Sprintf(" %s %s", e.Permission.Answer.Decision, e.Permission.Answer.Lasting)
			}
		case e.Problem != nil:
			line += " " + e.Problem.Code
		case e.Schedule != nil:
			line += fmt.Sprintf(" %q", e.Schedule.Draft.Title)
			if answer := e.Schedule.Answer; answer != nil {
				line += fmt.Sprintf(" accepted %v", answer.Accepted)
				if answer.Draft != nil {
					line += fmt.Sprintf(" %q", answer.Draft.Title)
				}
			}
		case e.Display != nil:
			line += " " + e.Display.Kind + " " + e.Display.Markdown
		case e.Matches != nil:
			line += fmt.Sprintf(" %d of %d", len(e.Matches.Tools), e.Matches.Of)
		default:
			line += fmt.Sprintf(" %q", e.Text)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (d *desk) expect(lines ...string) {
	d.t.Helper()
	if got := d.transcript(); got != strings.Join(lines, "\n") {
		d.t.Errorf("the session has\n%s\nnot\n%s", got, strings.Join(lines, "\n"))
	}
}

// choose sets the session's mode.
func (d *desk) choose(mode session.Mode) {
	d.t.Helper()
	if _, err := d.sessions.Choose(d.t.Context(), d.session, &mode, nil); err != nil {
		d.t.Fatal(err)
	}
}

// told are the tool results in the model's last request, in order.
func (d *desk) told() []string {
	d.t.Helper()
	requests := d.server.Requests()
	if len(requests) == 0 {
		d.t.Fatal("the model was not asked")
	}
	var results []string
	for _, m := range requests[len(requests)-1].Messages {
		if m.Role == "tool" {
			results = append(results, m.Content)
		}
	}
	return results
}

func isProblem(err error, code string) bool {
	var p *extension.Problem
	return errors.As(err, &p) && p.Code == code
}

func answer(values ...string) []json.RawMessage {
	var all []json.RawMessage
	for _, value := range values {
		all = append(all, json.RawMessage(value))
	}
	return all
}

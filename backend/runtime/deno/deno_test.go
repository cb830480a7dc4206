package deno

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"portico/backend/capability"
	"portico/backend/confine/confinetest"
	"portico/backend/extension"
	"portico/backend/format/loca"
	"portico/backend/grant"
	"portico/backend/schedule"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if play() {
		return
	}
	confinetest.Main(m, func() error { return goleak.Find(goleak.IgnoreTopFunction("portico/backend/confine.spawnLoop")) })
}

// stage is a person's computer with one extension, and the person.
type stage struct {
	t        *testing.T
	runtime  *Runtime
	data     string
	ext      *extension.Copy
	instance *instance
	person   *person
}

const examples = "../../../testdata/loca"

func onStage(t *testing.T, folder string) *stage {
	t.Helper()
	return onStageWith(t, folder, Options{Data: t.TempDir()})
}

func onStageWith(t *testing.T, folder string, options Options) *stage {
	t.Helper()
	for _, place := range []struct {
		to   *string
		name string
	}{{&options.Cache, "cache"}, {&options.Logs, "logs"}, {&options.Models, "models"}, {&options.Sessions, "sessions"}} {
		if *place.to == "" {
			*place.to = filepath.Join(options.Data, place.name)
		}
		if err := os.MkdirAll(*place.to, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	files, _, err := loca.New().Load(os.DirFS(folder))
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(options.Data, "extensions", files.ID)
	if err := os.CopyFS(root, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	ext := &extension.Copy{Extension: *files, Scope: extension.Agent, Origin: extension.Installed, Root: root, Enabled: true}
	r, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	person := &person{}
	started, err := r.Start(context.Background(), ext, person)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, runtime: r, data: options.Data, ext: ext, instance: started.(*instance), person: person}
	t.Cleanup(func() {
		if err := s.instance.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *stage) call(tool, args string) (string, error) {
	return s.callWith(context.Background(), capability.Call{}, tool, args)
}

func (s *stage) callWith(ctx context.Context, call capability.Call, tool, args string) (string, error) {
	call.Tool, call.Extension = tool, s.ext.Ref()
	result, err := s.instance.Call(ctx, call, tool, json.RawMessage(args))
	return string(result), err
}

// works says that a call gives this result.
func (s *stage) works(tool, args, want string) {
	s.t.Helper()
	if got, err := s.call(tool, args); err != nil || got != want {
		s.t.Errorf("%s: got %s, %v, want %s", tool, got, detailed(err), want)
	}
}

func detailed(err error) string {
	if err == nil {
		return "no error"
	}
	var p *extension.Problem
	if errors.As(err, &p) {
		return p.Code + ": " + p.Error() + " [" + p.Detail + "]"
	}
	return err.Error()
}

// fails says that a call fails with this code, and gives the problem.
func (s *stage) fails(tool, args, code string) *extension.Problem {
	s.t.Helper()
	got, err := s.call(tool, args)
	return s.isProblem(got, err, code)
}

func (s *stage) isProblem(got string, err error, code string) *extension.Problem {
	s.t.Helper()
	var p *extension.Problem
	if !errors.As(err, &p) || p.Code != code {
		s.t.Fatalf("got %.200s, %s, want a problem %s", got, detailed(err), code)
	}
	return p
}

// person answers as a test wants, and keeps what was shown.
type person struct {
	capability.Gate
	mu        sync.Mutex
	decisions map[string]grant.Decision
	permit    func([]extension.Permission) ([]grant.Answer, error)
	ask       func(context.Context, []capability.Question) ([]json.RawMessage, error)
	asked     [][]capability.Question
	permitted []string
	review    func(context.Context, schedule.Draft) (schedule.Answer, error)
	proposed  []schedule.Draft
	displays  []capability.Display
	progress  []capability.Progress
	logs      []string
}

var _ capability.Host = (*person)(nil)

func (p *person) allow(keys ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.decisions == nil {
		p.decisions = map[string]grant.Decision{}
	}
	for _, key := range keys {
		p.decisions[key] = grant.Allow
	}
}

func (p *person) Decided(_ context.Context, _ capability.Call, tool extension.Tool) ([]grant.Decided, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return grant.Decide(tool.Permissions, p.decisions), nil
}

func (p *person) Permit(_ context.Context, _ capability.Call, _ extension.Tool, undecided []extension.Permission) ([]grant.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, permission := range undecided {
		p.permitted = append(p.permitted, permission.Key())
	}
	if p.permit == nil {
		return make([]grant.Answer, len(undecided)), nil
	}
	return p.permit(undecided)
}

func (p *person) Ask(ctx context.Context, _ capability.Call, questions []capability.Question) ([]json.RawMessage, error) {
	p.mu.Lock()
	p.asked = append(p.asked, questions)
	ask := p.ask
	p.mu.Unlock()
	if ask == nil {
		return nil, errors.New("nobody is there")
	}
	return ask(ctx, questions)
}

func (p *person) Propose(ctx context.Context, _ capability.Call, draft schedule.Draft) (schedule.Answer, error) {
	p.mu.Lock()
	p.proposed = append(p.proposed, draft)
	review := p.review
	p.mu.Unlock()
	if review == nil {
		return schedule.Answer{}, nil
	}
	return review(ctx, draft)
}

func (p *person) Display(_ capability.Call, display capability.Display) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.displays = append(p.displays, display)
}

func (p *person) Progress(_ capability.Call, progress capability.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.progress = append(p.progress, progress)
}

func (p *person) Log(_ capability.Call, level, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logs = append(p.logs, level+": "+message)
}

func (p *person) logged(line string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.logs, line)
}

func TestTheManualsOwnExampleRuns(t *testing.T) {
	s := onStage(t, examples+"/wordcount")
	s.works("word_count", `{"text":"one two three"}`, `{"words":3,"characters":13}`)
	s.works("word_count", `{"text":""}`, `{"words":0,"characters":0}`)
	if len(s.person.progress) != 2 || s.person.progress[0].Fraction != 1 {
		t.Errorf("got %v, want the one progress of each call", s.person.progress)
	}
}

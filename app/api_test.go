package app

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"portico/backend/extension"
)

// screen is a screen with a method for each way to end.
type screen struct{}

type text struct {
	Text string `json:"text"`
}

func (*screen) Echo(_ context.Context, r text) (text, error)  { return r, nil }
func (*screen) Nothing(context.Context, None) ([]text, error) { return nil, nil }
func (*screen) Fails(context.Context, None) (None, error)     { return None{}, errors.New("bare") }
func (*screen) Panics(context.Context, None) (None, error)    { panic("oh no") }
func (*screen) Refuses(context.Context, None) (None, error) {
	return None{}, extension.NewProblem("test.refused", "No.", "Ask again.")
}

func testAPI(t *testing.T) *API {
	t.Helper()
	return &API{methods: methodsOf(&struct{ Test *screen }{&screen{}})}
}

func TestACallEndsInAValueOrAProblem(t *testing.T) {
	api := testAPI(t)
	for _, c := range []struct{ name, method, request, value, code string }{
		{"a value", "test.echo", `{"text":"hi"}`, `{"text":"hi"}`, ""},
		{"no request", "test.echo", ``, `{"text":""}`, ""},
		{"a list that is nil is empty", "test.nothing", `{}`, `[]`, ""},
		{"a Problem", "test.refuses", `{}`, "", "test.refused"},
		{"a bare error", "test.fails", `{}`, "", "app.failed"},
		{"a panic", "test.panics", `{}`, "", "app.panic"},
		{"no such method", "test.none", `{}`, "", "app.no-method"},
		{"a field that is none", "test.echo", `{"txt":"hi"}`, "", "app.bad-request"},
		{"no JSON", "test.echo", `{`, "", "app.bad-request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := api.Call(t.Context(), c.method, json.RawMessage(c.request))
			if c.code != "" {
				if answer.Problem == nil || answer.Problem.Code != c.code || answer.Value != nil {
					t.Errorf("got %+v", answer)
				}
				return
			}
			value, err := json.Marshal(answer.Value)
			if err != nil || string(value) != c.value || answer.Problem != nil {
				t.Errorf("got %s %+v %v", value, answer.Problem, err)
			}
		})
	}
}

func TestTheTypeScriptTypesAreThoseOfTheGoCode(t *testing.T) {
	have, err := os.ReadFile("../frontend/src/host/api.gen.ts")
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != TypeScript() {
		t.Error("frontend/src/host/api.gen.ts is not what the Go types give: run `go run ./build types`")
	}
	for _, want := range []string{`"chat.send": { request: Message; answer: Turn };`, "export type Decision = \"ask\" | \"allow\" | \"deny\";", `| { topic: "delta"; payload: TextDelta }`} {
		if !strings.Contains(TypeScript(), want) {
			t.Errorf("it lacks %s", want)
		}
	}
}

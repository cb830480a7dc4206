package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"portico/app/cli"
	"portico/backend/core"
	"portico/backend/model/modeltest"
	"portico/backend/planted"
)

// TestMain lets the test binary be `portico` for the scripts: each call is a process of its own, as a person's is.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"portico": func() {
			os.Exit(cli.Main(os.Args[1:], cli.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Version: "test", Brings: planted.BuiltIn()}))
		},
	})
}

func TestTheCommandLine(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	model, err := modeltest.Start(conversation)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := model.Close(); err != nil {
			t.Error(err)
		}
	})
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("PORTICO_HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("EXAMPLES", filepath.Join(root, "testdata", "loca"))
			// An installed Portico has its Deno beside it; the test binary stands in a folder of its own, which must stay the
			// first: a portico that was built before lies beside that Deno.
			own, rest, _ := strings.Cut(env.Getenv("PATH"), string(os.PathListSeparator))
			env.Setenv("PATH", strings.Join([]string{own, filepath.Join(root, "build", "bin"), rest}, string(os.PathListSeparator)))
			return connect(env.Getenv("PORTICO_HOME"), model.URL)
		},
	})
}

// conversation is what the scripts' model says.
var conversation = modeltest.Script{Turns: []modeltest.Turn{
	{When: "how long", Rounds: []modeltest.Reply{
		{Steps: []modeltest.Step{{Text: "I will count. "}, {Call: &modeltest.Call{Name: "word_count", Args: json.RawMessage(`{"text":"one two three"}`)}}}},
		{Steps: []modeltest.Step{{Text: "It has {{result}}"}}},
	}},
	{When: "ask me", Rounds: []modeltest.Reply{
		{Steps: []modeltest.Step{{Call: &modeltest.Call{Name: "pick_colour", Args: json.RawMessage(`{}`)}}}},
		{Steps: []modeltest.Step{{Text: "{{result}}"}}},
	}},
	{When: "hello", Rounds: []modeltest.Reply{{Steps: []modeltest.Step{{Text: "Hello."}}}}},
}}

// connect chooses the model as a person does in Settings.
func connect(home, url string) error {
	c, err := core.Open(context.Background(), core.Options{Data: home})
	if err != nil {
		return err
	}
	_, _, err = c.ChooseModel(context.Background(), url, "scripted")
	return errors.Join(err, c.Close(context.Background()))
}

package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"portico/app/cli"
	"portico/backend/core"
	"portico/backend/model/modeltest"
	"portico/backend/planted"
	"portico/backend/voice"
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
	pages := httptest.NewServer(http.HandlerFunc(page))
	t.Cleanup(pages.Close)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("PORTICO_HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("EXAMPLES", filepath.Join(root, "testdata", "loca"))
			env.Setenv("OURS", filepath.Join(root, "sandbox", "extensions"))
			env.Setenv("PAGES", pages.URL)
			env.Setenv("HOME", filepath.Join(env.WorkDir, "me"))
			// An installed Portico has its Deno beside it; the test binary stands in a folder of its own, which must stay the
			// first: a portico that was built before lies beside that Deno.
			own, rest, _ := strings.Cut(env.Getenv("PATH"), string(os.PathListSeparator))
			env.Setenv("PATH", strings.Join([]string{own, filepath.Join(root, "build", "bin"), rest}, string(os.PathListSeparator)))
			return connect(env.Getenv("PORTICO_HOME"), model.URL, pages.URL)
		},
	})
}

// page is the web that the scripts' tools reach: a page, a file, a search engine that finds the page, and a voice.
func page(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/tea":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<title>Tea</title><nav>Menu</nav><main><h1>Green tea</h1><p>Steep it for <b>two</b> minutes.</p><a href="/file">More</a></main>`)
	case "/file":
		w.Header().Set("Content-Disposition", `attachment; filename="leaves.txt"`)
		fmt.Fprint(w, "dried leaves")
	case "/search":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<a class="result__a" href="//x/l/?uddg=https%%3A%%2F%%2Fexample.com%%2Ftea">About %s</a><a class="result__snippet" href="#">All of it.</a>`, template.HTMLEscapeString(r.FormValue("q")))
	case "/v1/audio/speech":
		w.Write([]byte("RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x22\x56\x00\x00\x44\xac\x00\x00\x02\x00\x10\x00data\xff\xff\xff\xff\x00\x00\x00\x00"))
	case "/v1/audio/transcriptions":
		fmt.Fprint(w, `{"text":"tea is ready"}`)
	default:
		http.NotFound(w, r)
	}
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
	{When: "^Steep it", Rounds: []modeltest.Reply{{Steps: []modeltest.Step{{Text: "How to Steep Tea\n\nI hope you like it!"}}}}},
	{When: "hello", Rounds: []modeltest.Reply{{Steps: []modeltest.Step{{Text: "Hello."}}}}},
}}

// connect chooses the model and the voice as a person does in Settings.
func connect(home, url, speech string) error {
	c, err := core.Open(context.Background(), core.Options{Data: home})
	if err != nil {
		return err
	}
	_, _, err = c.ChooseModel(context.Background(), url, "scripted")
	_, voiceErr := c.SaveVoice(context.Background(), voice.Settings{
		Speak:  voice.SpeakSettings{On: true, Engine: voice.Endpoint, Endpoint: speech, Rate: 1},
		Listen: voice.ListenSettings{On: true, Engine: voice.Endpoint, Endpoint: speech},
	})
	return errors.Join(err, voiceErr, c.Close(context.Background()))
}

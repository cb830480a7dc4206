package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/backend/extension"
	"portico/backend/model"
)

// secretKey has what is written differently in JSON and in an address.
const secretKey = `sk-"unmistakable<&>/+=key`

func withKey(key string) model.Option {
	return model.WithKeys(func(context.Context) (string, error) { return key, nil })
}

// ask makes each kind of request and gives what went wrong.
func askAll(t *testing.T, c func(...model.Option) *model.OpenAI, base string, options ...model.Option) map[string]error {
	t.Helper()
	client := c(options...)
	_, streamed := listen(t, client, question("hello"))
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	_, listed := model.List(t.Context(), base, append([]model.Option{model.WithHTTP(&http.Client{Transport: transport})}, options...)...)
	_, spoken := client.Speak(t.Context(), model.Speech{Model: "m", Text: "hello"})
	_, heard := client.Transcribe(t.Context(), model.Recorded{Model: "m", Data: []byte("RIFF"), FileName: "a.wav", Mime: "audio/wav"})
	return map[string]error{"stream": streamed, "list": listed, "speak": spoken, "transcribe": heard}
}

func TestNoErrorHoldsTheKeyThatTheServerEchoes(t *testing.T) {
	quoted, err := json.Marshal(secretKey)
	if err != nil {
		t.Fatal(err)
	}
	inJSON := string(quoted[1 : len(quoted)-1])
	say := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	long := strings.Repeat("x", 290)
	for name, answer := range map[string]http.HandlerFunc{
		"refused":                 say(401, "application/json", `{"error":{"message":"Incorrect API key provided: `+inJSON+`","code":"invalid_api_key"}}`),
		"forbidden in plain text": say(403, "text/plain", "no: "+secretKey),
		"failed":                  say(500, "application/json", `{"error":"`+inJSON+` broke it"}`),
		"where words are cut":     say(400, "application/json", `{"error":{"message":"`+long+inJSON+`"}}`),
		"where bodies are cut":    say(400, "text/plain", strings.Repeat("x", 64<<10-10)+secretKey),
		"in an address":           say(404, "text/html", "<a href='/login?key="+url.QueryEscape(secretKey)+"'>"),
		"a page":                  say(200, "text/html", "<html>"+secretKey),
		"another API":             say(200, "application/json", `{"yourKey":"`+inJSON+`"}`),
		"a stream's error":        say(200, "text/event-stream", "event: error\ndata: {\"error\":{\"message\":\"bad key "+strings.ReplaceAll(inJSON, "\n", "")+"\"}}\n\n"),
		"no HTTP": func(w http.ResponseWriter, _ *http.Request) {
			connection, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				fmt.Fprintf(connection, "what is %s\r\n\r\n", secretKey)
				connection.Close()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(answer)
			t.Cleanup(server.Close)
			c := func(options ...model.Option) *model.OpenAI {
				return client(t, server.URL, append(options, model.WithRetries(0, 0))...)
			}
			for way, err := range askAll(t, c, server.URL, withKey(secretKey)) {
				var p *extension.Problem
				if way == "speak" && err == nil && (name == "a page" || name == "another API" || name == "a stream's error") {
					continue // what is spoken is looked at by who wanted it
				}
				if !errors.As(err, &p) {
					t.Fatalf("%s: got %v", way, err)
				}
				whole, jsonErr := json.Marshal(p)
				if jsonErr != nil {
					t.Fatal(jsonErr)
				}
				all := string(whole) + fmt.Sprintf("%+v", p) + p.Error() + p.Detail
				for _, part := range []string{secretKey, inJSON, url.QueryEscape(secretKey), "unmistakable", "sk-"} {
					if strings.Contains(all, part) {
						t.Errorf("%s: %q is in %s", way, part, all[:min(len(all), 2000)])
					}
				}
			}
		})
	}
}

func TestTheKeyIsReadForEachRequestAndNotBefore(t *testing.T) {
	sent := make(chan string, 2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent <- r.Header.Get("Authorization")
		w.WriteHeader(http.StatusBadRequest)
	}))
	t.Cleanup(server.Close)
	read := 0
	keys := model.WithKeys(func(context.Context) (string, error) {
		read++
		return fmt.Sprintf("key%d", read), nil
	})
	c := client(t, server.URL, keys)
	if read != 0 {
		t.Error("the key was read before anything was asked")
	}
	listen(t, c, question("one"))
	listen(t, c, question("two"))
	if got := <-sent + "," + <-sent; got != "Bearer key1,Bearer key2" {
		t.Errorf("sent were %s", got)
	}
}

func TestAClosedVaultIsToldAndTheServerIsNotAsked(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the server was asked without the key") }))
	t.Cleanup(server.Close)
	closed := extension.NewProblem("test.closed", "It is closed.", "Open it.")
	c := func(options ...model.Option) *model.OpenAI { return client(t, server.URL, options...) }
	for way, err := range askAll(t, c, server.URL, model.WithKeys(func(context.Context) (string, error) { return "", closed })) {
		if !errors.Is(err, closed) {
			t.Errorf("%s: got %v", way, err)
		}
	}
}

func TestTheKeyGoesToNoOtherServer(t *testing.T) {
	for name, status := range map[string]int{"moved": http.StatusTemporaryRedirect, "for good": http.StatusPermanentRedirect} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			told := map[string]string{}
			tell := func(who string, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				told[who] += r.Header.Get("Authorization")
			}
			other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				tell("other", r)
				w.WriteHeader(http.StatusBadRequest)
			}))
			t.Cleanup(other.Close)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				tell("own", r)
				http.Redirect(w, r, other.URL+r.URL.Path, status)
			}))
			t.Cleanup(server.Close)
			c := model.NewOpenAI(server.URL, withKey("secret"), model.WithRetries(0, 0)) // with its own HTTP client: it is what decides
			listen(t, c, question("hello"))
			if _, err := model.List(t.Context(), server.URL, withKey("secret")); err == nil {
				t.Error("the list was there")
			}
			mu.Lock()
			defer mu.Unlock()
			if told["own"] != "Bearer secretBearer secret" || told["other"] != "" {
				t.Errorf("told were %v", told)
			}
		})
	}
}

func TestWhatIsNoKeyIsRefusedBeforeItIsKept(t *testing.T) {
	const far, near = "https://api.example.com/v1", "http://127.0.0.1:11434/v1"
	for _, c := range []struct{ base, key, want, code string }{
		{far, "sk-1", "sk-1", ""},
		{far, "  sk-1\n", "sk-1", ""},
		{far, "Bearer sk-1", "sk-1", ""},
		{far, "bearer  sk-1", "sk-1", ""},
		{near, "sk-1", "sk-1", ""},
		{"http://box.lan:8000/v1", "sk-1", "sk-1", ""},
		{"http://api.example.com/v1", "sk-1", "", "model.open-line"},
		{far, "", "", "model.bad-key"},
		{far, " \n", "", "model.bad-key"},
		{far, "two words", "", "model.bad-key"},
		{far, "line\r\nHost: elsewhere", "", "model.bad-key"},
		{far, "clé", "", "model.bad-key"},
		{far, strings.Repeat("k", 9000), "", "model.bad-key"},
	} {
		got, err := model.CheckKey(c.base, c.key)
		var p *extension.Problem
		errors.As(err, &p)
		switch {
		case c.code == "" && (err != nil || got != c.want):
			t.Errorf("%q: got %q %v", c.key, got, err)
		case c.code != "" && (p == nil || p.Code != c.code || len(c.key) > 2 && strings.Contains(fmt.Sprintf("%+v", p), c.key)):
			t.Errorf("%q: got %+v", c.key, p)
		}
	}
}

func TestSpeechIsAskedForAndWrittenDownAsTheAPISays(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("told the key %q", r.Header.Get("Authorization"))
		}
		switch r.URL.Path {
		case "/v1/audio/speech":
			var asked map[string]any
			if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || fmt.Sprint(asked) != "map[input:¡Hola! model:tts-1 response_format:wav speed:1.5 voice:alloy]" {
				t.Errorf("asked for %v %v", asked, err)
			}
			fmt.Fprint(w, "RIFF and so on")
		case "/v1/audio/transcriptions":
			file, head, err := r.FormFile("file")
			if err != nil {
				t.Error(err)
				return
			}
			defer file.Close()
			if head.Filename != "recording.wav" || head.Header.Get("Content-Type") != "audio/wav" || r.FormValue("model") != "whisper-1" || r.FormValue("language") != "es" {
				t.Errorf("sent were %+v %v", head, r.Form)
			}
			fmt.Fprint(w, `{"text":"¡Hola!"}`)
		}
	}))
	t.Cleanup(server.Close)
	c := client(t, server.URL+"/v1", withKey("secret"))
	if said, err := c.Speak(t.Context(), model.Speech{Model: "tts-1", Voice: "alloy", Text: "¡Hola!", Speed: 1.5}); err != nil || string(said) != "RIFF and so on" {
		t.Errorf("got %q %v", said, err)
	}
	if heard, err := c.Transcribe(t.Context(), model.Recorded{Model: "whisper-1", Data: []byte("RIFF"), FileName: "recording.wav", Mime: "audio/wav", Language: "es"}); err != nil || heard != "¡Hola!" {
		t.Errorf("got %q %v", heard, err)
	}
}

func TestSpeechIsAskedForAgainAfterABusyMomentAndEndsWithItsContext(t *testing.T) {
	var tries atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tries.Add(1) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, "RIFF")
	}))
	t.Cleanup(server.Close)
	if said, err := client(t, server.URL).Speak(t.Context(), model.Speech{Text: "a"}); err != nil || string(said) != "RIFF" || tries.Load() != 3 {
		t.Errorf("got %q %v after %d tries", said, err, tries.Load())
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := client(t, "http://"+silent.Addr().String()).Speak(ctx, model.Speech{Text: "a"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

package model_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/backend/extension"
	"portico/backend/model"
	"portico/backend/model/modeltest"
)

func portOf(t *testing.T, address string) int {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func TestServersOnThisComputerAreFound(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	ollama := serve(t, modeltest.Script{Models: []string{"qwen3:8b", "llama3.2", "qwen3:8b"}, Owner: "library"})
	empty := serve(t, modeltest.Script{Models: []string{}})
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>a development server</html>")) }))
	defer other.Close()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"status":"ok"}`)) }))
	defer api.Close()
	moved := httptest.NewServer(http.RedirectHandler(ollama.URL+"/models", http.StatusFound))
	defer moved.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := closed.Addr().(*net.TCPAddr).Port
	closed.Close()

	found := model.DiscoverAt(t.Context(), []model.Port{
		{portOf(t, other.URL), "another program"}, {portOf(t, empty.URL), "LM Studio"}, {nobody, "nobody"}, {portOf(t, api.URL), "another API"},
		{portOf(t, moved.URL), "one that points elsewhere"}, {portOf(t, ollama.URL), "some server"},
	}, 10*time.Second)
	if len(found) != 2 {
		t.Fatalf("found %+v", found)
	}
	if found[0].Name != "LM Studio" || found[0].Models == nil || len(found[0].Models) != 0 {
		t.Errorf("the server without models is %+v", found[0])
	}
	if found[1].Name != "Ollama" || found[1].BaseURL != ollama.URL || strings.Join(found[1].Models, " ") != "qwen3:8b llama3.2" {
		t.Errorf("the other one is %+v", found[1])
	}
}

func TestAServerThatHangsKeepsNobodyWaiting(t *testing.T) {
	release := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer hangs.Close()
	defer close(release)
	good := serve(t, modeltest.Script{})
	found := model.DiscoverAt(t.Context(), []model.Port{{portOf(t, hangs.URL), "hangs"}, {portOf(t, good.URL), "good"}}, 2*time.Second)
	if len(found) != 1 || found[0].Name != "good" {
		t.Errorf("found %+v", found)
	}
}

func TestOneServerListsItsModels(t *testing.T) {
	server := serve(t, modeltest.Script{Models: []string{"b", "a"}, Key: "k"})
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	http := model.WithHTTP(&http.Client{Transport: transport, Timeout: time.Minute})
	models, err := model.List(t.Context(), server.URL, http, model.WithKeys(func(context.Context) (string, error) { return "k", nil }))
	if err != nil || strings.Join(models, " ") != "b a" {
		t.Errorf("listed %v, %v", models, err)
	}
	_, err = model.List(t.Context(), server.URL, http)
	var p *extension.Problem
	if !errors.As(err, &p) || p.Code != "model.refused-key" {
		t.Errorf("without the key: %v", err)
	}
	for body, code := range map[string]string{`<html>`: "model.bad-answer", `{}`: "model.bad-answer", `{"object":"list","data":[{"name":"x"}]}`: "model.bad-answer", `["a"]`: "model.bad-answer"} {
		_, err = model.List(t.Context(), wire(t, 200, body), http)
		if !errors.As(err, &p) || p.Code != code {
			t.Errorf("%s: %v", body, err)
		}
	}
	for _, body := range []string{`{"object":"list","data":null}`, `{"object":"list","data":[]}`, `[]`} {
		if models, err = model.List(t.Context(), wire(t, 200, body), http); err != nil || models == nil || len(models) != 0 {
			t.Errorf("%s: %v, %v", body, models, err)
		}
	}
}

func TestAddressesAreWrittenOneWay(t *testing.T) {
	for address, want := range map[string]string{
		"localhost:11434":                                 "http://localhost:11434/v1",
		" http://127.0.0.1:11434 ":                        "http://127.0.0.1:11434/v1",
		"http://127.0.0.1:11434/v1/":                      "http://127.0.0.1:11434/v1",
		"http://127.0.0.1:11434/api":                      "http://127.0.0.1:11434/v1",
		"127.0.0.1:11434/api/tags":                        "http://127.0.0.1:11434/v1",
		"http://localhost:1234/v1/models":                 "http://localhost:1234/v1",
		"http://localhost:8080/v1/chat/completions?x=1#y": "http://localhost:8080/v1",
		"0.0.0.0:8000":                                    "http://127.0.0.1:8000/v1",
		"[::]:8000":                                       "http://127.0.0.1:8000/v1",
		"[::1]:8000":                                      "http://[::1]:8000/v1",
		"HTTP://LocalHost:8000/V1":                        "http://localhost:8000/V1",
		"192.168.1.7:1234":                                "http://192.168.1.7:1234/v1",
		"workstation:8000":                                "http://workstation:8000/v1",
		"workstation.local:8000":                          "http://workstation.local:8000/v1",
		"api.openai.com":                                  "https://api.openai.com/v1",
		"api.openai.com/v1/":                              "https://api.openai.com/v1",
		"https://openrouter.ai":                           "https://openrouter.ai/api/v1",
		"openrouter.ai/api":                               "https://openrouter.ai/api/v1",
		"openrouter.ai/api/v1/chat/completions":           "https://openrouter.ai/api/v1",
		"https://example.com/some/proxy/v2":               "https://example.com/some/proxy/v2",
		"http://models.example.com:8443":                  "http://models.example.com:8443/v1",
	} {
		got, err := model.NormalizeBaseURL(address)
		if err != nil || got != want {
			t.Errorf("%q became %q, %v; not %q", address, got, err, want)
		}
		if again, err := model.NormalizeBaseURL(got); err != nil || again != got {
			t.Errorf("%q is written otherwise a second time: %q, %v", got, again, err)
		}
	}
	for _, address := range []string{"", "  ", "ftp://host/v1", "http://", "http://host:0", "host:99999", "http://host:/v1", "two words", "http://key@host/v1", "file:///etc/passwd", "http://[::1", "javascript:alert(1)", "host:port"} {
		got, err := model.NormalizeBaseURL(address)
		var p *extension.Problem
		if !errors.As(err, &p) || p.Code != "model.bad-address" || p.Next == "" {
			t.Errorf("%q became %q, %v", address, got, err)
		}
	}
}

package model

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"portico/backend/extension"
)

const (
	// discoverWait bounds the whole search: what runs on this computer answers within milliseconds, and a person waits.
	discoverWait = 400 * time.Millisecond
	// listWait bounds asking one server, which may be far away.
	listWait = 15 * time.Second
	// maxListBytes bounds a list of models; OpenRouter's has 2 MB.
	maxListBytes = 16 << 20
)

// Found is a model server that runs on this computer.
type Found struct {
	Name    string   `json:"name"`    // "Ollama"
	BaseURL string   `json:"baseURL"` // "http://127.0.0.1:11434/v1"
	Models  []string `json:"models"`  // in the server's order; may be empty
}

// Port is where a kind of server listens unless told otherwise.
type Port struct {
	Number int
	Name   string
}

// KnownPorts are those that Discover asks.
var KnownPorts = []Port{{11434, "Ollama"}, {1234, "LM Studio"}, {8080, "llama.cpp"}, {8000, "vLLM"}}

// owners are by whom servers say their models are owned; they tell more than the port.
var owners = map[string]string{"library": "Ollama", "llamacpp": "llama.cpp", "vllm": "vLLM", "organization_owner": "LM Studio"}

// Discover asks this computer's own ports for model servers, all at once. What does not answer in time, or is something
// else, is left out. The order is that of KnownPorts.
func Discover(ctx context.Context) []Found { return DiscoverAt(ctx, KnownPorts, discoverWait) }

// DiscoverAt asks the given ports, and gives up after the wait.
func DiscoverAt(ctx context.Context, ports []Port, wait time.Duration) []Found {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	transport := newTransport()
	transport.Proxy = nil
	transport.DisableKeepAlives = true
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	found := make([]*Found, len(ports))
	var asked sync.WaitGroup
	for n, port := range ports {
		asked.Go(func() {
			base := "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port.Number)) + "/v1"
			list, err := ask(ctx, client, base, "")
			if err != nil {
				return
			}
			found[n] = &Found{Name: port.Name, BaseURL: base, Models: list.names()}
			if name := list.server(); name != "" {
				found[n].Name = name
			}
		})
	}
	asked.Wait()
	all := make([]Found, 0, len(ports))
	for _, f := range found {
		if f != nil {
			all = append(all, *f)
		}
	}
	return all
}

// List asks one server for its models, without doubles, in the server's order. The base address is one that
// NormalizeBaseURL gave.
func List(ctx context.Context, baseURL string, options ...Option) ([]string, error) {
	c := NewOpenAI(baseURL, options...)
	limited, cancel := context.WithTimeout(ctx, listWait)
	defer cancel()
	key, err := c.keys(ctx)
	if err != nil {
		return nil, err
	}
	list, err := ask(limited, c.http, c.baseURL, key)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if limited.Err() != nil {
			return nil, unreachable(hostOf(c.baseURL), err)
		}
		return nil, c.listProblem(err)
	}
	return list.names(), nil
}

// listProblem: a server that has no list is none of ours, whatever status it says so with.
func (c *OpenAI) listProblem(err error) *extension.Problem {
	p := c.problem(err, "", false)
	switch p.Code {
	case "model.unknown", "model.refused", "model.too-long", "model.no-tools":
		return badAnswer(hostOf(c.baseURL), err)
	}
	return p
}

type listed struct {
	ID      string `json:"id"`
	OwnedBy string `json:"owned_by"`
}

type modelList []listed

func ask(ctx context.Context, client *http.Client, baseURL, key string) (_ modelList, err error) {
	defer func() { err = without(key, err) }()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, baseURL+"/models", nil)
	if err != nil {
		return nil, fmt.Errorf("ask for the models: %w", err)
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "Portico")
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask for the models: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxListBytes))
	if err != nil {
		return nil, fmt.Errorf("read the models: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, &refusal{status: response.StatusCode, header: response.Header, body: hide(key, body[:min(len(body), maxFaultBytes)])}
	}
	return readList(hide(key, body))
}

// readList reads {"object":"list","data":[{"id":…}]}. Some servers say null for an empty list, and some give the list
// alone. Anything else on such a port is another program.
func readList(body []byte) (modelList, error) {
	var outer struct {
		Object string          `json:"object"`
		Data   json.RawMessage `json:"data"`
	}
	raw := json.RawMessage(body)
	if err := json.Unmarshal(body, &outer); err == nil {
		if outer.Object != "list" && len(outer.Data) == 0 {
			return nil, fmt.Errorf("read the models: there is no list in %s", clip(string(body), maxSaidChars))
		}
		raw = outer.Data
	}
	var list modelList
	if len(bytes.TrimSpace(raw)) == 0 {
		return list, nil
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("read the models: %w", err)
	}
	for _, m := range list {
		if m.ID == "" {
			return nil, fmt.Errorf("read the models: one has no id in %s", clip(string(body), maxSaidChars))
		}
	}
	return list, nil
}

func (l modelList) names() []string {
	names := make([]string, 0, len(l))
	for _, m := range l {
		if !slices.Contains(names, m.ID) {
			names = append(names, m.ID)
		}
	}
	return names
}

func (l modelList) server() string {
	for _, m := range l {
		if name := owners[strings.ToLower(m.OwnedBy)]; name != "" {
			return name
		}
	}
	return ""
}

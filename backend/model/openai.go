package model

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"
)

const (
	// firstWait is how long a server may be silent before its answer begins: a local one may have to load many gigabytes
	// and then read a long conversation on a slow processor.
	firstWait = 10 * time.Minute
	// idleWait is how long it may be silent within an answer.
	idleWait = 120 * time.Second

	dialWait      = 10 * time.Second
	tlsWait       = 10 * time.Second
	idleConnWait  = 30 * time.Second
	maxPlainBytes = 8 << 20  // of an answer that is no stream
	maxFaultBytes = 64 << 10 // of an error's body
	maxWireBytes  = 1 << 30  // of one answer with all that is around it: keep-alives, empty chunks
)

// OpenAI is the client of a server that speaks the OpenAI API (chat completions): Ollama, LM Studio, llama.cpp, vLLM,
// OpenRouter, OpenAI itself. It keeps no state between requests and is safe for concurrent use. Nothing of the
// environment changes what it does, but for the proxy variables; a loopback address is never reached through a proxy.
type OpenAI struct {
	baseURL string
	keys    Keys
	http    *http.Client
	first   time.Duration
	idle    time.Duration
	retry   retry
}

// Option changes how a client works.
type Option func(*OpenAI)

// WithKeys sends a key with every request, as it is at that moment.
func WithKeys(keys Keys) Option { return func(c *OpenAI) { c.keys = keys } }

// WithHTTP uses this HTTP client in place of the shared one.
func WithHTTP(client *http.Client) Option { return func(c *OpenAI) { c.http = client } }

// WithWaits sets how long the server may be silent before and within an answer.
func WithWaits(first, idle time.Duration) Option {
	return func(c *OpenAI) { c.first, c.idle = first, idle }
}

// WithRetries sets how often a request is repeated, and how long the first pause is; each further one is twice as long.
func WithRetries(times int, pause time.Duration) Option {
	return func(c *OpenAI) { c.retry = retry{times, pause} }
}

// NewOpenAI makes a client for a base address as NormalizeBaseURL gives it.
func NewOpenAI(baseURL string, options ...Option) *OpenAI {
	c := &OpenAI{baseURL: strings.TrimRight(baseURL, "/"), keys: noKeys, http: sharedHTTP, first: firstWait, idle: idleWait, retry: retry{maxRetries, firstPause}}
	for _, option := range options {
		option(c)
	}
	return c
}

// sharedHTTP keeps connections across turns, so that only the first one pays for the handshake.
var sharedHTTP = &http.Client{Transport: newTransport(), CheckRedirect: keepKey}

func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                 proxyUnlessLoopback,
		DialContext:           (&net.Dialer{Timeout: dialWait, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   tlsWait,
		IdleConnTimeout:       idleConnWait,
		ExpectContinueTimeout: time.Second,
		ForceAttemptHTTP2:     true,
	}
}

func proxyUnlessLoopback(r *http.Request) (*url.URL, error) {
	if isLoopback(r.URL.Hostname()) {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

// Stream asks for one answer.
func (c *OpenAI) Stream(ctx context.Context, r Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		begun, stopped := false, false
		give := func(e Event) bool {
			begun = true
			stopped = !yield(e, nil)
			return !stopped
		}
		for attempt := 0; ; attempt++ {
			err := c.once(ctx, r, give)
			if err == nil || stopped {
				return
			}
			if ctx.Err() != nil {
				yield(Event{}, ctx.Err())
				return
			}
			if r.Direct && !begun && refusesField(err) {
				r.Direct = false
				attempt--
				continue
			}
			pause, again := c.retry.after(err, attempt)
			if begun || !again || sleep(ctx, pause) != nil {
				if ctx.Err() != nil {
					err = ctx.Err()
				} else {
					err = c.problem(err, r.Model, begun)
				}
				yield(Event{}, err)
				return
			}
		}
	}
}

// once makes one request. Its error is what the server or the network said, not yet a Problem.
func (c *OpenAI) once(ctx context.Context, r Request, give func(Event) bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := &silence{idle: c.idle, timer: time.AfterFunc(c.first, func() { cancel(errSilent) })}
	defer watch.timer.Stop()

	key, err := c.keys(ctx)
	if err != nil {
		return err
	}
	answer := &answer{}
	// The service is made without openai.NewClient, which would take its key and address from the environment.
	completions := openai.NewChatCompletionService(c.options(key, watch, &answer.done)...)
	stream := completions.NewStreaming(ctx, c.params(r))
	defer stream.Close()
	for stream.Next() {
		for _, event := range answer.take(stream.Current()) {
			if !give(event) {
				return nil
			}
		}
		if answer.endless() {
			return errEndless
		}
	}
	if err := stream.Err(); err != nil {
		if errors.Is(context.Cause(ctx), errSilent) {
			return errSilent
		}
		return without(key, err)
	}
	if !answer.complete() {
		return errBrokenOff
	}
	for _, event := range answer.end() {
		if !give(event) {
			return nil
		}
	}
	return nil
}

func (c *OpenAI) options(key string, watch *silence, done *bool) []option.RequestOption {
	options := []option.RequestOption{
		option.WithBaseURL(c.baseURL + "/"),
		option.WithHTTPClient(c.http),
		option.WithMaxRetries(0), // ours know whether the answer has begun
		option.WithHeader("User-Agent", "Portico"),
		option.WithMiddleware(func(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
			res, err := next(req)
			if err != nil {
				return nil, err
			}
			return plainAnswer(res, key, watch, done)
		}),
	}
	if key != "" {
		options = append(options, option.WithAPIKey(key))
	}
	return options
}

// plainAnswer turns a refusal into an error that keeps what was said, and gives the SDK a body that it reads rightly.
func plainAnswer(res *http.Response, key string, watch *silence, done *bool) (*http.Response, error) {
	body := watch.over(res.Body)
	if res.StatusCode >= 300 {
		said, _ := io.ReadAll(io.LimitReader(body, maxFaultBytes))
		res.Body.Close()
		return nil, &refusal{status: res.StatusCode, header: res.Header, body: hide(key, said)}
	}
	in := bufio.NewReader(body)
	first, err := firstByte(in)
	if err != nil && !errors.Is(err, io.EOF) {
		res.Body.Close()
		return nil, err
	}
	var plain io.Reader = &plainStream{in: in, done: func() { *done = true }}
	switch first {
	case '<':
		said, _ := io.ReadAll(io.LimitReader(in, maxFaultBytes))
		res.Body.Close()
		return nil, &refusal{status: res.StatusCode, header: res.Header, body: hide(key, said)}
	case '{':
		whole, err := io.ReadAll(io.LimitReader(in, maxPlainBytes))
		if err != nil {
			res.Body.Close()
			return nil, err
		}
		chunk, ok := asStream(whole)
		if !ok {
			res.Body.Close()
			return nil, &refusal{status: res.StatusCode, header: res.Header, body: hide(key, whole[:min(len(whole), maxFaultBytes)])}
		}
		*done = true
		plain = bytes.NewReader(chunk)
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{plain, res.Body}
	res.Header.Set("Content-Type", "text/event-stream")
	return res, nil
}

func firstByte(in *bufio.Reader) (byte, error) {
	for {
		next, err := in.Peek(1)
		if err != nil {
			return 0, err
		}
		if !strings.ContainsRune(" \t\r\n", rune(next[0])) {
			return next[0], nil
		}
		if _, err := in.Discard(1); err != nil {
			return 0, err
		}
	}
}

// silence ends a request whose server says nothing for too long. Keep-alive comments count: the server is there.
type silence struct {
	idle  time.Duration
	timer *time.Timer
}

func (s *silence) over(body io.Reader) io.Reader { return &heard{body, s, maxWireBytes} }

// heard is a body that is being read. One that goes on for ever says something all the time.
type heard struct {
	io.Reader
	silence *silence
	left    int64
}

func (h *heard) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if n > 0 {
		h.silence.timer.Reset(h.silence.idle)
	}
	if h.left -= int64(n); h.left < 0 {
		return 0, errEndless
	}
	return n, err
}

func (c *OpenAI) params(r Request) openai.ChatCompletionNewParams {
	params := openai.ChatCompletionNewParams{
		Model:         shared.ChatModel(r.Model),
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)},
	}
	if r.MaxTokens > 0 {
		if strings.HasSuffix(hostOf(c.baseURL), "api.openai.com") {
			params.MaxCompletionTokens = param.NewOpt(r.MaxTokens)
		} else {
			params.MaxTokens = param.NewOpt(r.MaxTokens) // the older name is the one that local servers know
		}
	}
	if r.System != "" {
		params.Messages = append(params.Messages, openai.SystemMessage(r.System))
	}
	for _, m := range r.Messages {
		params.Messages = append(params.Messages, messageParam(m))
	}
	for _, tool := range r.Tools {
		params.Tools = append(params.Tools, toolParam(tool))
	}
	if r.Direct { // llama.cpp, vLLM and SGLang know the first; Ollama and OpenAI the second
		params.SetExtraFields(map[string]any{"chat_template_kwargs": map[string]any{"enable_thinking": false}, "reasoning_effort": "none"})
	}
	return params
}

func messageParam(m Message) openai.ChatCompletionMessageParamUnion {
	switch m.Role {
	case Result:
		return openai.ToolMessage(m.Text, m.CallID)
	case Assistant:
		said := openai.ChatCompletionAssistantMessageParam{}
		if m.Text != "" || len(m.Calls) == 0 {
			said.Content.OfString = param.NewOpt(m.Text)
		}
		for _, call := range m.Calls {
			said.ToolCalls = append(said.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
				OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
					ID:       call.ID,
					Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: sentName(call.Name), Arguments: sentArgs(call.Args)},
				},
			})
		}
		return openai.ChatCompletionMessageParamUnion{OfAssistant: &said}
	}
	return openai.UserMessage(m.Text)
}

// sentName is a tool's name as it may be sent back: a model makes up names that servers then refuse to read, which would
// end the conversation for good.
func sentName(name string) string {
	plain := PlainName(name)
	if plain == "" {
		return "unknown"
	}
	return plain[:min(len(plain), maxSentName)]
}

// PlainName puts _ for every character that providers take in no tool's name: they read ^[a-zA-Z0-9_-]{1,64}$.
func PlainName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
}

// maxSentName is what servers take as a function's name.
const maxSentName = 64

// sentArgs are arguments as they may be sent back: servers parse them to fill their chat template, and answer what is no
// object with an error that would end the conversation for good.
func sentArgs(args string) string {
	if strings.HasPrefix(strings.TrimSpace(args), "{") && json.Valid([]byte(args)) {
		return args
	}
	return "{}"
}

func toolParam(tool Tool) openai.ChatCompletionToolUnionParam {
	schema := tool.Schema
	if trimmed := bytes.TrimSpace(schema); len(trimmed) == 0 || bytes.Equal(trimmed, []byte("{}")) || !json.Valid(schema) {
		schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	// The schema goes out as its author wrote it, in its order and with its numbers: what comes first is read first.
	definition := struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
	}{tool.Name, tool.Description, schema}
	return openai.ChatCompletionFunctionTool(param.Override[shared.FunctionDefinitionParam](definition))
}

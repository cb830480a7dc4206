package modeltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

// maxRequestBytes bounds what a client may send.
const maxRequestBytes = 64 << 20

// Request is one request for an answer, as it came.
type Request struct {
	Model    string          `json:"model"`
	Messages []Message       `json:"messages"`
	Tools    []Tool          `json:"tools"`
	Stream   bool            `json:"stream"`
	Header   http.Header     `json:"header"`
	Raw      json.RawMessage `json:"raw"`
}

// Message is one of its messages.
type Message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCallID string     `json:"tool_call_id"`
	ToolCalls  []ToolCall `json:"tool_calls"`
}

// ToolCall is a call that stands in a message.
type ToolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Tool is one that the model may call.
type Tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// Server answers from its script until it is closed.
type Server struct {
	URL string // "http://127.0.0.1:40123/v1"

	when     []*regexp.Regexp
	http     *http.Server
	served   chan struct{}
	record   func(Request)
	mu       sync.Mutex
	script   Script
	failed   map[int]int // by turn: how many of its Fails were given
	requests []Request
}

// Start serves on a free port of the loopback interface.
func Start(script Script) (*Server, error) { return StartAt("127.0.0.1:0", script, nil) }

// StartAt serves on an address. record, unless nil, hears every request before it is answered.
func StartAt(address string, script Script, record func(Request)) (*Server, error) {
	when, err := script.compile()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for the scripted model: %w", err)
	}
	s := &Server{URL: "http://" + listener.Addr().String() + "/v1", when: when, script: script, failed: map[int]int{}, record: record, served: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("POST /v1/chat/completions", s.completions)
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(listener)
	}()
	return s, nil
}

// Close ends every connection, also those in the middle of an answer.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.served
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// Requests gives the requests for an answer so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

func (s *Server) letIn(w http.ResponseWriter, r *http.Request) bool {
	if s.script.Key == "" || r.Header.Get("Authorization") == "Bearer "+s.script.Key {
		return true
	}
	writeJSON(w, http.StatusUnauthorized, map[string]any{"error": map[string]any{"message": "Incorrect API key provided.", "type": "invalid_request_error", "code": "invalid_api_key"}})
	return false
}

func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	if !s.letIn(w, r) {
		return
	}
	names := s.script.Models
	if names == nil {
		names = []string{"scripted"}
	}
	data := make([]map[string]any, 0, len(names))
	for _, name := range names {
		data = append(data, map[string]any{"id": name, "object": "model", "created": 0, "owned_by": s.script.Owner})
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}

func (s *Server) completions(w http.ResponseWriter, r *http.Request) {
	if !s.letIn(w, r) {
		return
	}
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxRequestBytes))
	var request Request
	if err == nil {
		err = json.Unmarshal(raw, &request)
	}
	if err != nil {
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": map[string]any{"message": err.Error()}})
		return
	}
	request.Raw, request.Header = raw, r.Header
	reply, ok := s.choose(request)
	if !ok {
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": map[string]any{"message": fmt.Sprintf("the script has no answer to %q", request.lastUser())}})
		return
	}
	s.give(w, r, request, reply)
}

// choose records a request and finds its reply.
func (s *Server) choose(request Request) (Reply, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, request)
	if s.record != nil {
		s.record(request)
	}
	message := request.lastUser()
	for n, turn := range s.script.Turns {
		if !s.when[n].MatchString(message) {
			continue
		}
		if given := s.failed[n]; given < len(turn.Fails) {
			s.failed[n]++
			return turn.Fails[given], true
		}
		if len(turn.Rounds) == 0 {
			return Reply{}, false
		}
		return turn.Rounds[min(request.round(), len(turn.Rounds)-1)], true
	}
	return Reply{}, false
}

func (r Request) lastUserAt() int {
	for n := len(r.Messages) - 1; n >= 0; n-- {
		if r.Messages[n].Role == "user" {
			return n
		}
	}
	return -1
}

func (r Request) lastUser() string {
	if at := r.lastUserAt(); at >= 0 {
		return r.Messages[at].Content
	}
	return ""
}

// round counts the answers with tool calls since the last user message.
func (r Request) round() int {
	rounds := 0
	for _, m := range r.Messages[r.lastUserAt()+1:] {
		if m.Role == "assistant" && len(m.ToolCalls) > 0 {
			rounds++
		}
	}
	return rounds
}

// LastResult is the newest tool result of the request.
func (r Request) LastResult() string {
	for n := len(r.Messages) - 1; n >= 0; n-- {
		if r.Messages[n].Role == "tool" {
			return r.Messages[n].Content
		}
	}
	return ""
}

func (s *Server) give(w http.ResponseWriter, r *http.Request, request Request, reply Reply) {
	for name, value := range reply.Headers {
		w.Header().Set(name, value)
	}
	if reply.Hangup {
		hangUp(w)
		return
	}
	if reply.Status != 0 {
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(reply.Status)
		_, _ = io.WriteString(w, reply.Body)
		return
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	out := &stream{w: w, ctx: r.Context(), model: request.Model, result: request.LastResult()}
	out.send(map[string]any{"role": "assistant", "content": ""}, nil)
	for _, step := range reply.Steps {
		if !out.step(step) {
			return
		}
	}
	out.end(reply, len(strings.Fields(request.lastUser())))
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// hangUp resets the connection, as a server does that dies.
func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

func wait(ctx context.Context, ms int) bool {
	timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

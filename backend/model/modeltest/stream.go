package modeltest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

const (
	textRunes = 7 // of text in one chunk: less than most words
	argRunes  = 5 // of arguments in one chunk: in the middle of names, numbers and escapes
)

// stream writes one answer's events.
type stream struct {
	w      http.ResponseWriter
	ctx    context.Context
	model  string
	result string
	calls  int
	tokens int
}

// step does one step; false: the answer ends with it.
func (s *stream) step(step Step) bool {
	if step.DelayMs > 0 && !wait(s.ctx, step.DelayMs) {
		return false
	}
	switch {
	case step.Text != "":
		text := strings.ReplaceAll(step.Text, "{{result}}", s.result)
		for _, piece := range pieces(text, textRunes) {
			s.send(map[string]any{"content": piece}, nil)
		}
	case step.Reasoning != "":
		for _, piece := range pieces(step.Reasoning, textRunes) {
			s.send(map[string]any{"reasoning_content": piece}, nil)
		}
	case step.Call != nil:
		s.call(*step.Call)
	case step.Chunk != nil:
		s.write("data: " + string(step.Chunk) + "\n\n")
	case step.Raw != "":
		s.write(step.Raw)
	case step.Comment != "":
		s.write(": " + step.Comment + "\n\n")
	case step.Error != nil:
		s.write(`data: {"error":` + string(step.Error) + "}\n\n")
		return false
	case step.Drop:
		hangUp(s.w)
		return false
	case step.Hang:
		<-s.ctx.Done()
		return false
	}
	return s.ctx.Err() == nil
}

func (s *stream) call(c Call) {
	args := c.ArgText
	if c.Args != nil {
		args = string(c.Args)
	}
	id := c.ID
	if id == "" {
		id = fmt.Sprintf("call_%d", s.calls)
	}
	fragment := func(fields map[string]any) {
		if !c.NoIndex {
			fields["index"] = s.calls
		}
		s.send(map[string]any{"tool_calls": []any{fields}}, nil)
	}
	if c.Whole {
		fragment(map[string]any{"id": id, "type": "function", "function": map[string]any{"name": c.Name, "arguments": args}})
	} else {
		fragment(map[string]any{"id": id, "type": "function", "function": map[string]any{"name": c.Name, "arguments": ""}})
		for _, piece := range pieces(args, argRunes) {
			fragment(map[string]any{"function": map[string]any{"arguments": piece}})
		}
	}
	s.calls++
}

// end finishes an answer: the reason, the usage in a chunk of its own without choices, and [DONE].
func (s *stream) end(reply Reply, prompt int) {
	finish := reply.Finish
	if finish == "" {
		finish = "stop"
		if s.calls > 0 {
			finish = "tool_calls"
		}
	}
	if finish != "none" {
		s.send(map[string]any{}, finish)
		s.data(map[string]any{"choices": []any{}, "usage": map[string]any{"prompt_tokens": prompt, "completion_tokens": s.tokens, "total_tokens": prompt + s.tokens}})
	}
	if !reply.NoDone {
		s.write("data: [DONE]\n\n")
	}
}

func (s *stream) send(delta map[string]any, finish any) {
	s.tokens++
	s.data(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
}

func (s *stream) data(fields map[string]any) {
	fields["id"], fields["object"], fields["created"], fields["model"] = "chatcmpl-scripted", "chat.completion.chunk", 0, s.model
	chunk, err := json.Marshal(fields)
	if err != nil {
		panic(err) // maps of strings and numbers
	}
	s.write("data: " + string(chunk) + "\n\n")
}

func (s *stream) write(text string) {
	if _, err := s.w.Write([]byte(text)); err == nil {
		_ = http.NewResponseController(s.w).Flush()
	}
}

func pieces(text string, size int) []string {
	runes := []rune(text)
	var all []string
	for len(runes) > 0 {
		n := min(size, len(runes))
		all = append(all, string(runes[:n]))
		runes = runes[n:]
	}
	return all
}

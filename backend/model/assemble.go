package model

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
)

// part is one fragment of a tool call as it stands in a chunk.
type part struct {
	index    int64
	hasIndex bool
	id       string
	name     string
	args     string
}

const (
	maxNameBytes = 256 // a name that is no tool's, which the person is shown
	maxIDBytes   = 256
)

// assembler puts tool calls together from fragments. Servers differ: Ollama gives every call the index 0, llama.cpp sends
// whole calls, proxies leave out ids or indexes or repeat a finished call, so a fragment's call is found by what it has.
type assembler struct {
	slots []*slot
}

type slot struct {
	part
	written []byte // the arguments so far
	ending  ending
	whole   bool // the arguments are complete JSON
}

// ending follows arguments as they are written and says when the object may be complete, without reading them anew for
// every fragment: of long ones there are a hundred thousand.
type ending struct {
	depth           int
	quoted, escaped bool
	over            bool // it is no object, whatever follows
}

// closes takes more of it and says whether it ends where all that was opened is closed.
func (e *ending) closes(more string) bool {
	for n := range len(more) {
		c := more[n]
		switch {
		case e.escaped:
			e.escaped = false
		case e.quoted:
			e.escaped, e.quoted = c == '\\', c != '"'
		case c == '"':
			e.quoted = true
		case c == '{' || c == '[':
			e.depth++
		case c == '}' || c == ']':
			e.depth--
		}
	}
	return e.depth == 0 && !e.quoted
}

func (a *assembler) add(p part) {
	s := a.slotOf(p)
	if s == nil {
		s = &slot{part: p}
		s.name = s.name[:min(len(s.name), maxNameBytes)]
		a.slots = append(a.slots, s)
	} else {
		if s.whole && strings.TrimSpace(p.args) == strings.TrimSpace(string(s.written)) {
			p.args = "" // the finished call once more
		}
		if s.id == "" {
			s.id = p.id
		}
		switch {
		case s.name == "":
			s.name = p.name
		case p.name != s.name && len(s.written) == 0:
			s.name += p.name // a name in pieces
		}
		s.name = s.name[:min(len(s.name), maxNameBytes)]
	}
	s.write(p.args)
}

// write adds to the arguments. They are read as a whole only once, when the object may be complete.
func (s *slot) write(args string) {
	blank := strings.TrimSpace(args) == ""
	s.written = append(s.written, args...)
	if blank {
		return
	}
	closed := s.ending.closes(args)
	if s.whole {
		s.whole, s.ending.over = false, true // what follows an object makes it none
	}
	if closed && !s.ending.over && bytes.HasSuffix(bytes.TrimSpace(s.written), []byte("}")) {
		s.whole = json.Valid(s.written)
		s.ending.over = !s.whole
	}
}

// slotOf finds the call that a fragment continues; nil: it begins one.
func (a *assembler) slotOf(p part) *slot {
	s := a.candidate(p)
	if s == nil || p.name == "" || s.name == "" {
		return s
	}
	switch {
	case p.id != "" && s.id != "":
		if p.id != s.id {
			return nil
		}
	case s.whole:
		return nil
	case !p.hasIndex && len(s.written) == 0:
		return nil // two calls without arguments, ids or indexes
	}
	return s
}

func (a *assembler) candidate(p part) *slot {
	for _, s := range slices.Backward(a.slots) {
		switch {
		case p.hasIndex && s.hasIndex:
			if p.index == s.index {
				return s
			}
		case p.id != "" && s.id != "":
			if p.id == s.id {
				return s
			}
		default:
			return s
		}
	}
	if !p.hasIndex && p.name == "" && len(a.slots) > 0 {
		return a.slots[len(a.slots)-1] // a server that makes up an id for every chunk
	}
	return nil
}

// calls gives the finished calls in the order in which they began. Each has an id, unique among them.
func (a *assembler) calls() []ToolCall {
	var calls []ToolCall
	seen := map[string]bool{}
	for _, s := range a.slots {
		if s.name == "" {
			continue
		}
		id := s.id
		for id == "" || len(id) > maxIDBytes || seen[id] {
			id = newCallID()
		}
		seen[id] = true
		calls = append(calls, ToolCall{ID: id, Name: s.name, Args: plainArgs(string(s.written))})
	}
	return calls
}

// plainArgs writes arguments as the object they mean: nothing at all, null and an object inside of a string all occur.
func plainArgs(args string) string {
	trimmed := strings.TrimSpace(args)
	if trimmed == "" || trimmed == "null" {
		return "{}"
	}
	var inner string
	if trimmed[0] == '"' && json.Unmarshal([]byte(trimmed), &inner) == nil {
		if inner = strings.TrimSpace(inner); inner == "" {
			return "{}"
		}
		if inner[0] == '{' {
			return inner
		}
	}
	return args
}

// newCallID makes an id for a call that came without one: nine letters and digits, the only shape that Mistral's chat
// template takes and every other accepts.
func newCallID() string { return strings.ToLower(rand.Text()[:9]) }

package extension

import (
	"errors"
	"strings"
)

// Problem is what a person is told when something is wrong: what happened, to what, and what they can do. It is an
// error, so it travels up like one. What and Next may hold {name} places that Params fill; the frontend translates by
// Code and fills the same places.
type Problem struct {
	Code   string            `json:"code"` // stable, dotted: "install.no-marker"
	What   string            `json:"what"`
	Where  string            `json:"where,omitempty"` // a file, a place in a manifest, an extension
	Next   string            `json:"next,omitempty"`
	Detail string            `json:"detail,omitempty"` // for a bug report: the underlying error, the last lines of a log
	Params map[string]string `json:"params,omitempty"`
	Issues []Issue           `json:"issues,omitempty"` // broken rules of a manifest
	cause  error
}

// Issue is one broken rule of a manifest, with its place: "tools[2].permissions.net[0].ports".
type Issue struct {
	Place   string `json:"place"`
	What    string `json:"what"`
	Warning bool   `json:"warning,omitempty"` // the extension still loads
}

func (i Issue) String() string { return i.Place + ": " + i.What }

// NewProblem makes a problem; params are name, value, name, value.
func NewProblem(code, what, next string, params ...string) *Problem {
	p := &Problem{Code: code, What: what, Next: next}
	for i := 0; i+1 < len(params); i += 2 {
		if p.Params == nil {
			p.Params = map[string]string{}
		}
		p.Params[params[i]] = params[i+1]
	}
	p.What, p.Next = p.fill(what), p.fill(next)
	return p
}

// At says where the problem is.
func (p *Problem) At(where string) *Problem { p.Where = where; return p }

// Because keeps the underlying error for errors.Is and for the details.
func (p *Problem) Because(err error) *Problem {
	if err != nil {
		p.cause = err
		if p.Detail == "" {
			p.Detail = err.Error()
		}
	}
	return p
}

// fill puts the parameters into their places, each once: a value may hold braces of its own.
func (p *Problem) fill(text string) string {
	places := make([]string, 0, 2*len(p.Params))
	for name, value := range p.Params {
		places = append(places, "{"+name+"}", value)
	}
	return strings.NewReplacer(places...).Replace(text)
}

// Error gives the problem in one line: where, what, what next.
func (p *Problem) Error() string {
	text := p.What
	if p.Where != "" {
		text = p.Where + ": " + text
	}
	if p.Next != "" {
		text += " " + p.Next
	}
	return text
}

func (p *Problem) Unwrap() error { return p.cause }

// AsProblem gives the problem an error carries, or wraps the error into one with the given code.
func AsProblem(err error, code, what, next string) *Problem {
	if err == nil {
		return nil
	}
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	return NewProblem(code, what, next).Because(err)
}

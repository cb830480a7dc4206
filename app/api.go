// Package app is what a frontend can call and hear: one file per screen, thin, with no logic of its own. Every method
// takes one value and gives one value, so that the same API travels over every carrier (window, socket, browser) and its
// TypeScript types are generated from the Go ones.
package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"portico/backend/core"
	"portico/backend/extension"
)

// None is the request or the answer of a method that has none.
type None struct{}

// API is the whole surface. Its fields are the screens; a method is named "<field>.<Method>", both starting in lower case.
type API struct {
	Sessions   *Sessions
	Chat       *Chat
	Tools      *Tools
	Extensions *Extensions
	Models     *Models
	Memories   *Memories
	Vault      *Vault
	Voice      *Voice
	Schedules  *Schedules
	Settings   *Settings
	System     *System

	methods map[string]method
}

type method struct {
	call     reflect.Value
	request  reflect.Type
	response reflect.Type
}

// New binds the API to a core and to the window it speaks for.
func New(c *core.Core, w Window) *API {
	a := &API{
		Sessions:   &Sessions{core: c},
		Chat:       &Chat{core: c},
		Tools:      &Tools{core: c},
		Extensions: &Extensions{core: c, window: w},
		Models:     &Models{core: c},
		Memories:   &Memories{core: c, window: w},
		Vault:      &Vault{core: c},
		Voice:      &Voice{core: c},
		Schedules:  &Schedules{core: c},
		Settings:   &Settings{core: c},
		System:     &System{core: c, window: w},
	}
	a.methods = methodsOf(a)
	return a
}

// methodsOf finds the methods of each screen in a struct's fields.
func methodsOf(screens any) map[string]method {
	methods := map[string]method{}
	v := reflect.ValueOf(screens).Elem()
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		screen := v.Field(i)
		for j := range screen.NumMethod() {
			m := screen.Type().Method(j)
			fn := screen.Method(j)
			methods[lowerFirst(field.Name)+"."+lowerFirst(m.Name)] = method{fn, fn.Type().In(1), fn.Type().Out(0)}
		}
	}
	return methods
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// Describe gives every method's name with its request and response types, for the generator of the TypeScript types.
func Describe() map[string][2]reflect.Type {
	described := map[string][2]reflect.Type{}
	for name, m := range New(nil, nil).methods {
		described[name] = [2]reflect.Type{m.request, m.response}
	}
	return described
}

// Answer is one call's outcome as every carrier sends it: a value or a problem, never both.
type Answer struct {
	Value   any                `json:"value,omitempty"`
	Problem *extension.Problem `json:"problem,omitempty"`
}

// Call runs one method. It never panics and never returns a bare error: what goes wrong is a Problem in the answer.
func (a *API) Call(ctx context.Context, name string, request json.RawMessage) (answer Answer) {
	defer func() {
		if r := recover(); r != nil {
			answer = Answer{Problem: extension.NewProblem("app.panic", "Portico hit an error of its own in {method}.",
				"Try again; if it happens again, report it with the details.", "method", name).Because(fmt.Errorf("%v", r))}
		}
	}()
	m, ok := a.methods[name]
	if !ok {
		return Answer{Problem: extension.NewProblem("app.no-method", "Portico has no method {method}.", "Restart Portico: its window and its core differ in version.", "method", name)}
	}
	in := reflect.New(m.request)
	if len(bytes.TrimSpace(request)) > 0 {
		dec := json.NewDecoder(bytes.NewReader(request))
		dec.DisallowUnknownFields()
		if err := dec.Decode(in.Interface()); err != nil {
			if p := new(extension.Problem); errors.As(err, &p) { // a value that checks itself
				return Answer{Problem: p}
			}
			return Answer{Problem: extension.NewProblem("app.bad-request", "The request to {method} could not be read.", "", "method", name).Because(err)}
		}
	}
	out := m.call.Call([]reflect.Value{reflect.ValueOf(ctx), in.Elem()})
	if err, _ := out[1].Interface().(error); err != nil {
		return Answer{Problem: extension.AsProblem(err, "app.failed", "That did not work.", "Try again; the details say more.")}
	}
	if out[0].Kind() == reflect.Slice && out[0].IsNil() {
		out[0] = reflect.MakeSlice(out[0].Type(), 0, 0) // a list that is empty, not null
	}
	return Answer{Value: out[0].Interface()}
}

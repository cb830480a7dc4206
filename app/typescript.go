package app

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"time"

	"portico/backend/capability"
	"portico/backend/event"
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/schedule"
	"portico/backend/session"
	"portico/backend/vault"
)

// events pairs each topic with the type of its payload.
var events = map[event.Topic]any{
	event.Entry: session.Entry{}, event.Delta: event.TextDelta{}, event.Session: session.Session{}, event.SessionGone: event.Gone{},
	event.Extensions: None{}, event.Install: event.InstallStep{}, event.Settings: None{}, event.Models: None{}, event.Memories: None{}, event.Vault: None{}, event.Voice: None{}, event.Schedules: None{},
	event.Menu: event.MenuAction{}, event.Drop: event.Dropped{}, event.Resync: None{},
}

// enums are the string types of which the frontend must know every value.
var enums = map[reflect.Type][]string{
	reflect.TypeFor[session.Kind]():      {"person", "agent", "call", "question", "permission", "schedule", "display", "problem", "matches"},
	reflect.TypeFor[session.State]():     {"open", "running", "done", "failed", "cancelled", "interrupted"},
	reflect.TypeFor[session.Mode]():      {"plan", "interactive", "guided", "autonomous"},
	reflect.TypeFor[grant.Decision]():    {"ask", "allow", "deny"},
	reflect.TypeFor[grant.Lasting]():     {"once", "session", "always"},
	reflect.TypeFor[extension.Format]():  {"loca", "plugin", "miniapp", "pointman"},
	reflect.TypeFor[extension.Scope]():   {"agent", "project"},
	reflect.TypeFor[extension.Origin]():  {"installed", "linked", "own", "discovered"},
	reflect.TypeFor[extension.Effect]():  {"reads", "writes"},
	reflect.TypeFor[extension.Kind]():    {"net", "read", "write", "run", "env", "ffi", "sys", "memories", "llm", "tts", "stt"},
	reflect.TypeFor[capability.Origin](): {"person", "schedule", "wake", "channel", "work"},
	reflect.TypeFor[schedule.Kind]():     {"once", "interval", "weekly", "monthly", "yearly"},
	reflect.TypeFor[schedule.Cause]():    {"onTime", "madeUp", "byPerson"},
	reflect.TypeFor[schedule.RunState](): {"started", "finished", "failed", "missed", "interrupted"},
	reflect.TypeFor[vault.State]():       {"ready", "locked", "missing", "slow", "passphrase", "broken"},
}

// nouns are the packages whose types have short names, good only beside the package's: memory.Item is MemoryItem.
var nouns = map[string]bool{"memory": true, "schedule": true, "vault": true, "voice": true}

// TypeScript is the frontend's view of the API, generated so that no type is written twice.
func TypeScript() string {
	w := &typeWriter{done: map[reflect.Type]string{}, bodies: map[string]string{}}
	var methods, topics strings.Builder
	described := Describe()
	for _, name := range sortedKeys(described) {
		types := described[name]
		fmt.Fprintf(&methods, "  %q: { request: %s; answer: %s };\n", name, w.ref(types[0]), w.ref(types[1]))
	}
	for _, topic := range sortedKeys(events) {
		fmt.Fprintf(&topics, "  | { topic: %q; payload: %s }\n", topic, w.ref(reflect.TypeOf(events[topic])))
	}
	problem := w.ref(reflect.TypeFor[extension.Problem]())
	var out strings.Builder
	out.WriteString("// Generated from the Go types by `go run ./build types`. Do not edit.\n\n")
	for _, name := range sortedKeys(w.bodies) {
		out.WriteString(w.bodies[name] + "\n")
	}
	fmt.Fprintf(&out, "export interface Methods {\n%s}\n\nexport type HostEvent =\n%s;\n\nexport interface Reply<T> {\n  value?: T;\n  problem?: %s;\n}\n",
		methods.String(), strings.TrimSuffix(topics.String(), "\n"), problem)
	return out.String()
}

func sortedKeys[K ~string, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return keys[i] < keys[j] })
	return keys
}

type typeWriter struct {
	done   map[reflect.Type]string
	bodies map[string]string // declarations by name
}

// ref gives how a type is written where it is used, and declares it the first time.
func (w *typeWriter) ref(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[None]():
		return "Record<string, never>"
	case reflect.TypeFor[json.RawMessage](), reflect.TypeFor[any]():
		return "unknown"
	case reflect.TypeFor[time.Duration]():
		return "number"
	}
	if values, ok := enums[t]; ok {
		return w.declare(t, func(name string) string {
			quoted := make([]string, len(values))
			for i, v := range values {
				quoted[i] = fmt.Sprintf("%q", v)
			}
			return fmt.Sprintf("export type %s = %s;\n", name, strings.Join(quoted, " | "))
		})
	}
	switch t.Kind() {
	case reflect.Pointer:
		return w.ref(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Float64, reflect.Uint64, reflect.Uint32:
		return "number"
	case reflect.Slice, reflect.Array:
		inner := w.ref(t.Elem())
		if strings.Contains(inner, "|") {
			inner = "(" + inner + ")"
		}
		return inner + "[]"
	case reflect.Map:
		return fmt.Sprintf("Record<string, %s>", w.ref(t.Elem()))
	case reflect.Struct:
		return w.declare(t, func(name string) string { return fmt.Sprintf("export interface %s {\n%s}\n", name, w.fields(t)) })
	}
	panic(fmt.Sprintf("no TypeScript for %s", t))
}

// declare names a type by its Go name, with its package in front where two packages use one name, or where it says more.
func (w *typeWriter) declare(t reflect.Type, body func(string) string) string {
	if name, ok := w.done[t]; ok {
		return name
	}
	name := t.Name()
	pkg := t.PkgPath()[strings.LastIndexByte(t.PkgPath(), '/')+1:]
	noun := strings.ToUpper(pkg[:1]) + pkg[1:]
	if _, taken := w.bodies[name]; taken || nouns[pkg] && !strings.HasPrefix(name, noun) {
		name = noun + name
	}
	w.done[t] = name
	w.bodies[name] = "" // taken, also while the body is written
	w.bodies[name] = body(name)
	return name
}

func (w *typeWriter) fields(t reflect.Type) string {
	var out strings.Builder
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && tag == "" { // encoding/json lifts its fields, exported or not
			out.WriteString(w.fields(f.Type))
			continue
		}
		if !f.IsExported() || tag == "-" {
			continue
		}
		if tag == "" {
			tag = f.Name
		}
		optional := ""
		if strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero") {
			optional = "?"
		}
		nullable := ""
		if optional == "" && (f.Type.Kind() == reflect.Slice && f.Type != reflect.TypeFor[json.RawMessage]() || f.Type.Kind() == reflect.Map || f.Type.Kind() == reflect.Pointer) {
			nullable = " | null" // what encoding/json writes for nil
		}
		fmt.Fprintf(&out, "  %s%s: %s%s;\n", tag, optional, w.ref(f.Type), nullable)
	}
	return out.String()
}

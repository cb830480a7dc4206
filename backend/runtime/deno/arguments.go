package deno

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"portico/backend/capability"
)

// read reads what an author gave a member of ctx. A value of another type is refused in words, as TypeScript would have.
func read[T any](op string, args json.RawMessage) (T, error) {
	var value T
	err := json.Unmarshal(args, &value)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		name := "the argument"
		if wrong.Field != "" {
			name = strings.ToLower(wrong.Field[:1]) + wrong.Field[1:]
		}
		return value, fmt.Errorf("%s: %s must be %s, not %s", op, name, typeWords(wrong.Type.String()), typeWords(wrong.Value))
	case err != nil:
		return value, fmt.Errorf("%s: the arguments can't be read: %w", op, err)
	}
	return value, nil
}

func typeWords(name string) string {
	switch strings.TrimPrefix(name, "*") {
	case "string":
		return "a text"
	case "int", "float64":
		return "a number"
	case "object":
		return "an object"
	case "array":
		return "a list"
	case "bool":
		return "true or false"
	}
	if strings.HasPrefix(name, "[]") {
		return "a list"
	}
	if strings.HasPrefix(name, "number") {
		return "a number"
	}
	return "an object"
}

// needed says which of the named texts is missing.
func needed(op string, texts ...any) error {
	for n := 0; n < len(texts); n += 2 {
		if texts[n+1].(*string) == nil {
			return fmt.Errorf("%s: %s is missing", op, texts[n])
		}
	}
	return nil
}

func listMemories(ctx context.Context, m capability.Memories, _ json.RawMessage) (any, error) {
	all, err := m.List(ctx)
	if all == nil {
		all = []capability.Memory{}
	}
	return all, err
}

func getMemory(ctx context.Context, m capability.Memories, args json.RawMessage) (any, error) {
	a, err := read[struct{ Title *string }]("memories.get", args)
	if err := errors.Join(err, needed("memories.get", "title", a.Title)); err != nil {
		return nil, err
	}
	return m.Get(ctx, *a.Title)
}

func getMemoryFile(ctx context.Context, m capability.Memories, args json.RawMessage) (any, error) {
	a, err := read[struct{ Title, Name *string }]("memories.getFile", args)
	if err := errors.Join(err, needed("memories.getFile", "title", a.Title, "name", a.Name)); err != nil {
		return nil, err
	}
	return m.File(ctx, *a.Title, *a.Name)
}

func writeMemory(ctx context.Context, m capability.Memories, args json.RawMessage) (any, error) {
	a, err := read[struct{ Title, Content *string }]("memories.write", args)
	if err := errors.Join(err, needed("memories.write", "title", a.Title, "content", a.Content)); err != nil {
		return nil, err
	}
	return m.Write(ctx, *a.Title, *a.Content)
}

func editMemory(ctx context.Context, m capability.Memories, args json.RawMessage) (any, error) {
	a, err := read[struct{ Title, Find, Replace *string }]("memories.edit", args)
	if err := errors.Join(err, needed("memories.edit", "title", a.Title, "find", a.Find, "replace", a.Replace)); err != nil {
		return nil, err
	}
	change, err := m.Edit(ctx, *a.Title, *a.Find, *a.Replace)
	return map[string]string{"title": change.Title, "before": change.Before, "after": change.After}, err
}

type statement struct {
	SQL    *string `json:"sql"`
	Params json.RawMessage
}

func query(ctx context.Context, db capability.Database, args json.RawMessage) (any, error) {
	text, params, err := readStatement("db.query", args)
	if err != nil {
		return nil, err
	}
	return db.Query(ctx, text, params)
}

func execute(ctx context.Context, db capability.Database, args json.RawMessage) (any, error) {
	text, params, err := readStatement("db.execute", args)
	if err != nil {
		return nil, err
	}
	return db.Execute(ctx, text, params)
}

func readStatement(op string, args json.RawMessage) (string, []any, error) {
	a, err := read[statement](op, args)
	if err := errors.Join(err, needed(op, "sql", a.SQL)); err != nil {
		return "", nil, err
	}
	if len(a.Params) == 0 || bytes.Equal(a.Params, []byte("null")) {
		return *a.SQL, nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(a.Params))
	decoder.UseNumber()
	var params []any
	if err := decoder.Decode(&params); err != nil {
		return "", nil, fmt.Errorf("%s: params must be a list", op)
	}
	for n, param := range params {
		if params[n], err = plain(param); err != nil {
			return "", nil, fmt.Errorf("%s: parameter %d %w", op, n+1, err)
		}
	}
	return *a.SQL, params, nil
}

// plain reads a parameter: a number without a fraction is an int64 where it fits.
func plain(param any) (any, error) {
	switch value := param.(type) {
	case string, bool, nil:
		return value, nil
	case json.Number:
		if whole, err := value.Int64(); err == nil {
			return whole, nil
		}
		number, err := value.Float64()
		if err != nil || math.IsInf(number, 0) {
			return nil, errors.New("is a number that is too large")
		}
		return number, nil
	}
	return nil, errors.New("must be a text, a number, true, false or null")
}

func complete(ctx context.Context, model capability.Completer, args json.RawMessage) (any, error) {
	asked, err := read[struct {
		Prompt       *string
		SystemPrompt string
		MaxTokens    *float64
	}]("llm.complete", args)
	if err := errors.Join(err, needed("llm.complete", "prompt", asked.Prompt)); err != nil {
		return nil, err
	}
	tokens := float64(capability.DefaultTokens)
	if asked.MaxTokens != nil {
		if tokens = *asked.MaxTokens; tokens < 1 {
			return nil, errors.New("llm.complete: maxTokens must be 1 or more")
		}
	}
	text, err := model.Complete(ctx, capability.Completion{Prompt: *asked.Prompt, SystemPrompt: asked.SystemPrompt, MaxTokens: int(min(tokens, capability.MaxTokens))})
	return map[string]string{"text": strings.TrimSpace(text)}, err
}

func speak(ctx context.Context, voice capability.Speaker, args json.RawMessage) (any, error) {
	a, err := read[struct{ Text *string }]("tts.speak", args)
	if err := errors.Join(err, needed("tts.speak", "text", a.Text)); err != nil {
		return nil, err
	}
	return voice.Speak(ctx, *a.Text)
}

func transcribe(ctx context.Context, ear capability.Transcriber, args json.RawMessage) (any, error) {
	recording, err := read[capability.Recording]("stt.transcribe", args)
	if err != nil {
		return nil, err
	}
	text, err := ear.Transcribe(ctx, recording)
	return map[string]string{"text": text}, err
}

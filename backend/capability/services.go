package capability

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"portico/backend/extension"
	"portico/backend/schedule"
)

// Kinds of memories (loca-extensions.md, Shipping knowledge and skills).
const (
	Knowledge = "knowledge" // reference data: never to be obeyed
	Skill     = "skill"     // a procedure to follow when it fits
)

// Memory is one memory as a list shows it.
type Memory struct {
	Title       string `json:"title"`
	Kind        string `json:"kind"`
	Summary     string `json:"summary,omitempty"`
	UpdatedAtMs int64  `json:"updatedAtMs"` // since 1970, UTC
}

// MemoryText is the whole text of a memory; a skill's is its SKILL.md.
type MemoryText struct {
	Title   string `json:"title"`
	Content string `json:"content"`
}

// MemoryFile is a file that a skill bundles; Name is its path in the skill's folder, with slashes.
type MemoryFile struct {
	Title   string `json:"title"`
	Name    string `json:"name"`
	Content string `json:"content"`
}

// MemoryChange is what a write or an edit did.
type MemoryChange struct {
	Title   string `json:"title"`
	Before  string `json:"before"`
	After   string `json:"after"`
	Created bool   `json:"created"`
}

// Memories are the memories that are switched on: the person's own and, read-only, those of extensions. Titles are found
// whatever their case. Every refusal is a *extension.Problem.
type Memories interface {
	List(ctx context.Context) ([]Memory, error)
	Get(ctx context.Context, title string) (MemoryText, error)
	File(ctx context.Context, title, name string) (MemoryFile, error)
	// Write replaces knowledge, or creates it.
	Write(ctx context.Context, title, content string) (MemoryChange, error)
	// Edit replaces the one place where find stands; none or several is a Problem.
	Edit(ctx context.Context, title, find, replace string) (MemoryChange, error)
}

// Database is an extension's own SQLite file. Parameters are texts, numbers, booleans and null.
type Database interface {
	Query(ctx context.Context, query string, params []any) (Rows, error)
	Execute(ctx context.Context, query string, params []any) (Changes, error)
}

// Rows are a query's answer. Its JSON is a list of objects whose keys stand in the order of the columns.
type Rows struct {
	Columns []string
	Values  [][]any // string, int64, float64, nil; integers beyond 2^53 are texts; blobs are base64
}

// MarshalJSON writes the rows as objects.
func (r Rows) MarshalJSON() ([]byte, error) {
	keys := make([][]byte, len(r.Columns))
	for n, column := range r.Columns {
		key, err := json.Marshal(column)
		if err != nil {
			return nil, fmt.Errorf("write the column %q: %w", column, err)
		}
		keys[n] = key
	}
	var out bytes.Buffer
	out.WriteByte('[')
	for n, row := range r.Values {
		if n > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('{')
		for m, value := range row {
			data, err := json.Marshal(value)
			if err != nil {
				return nil, fmt.Errorf("write the column %q: %w", r.Columns[m], err)
			}
			if m > 0 {
				out.WriteByte(',')
			}
			out.Write(keys[m])
			out.WriteByte(':')
			out.Write(data)
		}
		out.WriteByte('}')
	}
	out.WriteByte(']')
	return out.Bytes(), nil
}

// Changes are what a statement did. LastInsertRowID is an int64, or a string beyond 2^53.
type Changes struct {
	Changes         int64 `json:"changes"`
	LastInsertRowID any   `json:"lastInsertRowId"`
}

// Completion asks the person's model for one text.
type Completion struct {
	Prompt       string `json:"prompt"`
	SystemPrompt string `json:"systemPrompt,omitempty"`
	MaxTokens    int    `json:"maxTokens,omitempty"` // 0: DefaultTokens; at most MaxTokens
}

// Limits of a completion (loca-notes.md, 4).
const (
	DefaultTokens = 512
	MaxTokens     = 1024
)

// Completer is the model that the person chose.
type Completer interface {
	Complete(ctx context.Context, c Completion) (text string, err error)
}

// Sound is speech as a WAV file.
type Sound struct {
	DataB64    string `json:"dataB64"`
	Mime       string `json:"mime"` // "audio/wav"
	SampleRate int    `json:"sampleRate"`
}

// Recording is speech to be understood.
type Recording struct {
	DataB64  string `json:"dataB64"`
	Mime     string `json:"mime,omitempty"`     // "": audio/wav
	Language string `json:"language,omitempty"` // BCP 47; "": whatever it is
}

// Speaker speaks; Transcriber listens. A voice that is switched off is a *extension.Problem.
type Speaker interface {
	Speak(ctx context.Context, text string) (Sound, error)
}

type Transcriber interface {
	Transcribe(ctx context.Context, r Recording) (text string, err error)
}

// Schedules keep scheduled prompts. Every refusal is a *extension.Problem.
type Schedules interface {
	// Check says why a draft could not be added now.
	Check(ctx context.Context, owner schedule.Owner, d schedule.Draft) error
	// Add keeps one; it is on disk then. The project is that of the sessions it will start.
	Add(ctx context.Context, owner schedule.Owner, project string, d schedule.Draft) (schedule.Schedule, error)
	// Remove takes one away again.
	Remove(ctx context.Context, id string) error
}

// Services are what stands behind the capabilities. One that is nil is not there.
type Services struct {
	Memories    Memories
	Databases   func(extension.Ref) (Database, error)
	Completer   func(Call) Completer
	Speaker     Speaker
	Transcriber Transcriber
	Schedules   Schedules
}

// Access of the permission "memories" (loca-extensions.md, Permissions).
const (
	ReadAccess  = "read"
	WriteAccess = "write"
)

// Package capability is what extension code can reach in the host, each ability implemented once; a runtime exposes them
// in its format's own terms.
package capability

import (
	"context"
	"encoding/json"

	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/schedule"
)

// Call identifies one call of a tool: who asked for it, where, in whose turn. Everything a runtime does for a call
// carries it.
type Call struct {
	ID          string        `json:"id"`
	Extension   extension.Ref `json:"extension"`
	Tool        string        `json:"tool"`
	Session     string        `json:"session,omitempty"` // empty: outside of any session ("portico run")
	Turn        string        `json:"turn,omitempty"`
	Agent       string        `json:"agent,omitempty"`
	Origin      Origin        `json:"origin"`
	UserMessage string        `json:"userMessage,omitempty"` // the message that started the turn
	Locale      string        `json:"locale,omitempty"`      // BCP 47
}

// Origin says what started a turn.
type Origin string

const (
	FromPerson   Origin = "person"
	FromSchedule Origin = "schedule"
	FromWake     Origin = "wake"
	FromChannel  Origin = "channel"
	FromWork     Origin = "work"
)

// Host is bound to one extension when a runtime starts it. All methods are safe for concurrent use. Those that wait for
// a person return ctx.Err() when the call is cancelled, and a *extension.Problem when nobody can answer.
type Host interface {
	// Decided gives the decision for every permission the tool declares, as it stands for this call.
	Decided(ctx context.Context, call Call, tool extension.Tool) ([]grant.Decided, error)
	// Permit asks the person about undecided permissions, one prompt each, and remembers what should last.
	// The result has one answer per permission, in order. A permission is asked about once in a call, however often and
	// from however many goroutines: an answer for once lasts as long as the call.
	Permit(ctx context.Context, call Call, tool extension.Tool, undecided []extension.Permission) ([]grant.Answer, error)
	// Ask shows questions and waits; one answer per question, in order, each a JSON value.
	Ask(ctx context.Context, call Call, questions []Question) ([]json.RawMessage, error)
	// Propose shows a schedule for review and, when the person accepts it, saves it before it returns. What can't be saved,
	// or nobody can review, is not accepted; the call's log says why.
	Propose(ctx context.Context, call Call, draft schedule.Draft) (schedule.Answer, error)
	Display(call Call, display Display)
	Progress(call Call, progress Progress)
	// Log keeps a line with the call and in the extension's log file. level: debug, info, warn, error.
	Log(call Call, level, message string)

	// The services below ask for the permission that they stand behind, when it is undecided, and give the service or a
	// *extension.Problem: undeclared, denied, or not there at all.

	// Memories needs "memories" for reading, or for writing, which covers reading.
	Memories(ctx context.Context, call Call, tool extension.Tool, access string) (Memories, error)
	// Database needs no permission; the manifest must declare it.
	Database(ctx context.Context, call Call) (Database, error)
	Completer(ctx context.Context, call Call, tool extension.Tool) (Completer, error)
	Speaker(ctx context.Context, call Call, tool extension.Tool) (Speaker, error)
	Transcriber(ctx context.Context, call Call, tool extension.Tool) (Transcriber, error)
}

// Question is one question to the person (loca-extensions.md, Asking the user). Kind "" means "choice".
type Question struct {
	Kind          string   `json:"kind,omitempty"` // choice, diff, files, image, table
	Question      string   `json:"question"`
	Options       []Option `json:"options,omitempty"` // choice; none: a text box
	Multiselect   bool     `json:"multiselect,omitempty"`
	AllowFreeform bool     `json:"allowFreeformInput,omitempty"`
	Before        string   `json:"before,omitempty"` // diff
	After         string   `json:"after,omitempty"`
	Title         string   `json:"title,omitempty"`
	Entries       []File   `json:"entries,omitempty"` // files
	DataB64       string   `json:"dataB64,omitempty"` // image
	Mime          string   `json:"mime,omitempty"`
	Actions       []Option `json:"actions,omitempty"`
	Columns       []string `json:"columns,omitempty"` // table
	Rows          [][]any  `json:"rows,omitempty"`
}

// Option is one thing to choose.
type Option struct {
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
}

// File is one file to choose.
type File struct {
	Path        string `json:"path"`
	Label       string `json:"label,omitempty"`
	Description string `json:"description,omitempty"`
}

// Display is a one-way result for the transcript; the model never reads it.
type Display struct {
	Kind     string   `json:"kind"`               // markdown, image, table, diff
	Markdown string   `json:"markdown,omitempty"` // markdown
	DataB64  string   `json:"dataB64,omitempty"`  // image
	Mime     string   `json:"mime,omitempty"`
	Alt      string   `json:"alt,omitempty"`
	Columns  []string `json:"columns,omitempty"` // table
	Rows     [][]any  `json:"rows,omitempty"`
	Before   string   `json:"before,omitempty"` // diff
	After    string   `json:"after,omitempty"`
	Title    string   `json:"title,omitempty"`
}

// Progress is how far a call is.
type Progress struct {
	Fraction    float64 `json:"fraction"` // 0 to 1
	Label       string  `json:"label,omitempty"`
	Description string  `json:"description,omitempty"`
}

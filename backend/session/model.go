// Package session keeps conversations: sessions and the entries of their transcripts, in SQLite. What a person sends, and
// every finished entry, is on disk before it is announced; streamed text is announced at once and saved at least every
// 250 ms. After a crash an unfinished entry is there up to that point, marked interrupted.
package session

import (
	"encoding/json"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/schedule"
)

// Session is one conversation.
type Session struct {
	ID        string `json:"id"`
	Title     string `json:"title"` // empty until the first message names it
	Project   string `json:"project,omitempty"`
	Mode      Mode   `json:"mode"`
	Model     string `json:"model,omitempty"` // empty: the default of Settings, or direct mode when there is none
	CreatedAt int64  `json:"createdAt"`       // milliseconds since 1970, UTC
	UpdatedAt int64  `json:"updatedAt"`       // of the last entry
	Draft     string `json:"draft,omitempty"`
	Scroll    Scroll `json:"scroll"`
	Running   bool   `json:"running"` // a turn is going on
	Waiting   bool   `json:"waiting"` // the turn waits for the person
}

// Scroll is where the person was in the transcript.
type Scroll struct {
	Entry  string  `json:"entry,omitempty"`  // the entry at the top edge; empty: at the end
	Offset float64 `json:"offset,omitempty"` // CSS pixels from that entry's top
}

// Mode narrows what grants allow.
type Mode string

const (
	Plan        Mode = "plan"
	Interactive Mode = "interactive"
	Guided      Mode = "guided"
	Autonomous  Mode = "autonomous"
)

// Kind says what an entry of the transcript is.
type Kind string

const (
	PersonSays Kind = "person"     // Text
	AgentSays  Kind = "agent"      // Text, streamed
	ToolCall   Kind = "call"       // Call
	Asks       Kind = "question"   // Question; Parent is the call
	Permits    Kind = "permission" // Permission; Parent is the call
	Proposes   Kind = "schedule"   // Schedule; Parent is the call
	Shows      Kind = "display"    // Display; Parent is the call
	Fails      Kind = "problem"    // Problem: the turn could not go on
	Matches    Kind = "matches"    // Matches: direct mode's offer
)

// State is how far an entry is. Only Open and Running change further.
type State string

const (
	Open        State = "open"    // waits for the person
	Running     State = "running" // streaming, or the tool runs
	Done        State = "done"
	Failed      State = "failed"
	Cancelled   State = "cancelled"   // the person stopped it
	Interrupted State = "interrupted" // the app ended in the middle
)

// Ended says whether the entry changes no more.
func (s State) Ended() bool { return s != Open && s != Running }

// Entry is one item of a transcript. Seq orders entries within a session and never changes.
type Entry struct {
	ID         string              `json:"id"`
	Session    string              `json:"session"`
	Seq        int64               `json:"seq"`
	Turn       string              `json:"turn"`
	Kind       Kind                `json:"kind"`
	State      State               `json:"state"`
	Parent     string              `json:"parent,omitempty"` // the call it belongs to
	CreatedAt  int64               `json:"createdAt"`        // milliseconds since 1970, UTC
	Text       string              `json:"text,omitempty"`
	Model      string              `json:"model,omitempty"` // which model said it
	Call       *CallEntry          `json:"call,omitempty"`
	Question   *QuestionEntry      `json:"question,omitempty"`
	Permission *PermissionEntry    `json:"permission,omitempty"`
	Schedule   *ScheduleEntry      `json:"schedule,omitempty"`
	Display    *capability.Display `json:"display,omitempty"`
	Problem    *extension.Problem  `json:"problem,omitempty"`
	Matches    *MatchesEntry       `json:"matches,omitempty"`
}

// CallEntry is one tool call.
type CallEntry struct {
	ModelCallID string               `json:"modelCallId,omitempty"` // the id the model gave the call
	Name        string               `json:"name"`                  // the name the model used
	Address     string               `json:"address"`               // "<extension id>/<tool>"; empty when no such tool exists
	Title       string               `json:"title"`                 // "Count words"
	Extension   string               `json:"extension,omitempty"`   // the extension's display name
	Args        json.RawMessage      `json:"args"`
	Phase       string               `json:"phase,omitempty"` // while Running: starting, running, asking (the person), permission
	Progress    *capability.Progress `json:"progress,omitempty"`
	Log         []LogLine            `json:"log,omitempty"` // at most MaxLogLines, the newest
	Result      json.RawMessage      `json:"result,omitempty"`
	ResultBytes int64                `json:"resultBytes,omitempty"`
	Error       *extension.Problem   `json:"error,omitempty"`
	StartedAt   int64                `json:"startedAt,omitempty"`  // ms since 1970
	DurationMs  int64                `json:"durationMs,omitempty"` // of the tool itself, without waiting for the person
}

// LogLine is one line a tool logged.
type LogLine struct {
	At      int64  `json:"at"`
	Level   string `json:"level"`
	Message string `json:"message"`
}

// QuestionEntry is a set of questions asked at once, and the answers once given.
type QuestionEntry struct {
	Extension string                `json:"extension"` // display name
	Questions []capability.Question `json:"questions"`
	Answers   []json.RawMessage     `json:"answers,omitempty"`
}

// PermissionEntry is one permission prompt and its answer.
type PermissionEntry struct {
	Extension  string               `json:"extension"` // display name
	Address    string               `json:"address"`   // of the tool
	Permission extension.Permission `json:"permission"`
	Resolved   string               `json:"resolved,omitempty"` // the path that a template stands for on this computer
	Risk       grant.Risk           `json:"risk"`
	Answer     *grant.Answer        `json:"answer,omitempty"`
}

// ScheduleEntry is a scheduled prompt that a tool proposes, and what the person answered.
type ScheduleEntry struct {
	Extension string           `json:"extension"` // display name
	Draft     schedule.Draft   `json:"draft"`
	Answer    *schedule.Answer `json:"answer,omitempty"`
}

// MatchesEntry is what direct mode offers for a message: the best tools, best first.
type MatchesEntry struct {
	Of    int         `json:"of"` // how many tools were ranked
	Tools []ToolMatch `json:"tools"`
}

// ToolMatch is one tool that direct mode offers.
type ToolMatch struct {
	Address   string  `json:"address"`
	Title     string  `json:"title"`
	Text      string  `json:"description"`
	Extension string  `json:"extension"`
	Score     float64 `json:"score"`
	Touches   bool    `json:"touches"` // it declares a permission
}

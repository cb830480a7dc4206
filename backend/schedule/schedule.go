package schedule

import (
	"time"

	"portico/backend/extension"
)

const (
	// MaxPerOwner is how many schedules that are not over one owner may have (loca-notes.md, 8).
	MaxPerOwner = 100
	// MaxHistory is how many runs of a schedule are kept; the oldest go.
	MaxHistory = 100
	// UndoTime is how long a removed schedule can be brought back.
	UndoTime = 24 * time.Hour
	// OverTime is how long a schedule that is over is kept, counted from its last change.
	OverTime = 30 * 24 * time.Hour
)

// Owner is who wanted a schedule. The zero value is the person.
type Owner struct {
	Key  string // of the extension: extension.Ref.Key
	Name string // its display name
}

// Schedule is a scheduled prompt that is kept. Times are milliseconds since 1970, UTC.
type Schedule struct {
	ID        string `json:"id"`
	Owner     string `json:"owner,omitempty"`     // the key of the extension that proposed it; empty: the person
	Extension string `json:"extension,omitempty"` // that extension's display name
	Project   string `json:"project,omitempty"`   // of the sessions it starts
	Draft     Draft  `json:"draft"`
	Paused    bool   `json:"paused"`
	NextAt    int64  `json:"nextAt,omitempty"` // the next due time, also while paused; 0: it is over
	CreatedAt int64  `json:"createdAt"`
	UpdatedAt int64  `json:"updatedAt"`
	Last      *Run   `json:"last,omitempty"` // the newest of its history
}

// Cause says why there is a run.
type Cause string

const (
	OnTime   Cause = "onTime"   // it was due
	MadeUp   Cause = "madeUp"   // it was missed
	ByPerson Cause = "byPerson" // the person wanted it now
)

// RunState is how far a run is. Only Started changes further.
type RunState string

const (
	Started     RunState = "started"
	Finished    RunState = "finished"
	Failed      RunState = "failed"
	Missed      RunState = "missed"      // it was not run
	Interrupted RunState = "interrupted" // Portico ended in the middle; it is not run again
)

// Run is one line of a schedule's history. Times are milliseconds since 1970, UTC.
type Run struct {
	ID        int64              `json:"id"` // a later one is higher
	Schedule  string             `json:"schedule"`
	Cause     Cause              `json:"cause"`
	State     RunState           `json:"state"`
	DueAt     int64              `json:"dueAt,omitempty"`  // 0 when the person wanted it now
	Missed    int64              `json:"missed,omitempty"` // due times up to DueAt that are not run
	StartedAt int64              `json:"startedAt"`        // of one that was missed: when that was noticed
	EndedAt   int64              `json:"endedAt,omitempty"`
	Session   string             `json:"session,omitempty"` // what it opened
	Problem   *extension.Problem `json:"problem,omitempty"` // why it failed or was missed
}

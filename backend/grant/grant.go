// Package grant holds what a person allowed: it remembers answers, decides what a tool has, and compiles one policy for
// every layer that enforces it (runtime flags, the operating system, host answers). Decisions are pure functions of the
// declared permissions and the remembered answers.
package grant

import "portico/backend/extension"

// Decision is the state of one declared permission of one tool.
type Decision string

const (
	Ask   Decision = "ask" // nothing was decided: the person is asked
	Allow Decision = "allow"
	Deny  Decision = "deny"
)

// Lasting says how long an answer counts.
type Lasting string

const (
	Once    Lasting = "once"    // for this call
	Session Lasting = "session" // for this session of the chat
	Always  Lasting = "always"
)

// Answer is what a person said to one permission prompt.
type Answer struct {
	Decision Decision `json:"decision"`
	Lasting  Lasting  `json:"lasting"`
}

// Subject is what a grant belongs to: one tool of one copy of an extension.
type Subject struct {
	extension.Ref
	Tool string `json:"tool"`
}

// Decided pairs each permission a tool declares with its decision, in the manifest's order.
type Decided struct {
	Permission extension.Permission `json:"permission"`
	Decision   Decision             `json:"decision"`
	Lasting    Lasting              `json:"lasting,omitempty"`
}

// Risk is what allowing a permission means, in the words of the confinement that is in force. Code is stable
// ("replace-files", "one-address", "held-to-same-files", "anything-you-can"); the frontend translates it.
type Risk struct {
	Code  string `json:"code"`
	Level string `json:"level"` // none, low, medium, high
}

// Package format reads a folder into the common model. Each format is a folder below this one; they know nothing of each
// other. Reading is pure: no network, no process, no writes. Every broken rule is reported, each with its place.
package format

import (
	"io/fs"

	"portico/backend/extension"
)

// Format reads one of the four formats.
type Format interface {
	Name() extension.Format
	// Marker is the file whose presence makes a folder an extension of this format, with "/".
	Marker() string
	Detect(fs.FS) bool
	// Load reads the manifest. An error is a *extension.Problem whose Issues list every broken rule; issues marked as
	// warnings come with a loaded extension instead.
	Load(fs.FS) (*extension.Extension, []extension.Issue, error)
	// Roots are folders, relative to a project, in which extensions of this format are found without being installed.
	Roots() []string
	// Precedence says which copy counts when a project and the agent both have one of the same id.
	Precedence() Precedence
}

// Precedence is a format's rule for a name clash between scopes.
type Precedence int

const (
	ProjectWins Precedence = iota // even when the project's copy is off or broken
	OwnWins                       // the person's own copy wins and the project's is hidden
)

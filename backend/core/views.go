package core

import (
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/runtime/deno"
)

// ExtensionView is an extension as its page shows it.
type ExtensionView struct {
	extension.Copy
	Tools []ToolView `json:"toolViews"`
}

// ToolView is one tool with its switch and grants.
type ToolView struct {
	Address     string             `json:"address"`
	Ref         extension.Ref      `json:"ref"`
	Extension   string             `json:"extension"` // display name
	Tool        extension.Tool     `json:"tool"`
	Title       string             `json:"title"`
	Enabled     bool               `json:"enabled"`   // the tool's own switch
	Available   bool               `json:"available"` // false: not on this system
	Permissions []PermissionView   `json:"permissions"`
	Problem     *extension.Problem `json:"problem,omitempty"` // why the model does not see it
}

// PermissionView is one declared permission with the person's decision.
type PermissionView struct {
	Permission extension.Permission `json:"permission"`
	Key        string               `json:"key"`
	Resolved   string               `json:"resolved,omitempty"` // the path that a template stands for here
	Decision   grant.Decision       `json:"decision"`
	Risk       grant.Risk           `json:"risk"`
}

// Review is what a person sees before anything is installed.
type Review struct {
	Source      string              `json:"source"` // the absolute folder
	Extension   extension.Extension `json:"extension"`
	Tools       []ToolView          `json:"toolViews"`
	Warnings    []extension.Issue   `json:"warnings,omitempty"`
	Files       int                 `json:"files"`
	Bytes       int64               `json:"bytes"`
	Fingerprint string              `json:"fingerprint"`
	Replaces    *extension.Copy     `json:"replaces,omitempty"` // the copy of the same name that would be replaced
	Containment Containment         `json:"containment"`
}

// InstallRequest asks for an install.
type InstallRequest struct {
	Source  string
	Scope   extension.Scope
	Project string
	Job     string
	Tools   []string // to switch on

	Fingerprint string // of the files that were reviewed; empty: whatever is there
}

// Containment is what holds extension code on this computer.
type Containment struct {
	Level string `json:"level"` // full (runtime and system), partial, runtime (flags only)
	What  string `json:"what"`  // "Landlock ABI 7, seccomp"
}

// Settings are the person's own.
type Settings struct {
	Theme     string `json:"theme"`     // system, light, dark
	Language  string `json:"language"`  // system, en, es
	Zoom      int    `json:"zoom"`      // percent, 100 to 200
	StepLimit int    `json:"stepLimit"` // tool rounds in one turn

	Workers deno.Limits `json:"workers"` // what tools' processes may use, from deno.LeastLimits to deno.MostLimits
}

// About says what this Portico is.
type About struct {
	Version     string      `json:"version"`
	Platform    string      `json:"platform"` // "linux/amd64"
	Data        string      `json:"data"`     // the data folder
	Native      bool        `json:"native"`   // a native window, not a browser
	Locale      string      `json:"locale"`   // the system's, BCP 47
	Home        string      `json:"home"`
	Registry    string      `json:"registry,omitempty"` // the npm registry that this build was made with
	Containment Containment `json:"containment"`
}

// Check is one line of the doctor.
type Check struct {
	Name     string `json:"name"`
	OK       bool   `json:"ok"`
	Required bool   `json:"required"` // Portico cannot do its main job without it
	Detail   string `json:"detail"`
	Next     string `json:"next,omitempty"`
}

// Package extension is the common model of everything a person can install: plain values that all four formats are read
// into. It does no I/O. Where a field belongs to one format only, its comment says which.
package extension

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Format names one of the four public formats.
type Format string

const (
	Loca     Format = "loca"
	Plugin   Format = "plugin"
	MiniApp  Format = "miniapp"
	Pointman Format = "pointman"
)

// Scope says where an extension is installed: for every project, or for one folder.
type Scope string

const (
	Agent   Scope = "agent"
	Project Scope = "project"
)

// Origin says how the files came to be where they are. Drift stops Installed ones only.
type Origin string

const (
	Installed  Origin = "installed"
	Linked     Origin = "linked"
	Own        Origin = "own"
	Discovered Origin = "discovered"
)

// Extension is one bundle as its manifest describes it.
type Extension struct {
	ID          string   `json:"id"`
	Format      Format   `json:"format"`
	DisplayName string   `json:"displayName"`
	Description string   `json:"description"`
	Version     string   `json:"version,omitempty"`
	Publisher   string   `json:"publisher,omitempty"`
	License     string   `json:"license,omitempty"`
	Homepage    string   `json:"homepage,omitempty"`
	Entry       string   `json:"entry,omitempty"` // module that exports the tools, relative with "/" (loca)
	Database    bool     `json:"database,omitempty"`
	Tools       []Tool   `json:"tools"`
	Memories    []Memory `json:"memories,omitempty"`
}

// Tool returns the tool of that name, or nil.
func (e *Extension) Tool(name string) *Tool {
	for i := range e.Tools {
		if e.Tools[i].Name == name {
			return &e.Tools[i]
		}
	}
	return nil
}

// Dependency is a package that an extension's code imports, as it was fetched at install.
type Dependency struct {
	From      string `json:"from"` // "npm" or "jsr"
	Name      string `json:"name"`
	Version   string `json:"version"`
	Integrity string `json:"integrity,omitempty"` // "sha512-…"
	Native    bool   `json:"native,omitempty"`    // it holds a library for the machine, which needs the ffi permission
	Scripts   bool   `json:"scripts,omitempty"`   // it has scripts for its install, which are never run
}

// Memory is a piece of knowledge or a skill that an extension ships, read-only.
type Memory struct {
	Kind string `json:"kind"` // "knowledge" (one .md file) or "skill" (a folder with SKILL.md)
	Path string `json:"path"` // relative to the extension, with "/"
}

// Tool is something the model can call.
type Tool struct {
	Name            string           `json:"name"`
	Description     string           `json:"description"`
	Schema          json.RawMessage  `json:"schema"`             // JSON Schema of the arguments, as the author wrote it
	Function        string           `json:"function,omitempty"` // what the runtime calls: the export's name (loca)
	Triggers        []string         `json:"triggers,omitempty"`
	AlwaysAvailable bool             `json:"alwaysAvailable,omitempty"`
	Deferred        bool             `json:"deferred,omitempty"`
	Idempotent      bool             `json:"idempotent,omitempty"`
	Effect          Effect           `json:"effect"`
	Platforms       []string         `json:"platforms,omitempty"` // empty: every system
	Permissions     []Permission     `json:"permissions,omitempty"`
	Labels          map[string]Label `json:"labels,omitempty"`    // by language
	TimeLimit       time.Duration    `json:"timeLimit,omitempty"` // 0: no limit
}

// Title is the tool's name as a person reads it: "word_count" becomes "Word count".
func (t Tool) Title() string {
	words := strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return ' '
		}
		return r
	}, t.Name))
	if words == "" {
		return t.Name
	}
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + words[size:]
}

// RunsOn says whether the tool may be offered on a system that answers to these platform names.
func (t Tool) RunsOn(platforms []string) bool {
	if len(t.Platforms) == 0 {
		return true
	}
	for _, have := range platforms {
		for _, want := range t.Platforms {
			if have == want {
				return true
			}
		}
	}
	return false
}

// Effect classifies what a call may do, before any gate is asked.
type Effect string

const (
	ReadsOnly Effect = "reads"  // plan mode lets it through
	Mutates   Effect = "writes" // writes, sends or runs something
)

// Label is how a call is described to a person, in one language.
type Label struct {
	Label  string    `json:"label"`
	Phrase [2]string `json:"phrase,omitempty"` // one call, many calls with "{n}"
}

// Ref names an installed extension unambiguously; data and grants are keyed by it.
type Ref struct {
	Scope   Scope  `json:"scope"`
	Project string `json:"project,omitempty"` // absolute folder; empty in the agent's scope
	Format  Format `json:"format"`
	ID      string `json:"id"`
}

// Address is how a person or a file names a tool: "<extension id>/<tool>".
func Address(id, tool string) string { return id + "/" + tool }

// SplitAddress parts an address at its last slash, so that "@scope/name/tool" works.
func SplitAddress(address string) (id, tool string, ok bool) {
	cut := strings.LastIndexByte(address, '/')
	if cut <= 0 || cut == len(address)-1 {
		return "", "", false
	}
	return address[:cut], address[cut+1:], true
}

// FolderName is the id as it stands on disk and in the lock: "@scope/name" becomes "@scope__name".
func FolderName(id string) string { return strings.ReplaceAll(id, "/", "__") }

// Key names an installed extension in one path segment: for its data, its log and its cache.
func (r Ref) Key() string {
	if r.Scope == Project {
		sum := sha256.Sum256([]byte(r.Project))
		return fmt.Sprintf("project-%x-%s-%s", sum[:6], r.Format, FolderName(r.ID))
	}
	return fmt.Sprintf("agent-%s-%s", r.Format, FolderName(r.ID))
}

package extension

import (
	"fmt"
	"strings"
)

// Kind is one of the eleven permissions of loca-extensions.md, Permissions.
type Kind string

const (
	Net      Kind = "net"
	Read     Kind = "read"
	Write    Kind = "write"
	Run      Kind = "run"
	Env      Kind = "env"
	FFI      Kind = "ffi"
	Sys      Kind = "sys"
	Memories Kind = "memories"
	LLM      Kind = "llm"
	TTS      Kind = "tts"
	STT      Kind = "stt"
)

// Kinds in the order in which they are shown.
var Kinds = []Kind{Net, Read, Write, Run, Env, FFI, Sys, Memories, LLM, TTS, STT}

// Capability says whether the host itself stands behind a permission; the others are the sandbox's.
func (k Kind) Capability() bool {
	switch k {
	case Memories, LLM, TTS, STT:
		return true
	}
	return false
}

// Permission is one access that a manifest declares.
type Permission struct {
	Kind     Kind     `json:"kind"`
	Host     string   `json:"host,omitempty"`   // net: a host name, or "*"
	Ports    []string `json:"ports,omitempty"`  // net: "1" to "65535", or "*"
	Path     string   `json:"path,omitempty"`   // read, write: absolute, or starting with a template such as "$downloads"
	Binary   string   `json:"binary,omitempty"` // run
	EnvKey   string   `json:"envKey,omitempty"` // env
	Flag     string   `json:"flag,omitempty"`   // sys
	Access   string   `json:"access,omitempty"` // memories: "read" or "write"
	Reason   string   `json:"reason"`
	Optional bool     `json:"optional,omitempty"`
}

// Key identifies what is asked for, whatever reason is given: a grant is remembered under it and survives an update
// that only rewords the reason.
func (p Permission) Key() string {
	switch p.Kind {
	case Net:
		return fmt.Sprintf("net:%s:%s", p.Host, strings.Join(p.Ports, ","))
	case Read, Write:
		return string(p.Kind) + ":" + p.Path
	case Run:
		return "run:" + p.Binary
	case Env:
		return "env:" + p.EnvKey
	case Sys:
		return "sys:" + p.Flag
	case Memories:
		return "memories:" + p.Access
	}
	return string(p.Kind)
}

// FolderVariables are the variables that $env may name at the start of a path (loca-extensions.md, Permissions): those that
// stand for folders. Any other could carry a secret into a path.
var FolderVariables = []string{"HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TMPDIR", "TMP", "TEMP", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"}

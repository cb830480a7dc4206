// Package loca reads Loca extensions (loca-extensions.md): a folder with a loca.json. It reads to the letter: an unknown
// key refuses the manifest, and every broken rule is reported with its place. It does no I/O beyond the folder it is
// given.
package loca

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"portico/backend/extension"
	"portico/backend/format"
)

const (
	marker = "loca.json"
	// maxManifestBytes bounds loca.json, deno.json and package.json. The largest manifests known have under 100 kB.
	maxManifestBytes = 1 << 20
	// callLimit is how long one call may take while nobody is asked (loca-extensions.md, Asking the user).
	callLimit = 60 * time.Second
)

type reader struct{}

// New gives the format.
func New() format.Format { return reader{} }

func (reader) Name() extension.Format        { return extension.Loca }
func (reader) Marker() string                { return marker }
func (reader) Roots() []string               { return nil }
func (reader) Precedence() format.Precedence { return format.ProjectWins }

func (reader) Detect(files fs.FS) bool {
	info, err := fs.Stat(files, marker)
	return err == nil && info.Mode().IsRegular()
}

// Load reads the folder. Its Problem has code "loca.unreadable" (the manifest is no JSON) or "loca.broken-rules".
func (reader) Load(files fs.FS) (*extension.Extension, []extension.Issue, error) {
	data, err := readBounded(files, marker)
	if err != nil {
		return nil, nil, extension.NewProblem("loca.unreadable", "loca.json can't be read: {why}.", "Put a readable loca.json at the extension's root.", "why", plain(err)).At(marker).Because(err)
	}
	root, issue := parse(data)
	if issue != nil {
		p := extension.NewProblem("loca.unreadable", "loca.json can't be read: {why}.", "Correct it at that place.", "why", issue.What).At(marker)
		p.Issues = []extension.Issue{*issue}
		return nil, nil, p
	}
	m := &manifest{}
	ext := m.read(root)
	m.checkFiles(files, ext)
	var broken, warnings []extension.Issue
	for _, issue := range m.issues {
		if issue.Warning {
			warnings = append(warnings, issue)
		} else {
			broken = append(broken, issue)
		}
	}
	if len(broken) > 0 {
		p := extension.NewProblem("loca.broken-rules", "loca.json breaks {count} of the format's rules.", "Correct each of them.", "count", fmt.Sprint(len(broken))).At(marker)
		p.Issues = append(broken, warnings...)
		return nil, warnings, p
	}
	return ext, warnings, nil
}

func readBounded(files fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(files, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file", name)
	}
	if info.Size() > maxManifestBytes {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, maxManifestBytes)
	}
	return fs.ReadFile(files, name)
}

func plain(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it is not there"
	case errors.Is(err, fs.ErrPermission):
		return "reading it is not allowed"
	}
	return err.Error()
}

// checkFiles looks at what the manifest points to: the entry module and the memories; and takes the version along.
func (m *manifest) checkFiles(files fs.FS, ext *extension.Extension) {
	entry, place := entryOf(files, m)
	ext.Entry = entry
	ext.Version = versionOf(files)
	if len(ext.Tools) > 0 && entry != "" {
		if info, err := fs.Stat(files, entry); err != nil || !info.Mode().IsRegular() {
			m.broken(place, fmt.Sprintf("the entry module %s is not there", entry))
		}
	}
	for n, memory := range ext.Memories {
		at := fmt.Sprintf("memories[%d].path", n)
		info, err := fs.Stat(files, memory.Path)
		switch {
		case err != nil:
			m.warn(at, fmt.Sprintf("%s is not there; it is left out", memory.Path))
		case memory.Kind == "knowledge" && (!info.Mode().IsRegular() || !strings.HasSuffix(memory.Path, ".md")):
			m.warn(at, "knowledge must be one .md file; it is left out")
		case memory.Kind == "skill" && !info.IsDir():
			m.warn(at, "a skill must be a folder with a SKILL.md; it is left out")
		case memory.Kind == "skill":
			if _, err := fs.Stat(files, path.Join(memory.Path, "SKILL.md")); err != nil {
				m.warn(at, "the folder has no SKILL.md; it is left out")
			}
		}
	}
}

// entryOf finds the module that exports the tools: deno.json's "exports" (a text, or the "." of an object), else
// package.json's "main", else index.ts (loca-notes.md, 1).
func entryOf(files fs.FS, m *manifest) (entry, place string) {
	for _, name := range []string{"deno.json", "deno.jsonc"} {
		var config struct {
			Exports json.RawMessage `json:"exports"`
		}
		if !readConfig(files, name, &config, m) {
			continue
		}
		var text string
		var object map[string]json.RawMessage
		if json.Unmarshal(config.Exports, &text) != nil && json.Unmarshal(config.Exports, &object) == nil {
			_ = json.Unmarshal(object["."], &text) // another shape of "." names no entry
		}
		if text != "" {
			return inside(text, name+": exports", m), name + ": exports"
		}
	}
	var config struct {
		Main string `json:"main"`
	}
	if readConfig(files, "package.json", &config, m) && config.Main != "" {
		return inside(config.Main, "package.json: main", m), "package.json: main"
	}
	return "index.ts", marker
}

func inside(entry, place string, m *manifest) string {
	if why := escapes(strings.TrimPrefix(entry, "./")); why != "" {
		m.broken(place, "the entry module "+why)
		return ""
	}
	return path.Clean(entry)
}

// readConfig reads a neighbour of the manifest; one that can't be read is reported, since the entry hangs on it.
func readConfig(files fs.FS, name string, into any, m *manifest) bool {
	data, err := readBounded(files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil {
		err = unmarshalLoose(data, into)
	}
	if err != nil {
		m.broken(name, "can't be read: "+plain(err))
		return false
	}
	return true
}

// unmarshalLoose reads JSON with comments and trailing commas: deno.json may have them.
func unmarshalLoose(data []byte, into any) error {
	plain, err := hujson.Standardize(data)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, into)
}

// versionOf takes package.json's version, else deno.json's; the manifest itself has none.
func versionOf(files fs.FS) string {
	for _, name := range []string{"package.json", "deno.json", "deno.jsonc"} {
		var config struct {
			Version string `json:"version"`
		}
		if data, err := readBounded(files, name); err == nil && unmarshalLoose(data, &config) == nil && config.Version != "" {
			return config.Version
		}
	}
	return ""
}

// cleanPath writes a path of the manifest as io/fs wants it.
func cleanPath(p string) string {
	return strings.TrimPrefix(path.Clean(strings.ReplaceAll(p, `\`, "/")), "./")
}

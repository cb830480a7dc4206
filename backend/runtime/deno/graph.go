package deno

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/tailscale/hujson"

	"portico/backend/extension"
	"portico/backend/grant"
)

// graph is what `deno info --json` tells of a module and all it imports.
type graph struct {
	Modules []struct {
		Specifier    string `json:"specifier"`
		Error        string `json:"error"`
		Dependencies []struct {
			Specifier string `json:"specifier"`
			IsDynamic bool   `json:"isDynamic"`
			Code      *struct {
				Specifier string `json:"specifier"`
				Error     string `json:"error"`
				Span      struct {
					Start struct {
						Line int `json:"line"` // from 0
					} `json:"start"`
				} `json:"span"`
			} `json:"code"`
		} `json:"dependencies"`
	} `json:"modules"`
}

// checkGraph refuses imports that leave the extension's folder, each with its file and line: text, JSON, code, whatever
// their kind. Types are no part of what runs. A computed import is not in the graph; Deno's read permission holds it.
func checkGraph(data []byte, root, name string) error {
	var g graph
	if err := json.Unmarshal(data, &g); err != nil {
		return fmt.Errorf("read the module graph of %s: %w", name, err)
	}
	var issues []extension.Issue
	for _, module := range g.Modules {
		from, ok := filePath(module.Specifier)
		if !ok || !grant.Within(from, root) {
			continue // what imports it is refused
		}
		rel, err := filepath.Rel(root, from)
		if err != nil {
			rel = from
		}
		for _, dependency := range module.Dependencies {
			if dependency.Code == nil {
				continue
			}
			if why := leaves(dependency.Code.Specifier, root, dependency.IsDynamic); why != "" {
				place := fmt.Sprintf("%s:%d", filepath.ToSlash(rel), dependency.Code.Span.Start.Line+1)
				issues = append(issues, extension.Issue{Place: place, What: fmt.Sprintf("imports %q, which %s", dependency.Specifier, why)})
			}
		}
	}
	if len(issues) == 0 {
		return nil
	}
	sort.Slice(issues, func(a, b int) bool { return issues[a].Place < issues[b].Place })
	p := extension.NewProblem("extension.import-outside", "{extension} loads code or files from outside of its folder, so none of it runs: {first}.", "Its author has to put what it needs into its folder.",
		"extension", name, "first", issues[0].String())
	p.Issues = issues
	return p
}

// leaves says why an import is refused, or nothing.
func leaves(specifier, root string, dynamic bool) string {
	scheme, _, _ := strings.Cut(specifier, ":")
	switch scheme {
	case "":
		return "" // not resolved: the module's own error says so when it is loaded
	case "node", "data", "blob":
		return "" // Deno's own, or within the importing module
	case "file":
		if path, ok := filePath(specifier); !ok || !grant.Within(path, root) {
			return "lies outside of the extension's folder"
		}
		return ""
	}
	if dynamic {
		return "" // it fails when it is reached, and a tool may be ready for that
	}
	return "is not installed with the extension"
}

// importMap writes the import map that an extension's deno.json asks for, with every address made absolute; nil when there
// is none. Nothing else of that file counts: it is the author's, and it could change how Deno runs.
func importMap(root string) ([]byte, error) {
	for _, name := range []string{"deno.json", "deno.jsonc"} {
		path := filepath.Join(root, name)
		data, err := readBounded(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		bad := func(err error) error {
			return extension.NewProblem("extension.bad-deno-json", "{file} can't be read.", "Its author has to mend it.", "file", name).At(root).Because(err)
		}
		if err != nil {
			return nil, bad(err)
		}
		plain, err := hujson.Standardize(data)
		if err != nil {
			return nil, bad(err)
		}
		var config struct {
			Imports map[string]string            `json:"imports"`
			Scopes  map[string]map[string]string `json:"scopes"`
		}
		if err := json.Unmarshal(plain, &config); err != nil {
			return nil, bad(err)
		}
		if len(config.Imports) == 0 && len(config.Scopes) == 0 {
			return nil, nil
		}
		base := fileURL(root) + "/"
		absolute := func(address string) string {
			if relative(address) {
				joined := fileURL(filepath.Join(root, filepath.FromSlash(address)))
				if strings.HasSuffix(address, "/") {
					joined += "/"
				}
				return joined
			}
			return address
		}
		imports := map[string]string{}
		for from, to := range config.Imports {
			imports[from] = absolute(to)
		}
		scopes := map[string]map[string]string{}
		for scope, mapped := range config.Scopes {
			if relative(scope) {
				scope = absolute(scope)
			} else if scope == "" {
				scope = base
			}
			scopes[scope] = map[string]string{}
			for from, to := range mapped {
				scopes[scope][from] = absolute(to)
			}
		}
		return json.Marshal(map[string]any{"imports": imports, "scopes": scopes})
	}
	return nil, nil
}

func relative(address string) bool {
	return strings.HasPrefix(address, "./") || strings.HasPrefix(address, "../")
}

func readBounded(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxConfigBytes {
		return nil, fmt.Errorf("it is larger than %d bytes", maxConfigBytes)
	}
	return os.ReadFile(path)
}

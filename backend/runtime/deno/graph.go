package deno

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"

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

// readGraph reads what Deno said of an extension's modules.
func readGraph(data []byte, name string) (*graph, error) {
	g := &graph{}
	if err := json.Unmarshal(data, g); err != nil {
		return nil, fmt.Errorf("read the module graph of %s: %w", name, err)
	}
	return g, nil
}

// check refuses imports that leave the extension's folder, each with its file and line: text, JSON, code, whatever their
// kind. Types are no part of what runs. A computed import is not in the graph; Deno's read permission holds it. Packages
// count as part of the extension where they come with it. What they import themselves Deno holds: an npm package to
// packages, a module of JSR to what is not on this computer.
func (g *graph) check(root, name string, packages bool) error {
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
			if packages && isPackage(dependency.Code.Specifier) {
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

// packages gives the packages that the extension's own modules import, types aside.
func (g *graph) packages() []string {
	var all []string
	for _, module := range g.Modules {
		for _, dependency := range module.Dependencies {
			if dependency.Code != nil && isPackage(dependency.Code.Specifier) && !slices.Contains(all, dependency.Code.Specifier) {
				all = append(all, dependency.Code.Specifier)
			}
		}
	}
	return all
}

func isPackage(specifier string) bool {
	return strings.HasPrefix(specifier, "npm:") || strings.HasPrefix(specifier, "jsr:")
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

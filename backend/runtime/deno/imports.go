package deno

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"portico/backend/extension"
	"portico/backend/npm"
)

// imports are the names by which an extension's modules import, as its deno.json and package.json say. Nothing else of those
// files counts: they are the author's, and could change how Deno runs.
type imports struct {
	plain    map[string]string
	scopes   map[string]map[string]string
	declared map[string]string   // names that are declared to come from npm: "npm:chalk@^5"
	packages []string            // what those come from, each once
	ranges   map[string][]string // packages that are wanted in a range of several parts
	unusable map[string]string   // names of package.json whose value is no package, with that value
}

// readImports reads them from an extension's folder. Where both files name the same, deno.json's counts.
func readImports(root string) (*imports, error) {
	names := &imports{plain: map[string]string{}, scopes: map[string]map[string]string{}, declared: map[string]string{}, ranges: map[string][]string{}, unusable: map[string]string{}}
	if err := names.fromPackage(root); err != nil {
		return nil, err
	}
	if err := names.fromDeno(root); err != nil {
		return nil, err
	}
	names.packages = slices.Compact(slices.Sorted(maps.Values(names.declared)))
	return names, nil
}

// fromDeno reads imports and scopes, with every address made absolute.
func (n *imports) fromDeno(root string) error {
	for _, name := range []string{"deno.json", "deno.jsonc"} {
		var config struct {
			Imports map[string]string            `json:"imports"`
			Scopes  map[string]map[string]string `json:"scopes"`
		}
		found, err := readConfig(root, name, &config)
		if err != nil {
			return extension.NewProblem("extension.bad-deno-json", "{file} can't be read.", "Its author has to mend it.", "file", name).At(root).Because(err)
		}
		if !found {
			continue
		}
		base := fileURL(root) + "/"
		absolute := func(address string) string {
			if !relative(address) {
				return address
			}
			joined := fileURL(filepath.Join(root, filepath.FromSlash(address)))
			if strings.HasSuffix(address, "/") {
				joined += "/"
			}
			return joined
		}
		for from, to := range config.Imports {
			n.plain[from] = absolute(to)
			n.below(from, to, config.Imports)
			delete(n.declared, from)
			delete(n.unusable, from)
			if strings.HasPrefix(to, "npm:") && !strings.HasSuffix(from, "/") {
				n.declared[from] = to
			}
		}
		for scope, mapped := range config.Scopes {
			if relative(scope) {
				scope = absolute(scope)
			} else if scope == "" {
				scope = base
			}
			n.scopes[scope] = map[string]string{}
			for from, to := range mapped {
				n.scopes[scope][from] = absolute(to)
			}
		}
		return nil
	}
	return nil
}

// below lets what lies in a package be imported by the package's name, as Deno does for deno.json: "chalk/ansi".
func (n *imports) below(name, to string, declared map[string]string) {
	if _, own := declared[name+"/"]; own || strings.HasSuffix(name, "/") {
		return
	}
	if kind, rest, _ := strings.Cut(to, ":"); kind == "npm" || kind == "jsr" {
		n.plain[name+"/"] = kind + ":/" + strings.TrimPrefix(rest, "/") + "/"
	}
}

// fromPackage reads dependencies of a package.json, as npm writes them.
func (n *imports) fromPackage(root string) error {
	var manifest struct {
		Dependencies map[string]string `json:"dependencies"`
		Optional     map[string]string `json:"optionalDependencies"`
	}
	_, err := readConfig(root, "package.json", &manifest)
	if err != nil {
		return extension.NewProblem("extension.bad-package-json", "{file} can't be read.", "Its author has to mend it.", "file", "package.json").At(root).Because(err)
	}
	if manifest.Dependencies == nil {
		manifest.Dependencies = map[string]string{}
	}
	maps.Copy(manifest.Dependencies, manifest.Optional)
	for name, wanted := range manifest.Dependencies {
		wanted = strings.TrimSpace(wanted)
		to, ok := packageOf(name, wanted)
		if !ok {
			n.unusable[name] = wanted
			continue
		}
		real, within := taken(to)
		if tag, several := npm.RangeTag(within); several {
			n.ranges[real] = append(n.ranges[real], within)
			to = "npm:" + real + "@" + tag
		}
		n.plain[name] = to
		n.below(name, to, nil)
		if _, optional := manifest.Optional[name]; !optional && strings.HasPrefix(to, "npm:") {
			n.declared[name] = to
		}
	}
	return nil
}

// packageOf reads what a package.json says after a package's name; false for what is no package of a registry: a folder, a
// repository, an address, a workspace.
func packageOf(name, wanted string) (to string, ok bool) {
	switch {
	case strings.HasPrefix(wanted, "npm:"):
		return wanted, true
	case strings.HasPrefix(wanted, "jsr:"): // "jsr:@a/b@1", or "jsr:1" under the package's own name
		if strings.HasPrefix(wanted, "jsr:@") {
			return wanted, true
		}
		return "jsr:" + name + "@" + wanted[len("jsr:"):], true
	case strings.ContainsAny(wanted, ":/"):
		return "", false
	case wanted == "":
		return "npm:" + name, true
	}
	return "npm:" + name + "@" + wanted, true
}

// taken takes "npm:@a/b@^1" apart.
func taken(specifier string) (name, wanted string) {
	rest := specifier[len("npm:"):]
	if at := strings.LastIndexByte(rest, '@'); at > 0 {
		return rest[:at], rest[at+1:]
	}
	return rest, ""
}

// rangeOf gives the range that stands behind what was asked for.
func (n *imports) rangeOf(name, asked string) string {
	for _, wanted := range n.ranges[name] {
		if tag, _ := npm.RangeTag(wanted); tag == asked {
			return wanted
		}
	}
	return asked
}

// check says in words which name of package.json can't be imported, where one is.
func (n *imports) check(g *graph, extensionName string) error {
	for _, module := range g.Modules {
		for _, dependency := range module.Dependencies {
			for name, wanted := range n.unusable {
				if dependency.Code != nil && dependency.Code.Specifier == "" && (dependency.Specifier == name || strings.HasPrefix(dependency.Specifier, name+"/")) {
					return extension.NewProblem("dependencies.no-package", "{extension} imports {package}, which its package.json takes from {from}: only packages of a registry are installed.",
						"Its author has to publish it, or put it into the extension's folder.", "extension", extensionName, "package", name, "from", wanted)
				}
			}
		}
	}
	return nil
}

// importMap is what Deno is told; nil when there is nothing to tell.
func (n *imports) importMap() ([]byte, error) {
	if len(n.plain) == 0 && len(n.scopes) == 0 {
		return nil, nil
	}
	return json.Marshal(map[string]any{"imports": n.plain, "scopes": n.scopes})
}

// readConfig reads a JSON file with comments; false when there is none.
func readConfig(root, name string, into any) (found bool, err error) {
	data, err := readBounded(filepath.Join(root, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	plain, err := hujson.Standardize(data)
	if err != nil {
		return false, err
	}
	return true, json.Unmarshal(plain, into)
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

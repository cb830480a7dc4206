// Package npmtest is a registry on loopback for tests: it serves at the wire what npm's and JSR do, with packages made on
// the fly, and misbehaves where a test says so. It is for tests alone.
package npmtest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Package is one version to publish. Its package.json is made from the fields, unless Files has one.
type Package struct {
	Name, Version string
	Files         map[string]string // by their path in the package
	Dependencies  map[string]string
	Peers         map[string]string
	Scripts       map[string]string
	Entries       []tar.Header   // more in the archive, as they stand; Files hold their content by the header's name
	Dist          map[string]any // laid over what is said of the archive; nil takes a field away
	Archive       []byte         // instead of the one that would be made
}

// Registry is one that runs.
type Registry struct {
	URL string // ends in a slash

	server *httptest.Server
	mu     sync.Mutex
	all    map[string]map[string]Package
	tags   map[string]map[string]string
	mods   map[string]map[string]map[string]string // jsr: name → version → files
	on     map[string]http.HandlerFunc
	asked  []*http.Request
}

// Start starts an empty registry, which ends with the test.
func Start(t testing.TB) *Registry {
	t.Helper()
	r := &Registry{all: map[string]map[string]Package{}, tags: map[string]map[string]string{}, mods: map[string]map[string]map[string]string{}, on: map[string]http.HandlerFunc{}}
	r.server = httptest.NewServer(r)
	r.URL = r.server.URL + "/"
	t.Cleanup(r.server.Close)
	return r
}

// Publish adds versions; the last one of a package is its latest.
func (r *Registry) Publish(packages ...Package) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range packages {
		if r.all[p.Name] == nil {
			r.all[p.Name], r.tags[p.Name] = map[string]Package{}, map[string]string{}
		}
		r.all[p.Name][p.Version] = p
		r.tags[p.Name]["latest"] = p.Version
	}
}

// Withdraw takes a version away.
func (r *Registry) Withdraw(name, version string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all[name], version)
	for v := range r.all[name] {
		r.tags[name]["latest"] = v
	}
}

// PublishModules adds a version to JSR's side. Its entry is mod.ts.
func (r *Registry) PublishModules(name, version string, files map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mods[name] == nil {
		r.mods[name] = map[string]map[string]string{}
	}
	r.mods[name][version] = files
}

// On answers one path ("/left-pad", "/left-pad/-/left-pad-1.0.0.tgz") in the test's own way.
func (r *Registry) On(path string, answer http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.on[path] = answer
}

// Asked gives the paths that were asked for, in order.
func (r *Registry) Asked() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for _, request := range r.asked {
		all = append(all, request.URL.Path)
	}
	return all
}

// Requests gives what was asked, in order.
func (r *Registry) Requests() []*http.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.asked)
}

func (r *Registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	r.asked = append(r.asked, request)
	own := r.on[request.URL.Path]
	r.mu.Unlock()
	if own != nil {
		own(w, request)
		return
	}
	r.Serve(w, request)
}

// Serve answers as the registry does by itself.
func (r *Registry) Serve(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := strings.TrimPrefix(request.URL.Path, "/")
	if of, file, ok := strings.Cut(name, "/-/"); ok {
		version := strings.TrimSuffix(strings.TrimPrefix(file, path.Base(of)+"-"), ".tgz")
		if p, ok := r.all[of][version]; ok {
			w.Write(p.archive())
			return
		}
		http.NotFound(w, request)
		return
	}
	if versions, ok := r.all[name]; ok {
		document := map[string]any{"name": name, "dist-tags": r.tags[name], "versions": map[string]any{}}
		for v, p := range versions {
			document["versions"].(map[string]any)[v] = p.about(r.URL)
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(document)
		return
	}
	r.serveModule(w, request, name)
}

func (r *Registry) serveModule(w http.ResponseWriter, request *http.Request, asked string) {
	parts := strings.SplitN(asked, "/", 3)
	if len(parts) < 3 || r.mods[parts[0]+"/"+parts[1]] == nil {
		http.NotFound(w, request)
		return
	}
	versions := r.mods[parts[0]+"/"+parts[1]]
	if parts[2] == "meta.json" {
		all, latest := map[string]any{}, ""
		for _, v := range slices.Sorted(maps.Keys(versions)) {
			all[v], latest = map[string]any{}, v
		}
		json.NewEncoder(w).Encode(map[string]any{"scope": parts[0][1:], "name": parts[1], "latest": latest, "versions": all})
		return
	}
	if v, ok := strings.CutSuffix(parts[2], "_meta.json"); ok && versions[v] != nil {
		manifest := map[string]any{}
		for name, text := range versions[v] {
			sum := sha256.Sum256([]byte(text))
			manifest["/"+name] = map[string]any{"size": len(text), "checksum": "sha256-" + hex.EncodeToString(sum[:])}
		}
		json.NewEncoder(w).Encode(map[string]any{"manifest": manifest, "exports": map[string]string{".": "./mod.ts"}})
		return
	}
	v, file, _ := strings.Cut(parts[2], "/")
	text, ok := versions[v][file]
	if !ok {
		http.NotFound(w, request)
		return
	}
	w.Header().Set("Content-Type", "application/typescript")
	w.Write([]byte(text))
}

// about is what the registry says of a version.
func (p Package) about(base string) map[string]any {
	data := p.archive()
	strong, weak := sha512.Sum512(data), sha1.Sum(data)
	dist := map[string]any{
		"tarball":   base + p.Name + "/-/" + path.Base(p.Name) + "-" + url.PathEscape(p.Version) + ".tgz",
		"integrity": "sha512-" + base64.StdEncoding.EncodeToString(strong[:]), "shasum": hex.EncodeToString(weak[:]),
	}
	for name, value := range p.Dist {
		if dist[name] = value; value == nil {
			delete(dist, name)
		}
	}
	about := p.manifest()
	about["dist"] = dist
	return about
}

func (p Package) manifest() map[string]any {
	m := map[string]any{"name": p.Name, "version": p.Version}
	for name, value := range map[string]map[string]string{"dependencies": p.Dependencies, "peerDependencies": p.Peers, "scripts": p.Scripts} {
		if value != nil {
			m[name] = value
		}
	}
	return m
}

func (p Package) archive() []byte {
	if p.Archive != nil {
		return p.Archive
	}
	files := maps.Clone(p.Files)
	if files == nil {
		files = map[string]string{}
	}
	if _, own := files["package.json"]; !own {
		data, err := json.Marshal(p.manifest())
		if err != nil {
			panic(err) // plain values have JSON
		}
		files["package.json"] = string(data)
	}
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	out := tar.NewWriter(zipped)
	add := func(h tar.Header, text string) {
		h.Size = int64(len(text))
		if h.Typeflag != 0 && h.Typeflag != tar.TypeReg {
			h.Size, text = 0, ""
		}
		if err := out.WriteHeader(&h); err != nil {
			panic(fmt.Sprintf("pack %s: %v", h.Name, err))
		}
		if _, err := out.Write([]byte(text)); err != nil {
			panic(fmt.Sprintf("pack %s: %v", h.Name, err))
		}
	}
	content := map[string]string{}
	for _, h := range p.Entries {
		content[h.Name] = files[h.Name]
		delete(files, h.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		add(tar.Header{Name: "package/" + name, Mode: 0o644}, files[name])
	}
	for _, h := range p.Entries {
		add(h, content[h.Name])
	}
	if err := out.Close(); err != nil {
		panic(err)
	}
	if err := zipped.Close(); err != nil {
		panic(err)
	}
	return packed.Bytes()
}

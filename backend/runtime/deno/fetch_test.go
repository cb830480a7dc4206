package deno

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/backend/extension"
	"portico/backend/format/loca"
	"portico/backend/grant"
	"portico/backend/npm"
	"portico/backend/npm/npmtest"
)

// author is a folder of an extension with one tool, t, whose code is given.
func author(t *testing.T, code string, more map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	files := map[string]string{
		"loca.json": `{"name":"needy","displayName":"Needy","description":"D","tools":[{"name":"t","description":"d","parameters":{"type":"object"},"function":"t"}]}`,
		"index.ts":  code,
	}
	for name, text := range more {
		files[name] = text
	}
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// shop is a computer whose npm is set to a registry.
type shop struct {
	t        *testing.T
	data     string
	registry *npmtest.Registry
	runtime  *Runtime
	moved    []string // what was told of the progress
	mu       sync.Mutex
}

func openShop(t *testing.T, change ...func(*Options)) *shop {
	t.Helper()
	s := &shop{t: t, data: t.TempDir(), registry: npmtest.Start(t)}
	options := Options{
		Data: s.data, Cache: filepath.Join(s.data, "cache"), Logs: filepath.Join(s.data, "logs"),
		Registries: npm.Surroundings{Environ: []string{"NPM_CONFIG_REGISTRY=" + s.registry.URL, "JSR_URL=" + s.registry.URL}},
	}
	for _, do := range change {
		do(&options)
	}
	if err := os.MkdirAll(options.Cache, 0o700); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.runtime, err = New(options); err != nil {
		t.Fatal(err)
	}
	return s
}

// fetch brings in what the code of a folder imports.
func (s *shop) fetch(ctx context.Context, folder string) (all []extension.Dependency, into string, err error) {
	s.t.Helper()
	into = s.t.TempDir()
	ext, _, err := loca.New().Load(os.DirFS(folder))
	if err != nil {
		s.t.Fatal(err)
	}
	all, err = s.runtime.Fetch(ctx, *ext, folder, into, func(known, fetched int, name string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.moved = append(s.moved, fmt.Sprintf("%d of %d %s", fetched, known, name))
	})
	return all, into, err
}

// gets says that fetching works, and gives the packages by name@version.
func (s *shop) gets(folder string) (names []string, into string) {
	s.t.Helper()
	all, into, err := s.fetch(s.t.Context(), folder)
	if err != nil {
		s.t.Fatal(detailed(err))
	}
	for _, d := range all {
		names = append(names, d.From+":"+d.Name+"@"+d.Version)
	}
	return names, into
}

// refuses says that fetching fails with this code, names the registry, and leaves nothing to run.
func (s *shop) refuses(folder, code string) *extension.Problem {
	s.t.Helper()
	_, into, err := s.fetch(s.t.Context(), folder)
	var p *extension.Problem
	if !errors.As(err, &p) || p.Code != code {
		s.t.Fatalf("got %s, want a problem %s", detailed(err), code)
	}
	if p.Next == "" {
		s.t.Errorf("%s: nothing says what to do next", code)
	}
	if strings.HasPrefix(code, "npm.") && code != "npm.unsafe" && (p.Params["registry"] != s.registry.URL || !strings.Contains(p.What, s.registry.URL) || p.Params["package"] == "") {
		s.t.Errorf("%s names no registry or no package: %s %v", code, p.What, p.Params)
	}
	if _, err := os.Lstat(filepath.Join(into, npmFolder)); !errors.Is(err, fs.ErrNotExist) {
		s.t.Errorf("%s: packages were left to be used", code)
	}
	return p
}

// runs installs a folder with its packages, and gives an instance to call.
func (s *shop) runs(folder string) *stage {
	s.t.Helper()
	all, into, err := s.fetch(s.t.Context(), folder)
	if err != nil {
		s.t.Fatal(detailed(err))
	}
	return s.start(folder, into, all)
}

func (s *shop) start(folder, packages string, all []extension.Dependency) *stage {
	s.t.Helper()
	files, _, err := loca.New().Load(os.DirFS(folder))
	if err != nil {
		s.t.Fatal(err)
	}
	ext := &extension.Copy{Extension: *files, Scope: extension.Agent, Origin: extension.Installed, Root: folder, Enabled: true, Dependencies: all}
	if len(all) > 0 {
		ext.PackagesRoot = packages
	}
	person := &person{}
	started, err := s.runtime.Start(context.Background(), ext, person)
	if err != nil {
		s.t.Fatal(err)
	}
	on := &stage{t: s.t, runtime: s.runtime, data: s.data, ext: ext, instance: started.(*instance), person: person}
	s.t.Cleanup(func() {
		if err := on.instance.Stop(context.Background()); err != nil {
			s.t.Error(err)
		}
	})
	return on
}

// greeter is a package with a dependency of its own.
func (s *shop) greeter() {
	s.registry.Publish(
		npmtest.Package{Name: "word", Version: "1.0.0", Files: map[string]string{"index.js": "module.exports = 'hello';"}},
		npmtest.Package{Name: "greeter", Version: "1.0.0", Files: map[string]string{"index.js": "module.exports = () => 'old';"}},
		npmtest.Package{Name: "greeter", Version: "1.2.0", Dependencies: map[string]string{"word": "^1.0.0"},
			Files: map[string]string{"index.js": "module.exports = (who) => require('word') + ' ' + who;", "lib/loud.js": "module.exports = 'HELLO';"}},
	)
}

func TestPackagesOfEveryKindOfNameAreFetchedAndRun(t *testing.T) {
	for name, c := range map[string]struct {
		code  string
		files map[string]string
		want  []string
		says  string
	}{
		"npm: in the code":    {`import g from "npm:greeter@^1.1"; export const t = () => g("you");`, nil, []string{"npm:greeter@1.2.0", "npm:word@1.0.0"}, `"hello you"`},
		"package.json":        {`import g from "greeter"; export const t = () => g("you");`, map[string]string{"package.json": `{"dependencies":{"greeter":"^1.0.0"}}`}, []string{"npm:greeter@1.2.0", "npm:word@1.0.0"}, `"hello you"`},
		"deno.json":           {`import g from "g"; export const t = () => g("you");`, map[string]string{"deno.json": `{"imports":{"g":"npm:greeter@1"}}`}, []string{"npm:greeter@1.2.0", "npm:word@1.0.0"}, `"hello you"`},
		"a part of a package": {`import l from "g/lib/loud.js"; export const t = () => l;`, map[string]string{"deno.json": `{"imports":{"g":"npm:greeter@1"}}`}, []string{"npm:greeter@1.2.0", "npm:word@1.0.0"}, `"HELLO"`},
		"both files":          {`import g from "greeter"; export const t = () => g("you");`, map[string]string{"package.json": `{"dependencies":{"greeter":"^1.1.0"}}`, "deno.json": `{"imports":{"greeter":"npm:greeter@1.0.0"}}`}, []string{"npm:greeter@1.0.0"}, `"old"`},
		"another name":        {`import g from "mine"; export const t = () => g("you");`, map[string]string{"package.json": `{"dependencies":{"mine":"npm:greeter@1.0.0"}}`}, []string{"npm:greeter@1.0.0"}, `"old"`},
		"a range of parts":    {`import g from "greeter"; export const t = () => g("you");`, map[string]string{"package.json": `{"dependencies":{"greeter":">=1.0.0 <1.2.0 || 0.x"}}`}, []string{"npm:greeter@1.0.0"}, `"old"`},
		"when asked":          {`export const t = async () => (await import("npm:greeter@1")).default("you");`, nil, []string{"npm:greeter@1.2.0", "npm:word@1.0.0"}, `"hello you"`},
		"a name made up late": {`export const t = async () => (await import(["gree", "ter"].join(""))).default("you");`, map[string]string{"package.json": `{"dependencies":{"greeter":"1"}}`}, []string{"npm:greeter@1.2.0", "npm:word@1.0.0"}, `"hello you"`},
		"node's own":          {`import { basename } from "node:path"; import g from "npm:greeter@1.0.0"; export const t = () => basename("/a/b") + g();`, nil, []string{"npm:greeter@1.0.0"}, `"bold"`},
		"a scope":             {`import x from "npm:@a/b@1"; export const t = () => x;`, nil, []string{"npm:@a/b@1.0.0"}, `"scoped"`},
		"jsr":                 {`import { x } from "jsr:@a/m@1"; export const t = () => x;`, nil, []string{"jsr:@a/m@1.0.0"}, `"module"`},
		"jsr in deno.json":    {`import { x } from "@a/m"; export const t = () => x;`, map[string]string{"deno.json": `{"imports":{"@a/m":"jsr:@a/m@1","@a/none":"jsr:@a/none@1"}}`}, []string{"jsr:@a/m@1.0.0"}, `"module"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := openShop(t)
			s.greeter()
			s.registry.Publish(npmtest.Package{Name: "@a/b", Version: "1.0.0", Files: map[string]string{"index.js": "module.exports = 'scoped';"}})
			s.registry.PublishModules("@a/m", "1.0.0", map[string]string{"mod.ts": `export { x } from "./x.ts";`, "x.ts": `export const x: string = "module";`})
			folder := author(t, c.code, c.files)
			before := tree(t, folder)
			all, into, err := s.fetch(t.Context(), folder)
			if err != nil {
				t.Fatal(detailed(err))
			}
			var got []string
			for _, d := range all {
				got = append(got, d.From+":"+d.Name+"@"+d.Version)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if after := tree(t, folder); after != before {
				t.Errorf("the author's folder was changed:\n%s\nwas\n%s", after, before)
			}
			asked := len(s.registry.Asked())
			s.start(folder, into, all).works("t", `{}`, c.says)
			if now := s.registry.Asked(); len(now) != asked {
				t.Errorf("a call asked the registry for %v", now[asked:])
			}
		})
	}
}

// tree is a folder's files with their content.
func tree(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&all, "%s %x\n", path, sha512.Sum512(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func TestAnExtensionWithoutPackagesAsksNobody(t *testing.T) {
	s := openShop(t, func(o *Options) { o.Binary = "/nowhere/deno" }) // and starts nothing
	names, into := s.gets(author(t, `import "node:fs"; export const t = () => 1;`, map[string]string{"package.json": `{"name":"x","devDependencies":{"greeter":"1"}}`}))
	left, err := os.ReadDir(into)
	if len(names) > 0 || len(s.registry.Asked()) > 0 || err != nil || len(left) > 0 {
		t.Errorf("got %v, asked %v, left %v, %v", names, s.registry.Asked(), left, err)
	}
	s = openShop(t)
	if names, _ := s.gets(author(t, `import type { X } from "npm:types-alone@1"; export const t = (x: X) => x;`, nil)); len(names) > 0 || len(s.registry.Asked()) > 0 {
		t.Errorf("types alone: got %v, asked %v", names, s.registry.Asked())
	}
}

func TestWhatIsLockedIsWhatTheRegistryStated(t *testing.T) {
	s := openShop(t)
	s.greeter()
	s.registry.Publish(npmtest.Package{Name: "native", Version: "2.0.0", Files: map[string]string{"index.js": "", "build/x.node": "\x7fELF"}, Scripts: map[string]string{"postinstall": "node -e 1"}})
	all, into, err := s.fetch(t.Context(), author(t, `import "npm:greeter@1"; import "npm:native@2"; export const t = () => 1;`, nil))
	if err != nil || len(all) != 3 {
		t.Fatal(all, detailed(err))
	}
	for _, d := range all {
		if !strings.HasPrefix(d.Integrity, "sha512-") || len(d.Integrity) < 90 || (d.Native && d.Scripts) != (d.Name == "native") {
			t.Errorf("got %+v", d)
		}
	}
	entries, err := os.ReadDir(into)
	if err != nil || len(entries) != 2 || entries[0].Name() != lockFile || entries[1].Name() != npmFolder {
		t.Errorf("got %v %v, want the packages and their lock alone", entries, err)
	}
	last := s.moved[len(s.moved)-1]
	if !strings.HasPrefix(last, "3 of 3") {
		t.Errorf("the progress ended with %q of %q", last, s.moved)
	}
}

func TestScriptsOfPackagesNeverRun(t *testing.T) {
	s := openShop(t)
	mark := filepath.Join(t.TempDir(), "ran")
	scripts := map[string]string{}
	for _, name := range []string{"preinstall", "install", "postinstall", "prepare", "prepublish"} {
		scripts[name] = "node -e \"require('fs').writeFileSync('" + mark + "', '')\" || touch " + mark
	}
	s.registry.Publish(npmtest.Package{Name: "eager", Version: "1.0.0", Scripts: scripts, Files: map[string]string{"index.js": "module.exports = 1;", "binding.gyp": "{}"}})
	s.runs(author(t, `import x from "npm:eager@1"; export const t = () => x;`, map[string]string{"package.json": `{"scripts":{"preinstall":"touch ` + mark + `"}}`})).works("t", `{}`, `1`)
	if _, err := os.Lstat(mark); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a script ran: %v", err)
	}
}

// archived packs entries as they stand.
func archived(t *testing.T, entries ...tar.Header) []byte {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	out := tar.NewWriter(zipped)
	entries = append([]tar.Header{{Name: "package/package.json", Mode: 0o644, Linkname: `{"name":"bad","version":"1.0.0"}`}}, entries...)
	for _, h := range entries {
		text := ""
		if h.Typeflag == 0 || h.Typeflag == tar.TypeReg {
			h.Linkname, text = "", h.Linkname // of a file, the content
		}
		h.Size = int64(len(text))
		if err := out.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(out.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func TestAHostilePackageIsRefusedInWordsAndLeavesNothing(t *testing.T) {
	small := npm.Standard
	small.ArchiveBytes, small.UnpackedBytes, small.Files, small.DocumentBytes, small.Packages = 1<<20, 4<<20, 50, 64<<10, 5
	zeros := func(size int) []byte { // a bomb: little to send, much to unpack
		return archived(t, tar.Header{Name: "package/zeros", Mode: 0o644, Linkname: strings.Repeat("\x00", size)})
	}
	many := make([]tar.Header, 60)
	for n := range many {
		many[n] = tar.Header{Name: fmt.Sprintf("package/%d.js", n), Mode: 0o644}
	}
	noise := make([]byte, 2<<20)
	for n := range noise {
		noise[n] = byte(n * n >> 3)
	}
	for name, c := range map[string]struct {
		bad  npmtest.Package
		code string
	}{
		"a path out of it":           {npmtest.Package{Archive: archived(t, tar.Header{Name: "package/../../../evil.txt", Mode: 0o644, Linkname: "x"})}, "npm.unsafe"},
		"an absolute path":           {npmtest.Package{Archive: archived(t, tar.Header{Name: "/tmp/evil.txt", Mode: 0o644, Linkname: "x"})}, "npm.unsafe"},
		"a path with backslashes":    {npmtest.Package{Archive: archived(t, tar.Header{Name: `package\..\..\evil.txt`, Mode: 0o644, Linkname: "x"})}, "npm.unsafe"},
		"a drive":                    {npmtest.Package{Archive: archived(t, tar.Header{Name: `C:\evil.txt`, Mode: 0o644, Linkname: "x"})}, "npm.unsafe"},
		"dots alone":                 {npmtest.Package{Archive: archived(t, tar.Header{Name: "..", Mode: 0o755, Typeflag: tar.TypeDir})}, "npm.unsafe"},
		"no archive":                 {npmtest.Package{Archive: []byte("hello")}, "npm.unsafe"},
		"a cut archive":              {npmtest.Package{Archive: zeros(3000)[:80]}, "npm.unsafe"},
		"a bomb":                     {npmtest.Package{Archive: zeros(16 << 20)}, "npm.too-large"},
		"more files than allowed":    {npmtest.Package{Archive: archived(t, many...)}, "npm.too-large"},
		"a large archive":            {npmtest.Package{Archive: noise}, "npm.too-large"},
		"another hash":               {npmtest.Package{Dist: map[string]any{"integrity": "sha512-" + base64.StdEncoding.EncodeToString(make([]byte, 64))}}, "npm.wrong-hash"},
		"another old hash":           {npmtest.Package{Dist: map[string]any{"integrity": nil, "shasum": strings.Repeat("0", 40)}}, "npm.wrong-hash"},
		"no hash":                    {npmtest.Package{Dist: map[string]any{"integrity": nil, "shasum": nil}}, "npm.no-hash"},
		"a hash of an unknown kind":  {npmtest.Package{Dist: map[string]any{"integrity": "md5-AAAA", "shasum": nil}}, "npm.no-hash"},
		"an archive on another host": {npmtest.Package{Dist: map[string]any{"tarball": "http://127.0.0.2:9/x.tgz"}}, "npm.elsewhere"},
		"an archive in a file":       {npmtest.Package{Dist: map[string]any{"tarball": "file:///etc/passwd"}}, "npm.elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			s := openShop(t, func(o *Options) { o.Fetching = &small })
			c.bad.Name, c.bad.Version = "bad", "1.0.0"
			s.registry.Publish(c.bad)
			p := s.refuses(author(t, `import "npm:bad@1"; export const t = () => 1;`, nil), c.code)
			if p.Params["package"] != "bad" {
				t.Errorf("got %v", p.Params)
			}
			if evil := filepath.Join(os.TempDir(), "evil.txt"); isFile(evil) {
				t.Errorf("%s was written", evil)
			}
		})
	}
}

// registryIn is the one folder in which Deno keeps what came from npm, called as the registry is.
func registryIn(t *testing.T, into string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(into, npmFolder, "*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the packages lie in %v, %v", found, err)
	}
	return found[0]
}

func TestLinksInPackagesAreNotMade(t *testing.T) {
	s := openShop(t)
	s.registry.Publish(npmtest.Package{Name: "bad", Version: "1.0.0", Archive: archived(t,
		tar.Header{Name: "package/index.js", Mode: 0o644, Linkname: "module.exports = 1;"},
		tar.Header{Name: "package/link", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
		tar.Header{Name: "package/hard", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"},
		tar.Header{Name: "package/device", Typeflag: tar.TypeChar},
		tar.Header{Name: "package/.git/config", Mode: 0o644, Linkname: "hidden from the fingerprint"},
	)})
	_, into := s.gets(author(t, `import "npm:bad@1"; export const t = () => 1;`, nil))
	var names []string
	err := fs.WalkDir(os.DirFS(into), ".", func(path string, entry fs.DirEntry, err error) error {
		if entry != nil && !entry.IsDir() {
			names = append(names, path)
		}
		return err
	})
	host := npmFolder + "/" + filepath.Base(registryIn(t, into))
	if got := strings.Join(names, " "); err != nil || got != "deno.lock "+host+"/bad/1.0.0/index.js "+host+"/bad/1.0.0/package.json" {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestARegistryThatFailsIsNamed(t *testing.T) {
	quick := npm.Standard
	quick.Silence = 300 * time.Millisecond
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	const document, archive = "/word", "/word/-/word-1.0.0.tgz"
	hang := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5000")
		w.Write([]byte("half"))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	stall := func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("{"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	for name, c := range map[string]struct {
		path   string
		answer http.HandlerFunc
		code   string
	}{
		"500 for what it knows":     {document, status(500), "npm.failed"},
		"503 for an archive":        {archive, status(503), "npm.failed"},
		"429":                       {document, status(429), "npm.failed"},
		"401":                       {document, status(401), "npm.login"},
		"403 for an archive":        {archive, status(403), "npm.login"},
		"nothing":                   {document, hang, "npm.silent"},
		"half of what it knows":     {document, stall, "npm.silent"},
		"half of an archive":        {archive, stall, "npm.silent"},
		"a connection that is cut":  {archive, cut, "npm.unreachable"},
		"a page in place of JSON":   {document, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>")) }, "npm.strange"},
		"a version without archive": {archive, http.NotFound, "npm.no-version"},
		"another host": {archive, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.2:9/x.tgz", http.StatusFound)
		}, "npm.elsewhere"},
		"itself, for ever": {document, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, "npm.unreachable"},
	} {
		t.Run(name, func(t *testing.T) {
			s := openShop(t, func(o *Options) { o.Fetching = &quick })
			s.greeter()
			s.registry.On(c.path, c.answer)
			p := s.refuses(author(t, `import "npm:greeter@1"; export const t = () => 1;`, nil), c.code)
			if p.Params["package"] != "word" {
				t.Errorf("got %v: the package at fault is word", p.Params)
			}
		})
	}
}

func TestABusyRegistryIsAskedAgain(t *testing.T) {
	s := openShop(t)
	s.greeter()
	tries := 0
	s.registry.On("/word", func(w http.ResponseWriter, r *http.Request) {
		if tries++; tries == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		s.registry.Serve(w, r)
	})
	if names, _ := s.gets(author(t, `import "npm:greeter@1"; export const t = () => 1;`, nil)); len(names) != 2 {
		t.Errorf("got %v", names)
	}
}

func TestWhatIsNotThereIsNamed(t *testing.T) {
	s := openShop(t)
	s.greeter()
	for name, c := range map[string]struct{ code, file, want, pack, version string }{
		"a package":             {`import "npm:no-such@1"; export const t = 1;`, `{}`, "npm.no-package", "no-such", ""},
		"a scoped package":      {`import "npm:@no/such@1"; export const t = 1;`, `{}`, "npm.no-package", "@no/such", ""},
		"a declared package":    {`export const t = 1;`, `{"dependencies":{"no-such":"1"}}`, "npm.no-package", "no-such", ""},
		"a jsr package":         {`import "jsr:@no/such@1"; export const t = 1;`, `{}`, "npm.no-package", "@no/such", ""},
		"a version":             {`import "npm:greeter@1.0.7"; export const t = 1;`, `{}`, "npm.no-version", "greeter", "1.0.7"},
		"a range":               {`import "npm:greeter@^4"; export const t = 1;`, `{}`, "npm.no-version", "greeter", "^4"},
		"a tag":                 {`import "npm:greeter@beta"; export const t = 1;`, `{}`, "npm.no-version", "greeter", "beta"},
		"a range of parts":      {`import "greeter"; export const t = 1;`, `{"dependencies":{"greeter":">3 <4"}}`, "npm.no-version", "greeter", ">3 <4"},
		"a folder":              {`import "near"; export const t = 1;`, `{"dependencies":{"near":"file:../near"}}`, "dependencies.no-package", "near", ""},
		"a workspace":           {`import "near/x.js"; export const t = 1;`, `{"dependencies":{"near":"workspace:*"}}`, "dependencies.no-package", "near", ""},
		"a repository":          {`import "near"; export const t = 1;`, `{"dependencies":{"near":"owner/near"}}`, "dependencies.no-package", "near", ""},
		"a manifest of rubbish": {`export const t = 1;`, `{"dependencies":{"x":1}}`, "extension.bad-package-json", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := s.refuses(author(t, c.code, map[string]string{"package.json": c.file}), c.want)
			if p.Params["package"] != c.pack || p.Params["version"] != c.version {
				t.Errorf("got %v", p.Params)
			}
		})
	}
	t.Run("a withdrawn version that was locked", func(t *testing.T) {
		folder := author(t, `import "npm:greeter@1"; export const t = 1;`, nil)
		_, into := s.gets(folder)
		lock, err := os.ReadFile(filepath.Join(into, lockFile))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, lockFile), lock, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		s.registry.Withdraw("greeter", "1.2.0")
		if p := s.refuses(folder, "npm.no-version"); p.Params["version"] != "1.2.0" {
			t.Errorf("got %v", p.Params)
		}
	})
	t.Run("a registry that is not there", func(t *testing.T) {
		gone := openShop(t)
		gone.runtime.options.Registries.Environ = []string{"npm_config_registry=http://127.0.0.1:1/"}
		_, _, err := gone.fetch(t.Context(), author(t, `import "npm:greeter@1"; export const t = 1;`, nil))
		p := extension.AsProblem(err, "", "", "")
		if p == nil || p.Code != "npm.unreachable" || p.Params["registry"] != "http://127.0.0.1:1/" || p.Params["package"] != "greeter" {
			t.Errorf("got %s", detailed(err))
		}
	})
}

func TestAnAuthorsLockBinds(t *testing.T) {
	s := openShop(t)
	s.greeter()
	code := `import g from "greeter"; export const t = () => g("you");`
	manifest := map[string]string{"package.json": `{"dependencies":{"greeter":">=1.0.0 <2"}}`}
	_, into := s.gets(author(t, code, manifest))
	data, err := os.ReadFile(filepath.Join(into, lockFile))
	if err != nil {
		t.Fatal(err)
	}
	// As deno install writes it for these files: the range itself, and the author's own set-up.
	tag, _ := npm.RangeTag(">=1.0.0 <2")
	lock := strings.Replace(strings.ReplaceAll(string(data), "@"+tag, "@>=1.0.0 <2"), `"version"`, `"workspace": {"packageJson": {"dependencies": ["npm:greeter@>=1.0.0 <2"]}}, "version"`, 1)
	s.registry.Publish(npmtest.Package{Name: "greeter", Version: "1.9.0", Files: map[string]string{"index.js": "module.exports = () => 'newer';"}})
	with := func(lock string) string {
		return author(t, code, map[string]string{"package.json": manifest["package.json"], lockFile: lock})
	}
	t.Run("its versions are taken", func(t *testing.T) {
		s.runs(with(lock)).works("t", `{}`, `"hello you"`)
		s.runs(author(t, code, manifest)).works("t", `{}`, `"newer"`)
	})
	t.Run("another hash is refused", func(t *testing.T) {
		at := strings.Index(lock, "sha512-")
		p := s.refuses(with(lock[:at+7]+"AAAA"+lock[at+11:]), "npm.other-lock")
		if p.Params["package"] != "greeter" {
			t.Errorf("got %v", p.Params)
		}
	})
	t.Run("what it lacks is refused", func(t *testing.T) {
		p := s.refuses(author(t, code+` import "npm:word@1";`, map[string]string{"package.json": manifest["package.json"],
			lockFile: `{"version":"5","specifiers":{"npm:word@1":"1.0.0"},"npm":{"word@1.0.0":` + wordEntry(t, data) + `}}`}), "dependencies.other-lock")
		if len(p.Issues) != 1 || p.Issues[0].Place != "npm:greeter@1.9.0" {
			t.Errorf("got %+v", p.Issues)
		}
	})
	t.Run("rubbish is refused", func(t *testing.T) { s.refuses(with(`{`), "dependencies.bad-lock") })
	t.Run("addresses in it are not asked", func(t *testing.T) {
		strange := strings.Replace(lock, `"integrity"`, `"tarball": "http://127.0.0.2:9/evil.tgz", "integrity"`, 1)
		s.runs(with(strange)).works("t", `{}`, `"hello you"`)
	})
}

func wordEntry(t *testing.T, lock []byte) string {
	t.Helper()
	var read struct {
		NPM map[string]json.RawMessage `json:"npm"`
	}
	if err := json.Unmarshal(lock, &read); err != nil || read.NPM["word@1.0.0"] == nil {
		t.Fatal(err, string(lock))
	}
	return string(read.NPM["word@1.0.0"])
}

func TestAnAuthorsOwnSettingsCountForNothing(t *testing.T) {
	s, evil := openShop(t), npmtest.Start(t)
	s.greeter()
	s.runs(author(t, `import g from "npm:greeter@1"; export const t = () => g("you");`, map[string]string{
		".npmrc":    "registry=" + evil.URL + "\n" + strings.TrimPrefix(evil.URL, "http:") + ":_authToken=${HOME}\n",
		"deno.json": `{"nodeModulesDir":"auto","lock":{"path":"../../lock"},"tasks":{"postinstall":"touch x"},"vendor":true,"npmRegistry":"` + evil.URL + `"}`,
	})).works("t", `{}`, `"hello you"`)
	if asked := evil.Asked(); len(asked) > 0 {
		t.Errorf("the author's registry was asked for %v", asked)
	}
}

func TestImportsThatLeaveTheExtensionFetchNothing(t *testing.T) {
	s := openShop(t)
	s.greeter()
	for name, code := range map[string]string{
		"a remote module": `import "https://127.0.0.1:1/x.ts"; import "npm:greeter@1"; export const t = 1;`,
		"a file outside":  `import x from "/etc/passwd" with { type: "text" }; import "npm:greeter@1"; export const t = () => x;`,
	} {
		t.Run(name, func(t *testing.T) { s.refuses(author(t, code, nil), "extension.import-outside") })
	}
	if asked := s.registry.Asked(); len(asked) > 0 {
		t.Errorf("asked for %v", asked)
	}
}

func TestACancelledFetchEndsItsProcess(t *testing.T) {
	s := openShop(t)
	s.greeter()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.registry.On("/word", func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
	if _, _, err := s.fetch(ctx, author(t, `import "npm:greeter@1"; export const t = 1;`, nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err) // that nothing runs any more, TestMain looks at
	}
}

func TestTwoFetchesAtOnceDoNotMeet(t *testing.T) {
	s := openShop(t)
	s.greeter()
	var both sync.WaitGroup
	for n := range 2 {
		folder := author(t, fmt.Sprintf(`import g from "npm:greeter@1.%d.0"; export const t = () => g("you");`, 2*n), nil)
		into := t.TempDir()
		ext, _, err := loca.New().Load(os.DirFS(folder))
		if err != nil {
			t.Fatal(err)
		}
		both.Go(func() {
			all, err := s.runtime.Fetch(context.Background(), *ext, folder, into, func(int, int, string) {})
			if err != nil || len(all) != n+1 {
				t.Errorf("got %v, %v", all, detailed(err))
			}
		})
	}
	both.Wait()
}

func TestACallHasNoWayToTheRegistry(t *testing.T) {
	s := openShop(t)
	s.greeter()
	folder := author(t, `import g from "npm:greeter@1";
		const said = (p: Promise<unknown>) => p.then(() => "loaded", (e) => e.name);
		export const t = async () => [g("you"), await said(import("npm:" + "word@" + "1.0.1")), await said(import("npm:" + "other@1")), await said(fetch("`+s.registry.URL+`word"))];`, nil)
	on := s.runs(folder)
	s.registry.Publish(npmtest.Package{Name: "other", Version: "1.0.0"}, npmtest.Package{Name: "word", Version: "1.0.1"})
	asked := len(s.registry.Asked())
	on.works("t", `{}`, `["hello you","TypeError","TypeError","NotCapable"]`)
	if now := s.registry.Asked(); len(now) != asked {
		t.Errorf("asked for %v", now[asked:])
	}
}

func TestAPackageReadsItsOwnFilesAndNothingElse(t *testing.T) {
	s := openShop(t)
	secret := filepath.Join(t.TempDir(), "secret.json")
	if err := os.WriteFile(secret, []byte(`"secret"`), 0o600); err != nil {
		t.Fatal(err)
	}
	s.registry.Publish(npmtest.Package{Name: "reader", Version: "1.0.0", Files: map[string]string{
		"data.txt": "mine",
		"text.mjs": "export { default } from " + fmt.Sprintf("%q", "file://"+secret) + " with { type: 'text' };",
		"index.js": `const fs = require("fs"); const path = require("path");
			const said = (f) => { try { return String(f()) } catch (e) { return e.name } };
			module.exports = async () => [
				said(() => fs.readFileSync(path.join(__dirname, "data.txt"), "utf8")), said(() => fs.readFileSync(` + fmt.Sprintf("%q", secret) + `, "utf8")), said(() => require(` + fmt.Sprintf("%q", secret) + `)),
				await import("./text.mjs").then((m) => m.default, (e) => e.name), said(() => fs.writeFileSync(path.join(__dirname, "data.txt"), "x")),
				String(process.env.SECRET), said(() => require("child_process").execSync("true")), said(() => fs.readFileSync("` + s.data + `/portico.db"))];`,
	}})
	on := s.runs(author(t, `import f from "npm:reader@1"; export const t = () => f();`, nil))
	t.Setenv("SECRET", "told")
	on.works("t", `{}`, `["mine","NotCapable","NotCapable","TypeError","NotCapable","undefined","Error","NotCapable"]`)
}

func TestAPackageReadsItsOwnFilesUnderAWideGrant(t *testing.T) {
	s := openShop(t)
	s.registry.Publish(npmtest.Package{Name: "reader", Version: "1.0.0", Files: map[string]string{"data.txt": "mine", "index.js": `module.exports = () => require("fs").readFileSync(__dirname + "/data.txt", "utf8");`}})
	folder := author(t, `import f from "npm:reader@1"; export const t = () => f();`, map[string]string{
		"loca.json": `{"name":"needy","displayName":"Needy","description":"D","tools":[{"name":"t","description":"d","parameters":{"type":"object"},"function":"t","permissions":{"read":[{"path":"/","reason":"all"}]}}]}`,
	})
	on := s.runs(folder)
	on.person.permit = func(asked []extension.Permission) ([]grant.Answer, error) {
		return []grant.Answer{{Decision: grant.Allow}}, nil
	}
	on.works("t", `{}`, `"mine"`)
}

func TestPackagesThatAreExchangedInTheCacheAreSeen(t *testing.T) {
	s := openShop(t)
	s.greeter()
	folder := author(t, `import g from "npm:greeter@1"; export const t = () => g("you");`, nil)
	all, into, err := s.fetch(t.Context(), folder)
	if err != nil {
		t.Fatal(detailed(err))
	}
	s.start(folder, into, all).works("t", `{}`, `"hello you"`)
	caches, err := filepath.Glob(filepath.Join(s.data, "cache", "deno", "agent-loca-needy", "*", denoDir, npmFolder, "*", "greeter", "1.2.0", "index.js"))
	if err != nil || len(caches) != 1 {
		t.Fatal(caches, err)
	}
	for name, change := range map[string]func() error{
		"a file in its place": func() error {
			return errors.Join(os.Remove(caches[0]), os.WriteFile(caches[0], []byte("module.exports = () => 'evil';"), 0o600))
		},
		"one more file": func() error {
			return os.WriteFile(filepath.Join(filepath.Dir(caches[0]), "index.mjs"), nil, 0o600)
		},
		"a file less": func() error { return os.Remove(caches[0]) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { s.start(folder, into, all).works("t", `{}`, `"hello you"`) })
	}
}

func TestTwoExtensionsShareNoPackage(t *testing.T) {
	s := openShop(t)
	s.greeter()
	code := `import g from "npm:greeter@1"; export const t = () => g("you");`
	first, second := author(t, code, nil), author(t, code, map[string]string{"loca.json": strings.Replace(`{"name":"needy","displayName":"Needy","description":"D","tools":[{"name":"t","description":"d","parameters":{"type":"object"},"function":"t"}]}`, "needy", "other", 1)})
	one, into, err := s.fetch(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	s.start(first, into, one).works("t", `{}`, `"hello you"`)
	if err := os.WriteFile(filepath.Join(registryIn(t, into), "greeter", "1.2.0", "index.js"), []byte("module.exports = () => 'poison';"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.runs(second).works("t", `{}`, `"hello you"`)
}

package planted

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"portico/backend/extension"
	"portico/backend/format"
	"portico/backend/format/loca"
	"portico/backend/install"
	"portico/sandbox"
)

var seed = ed25519.NewKeyFromSeed([]byte("a key that only these tests have"))

// archive is a signed extension of that version.
func archive(t *testing.T, version string) Archive {
	t.Helper()
	return signedBy(t, seed, version)
}

func signedBy(t *testing.T, key ed25519.PrivateKey, version string) Archive {
	t.Helper()
	files := fstest.MapFS{
		"loca.json":    {Data: []byte(`{"name":"seedling","displayName":"Seedling","description":"D","tools":[{"name":"t","description":"d","parameters":{},"function":"t"}]}`)},
		"package.json": {Data: fmt.Appendf(nil, `{"name":"seedling","version":%q,"main":"index.ts"}`, version)},
		"index.ts":     {Data: []byte("export const t = () => '" + version + "';\n")},
		"lib/a.ts":     {Data: []byte("export const a = 1;\n")},
		"a.test.ts":    {Data: []byte("not shipped")},
	}
	names, err := sandbox.Shipped(files)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := Sign(files, "seedling", version, names, key)
	if err != nil {
		t.Fatal(err)
	}
	return Archive{files, encoded(t, signed), seed.Public().(ed25519.PublicKey)}
}

func encoded(t *testing.T, signed Signed) []byte {
	t.Helper()
	data, err := json.Marshal(signed)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// garden is a fresh data folder; what is remembered lies in a file of it, for other processes to see.
func garden(data string) Garden {
	note := filepath.Join(data, "last")
	return Garden{
		Data: data, Cache: filepath.Join(data, "cache"),
		Installer: install.New(install.Options{Data: data, Formats: []format.Format{loca.New()}, Now: time.Now}),
		Last: func(context.Context) (string, error) {
			text, err := os.ReadFile(note)
			if errors.Is(err, fs.ErrNotExist) {
				return "", nil
			}
			return string(text), err
		},
		Remember: func(_ context.Context, version string) error { return os.WriteFile(note, []byte(version), 0o600) },
	}
}

func planting(t *testing.T, g Garden, a Archive) {
	t.Helper()
	if err := g.Plant(t.Context(), a); err != nil {
		t.Fatal(err)
	}
}

// copied gives the one copy that is there; nil for none.
func copied(t *testing.T, g Garden) *extension.Copy {
	t.Helper()
	have, err := g.installed(t.Context(), "seedling")
	if err != nil {
		t.Fatal(err)
	}
	return have
}

func expectVersion(t *testing.T, g Garden, version string) {
	t.Helper()
	switch have := copied(t, g); {
	case have == nil && version != "":
		t.Errorf("nothing is installed, and %s should be", version)
	case have != nil && (have.Version != version || have.Problem != nil):
		t.Errorf("%s is installed (%v), not %q", have.Version, have.Problem, version)
	}
	for _, left := range []string{filepath.Join(g.Cache, folderName), filepath.Join(g.Data, "extensions", ".staging")} {
		if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s was left behind", left)
		}
	}
}

func problemOf(err error) string {
	var p *extension.Problem
	if errors.As(err, &p) {
		return p.Code
	}
	return fmt.Sprint(err)
}

func TestAFreshHomeGetsItSwitchedOnWithWhatIsShippedAlone(t *testing.T) {
	g := garden(t.TempDir())
	planting(t, g, archive(t, "1.0.0"))
	expectVersion(t, g, "1.0.0")
	have := copied(t, g)
	if !have.Enabled || have.Source != Source || have.Scope != extension.Agent {
		t.Errorf("got %+v", have)
	}
	files, err := g.Installer.Files(t.Context(), have.Ref())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		names = append(names, file.Path)
	}
	if want := []string{"index.ts", "lib/a.ts", "loca.json", "package.json"}; !slices.Equal(names, want) {
		t.Errorf("installed are %v, not %v", names, want)
	}
}

func TestWhatIsNotAsItWasSignedIsNeverWritten(t *testing.T) {
	good := archive(t, "1.0.0")
	signed, err := ReadSigned(good.Signed)
	if err != nil {
		t.Fatal(err)
	}
	_, stranger, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	with := func(name, text string) Archive {
		files := maps.Clone(good.Files.(fstest.MapFS))
		files[name] = &fstest.MapFile{Data: []byte(text)}
		return Archive{files, good.Signed, good.Key}
	}
	without := func(name string) Archive {
		files := maps.Clone(good.Files.(fstest.MapFS))
		delete(files, name)
		return Archive{files, good.Signed, good.Key}
	}
	altered := func(alter func(*Signed)) Archive {
		changed := signed
		changed.Files = maps.Clone(signed.Files)
		alter(&changed)
		return Archive{good.Files, encoded(t, changed), good.Key}
	}
	for name, a := range map[string]Archive{
		"a file that changed":             with("index.ts", "export const t = () => 'mine';\n"),
		"a file that is gone":             without("lib/a.ts"),
		"a file that nobody signed":       altered(func(s *Signed) { s.Files["a.test.ts"] = hashOf([]byte("not shipped")) }),
		"a file fewer than was signed":    altered(func(s *Signed) { delete(s.Files, "lib/a.ts") }),
		"a path out of the folder":        altered(func(s *Signed) { s.Files["../a"] = hashOf(nil) }),
		"another version":                 altered(func(s *Signed) { s.Version = "9.0.0" }),
		"another name":                    altered(func(s *Signed) { s.ID = "other" }),
		"another shape":                   altered(func(s *Signed) { s.SchemaVersion = 2 }),
		"no signature":                    altered(func(s *Signed) { s.Signature = "" }),
		"a stranger's signature":          signedBy(t, stranger, "1.0.0"),
		"a field that nobody knows":       {good.Files, []byte(strings.Replace(string(good.Signed), "{", `{"also":1,`, 1)), good.Key},
		"a version that is none":          {good.Files, []byte(`{"schemaVersion":1,"version":"new"}`), good.Key},
		"no description of what it holds": {good.Files, nil, good.Key},
	} {
		t.Run(name, func(t *testing.T) {
			g := garden(t.TempDir())
			if err := g.Plant(t.Context(), a); problemOf(err) != "planted.untrusted" {
				t.Errorf("got %v", err)
			}
			expectVersion(t, g, "")
			if entries, err := os.ReadDir(g.Cache); len(entries) > 0 {
				t.Errorf("written: %v %v", entries, err)
			}
			// The next start tries again, with what a repaired program brings.
			planting(t, g, good)
			expectVersion(t, g, "1.0.0")
		})
	}
}

func TestANewerVersionReplacesAnOlderOneAndNeverTheOtherWayRound(t *testing.T) {
	g := garden(t.TempDir())
	for _, step := range []struct{ brings, want string }{
		{"1.9.0", "1.9.0"}, {"1.10.0", "1.10.0"}, {"1.9.0", "1.10.0"}, {"1.10.0", "1.10.0"}, {"2.0.0-rc.1", "2.0.0-rc.1"}, {"2.0.0", "2.0.0"}, {"2.0.0-rc.1", "2.0.0"},
	} {
		planting(t, g, archive(t, step.brings))
		expectVersion(t, g, step.want)
	}
	if err := g.Restore(t.Context(), archive(t, "1.0.0")); problemOf(err) != "planted.older" {
		t.Errorf("got %v", err)
	}
	expectVersion(t, g, "2.0.0")
}

func TestAnUpdateLeavesItSwitchedOff(t *testing.T) {
	g := garden(t.TempDir())
	planting(t, g, archive(t, "1.0.0"))
	if err := g.Installer.SetEnabled(t.Context(), copied(t, g).Ref(), false); err != nil {
		t.Fatal(err)
	}
	planting(t, g, archive(t, "1.1.0"))
	expectVersion(t, g, "1.1.0")
	if copied(t, g).Enabled {
		t.Error("the update switched it on")
	}
}

func TestWhatThePersonRemovedComesBackOnlyWhenTheyAsk(t *testing.T) {
	g := garden(t.TempDir())
	planting(t, g, archive(t, "1.0.0"))
	if err := g.Installer.Remove(t.Context(), copied(t, g).Ref()); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"1.0.0", "1.1.0", "0.9.0"} {
		planting(t, g, archive(t, version))
		expectVersion(t, g, "")
	}
	if err := g.Restore(t.Context(), archive(t, "1.1.0")); err != nil {
		t.Fatal(err)
	}
	expectVersion(t, g, "1.1.0")
	planting(t, g, archive(t, "1.2.0")) // and is looked after again
	expectVersion(t, g, "1.2.0")
}

func TestThePersonsOwnCopyIsLeftAlone(t *testing.T) {
	g := garden(t.TempDir())
	own := filepath.Join(t.TempDir(), "own")
	if err := os.CopyFS(own, archive(t, "0.5.0").Files); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Installer.Install(t.Context(), own, extension.Agent, "", "", func(string, float64, string) {}); err != nil {
		t.Fatal(err)
	}
	planting(t, g, archive(t, "1.0.0"))
	expectVersion(t, g, "0.5.0")
	if err := g.Restore(t.Context(), archive(t, "1.0.0")); err != nil {
		t.Fatal(err)
	}
	expectVersion(t, g, "1.0.0")
}

func TestChangedFilesAreNotRepairedUnasked(t *testing.T) {
	g := garden(t.TempDir())
	planting(t, g, archive(t, "1.0.0"))
	altered := filepath.Join(copied(t, g).Root, "package.json")
	if err := os.WriteFile(altered, []byte(`{"name":"seedling","version":"99.0.0","main":"index.ts"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	planting(t, g, archive(t, "1.0.0"))
	if have := copied(t, g); have.Problem == nil || have.Problem.Code != "extension.drift" {
		t.Errorf("got %v", have.Problem)
	}
	planting(t, g, archive(t, "1.1.0")) // whatever version the changed files pretend to be
	expectVersion(t, g, "1.1.0")
}

func TestOfManyThatStartAtOnceOneInstalls(t *testing.T) {
	data := t.TempDir()
	var all sync.WaitGroup
	installs := make(chan string, 8) // each starter remembers at most once
	for range cap(installs) {
		all.Go(func() {
			g := garden(data)
			remember := g.Remember
			g.Remember = func(ctx context.Context, version string) error {
				installs <- version
				return remember(ctx, version)
			}
			if err := g.Plant(t.Context(), archive(t, "1.0.0")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(installs) != 1 {
		t.Errorf("%d of them installed", len(installs))
	}
	expectVersion(t, garden(data), "1.0.0")
}

func TestWhatIsBuiltInIsSignedAsItStandsInTheRepository(t *testing.T) {
	builtIn := BuiltIn()
	signed, err := ReadSigned(builtIn.Signed)
	if err != nil {
		t.Fatal(err)
	}
	files, err := signed.Verify(builtIn.Files, builtIn.Key)
	if err != nil {
		t.Errorf("%v: who holds the key runs `go run ./build sign` (docs/signing.md)", err)
	}
	names, err := sandbox.Shipped(builtIn.Files)
	if err != nil || !slices.Equal(names, slices.Sorted(maps.Keys(files))) {
		t.Errorf("signed are %v, not %v, %v", slices.Sorted(maps.Keys(files)), names, err)
	}
	if signed.ID != sandbox.BuiltInID {
		t.Errorf("it is %s", signed.ID)
	}
	var manifest struct{ Version string }
	if err := json.Unmarshal(files["package.json"], &manifest); err != nil || manifest.Version != signed.Version {
		t.Errorf("its package.json says %q and what was signed %q, %v", manifest.Version, signed.Version, err)
	}
}

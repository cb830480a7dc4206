package voice

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portico/backend/npm"
	"portico/backend/npm/npmtest"
)

// theArchive is what the build driver fetched for the tests.
func theArchive(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "build", "cache", Pinned.Name+"-"+Pinned.Version+".tgz"))
	if err != nil {
		t.Fatalf("%v: `go run ./build setup` fetches it", err)
	}
	return data
}

// from lets a voice fetch from a registry on loopback.
func from(r *npmtest.Registry) func(*Options) {
	return func(o *Options) {
		cache := o.Cache
		o.Archive = func(ctx context.Context, pin Pin, progress Progress) (string, error) {
			config, err := npm.Read(npm.Surroundings{Built: r.URL})
			if err != nil {
				return "", err
			}
			return npm.Archive(ctx, config, npm.Standard, cache, pin.Name, pin.Version, pin.Integrity, progress)
		}
	}
}

func fetch(ctx context.Context, v *Voice) (steps []string, fractions []float64, err error) {
	err = v.Fetch(ctx, func(step string, fraction float64) {
		if len(steps) == 0 || steps[len(steps)-1] != step {
			steps = append(steps, step)
		}
		fractions = append(fractions, fraction)
	})
	return steps, fractions, err
}

func TestTheFetchedVoiceSpeaksLikeTheProgram(t *testing.T) {
	registry := npmtest.Start(t)
	registry.Publish(npmtest.Package{Name: Pinned.Name, Version: Pinned.Version, Archive: theArchive(t)})
	s := speaks(Automatic)
	s.Speak.Voice = "es"
	v := with(t, s, from(registry))
	steps, fractions, err := fetch(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(steps, " ") != "fetch unpack swap done" || len(fractions) < 10 || !slices.IsSorted(fractions) || fractions[len(fractions)-1] != 1 {
		t.Errorf("the steps are %q, the fractions %v", steps, fractions)
	}
	sound, err := v.Speak(t.Context(), "¡Hola! Esto es una prueba, ¿verdad?")
	if err != nil {
		t.Fatal(err)
	}
	long := seconds(t, sound)
	theirs, err := with(t, s, programs).Speak(t.Context(), "¡Hola! Esto es una prueba, ¿verdad?")
	if err != nil {
		t.Fatal(err)
	}
	if other := seconds(t, theirs); long < 0.8*other || long > 1.2*other {
		t.Errorf("it takes %f s, the program %f s", long, other)
	}
	found := v.Found(t.Context())
	if len(found) != 1 || found[0].Engine != Package || !found[0].Ready || found[0].Bytes != 0 || len(found[0].Voices) < 50 {
		t.Errorf("found %+v", found)
	}
	if left, err := os.ReadDir(v.options.Folder); err != nil || len(left) != 1 {
		t.Errorf("in the folder are %v %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(v.options.Folder, Pinned.Name+"-"+Pinned.Version, "LICENSE")); err != nil {
		t.Errorf("its licence is not with it: %v", err)
	}
	// One file becomes another: it is not run.
	file := filepath.Join(v.options.Folder, Pinned.Name+"-"+Pinned.Version, "espeak-ng.js")
	code, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, append(code, ' '), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Speak(t.Context(), "hola"); codeOf(err) != "voice.package-changed" {
		t.Errorf("a changed package: got %v", err)
	}
	if _, _, err := fetch(t.Context(), v); err != nil { // again, over what is there
		t.Fatal(err)
	}
	if _, err := v.Speak(t.Context(), "hola"); err != nil {
		t.Error(err)
	}
	if err := v.RemovePackage(); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Speak(t.Context(), "hola"); codeOf(err) != "voice.no-engine" {
		t.Errorf("removed: got %v", err)
	}
}

func TestTheFetchedVoiceReachesNothingButItsFolder(t *testing.T) {
	registry := npmtest.Start(t)
	registry.Publish(npmtest.Package{Name: Pinned.Name, Version: Pinned.Version, Archive: theArchive(t)})
	v := with(t, speaks(Package), from(registry))
	if _, _, err := fetch(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	own := packagedScript
	t.Cleanup(func() { packagedScript = own })
	packagedScript = []byte(`
const tries = {
  own: () => Deno.readTextFile(new URL("./LICENSE", import.meta.url)),
  read: () => Deno.readTextFile("/etc/passwd"),
  imported: () => import("/etc/hostname", { with: { type: "text" } }),
  write: () => Deno.writeTextFile(new URL("./new", import.meta.url), "x"),
  env: () => Deno.env.get("PATH"),
  run: () => new Deno.Command("/bin/true").output(),
  net: () => fetch("` + registry.URL + `"),
  host: () => Deno.hostname(),
};
for (const [name, act] of Object.entries(tries)) {
  try { await act(); console.log(name, "done"); } catch { console.log(name, "refused"); }
}
`)
	out, err := (&packaged{v}).run(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	want := "own done\nread refused\nimported refused\nwrite refused\nenv refused\nrun refused\nnet refused\nhost refused\n"
	if string(out) != want {
		t.Errorf("got\n%s", out)
	}
}

func TestWhatIsNotThePinnedPackageIsNotKept(t *testing.T) {
	good := theArchive(t)
	for _, c := range []struct {
		name, code string
		publish    func(r *npmtest.Registry)
	}{
		{"another archive", "npm.not-pinned", func(r *npmtest.Registry) {
			r.Publish(npmtest.Package{Name: Pinned.Name, Version: Pinned.Version, Files: map[string]string{"dist/espeak-ng.js": "evil()"}})
		}},
		{"another archive that says it is the right one", "npm.wrong-hash", func(r *npmtest.Registry) {
			r.Publish(npmtest.Package{Name: Pinned.Name, Version: Pinned.Version, Files: map[string]string{"dist/espeak-ng.js": "evil()"}, Dist: map[string]any{"integrity": Pinned.Integrity}})
		}},
		{"another archive with a weaker hash", "npm.not-pinned", func(r *npmtest.Registry) {
			r.Publish(npmtest.Package{Name: Pinned.Name, Version: Pinned.Version, Files: map[string]string{"dist/espeak-ng.js": "evil()"}, Dist: map[string]any{"integrity": nil}})
		}},
		{"a byte is changed", "npm.wrong-hash", func(r *npmtest.Registry) {
			bad := slices.Clone(good)
			bad[len(bad)/2] ^= 1
			r.Publish(npmtest.Package{Name: Pinned.Name, Version: Pinned.Version, Archive: bad, Dist: map[string]any{"integrity": Pinned.Integrity}})
		}},
		{"no such package", "npm.no-package", func(*npmtest.Registry) {}},
		{"no such version", "npm.no-version", func(r *npmtest.Registry) {
			r.Publish(npmtest.Package{Name: Pinned.Name, Version: "9.9.9", Archive: good})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			registry := npmtest.Start(t)
			c.publish(registry)
			v := with(t, speaks(Package), from(registry))
			if _, _, err := fetch(t.Context(), v); codeOf(err) != c.code {
				t.Errorf("got %v", err)
			}
			for _, folder := range []string{v.options.Folder, v.options.Cache} {
				if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
					t.Errorf("left in %s: %v %v", folder, left, err)
				}
			}
		})
	}
}

func TestAFetchThatIsCancelledLeavesNothing(t *testing.T) {
	registry := npmtest.Start(t)
	registry.Publish(npmtest.Package{Name: Pinned.Name, Version: Pinned.Version, Archive: theArchive(t)})
	v := with(t, speaks(Package), from(registry))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := v.Fetch(ctx, func(_ string, fraction float64) {
		if fraction > 0 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	for _, folder := range []string{v.options.Folder, v.options.Cache} {
		if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
			t.Errorf("left in %s: %v %v", folder, left, err)
		}
	}
}

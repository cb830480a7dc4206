package core

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/planted"
)

// brought is a signed extension of that version; its tools need these permissions.
func brought(t *testing.T, version string, permissions ...string) planted.Archive {
	t.Helper()
	key := ed25519.NewKeyFromSeed([]byte("a key that only these tests have"))
	files := fstest.MapFS{"index.ts": {Data: []byte("export const t = () => '" + version + "';\n")}, "package.json": {Data: fmt.Appendf(nil, `{"version":%q}`, version)}}
	declared := ""
	for n, name := range permissions {
		if n > 0 {
			declared += ","
		}
		declared += fmt.Sprintf(`{"key":%q,"reason":"r"}`, name)
	}
	files["loca.json"] = &fstest.MapFile{Data: fmt.Appendf(nil, `{"name":"brought","displayName":"Brought","description":"D","tools":[{"name":"t","description":"d","parameters":{},"function":"t","permissions":{"env":[%s]}}]}`, declared)}
	signed, err := planted.Sign(files, "brought", version, []string{"index.ts", "package.json", "loca.json"}, key)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(signed)
	if err != nil {
		t.Fatal(err)
	}
	return planted.Archive{Files: files, Signed: data, Key: key.Public().(ed25519.PublicKey)}
}

// during opens a core that brings an archive, for as long as use takes.
func during(t *testing.T, data string, brings planted.Archive, use func(*Core)) {
	t.Helper()
	c, err := Open(t.Context(), Options{Data: data, Locale: "en-GB", Brings: brings})
	if err != nil {
		t.Fatal(err)
	}
	use(c)
	if err := c.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

var broughtRef = extension.Ref{Scope: extension.Agent, Format: extension.Loca, ID: "brought"}

func TestAnUpdateOfWhatPorticoBringsKeepsItsGrantsAndSwitches(t *testing.T) {
	data := t.TempDir()
	subject := grant.Subject{Ref: broughtRef, Tool: "t"}
	during(t, data, brought(t, "1.0.0", "ONE"), func(c *Core) {
		if _, err := c.SetGrant(t.Context(), subject, "env:ONE", grant.Allow); err != nil {
			t.Fatal(err)
		}
		if _, err := c.SetToolEnabled(t.Context(), broughtRef, "t", true); err != nil {
			t.Fatal(err)
		}
	})
	during(t, data, brought(t, "1.1.0", "ONE", "TWO"), func(c *Core) {
		v, err := c.viewOf(t.Context(), broughtRef)
		if err != nil {
			t.Fatal(err)
		}
		if v.Version != "1.1.0" || !v.Tools[0].Enabled {
			t.Errorf("version %s, on %v", v.Version, v.Tools[0].Enabled)
		}
		for n, want := range []grant.Decision{grant.Allow, grant.Ask} {
			if p := v.Tools[0].Permissions[n]; p.Decision != want {
				t.Errorf("%s is %s, not %s", p.Key, p.Decision, want)
			}
		}
	})
}

func TestWhatWasRemovedStaysSoInEveryLaterStart(t *testing.T) {
	data := t.TempDir()
	during(t, data, brought(t, "1.0.0"), func(c *Core) {
		if err := c.Remove(t.Context(), broughtRef); err != nil {
			t.Fatal(err)
		}
	})
	for _, version := range []string{"1.0.0", "2.0.0"} {
		during(t, data, brought(t, version), func(c *Core) {
			if all, err := c.Extensions(t.Context()); err != nil || len(all) != 0 {
				t.Errorf("%d are there, %v", len(all), err)
			}
		})
	}
	during(t, data, brought(t, "2.0.0"), func(c *Core) {
		if v, err := c.RestoreBuiltIn(t.Context()); err != nil || v.Version != "2.0.0" {
			t.Errorf("restored is %s, %v", v.Version, err)
		}
	})
}

func TestWithWhatCantBePlantedEverythingElseWorksAndTheDoctorSaysWhy(t *testing.T) {
	tampered := brought(t, "1.0.0")
	tampered.Files.(fstest.MapFS)["index.ts"] = &fstest.MapFile{Data: []byte("export const t = () => 'evil';\n")}
	during(t, t.TempDir(), tampered, func(c *Core) {
		if extension.AsProblem(c.Unplanted(), "", "", "").Code != "planted.untrusted" {
			t.Errorf("got %v", c.Unplanted())
		}
		check := c.plantedCheck()
		if check.OK || check.Detail == "" || check.Next == "" {
			t.Errorf("the doctor says %+v", check)
		}
		installed(t, c, "wordcount")
		all, err := c.Extensions(t.Context())
		if err != nil || slices.ContainsFunc(all, func(v ExtensionView) bool { return v.ID == "brought" }) || len(all) != 1 {
			t.Errorf("there are %d, %v", len(all), err)
		}
	})
}

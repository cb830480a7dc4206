package deno

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"portico/backend/format/loca"
	"portico/backend/grant"
)

// strange are names that mean something to a URL, a shell, a flag or a text file, and are plain names all the same.
func strange() []string {
	names := []string{
		"a#b", "a%b", "a%2e%2e", "a%23", "a b", " a", "a,b", "a;b", "a&b=c", "a+b", "a@b", "a~", "~", "-a", "--allow-all", "a=b", "$home", "(a)[b]{c}", "a'b", "a!b",
		"é", "é", "ﬀ", "日本語", "😀", "‮evil", "a‍b", "a..b", strings.Repeat("n", 200),
	}
	if runtime.GOOS != "windows" {
		names = append(names, "a?b", "a*b", `a\b`, `a"b`, "a:b", "a|b", "<a>", "a.", "a ", "...", "a\nb", "a\tb", "a\rb", "a\x01b", "c:", "file:", "npm:a", "node:fs", "data:,a")
	}
	return names
}

// Whatever a folder or a module is named, the tool runs, and what runs is that file and no other.
func TestAnExtensionRunsWhateverItsFilesAreNamed(t *testing.T) {
	for _, name := range strange() {
		if name == "a\x01b" || strings.ContainsAny(name, "\n\r\t") { // no module may be named so: a URL drops them
			continue
		}
		exports, err := json.Marshal("./" + name + "/" + name + ".ts")
		if err != nil {
			t.Fatal(err)
		}
		folder := author(t, "", map[string]string{
			"deno.json":               `{"exports":` + string(exports) + `}`,
			name + "/" + name + ".ts": `export const t = () => "the right one";`,
			"a/a.ts":                  `export const t = () => "another";`,
			"a.ts":                    `export const t = () => "another";`,
			name + "/../another/a.ts": `export const t = () => "another";`,
		})
		if name == "c:" || name == "a:b" { // a drive on another system: refused in words
			if _, _, err := loca.New().Load(os.DirFS(folder)); err == nil {
				t.Errorf("%q: it loads", name)
			}
			continue
		}
		if got, err := onStage(t, folder).call("t", `{}`); err != nil || got != `"the right one"` {
			t.Errorf("%q: got %s, %s", name, got, detailed(err))
		}
	}
}

func TestAnExtensionRunsWhereverPorticosDataLies(t *testing.T) {
	for _, name := range strange() {
		if len(name) > 100 {
			name = name[:100]
		}
		data := filepath.Join(t.TempDir(), name)
		folder := author(t, `import { inner } from "inner"; export const t = async () => inner + (await import("./li b#/dyn%61mic.ts".replace("#", "%23").replace("%61", "%2561"))).default + Deno.readTextFileSync("own.txt");`, map[string]string{
			"deno.json": `{"imports":{"inner":"./inner.ts"}}`, "inner.ts": `export const inner = "in";`, "li b#/dyn%61mic.ts": `export default "dyn";`, "own.txt": "own",
		})
		if got, err := onStageWith(t, folder, Options{Data: data}).call("t", `{}`); err != nil || got != `"indynown"` {
			t.Errorf("%q: got %s, %s", name, got, detailed(err))
		}
	}
}

// A path with anything in it grants that path, and nothing beside it.
func TestAStrangePathGrantsItselfAlone(t *testing.T) {
	home := t.TempDir()
	secret := filepath.Join(home, "secret.txt")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	var plain, commas []string // a comma takes another way: a broker instead of flags
	for _, name := range append(strange(), "a,"+secret, "a\n"+secret, "a,/", "a --allow-read=/", "a\n--allow-all", "a,--allow-all", ".,..", "b/../c") {
		if strings.Contains(name, ",") {
			commas = append(commas, name)
		} else {
			plain = append(plain, name)
		}
	}
	for _, names := range [][]string{plain, commas} {
		for _, decision := range []grant.Decision{grant.Allow, grant.Ask} {
			var permissions, accesses, want []string
			for _, name := range names {
				path := filepath.Join(home, name)
				if err := errors.Join(os.MkdirAll(path, 0o700), os.WriteFile(filepath.Join(path, "in.txt"), []byte("inside"), 0o600)); err != nil {
					t.Fatal(err)
				}
				quoted, err := json.Marshal(home + "/" + name)
				if err != nil {
					t.Fatal(err)
				}
				permissions = append(permissions, `{"path":`+string(quoted)+`,"reason":"r"}`)
				accesses, want = append(accesses, "read "+filepath.Join(path, "in.txt")), append(want, "inside")
				if !strings.Contains(name, "/") { // else what lies above may be granted by another
					accesses, want = append(accesses, "read "+path+"/../other.txt"), append(want, "NotCapable")
				}
			}
			accesses = append(accesses, "read "+secret, "read "+filepath.Join(home, "b"), "read /etc/passwd")
			want = append(want, "NotCapable", "NotCapable", "NotCapable")
			s := reachingWith(t, `{"read":[`+strings.Join(permissions, ",")+`]}`)
			if decision == grant.Allow {
				for _, p := range s.ext.Tools[0].Permissions {
					s.person.allow(p.Key())
				}
			}
			s.answers(grant.Allow)
			got, err := s.call("t", accessing(accesses...))
			var went []string
			if err != nil || json.Unmarshal([]byte(got), &went) != nil || len(went) != len(want) {
				t.Fatalf("%s: got %s, %s", decision, got, detailed(err))
			}
			for n := range want {
				if went[n] != want[n] {
					t.Errorf("%s, %q: got %s, want %s", decision, accesses[n], went[n], want[n])
				}
			}
		}
	}
}

// Names that look alike are not the same: what was granted is what was written.
func TestAGrantIsForOneSpellingOfAName(t *testing.T) {
	home := t.TempDir()
	composed, decomposed := "caf\u00e9", "cafe\u0301"
	for _, name := range []string{composed, decomposed} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(fmt.Sprint(len(name))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile(filepath.Join(home, composed)); err != nil || string(data) != "5" {
		return // this file system takes them for one
	}
	s := reachingWith(t, fmt.Sprintf(`{"read":[{"path":%q,"reason":"r"}]}`, filepath.Join(home, composed)))
	s.person.allow("read:" + filepath.Join(home, composed))
	s.goes(`["5","NotCapable"]`, "read "+filepath.Join(home, composed), "read "+filepath.Join(home, decomposed))
}

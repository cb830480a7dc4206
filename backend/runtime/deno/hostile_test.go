package deno

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"portico/backend/extension"
)

const hostile = "../../../testdata/hostile"

func TestImportsThatLeaveTheFolderAreRefusedWithTheirPlace(t *testing.T) {
	for folder, place := range map[string]string{
		"text-import": "index.ts:1", "json-import": "index.ts:1", "code-import": "lib/inner.ts:1", "dynamic-import": "index.ts:2", "import-map": "index.ts:1", "remote-import": "index.ts:1",
	} {
		s := onStage(t, hostile+"/"+folder)
		p := s.fails("steal", `{}`, "extension.import-outside")
		if len(p.Issues) != 1 || p.Issues[0].Place != place || !strings.Contains(p.What, place) {
			t.Errorf("%s: got %+v", folder, p)
		}
		if s.instance.Health() == nil {
			t.Errorf("%s: it is told to be well", folder)
		}
	}
}

func TestImportsThatNobodyCanForeseeAreRefusedWhenTheyAreReached(t *testing.T) {
	for _, folder := range []string{"computed-import", "nested-import"} {
		p := onStage(t, hostile+"/"+folder).fails("steal", `{}`, "call.failed")
		if !strings.Contains(p.What, "Requires read access") {
			t.Errorf("%s: got %q", folder, p.What)
		}
	}
}

func TestALinkInAnExtensionIsRefused(t *testing.T) {
	p := onStage(t, hostile+"/symlink").fails("steal", `{}`, "extension.link")
	if !strings.Contains(p.What, "data.txt") {
		t.Errorf("got %q", p.What)
	}
}

// The attack is real: Deno's flags alone do not hold it.
func TestAStaticImportOfAFileSucceedsUnderFlagsAlone(t *testing.T) {
	binary, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	index, err := filepath.Abs(hostile + "/text-import/index.ts")
	if err != nil {
		t.Fatal(err)
	}
	main := filepath.Join(t.TempDir(), "main.ts")
	if err := os.WriteFile(main, []byte(`import { steal } from "`+fileURL(index)+`"; console.log(steal());`), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, append(append([]string{"run", "--no-prompt"}, moduleFlags...), main)...)
	cmd.Env = environment(t.TempDir(), nil)
	said, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(said, []byte("root:")) {
		t.Errorf("got %v: %s", err, said)
	}
}

func TestTheModuleGraphIsJudgedByWhereItLeads(t *testing.T) {
	const root = "/data/extensions/x"
	dependency := func(specifier, resolved, more string) string {
		return `{"modules":[{"specifier":"file:///data/extensions/x/index.ts","dependencies":[{"specifier":"` + specifier + `","code":{"specifier":"` + resolved + `","span":{"start":{"line":2}}}` + more + `}]}]}`
	}
	for name, c := range map[string]struct {
		graph string
		ok    bool
	}{
		"a sibling":                   {dependency("./a.ts", "file:///data/extensions/x/a.ts", ""), true},
		"a name that needs escaping":  {dependency("./a%20b.ts", "file:///data/extensions/x/a%20b%23.ts", ""), true},
		"Deno's own":                  {dependency("node:fs", "node:fs", ""), true},
		"code in the import itself":   {dependency("data:text/javascript,1", "data:text/javascript,1", ""), true},
		"another's folder":            {dependency("../y/a.ts", "file:///data/extensions/y/a.ts", ""), false},
		"a folder of the same start":  {dependency("../xy/a.ts", "file:///data/extensions/xy/a.ts", ""), false},
		"dots behind an escape":       {dependency("./%2e%2e/y.ts", "file:///data/extensions/x/%2e%2e/y.ts", ""), false},
		"a remote module":             {dependency("https://a.b/c.ts", "https://a.b/c.ts", ""), false},
		"a remote module, when asked": {dependency("npm:a", "npm:a", `,"isDynamic":true`), true},
		"a file outside, when asked":  {dependency("/etc/passwd", "file:///etc/passwd", `,"isDynamic":true`), false},
		"types alone":                 {`{"modules":[{"specifier":"file:///data/extensions/x/index.ts","dependencies":[{"specifier":"npm:t","type":{"specifier":"npm:t"}}]}]}`, true},
		"a module outside of it":      {`{"modules":[{"specifier":"file:///etc/a.ts","dependencies":[{"specifier":"./b.ts","code":{"specifier":"file:///etc/b.ts"}}]}]}`, true},
	} {
		modules, err := readGraph([]byte(c.graph), "X")
		if err == nil {
			err = modules.check(root, "X", false)
		}
		if (err == nil) != c.ok {
			t.Errorf("%s: got %v", name, err)
		}
		if p := extension.AsProblem(err, "", "", ""); err != nil && p.Issues[0].Place != "index.ts:3" {
			t.Errorf("%s: got %+v", name, p.Issues)
		}
	}
	if _, err := readGraph([]byte("no graph"), "X"); err == nil {
		t.Error("nonsense passed")
	}
}

func TestAnImportMapNamesNothingButPlacesInTheFolder(t *testing.T) {
	root := t.TempDir()
	for name, c := range map[string]struct{ config, want string }{
		"none":             {`{}`, ``},
		"imports":          {`{"imports":{"~/":"./lib/","x":"./a b.ts","y":"npm:y@1"}}`, `{"imports":{"x":"URL/a%20b.ts","y":"npm:y@1","y/":"npm:/y@1/","~/":"URL/lib/"},"scopes":{}}`},
		"scopes":           {`{"scopes":{"./lib/":{"x":"./x.ts"}}}`, `{"imports":{},"scopes":{"URL/lib/":{"x":"URL/x.ts"}}}`},
		"comments":         {"// one\n{\"imports\":{\"x\":\"./x.ts\",},}", `{"imports":{"x":"URL/x.ts"},"scopes":{}}`},
		"permissions":      {`{"permissions":{"default":{"all":true}},"unstable":["ffi"]}`, ``},
		"dots lead out":    {`{"imports":{"x":"../../x.ts"}}`, `{"imports":{"x":"OUT/x.ts"},"scopes":{}}`},
		"no such shape":    {`{"imports":[]}`, `problem`},
		"nothing readable": {`{`, `problem`},
	} {
		if err := os.WriteFile(filepath.Join(root, "deno.json"), []byte(c.config), 0o600); err != nil {
			t.Fatal(err)
		}
		var got []byte
		names, err := readImports(root)
		if err == nil {
			got, err = names.importMap()
		}
		text := strings.ReplaceAll(strings.ReplaceAll(string(got), fileURL(root), "URL"), fileURL(filepath.Dir(filepath.Dir(root))), "OUT")
		if err != nil {
			text = "problem"
		}
		if text != c.want {
			t.Errorf("%s: got %s, %v, want %s", name, text, err, c.want)
		}
	}
}

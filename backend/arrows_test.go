package backend_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// arrow is a rule about which package may import which: nothing below from may import anything below to.
type arrow struct {
	from, to string
	except   []string // below to, and allowed
	why      string
}

var forbidden = []arrow{
	{from: "portico/backend", to: "portico/app", why: "the core outlives its windows and knows none"},
	{from: "portico/backend", to: "github.com/wailsapp", why: "the core has no window"},
	{from: "portico/app", to: "github.com/wailsapp", except: []string{"portico/app/window"}, why: "one carrier is Wails, the API is not"},
	{from: "portico/backend/format", to: "portico/backend/runtime", why: "reading a manifest runs nothing"},
	{from: "portico/backend/format", to: "os/exec", why: "reading a manifest starts no process"},
	{from: "portico/backend/format", to: "net/http", why: "reading a manifest reaches no network"},
	{from: "portico/backend/format/loca", to: "portico/backend/format/plugin", why: "formats know nothing of each other"},
	{from: "portico/backend/format/loca", to: "portico/backend/format/miniapp", why: "formats know nothing of each other"},
	{from: "portico/backend/format/loca", to: "portico/backend/format/pointman", why: "formats know nothing of each other"},
	{from: "portico/backend/extension", to: "portico/", why: "the common model depends on nothing of ours"},
	{from: "portico/backend/extension", to: "os", why: "the common model does no I/O"},
	{from: "portico/backend/capability", to: "portico/backend/runtime", why: "runtimes reach capabilities, not the other way"},
	{from: "portico/backend/runtime", to: "portico/backend/agent", why: "an extension's process knows no turns"},
	{from: "portico/backend/runtime", to: "portico/backend/install", why: "running is apart from installing"},
	{from: "portico/backend/install", to: "portico/backend/runtime", why: "installing runs no code"},
	{from: "portico/backend/model", to: "portico/backend/agent", why: "a model client knows no agent"},
	{from: "portico/backend/session", to: "portico/backend/agent", why: "conversations are kept without knowing who holds them"},
	{from: "portico/backend/store", to: "portico/backend/session", why: "the file knows none of its users"},
	{from: "portico/backend/confine", to: "portico/backend/runtime", why: "confinement holds any child"},
	{from: "portico/backend/confine", to: "portico/backend/grant", why: "grants compile into a policy, not the other way"},
}

// below says whether an import path is the root or lies under it; a root that ends in "/" means everything under it.
func below(root, imported string) bool {
	if strings.HasSuffix(root, "/") {
		return strings.HasPrefix(imported, root)
	}
	return imported == root || strings.HasPrefix(imported, root+"/")
}

// broken names the rule that an import breaks, or nothing.
func broken(rules []arrow, importer, imported string) string {
	for _, rule := range rules {
		if !below(rule.from, importer) || !below(rule.to, imported) {
			continue
		}
		allowed := false
		for _, exception := range rule.except {
			allowed = allowed || below(exception, importer) || below(exception, imported)
		}
		if !allowed {
			return rule.why
		}
	}
	return ""
}

func TestImportsFollowTheArrows(t *testing.T) {
	seen := 0
	for _, root := range []string{"backend", "app", "sandbox"} {
		err := filepath.WalkDir(filepath.Join("..", root), func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			source, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.ImportsOnly)
			if err != nil {
				return err
			}
			importer := path.Join("portico", strings.TrimPrefix(filepath.ToSlash(filepath.Dir(file)), "../"))
			for _, spec := range parsed.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					return err
				}
				seen++
				if why := broken(forbidden, importer, imported); why != "" {
					t.Errorf("%s imports %s: %s", file, imported, why)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 100 {
		t.Fatalf("only %d imports were looked at: the test no longer finds the code", seen)
	}
}

func TestAnImportAgainstAnArrowIsSeen(t *testing.T) {
	for _, c := range []struct{ importer, imported string }{
		{"portico/backend/session", "portico/app"},
		{"portico/backend/format/loca", "portico/backend/runtime/deno"},
		{"portico/backend/format/loca", "portico/backend/format/plugin"},
		{"portico/backend/extension", "portico/backend/grant"},
	} {
		if broken(forbidden, c.importer, c.imported) == "" {
			t.Errorf("%s may import %s, and should not", c.importer, c.imported)
		}
	}
	if why := broken(forbidden, "portico/app/window", "github.com/wailsapp/wails/v2"); why != "" {
		t.Errorf("the window may not import Wails: %s", why)
	}
}

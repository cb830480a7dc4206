package extension

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

func TestAProblemSaysWhatWhereAndWhatNext(t *testing.T) {
	p := NewProblem("test.code", "{tool} failed: {error}", "Ask {tool} again.", "tool", "Word count", "error", "no {tool} in {error}, no {place}").At("index.ts:3")
	if want := "index.ts:3: Word count failed: no {tool} in {error}, no {place} Ask Word count again."; p.Error() != want {
		t.Errorf("got %q, want %q", p.Error(), want)
	}
	if bare := NewProblem("test.code", "No.", ""); bare.Error() != "No." || bare.Params != nil {
		t.Errorf("got %q %v", bare.Error(), bare.Params)
	}
}

func TestAProblemKeepsItsCause(t *testing.T) {
	p := NewProblem("test.code", "It is gone.", "").Because(fmt.Errorf("open: %w", fs.ErrNotExist))
	if !errors.Is(p, fs.ErrNotExist) || !strings.HasPrefix(p.Detail, "open: ") {
		t.Errorf("got %v, detail %q", p, p.Detail)
	}
	if wrapped := AsProblem(fmt.Errorf("start: %w", p), "other", "", ""); wrapped != p {
		t.Errorf("a wrapped problem became %+v", wrapped)
	}
	if made := AsProblem(fs.ErrPermission, "other", "What.", "Next."); made.Code != "other" || !errors.Is(made, fs.ErrPermission) {
		t.Errorf("a bare error became %+v", made)
	}
	if AsProblem(nil, "other", "", "") != nil {
		t.Error("no error is a problem")
	}
}

func TestNamesThatStay(t *testing.T) {
	for _, c := range []struct{ id, folder, tool string }{
		{"loca-extension-wordcount", "loca-extension-wordcount", "word_count"},
		{"@you/loca-extension-x", "@you__loca-extension-x", "do_it"},
	} {
		if got := FolderName(c.id); got != c.folder {
			t.Errorf("%s lies in %s, want %s", c.id, got, c.folder)
		}
		id, tool, ok := SplitAddress(Address(c.id, c.tool))
		if !ok || id != c.id || tool != c.tool {
			t.Errorf("%s: its address is read as %q, %q, %v", c.id, id, tool, ok)
		}
	}
	for _, none := range []string{"", "/", "name", "name/", "/tool"} {
		if id, tool, ok := SplitAddress(none); ok {
			t.Errorf("%q is read as %q, %q", none, id, tool)
		}
	}
}

// Data, logs and grants are kept under it: two copies must never share one.
func TestEveryCopyHasAKeyOfItsOwn(t *testing.T) {
	seen := map[string]Ref{}
	for _, ref := range []Ref{
		{Scope: Agent, Format: Loca, ID: "x"}, {Scope: Agent, Format: Plugin, ID: "x"}, {Scope: Agent, Format: Loca, ID: "@x/x"},
		{Scope: Project, Project: "/a", Format: Loca, ID: "x"}, {Scope: Project, Project: "/b", Format: Loca, ID: "x"},
	} {
		key := ref.Key()
		if before, taken := seen[key]; taken || strings.ContainsAny(key, `/\`) {
			t.Errorf("%+v has the key %q, that of %+v", ref, key, before)
		}
		seen[key] = ref
	}
}

func TestAPermissionsKeyIsWhatIsAskedFor(t *testing.T) {
	for want, p := range map[string]Permission{
		"net:example.com:80,443": {Kind: Net, Host: "example.com", Ports: []string{"80", "443"}},
		"read:$home":             {Kind: Read, Path: "$home"},
		"write:$downloads":       {Kind: Write, Path: "$downloads"},
		"run:pandoc":             {Kind: Run, Binary: "pandoc"},
		"env:TOKEN":              {Kind: Env, EnvKey: "TOKEN"},
		"sys:hostname":           {Kind: Sys, Flag: "hostname"},
		"memories:write":         {Kind: Memories, Access: "write"},
		"ffi":                    {Kind: FFI},
		"llm":                    {Kind: LLM},
	} {
		p.Reason = "A reason is no part of it."
		p.Optional = true
		if got := p.Key(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestAToolsTitleIsItsNameInWords(t *testing.T) {
	for name, want := range map[string]string{"word_count": "Word count", "x": "X", "get-it": "Get it", "_": "_", "éditer_texte": "Éditer texte"} {
		if got := (Tool{Name: name}).Title(); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestAToolRunsOnTheSystemsItNames(t *testing.T) {
	here := []string{"linux", "linux_x11"}
	for _, c := range []struct {
		named []string
		want  bool
	}{{nil, true}, {[]string{"linux"}, true}, {[]string{"darwin", "linux_x11"}, true}, {[]string{"linux_wayland"}, false}, {[]string{"windows", "darwin"}, false}} {
		if got := (Tool{Platforms: c.named}).RunsOn(here); got != c.want {
			t.Errorf("%v: got %v", c.named, got)
		}
	}
}

package loca

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"portico/backend/extension"
	"portico/backend/format"
)

// folder makes an extension's files: the manifest, an entry module, and what else is named.
func folder(manifest string, more ...string) fstest.MapFS {
	files := fstest.MapFS{"loca.json": {Data: []byte(manifest)}, "index.ts": {Data: []byte("export {}")}}
	for i := 0; i+1 < len(more); i += 2 {
		files[more[i]] = &fstest.MapFile{Data: []byte(more[i+1])}
	}
	return files
}

// with puts more keys into a manifest that is right in all else.
func with(keys string) string {
	return `{"name":"x","displayName":"X","description":"Does x."` + comma(keys) + `}`
}

func comma(keys string) string {
	if keys == "" {
		return ""
	}
	return "," + keys
}

// tool puts more keys into a tool that is right in all else.
func tool(keys string) string {
	return `{"name":"t","description":"Does t.","parameters":{"type":"object"},"function":"t"` + comma(keys) + `}`
}

func issuesOf(t *testing.T, files fs.FS) (broken, warnings []string) {
	t.Helper()
	_, warned, err := New().Load(files)
	var p *extension.Problem
	if errors.As(err, &p) {
		for _, issue := range p.Issues {
			if !issue.Warning {
				broken = append(broken, issue.String())
			}
		}
	} else if err != nil {
		t.Fatalf("not a Problem: %v", err)
	}
	for _, issue := range warned {
		warnings = append(warnings, issue.String())
	}
	return broken, warnings
}

func TestTheManualsExampleLoads(t *testing.T) {
	ext, warnings, err := New().Load(os.DirFS("../../../testdata/loca/wordcount"))
	if err != nil || len(warnings) > 0 {
		t.Fatalf("got %v %v", err, warnings)
	}
	if ext.ID != "loca-extension-wordcount" || ext.DisplayName != "Word Count" || ext.Entry != "index.ts" || len(ext.Tools) != 1 {
		t.Errorf("got %+v", ext)
	}
	got := ext.Tools[0]
	if got.Name != "word_count" || got.Function != "wordCount" || len(got.Triggers) != 3 || got.Effect != extension.ReadsOnly || got.TimeLimit != callLimit || len(got.Permissions) != 0 {
		t.Errorf("got %+v", got)
	}
}

// brokenRule is a manifest that can't load, and where it is wrong.
type brokenRule struct {
	name     string
	manifest string
	places   []string
}

func brokenRules() []brokenRule {
	permission := func(keys string) string { return with(`"tools":[` + tool(`"permissions":{`+keys+`}`) + `]`) }
	return []brokenRule{
		{"nothing that is required", `{}`, []string{"name", "displayName", "description"}},
		{"empty texts", `{"name":"","displayName":"","description":""}`, []string{"name", "displayName", "description"}},
		{"a list instead of an object", `[]`, []string{"loca.json"}},
		{"unknown keys", with(`"version":"1","icon":"x"`), []string{"version", "icon"}},
		{"wrong types", with(`"license":1,"database":"yes","tools":{},"memories":"x"`), []string{"license", "database", "tools", "memories"}},
		{"addresses that are none", with(`"homepage":"javascript:alert(1)","$schema":"x"`), []string{"homepage", "$schema"}},
		{"an empty address", with(`"homepage":"","$schema":""`), []string{"homepage", "$schema"}},
		{"an address that is no text", with(`"homepage":null`), []string{"homepage"}},
		{"a name that Windows shortens", strings.Replace(with(""), `"x"`, `"x."`, 1), []string{"name"}},
		{"a name that leads out", strings.Replace(with(""), `"x"`, `"../x"`, 1), []string{"name"}},
		{"a name that the lock could not tell apart", strings.Replace(with(""), `"x"`, `"@a__b/c"`, 1), []string{"name"}},
		{"an empty tool", with(`"tools":[{}]`), []string{"tools[0].name", "tools[0].description", "tools[0].function", "tools[0].parameters"}},
		{"a tool that is no object", with(`"tools":["t"]`), []string{"tools[0]"}},
		{"a tool's unknown key", with(`"tools":[` + tool(`"title":"T"`) + `]`), []string{"tools[0].title"}},
		{"a tool's name", with(`"tools":[` + strings.Replace(tool(""), `"t"`, `"a b"`, 1) + `]`), []string{"tools[0].name"}},
		{"one name twice", with(`"tools":[` + tool("") + `,` + tool("") + `]`), []string{"tools[1].name"}},
		{"parameters that are no object", with(`"tools":[` + strings.Replace(tool(""), `{"type":"object"}`, `true`, 1) + `]`), []string{"tools[0].parameters"}},
		{"platforms", with(`"tools":[` + tool(`"platforms":["linux","beos"]`) + `]`), []string{"tools[0].platforms[1]"}},
		{"triggers", with(`"tools":[` + tool(`"triggers":["a",1],"alwaysAvailable":"no"`) + `]`), []string{"tools[0].triggers[1]", "tools[0].alwaysAvailable"}},
		{"a kind of permission that is none", permission(`"disk":[]`), []string{"tools[0].permissions.disk"}},
		{"no reason", permission(`"ffi":[{}]`), []string{"tools[0].permissions.ffi[0].reason"}},
		{"a reason of 501 characters", permission(`"llm":[{"reason":"` + strings.Repeat("é", 501) + `"}]`), []string{"tools[0].permissions.llm[0].reason"}},
		{"ports", permission(`"net":[{"host":"a","ports":[],"reason":"r"},{"host":"b","ports":[0,65536,1.5,"80","*"],"reason":"r"},{"host":"c","reason":"r"}]`),
			[]string{"tools[0].permissions.net[0].ports", "tools[0].permissions.net[1].ports[0]", "tools[0].permissions.net[1].ports[1]", "tools[0].permissions.net[1].ports[2]",
				"tools[0].permissions.net[1].ports[3]", "tools[0].permissions.net[2].ports"}},
		{"hosts", permission(`"net":[{"host":"a,b","ports":[1],"reason":"r"},{"host":"a.*","ports":[1],"reason":"r"},{"host":"*a","ports":[1],"reason":"r"},{"host":"*.","ports":[1],"reason":"r"},{"host":"*.*.a","ports":[1],"reason":"r"}]`),
			[]string{"tools[0].permissions.net[0].host", "tools[0].permissions.net[1].host", "tools[0].permissions.net[2].host", "tools[0].permissions.net[3].host", "tools[0].permissions.net[4].host"}},
		{"variables", permission(`"env":[{"key":"path","reason":"r"}]`), []string{"tools[0].permissions.env[0].key"}},
		{"memories access", permission(`"memories":[{"access":"all","reason":"r"}]`), []string{"tools[0].permissions.memories[0].access"}},
		{"permissions that are no lists", permission(`"read":{"path":"/"},"write":null`), []string{"tools[0].permissions.read", "tools[0].permissions.write"}},
		{"memories that lead out", with(`"memories":[{"kind":"knowledge","path":"/a.md"},{"kind":"knowledge","path":"\\a.md"},{"kind":"skill","path":"C:a"},{"kind":"skill","path":"a/../../b"},{"kind":"skill","path":"a\\..\\b"}]`),
			[]string{"memories[0].path", "memories[1].path", "memories[2].path", "memories[3].path", "memories[4].path"}},
		{"memories' fields", with(`"memories":[{"kind":"song","path":"a.md","x":1}]`), []string{"memories[0].x", "memories[0].kind"}},
	}
}

func TestEveryBrokenRuleIsReportedWithItsPlace(t *testing.T) {
	for _, c := range brokenRules() {
		t.Run(c.name, func(t *testing.T) {
			broken, _ := issuesOf(t, folder(c.manifest))
			var places []string
			for _, line := range broken {
				place, _, _ := strings.Cut(line, ": ")
				places = append(places, place)
			}
			slices.Sort(places)
			slices.Sort(c.places)
			if !slices.Equal(places, c.places) {
				t.Errorf("got  %q\nwant %q", broken, c.places)
			}
		})
	}
}

// everything uses every field there is.
func everything() string {
	return with(`"$schema":"https://example.com/s.json","license":"MIT","homepage":"https://example.com","database":true,
		"memories":[{"kind":"knowledge","path":"memories/a.md"},{"kind":"skill","path":"./memories/s"}],
		"tools":[` + tool(`"triggers":["do t"],"alwaysAvailable":true,"platforms":["darwin","windows","linux","linux_x11","linux_wayland"],"permissions":{
			"net":[{"host":"example.com","ports":[443,"*"],"reason":"r"},{"host":"*.example.com","ports":[8.0e1,443.0],"reason":"r"},{"host":"*","ports":["*"],"reason":"r","optional":true}],
			"read":[{"path":"$home/a,b","reason":"r"}],"write":[{"path":"$downloads","reason":"r"}],"run":[{"binary":"pandoc","reason":"r"}],
			"env":[{"key":"API_KEY","reason":"r"}],"ffi":[{"reason":"r"}],"sys":[{"flag":"hostname","reason":"r"}],
			"memories":[{"access":"write","reason":"r"}],"llm":[{"reason":"r"}],"tts":[{"reason":"r"}],"stt":[{"reason":"r"}]}`) + `]`)
}

func TestWhatIsRightIsNotRefused(t *testing.T) {
	files := folder(everything(), "memories/a.md", "a", "memories/s/SKILL.md", "s")
	ext, warnings, err := New().Load(files)
	if err != nil || len(warnings) > 0 {
		t.Fatalf("got %v %v", err, warnings)
	}
	if got := len(ext.Tools[0].Permissions); got != 13 {
		t.Errorf("got %d permissions, want 13", got)
	}
	var keys []string
	for _, p := range ext.Tools[0].Permissions {
		keys = append(keys, p.Key())
	}
	want := "net:example.com:443,* net:*.example.com:80,443 net:*:* read:$home/a,b write:$downloads run:pandoc env:API_KEY ffi sys:hostname memories:write llm tts stt"
	if strings.Join(keys, " ") != want {
		t.Errorf("got %s", strings.Join(keys, " "))
	}
	if ext.Tools[0].Effect != extension.Mutates || ext.Memories[1].Path != "memories/s" {
		t.Errorf("got %+v", ext)
	}
}

// odd is a manifest that loads with warnings, and where they are.
type odd struct {
	name     string
	files    fstest.MapFS
	warnings []string
}

func oddities() []odd {
	return []odd{
		{"an unknown key in a permission's entry", folder(with(`"tools":[` + tool(`"permissions":{"ffi":[{"reason":"r","path":"/x"}]}`) + `]`)), []string{"tools[0].permissions.ffi[0].path"}},
		{"one permission twice", folder(with(`"tools":[` + tool(`"permissions":{"ffi":[{"reason":"a"},{"reason":"b"}]}`) + `]`)), []string{"tools[0].permissions.ffi[1]"}},
		{"a function that is hardly one", folder(with(`"tools":[` + strings.Replace(tool(""), `"function":"t"`, `"function":"a.b"`, 1) + `]`)), []string{"tools[0].function"}},
		{"a trigger that says nothing", folder(with(`"tools":[` + tool(`"triggers":["a",""," "]`) + `]`)), []string{"tools[0].triggers[1]", "tools[0].triggers[2]"}},
		{"a blank text", folder(strings.Replace(with(""), `"X"`, `" "`, 1)), []string{"displayName"}},
		{"a path from nowhere", folder(with(`"tools":[` + tool(`"permissions":{"read":[{"path":"notes","reason":"a"},{"path":"$nothing/x","reason":"a"},{"path":"$env.","reason":"a"},
			{"path":"/a","reason":"a"},{"path":"C:\\a","reason":"a"},{"path":"\\\\server\\a","reason":"a"},{"path":"$home","reason":"a"},{"path":"$env.APPDATA\\a","reason":"a"}]}`) + `]`)),
			[]string{"tools[0].permissions.read[0].path", "tools[0].permissions.read[1].path", "tools[0].permissions.read[2].path"}},
		{"a memory that is not there", folder(with(`"memories":[{"kind":"knowledge","path":"a.md"}]`)), []string{"memories[0].path"}},
		{"a skill without SKILL.md", folder(with(`"memories":[{"kind":"skill","path":"s"}]`), "s/x.md", "x"), []string{"memories[0].path"}},
		{"a schema that is none", folder(with(`"tools":[` + strings.Replace(tool(""), `{"type":"object"}`, `{"type":"thing"}`, 1) + `]`)), []string{"tools[0].parameters"}},
	}
}

func TestWhatIsOnlyOddIsAWarning(t *testing.T) {
	for _, c := range oddities() {
		t.Run(c.name, func(t *testing.T) {
			broken, warnings := issuesOf(t, c.files)
			var places []string
			for _, line := range warnings {
				place, _, _ := strings.Cut(line, ": ")
				places = append(places, place)
			}
			if len(broken) > 0 || !slices.Equal(places, c.warnings) {
				t.Errorf("got %q %q, want warnings at %q", broken, warnings, c.warnings)
			}
		})
	}
}

func TestAFileThatIsNoJSONNamesItsLine(t *testing.T) {
	deep := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	for _, c := range []struct{ name, manifest, says string }{
		{"a trailing comma", "{\n  \"name\": \"x\",\n}", "line 3"},
		{"cut off", `{"name": "x"`, "ends too early"},
		{"a key twice", `{"name":"a","name":"b"}`, `"name" stands there twice`},
		{"something after it", `{} x`, "line 1"},
		{"another object after it", `{} {}`, "after the closing brace"},
		{"not UTF-8", "{\"name\":\"\xff\"}", "UTF-8"},
		{"empty", "", "ends too early"},
		{"nested without end", `{"a":` + deep + `}`, "nested deeper"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := New().Load(folder(c.manifest))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want something about %q", err, c.says)
			}
		})
	}
	if _, _, err := New().Load(folder("\xef\xbb\xbf" + with(""))); err != nil {
		t.Errorf("a byte order mark is refused: %v", err)
	}
	if _, _, err := New().Load(folder(strings.Repeat(" ", maxManifestBytes) + with(""))); err == nil {
		t.Error("a manifest over the limit was read")
	}
}

func TestTheEntryModule(t *testing.T) {
	withTool := with(`"tools":[` + tool("") + `]`)
	for _, c := range []struct {
		name, entry, broken string
		files               fstest.MapFS
	}{
		{"index.ts where nothing says otherwise", "index.ts", "", folder(withTool)},
		{"deno.json's exports", "src/mod.ts", "", folder(withTool, "deno.json", `{"exports":"./src/mod.ts"}`, "src/mod.ts", "")},
		{"deno.json with comments", "mod.ts", "", folder(withTool, "deno.json", "{ // here\n /* and \n here */ \"exports\": \"./mod.ts\", }", "mod.ts", "")},
		{"the root of an object of exports", "mod.ts", "", folder(withTool, "deno.json", `{"exports":{".":"./mod.ts"}}`, "mod.ts", "")},
		{"package.json's main", "main.js", "", folder(withTool, "package.json", `{"main":"main.js"}`, "main.js", "")},
		{"deno.json before package.json", "a.ts", "", folder(withTool, "deno.json", `{"exports":"./a.ts"}`, "package.json", `{"main":"b.js"}`, "a.ts", "")},
		{"deno.json without exports", "main.js", "", folder(withTool, "deno.json", `{}`, "package.json", `{"main":"main.js"}`, "main.js", "")},
		{"one that leads out", "", "deno.json: exports", folder(withTool, "deno.json", `{"exports":"../x.ts"}`)},
		{"one that is absolute", "", "package.json: main", folder(withTool, "package.json", `{"main":"/etc/x.js"}`)},
		{"one that is not there", "", "deno.json: exports", folder(withTool, "deno.json", `{"exports":"./gone.ts"}`)},
		{"a deno.json that is broken", "", "deno.json", folder(withTool, "deno.json", `{`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			ext, _, err := New().Load(c.files)
			if c.broken == "" {
				if err != nil || ext.Entry != c.entry {
					t.Errorf("got %v, %+v", err, ext)
				}
				return
			}
			broken, _ := issuesOf(t, c.files)
			if len(broken) != 1 || !strings.HasPrefix(broken[0], c.broken+": ") {
				t.Errorf("got %q, want something at %q", broken, c.broken)
			}
		})
	}
}

func TestDetectTakesOneMarker(t *testing.T) {
	formats := []format.Format{New()}
	if _, err := format.Detect(fstest.MapFS{"readme.md": {}}, formats); err == nil || !strings.Contains(err.Error(), "loca.json") {
		t.Errorf("got %v", err)
	}
	if f, err := format.Detect(folder(with("")), formats); err != nil || f.Name() != extension.Loca {
		t.Errorf("got %v %v", f, err)
	}
	if _, err := format.Detect(folder(with("")), []format.Format{New(), New()}); err == nil || !strings.Contains(err.Error(), "several") {
		t.Errorf("got %v", err)
	}
	if _, err := format.Detect(fstest.MapFS{"loca.json/x": {}}, formats); err == nil {
		t.Error("a folder named loca.json was taken for a manifest")
	}
}

func FuzzAManifestIsReadOrRefusedInWords(f *testing.F) {
	for _, seed := range []string{with(""), with(`"tools":[` + tool(`"permissions":{"net":[{"host":"a","ports":["*"],"reason":"r"}]}`) + `]`), `{"tools":[null,[],{}]}`, `{"memories":[{"path":1}]}`, "{", "\xff", `{"a":{"a":[[]]}}`,
		with(`"homepage":"https://a.b","memories":[{"kind":"skill","path":"./a/"}],"tools":[` + tool(`"triggers":["a"],"platforms":["linux"],"permissions":{"env":[{"key":"A","reason":"r","optional":true}],"read":[{"path":"$home","reason":"r"}]}`) + `]`)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, manifest []byte) {
		ext, _, err := New().Load(folder(string(manifest)))
		if err == nil {
			if ext.ID == "" || ext.DisplayName == "" || ext.Description == "" {
				t.Errorf("accepted without what is required: %+v", ext)
			}
			written := written(t, ext)
			again, _, err := New().Load(folder(written))
			if err != nil || !reflect.DeepEqual(again, ext) {
				t.Errorf("written down and read again it is another one: %v\n%s\n%+v\n%+v", err, written, ext, again)
			}
			return
		}
		var p *extension.Problem
		if !errors.As(err, &p) || p.What == "" || p.Next == "" || len(p.Issues) == 0 {
			t.Errorf("refused without words: %v", fmt.Sprint(err))
		}
	})
}

// written puts an extension back into a manifest.
func written(t *testing.T, ext *extension.Extension) string {
	t.Helper()
	type object = map[string]any
	tools := []object{}
	for _, tool := range ext.Tools {
		permissions := map[extension.Kind][]object{}
		for _, p := range tool.Permissions {
			entry := object{"reason": p.Reason, "optional": p.Optional}
			for name, value := range map[string]string{"host": p.Host, "path": p.Path, "binary": p.Binary, "key": p.EnvKey, "flag": p.Flag, "access": p.Access} {
				if value != "" {
					entry[name] = value
				}
			}
			if p.Kind == extension.Net {
				ports := []any{}
				for _, port := range p.Ports {
					if port == "*" {
						ports = append(ports, port)
					} else {
						ports = append(ports, json.Number(port))
					}
				}
				entry["ports"] = ports
			}
			permissions[p.Kind] = append(permissions[p.Kind], entry)
		}
		tools = append(tools, object{"name": tool.Name, "description": tool.Description, "parameters": tool.Schema, "function": tool.Function,
			"triggers": append([]string{}, tool.Triggers...), "alwaysAvailable": tool.AlwaysAvailable, "platforms": append([]string{}, tool.Platforms...), "permissions": permissions})
	}
	manifest := object{"name": ext.ID, "displayName": ext.DisplayName, "description": ext.Description, "license": ext.License, "database": ext.Database, "tools": tools,
		"memories": append([]extension.Memory{}, ext.Memories...)}
	if ext.Homepage != "" {
		manifest["homepage"] = ext.Homepage
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out) // without escapes that the author did not write
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(manifest); err != nil {
		t.Fatalf("%s: %v", ext.ID, err)
	}
	return out.String()
}

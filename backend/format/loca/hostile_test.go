package loca

import (
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

func quoted(t *testing.T, text string) string {
	t.Helper()
	data, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A name becomes a folder, a key of the lock, and a line that a person reads. What could be anything else of these is refused.
func TestANameThatIsMoreThanANameIsRefused(t *testing.T) {
	for _, name := range []string{
		".", "..", "../x", "a/../b", "/x", "x/", "a/b", "@a", "@a/", "@/b", "@a/b/c", "@a/../b", "@../b", "@a/.", "@a/..", `a\b`, `..\x`, "C:x", "~/x", "x..", "x.", ".x", "@a__b/c",
		"a b", " a", "a ", "a#b", "a?b", "a%b", "a%2e%2e%2fb", "a,b", "a\nb", "a\n", "\na", "a\rb", "a\tb", "a\x00b", "a:b", "a;b", "a|b", "a*b", "a\"b", "a'b", "a<b>", "a&b", "a$b", "a=b", "a+b", "a(b)",
		"é", "e\u0301", "ａ", "日本", "😀", "a\u202eb", "a\u200bb", "a\ufeffb", strings.Repeat("n", maxID+1), "@" + strings.Repeat("s", maxID) + "/n",
	} {
		broken, _ := issuesOf(t, folder(strings.Replace(with(""), `"x"`, quoted(t, name), 1)))
		if len(broken) != 1 || !strings.HasPrefix(broken[0], "name: ") {
			t.Errorf("%q: got %q", name, broken)
		}
	}
	for _, name := range []string{"x", "X", "loca-extension-wordcount", "@you/loca-extension-wordcount", "a.b", "a_b", "a__b", "a~b", "-a", strings.Repeat("n", maxID)} {
		if broken, _ := issuesOf(t, folder(strings.Replace(with(""), `"x"`, quoted(t, name), 1))); len(broken) > 0 {
			t.Errorf("%q: got %q", name, broken)
		}
	}
}

func TestAToolsNameThatIsMoreThanANameIsRefused(t *testing.T) {
	for _, name := range []string{"a b", "a/b", "a.b", "..", "a\n", "a\x00", "a,b", "a#b", "a?b", "a%b", "é", "e\u0301", "😀", "a:b", "a\u202eb", strings.Repeat("n", 65)} {
		broken, _ := issuesOf(t, folder(with(`"tools":[`+strings.Replace(tool(""), `"t"`, quoted(t, name), 1)+`]`)))
		if len(broken) != 1 || !strings.HasPrefix(broken[0], "tools[0].name: ") {
			t.Errorf("%q: got %q", name, broken)
		}
	}
}

// Wherever an entry module or a memory is said to be, it is inside of the folder, or refused.
func TestNoPathOfAManifestLeadsOut(t *testing.T) {
	for _, name := range []string{
		"..", "../x.ts", "./../x.ts", "a/../../x.ts", "/x.ts", "//x.ts", `\x.ts`, `\\server\x.ts`, `..\x.ts`, `a\..\..\x.ts`, "C:x.ts", "C:/x.ts", `c:\x.ts`, "./C:/x.ts", "a/../..", "a\x00b.ts", "file:///etc/passwd",
		"https://example.com/x.ts", "data:text/javascript,1", "npm:x", "~/x.ts", "$home/x.ts", "%2e%2e/x.ts", "..%2fx.ts", "a/%2e%2e/%2e%2e/x.ts", "．．/x.ts", "‥/x.ts", "..\u200b/x.ts", ".. /x.ts", ".../x.ts",
	} {
		files := folder(with(`"tools":[`+tool("")+`],"memories":[{"kind":"knowledge","path":`+quoted(t, name)+`}]`), "deno.json", `{"exports":`+quoted(t, name)+`}`)
		ext, _, err := New().Load(files)
		if err != nil {
			continue // refused
		}
		t.Errorf("%q: it loads with the entry %q, which is not there", name, ext.Entry)
	}
	// Names that only look as if they led somewhere are files like others.
	for _, name := range []string{"%2e%2e/x.ts", "~/x.ts", "$home/x.ts", ".../x.ts", "．．/x.ts", "a#b?c.ts", "a b.ts", "npm:x"} {
		files := folder(with(`"tools":[`+tool("")+`]`), "deno.json", `{"exports":`+quoted(t, name)+`}`)
		files[path.Clean(name)] = &fstest.MapFile{Data: []byte("export const t = 1;")}
		ext, _, err := New().Load(files)
		if err != nil || ext.Entry != path.Clean(name) || !fs.ValidPath(ext.Entry) {
			t.Errorf("%q: got %v, %v", name, ext, err)
		}
	}
}

// An entry of the permissions names one thing: no separator of a flag, of a line or of a list makes two of it.
func TestAPermissionsEntryNamesOneThing(t *testing.T) {
	for _, c := range []struct{ kind, field, value string }{
		{"net", `"ports":[443],"host"`, "a.com,b.com"}, {"net", `"ports":[443],"host"`, "a.com\nb.com"}, {"net", `"ports":[443],"host"`, "a.com b.com"}, {"net", `"ports":[443],"host"`, "a.com\x00"}, {"net", `"ports":[443],"host"`, "a.com/b"}, {"net", `"ports":[443],"host"`, "*,a.com"},
		{"run", `"binary"`, "sh\nrm"}, {"run", `"binary"`, "sh\x00"}, {"run", `"binary"`, "sh\rrm"},
		{"env", `"key"`, "A,B"}, {"env", `"key"`, "A\n"}, {"env", `"key"`, "A\nB"}, {"env", `"key"`, "A=B"}, {"env", `"key"`, "A*"}, {"env", `"key"`, "*"}, {"env", `"key"`, "A B"}, {"env", `"key"`, "É"},
		{"sys", `"flag"`, "hostname,uid"}, {"sys", `"flag"`, "hostname\nuid"}, {"sys", `"flag"`, "hostname uid"}, {"sys", `"flag"`, "hostname\x00"},
		{"read", `"path"`, "/a\x00/b"}, {"write", `"path"`, "/a\x00/b"}, {"memories", `"access"`, "read,write"}, {"memories", `"access"`, "write\n"},
	} {
		broken, _ := issuesOf(t, folder(with(`"tools":[`+tool(`"permissions":{"`+c.kind+`":[{`+c.field+`:`+quoted(t, c.value)+`,"reason":"r"}]}`)+`]`)))
		if len(broken) != 1 || !strings.HasPrefix(broken[0], "tools[0].permissions."+c.kind+"[0].") {
			t.Errorf("%s of %q: got %q", c.kind, c.value, broken)
		}
	}
}

package memory

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portico/backend/capability"
)

func TestATitleIsTheNameOfItsFile(t *testing.T) {
	for title, name := range map[string]string{
		"Shopping": "Shopping", "a/b": "a%2Fb", `a\b`: "a%5Cb", "..": "%2E%2E", ".hidden": "%2Ehidden", "dot.": "dot%2E", "what? #1 100%": "what%3F #1 100%",
		"100%25": "100%2525", "a:b*c\"d<e>f|g": "a%3Ab%2Ac%22d%3Ce%3Ef%7Cg", "CON": "%43ON", "nul.txt": "%6Eul.txt", "com1": "%63om1", "com10": "com10",
		"Lpt¹": "%4Cpt¹", "console": "console", "雨の日": "雨の日", "../../etc/passwd": "%2E./../etc/passwd", "C:": "C%3A", "~": "~", "AUX ": "%41UX%20",
	} {
		want := strings.ReplaceAll(name, "/", "%2F")
		if title == ".." { // the first and the last
			want = "%2E%2E"
		}
		if got := nameOf(title); got != want {
			t.Errorf("%q is the file %q, not %q", title, got, want)
		}
		if got := titleOf(nameOf(title)); got != title {
			t.Errorf("%q comes back as %q", title, got)
		}
	}
	for _, name := range []string{"100%", "%zz", "%41", "%2f", "50%25 off", "%2Fx%"} { // a person's own names that look like ours
		title := titleOf(name)
		if nameOf(title) != name && title != name {
			t.Errorf("the file %q has the title %q, which is the file %q", name, title, nameOf(title))
		}
	}
}

func FuzzTitles(f *testing.F) {
	for _, title := range []string{"a", "..", "a%2Fb", "CON.md", " x ", "é", "e\u0301", "\x00", "%", "%%%41"} {
		f.Add(title)
	}
	f.Fuzz(func(t *testing.T, given string) {
		title, err := checkTitle(given)
		if err != nil {
			return
		}
		name := nameOf(title)
		if filepath.Base(name) != name || name == "." || name == ".." || strings.ContainsAny(name, `/\:*?"<>|`) || strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") || reserved(name) {
			t.Errorf("%q is the file %q", title, name)
		}
		if back := titleOf(name); back != title {
			t.Errorf("%q is the file %q, which is %q", title, name, back)
		}
	})
}

func TestNoTitleLeadsOutOfTheFolder(t *testing.T) {
	d := open(t)
	long := strings.Repeat("x", MaxTitleChars)
	titles := []string{"..", "../out", "../../out", `..\out`, "/etc/passwd", "C:\\Windows\\x", "a/b", "NUL", "con.txt", "dots...", "#?%", "%2e%2e", ".removed", "skills", long}
	for _, title := range titles {
		if _, err := d.Service().Write(t.Context(), title, "text of "+title); err != nil {
			t.Errorf("%q: %v", title, err)
		}
		if got := d.text(title); got != "text of "+title {
			t.Errorf("%q holds %q", title, got)
		}
		skill, err := d.Save(t.Context(), Draft{Title: "skill " + title, Kind: capability.Skill, Content: webSkill})
		if err != nil || skill.Problem != nil {
			if title != long {
				t.Errorf("the skill %q: %v %v", title, err, skill.Problem)
			}
		}
	}
	for _, title := range []string{"", " ", "a\nb", "a\tb", "a\x00b", "\u202eabc", "a\u2028b", "\xff", strings.Repeat("x", MaxTitleChars+1), strings.Repeat("雨", 100), strings.Repeat("/", 100)} {
		_, err := d.Service().Write(t.Context(), title, "x")
		refused(t, "memory.bad-title", err)
		_, err = d.Service().Get(t.Context(), title)
		refused(t, "memory.missing", err)
	}
	// All that was written lies in the one folder, one file each.
	entries, err := os.ReadDir(d.file("knowledge"))
	if err != nil || len(entries) != len(titles) {
		t.Fatalf("%d files, %v", len(entries), err)
	}
	above, err := os.ReadDir(filepath.Dir(d.folder))
	if err != nil || len(above) != 1 {
		t.Errorf("beside the folder there are %v, %v", above, err)
	}
	// A new run finds the same titles.
	before := d.items()
	d.start()
	if got := d.items(); !slices.Equal(got, before) {
		t.Errorf("got  %q\nwant %q", got, before)
	}
}

func TestNoNameOfAFileLeadsOutOfItsSkill(t *testing.T) {
	d := open(t)
	d.put("knowledge/secret.md", "secret")
	d.put("skills/web/SKILL.md", webSkill)
	d.put("skills/web/a.md", "a")
	d.put("skills/web/.env", "KEY=1")
	d.put("skills/web/sub/.git/config", "x")
	d.put("skills/other/SKILL.md", webSkill)
	for _, name := range []string{"", ".", "..", "../other/SKILL.md", "../../knowledge/secret.md", "sub/../../other/SKILL.md", "/etc/passwd", `..\other\SKILL.md`, `sub\x`,
		"a.md\x00", "a.md/", "./a.md", "sub//x", ".env", "sub/.git/config", "sub", "nothing", strings.Repeat("x", 300), "a#b", "a?b", "%2e%2e/other/SKILL.md", "\xff"} {
		file, err := d.Service().File(t.Context(), "web", name)
		if got := code(err); got != "memory.no-such-file" && got != "memory.no-file" && got != "memory.unreadable" {
			t.Errorf("%q gives %q, %v", name, file.Content, err)
		}
	}
	if file, err := d.Service().File(t.Context(), "web", "a.md"); err != nil || file.Content != "a" {
		t.Errorf("got %+v, %v", file, err)
	}
	if file, err := d.Service().File(t.Context(), "web", "SKILL.md"); err != nil || file.Content != webSkill {
		t.Errorf("got %+v, %v", file, err)
	}
}

//go:build unix

package memory

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/text/unicode/norm"

	"portico/backend/capability"
)

func TestWhatCannotBeServedIsListedWithItsReason(t *testing.T) {
	d := open(t)
	outside := filepath.Join(t.TempDir(), "outside.md")
	if err := os.WriteFile(outside, []byte("outside"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.put("knowledge/good.md", "good")
	d.put("knowledge/.secret.md", "hidden")
	d.put("knowledge/notes.txt", "no Markdown")
	d.put("knowledge/work/deep.md", "in a folder")
	d.put("knowledge/folder.md/x", "a folder with the ending")
	d.put("knowledge/latin.md", "caf\xe9")
	d.put("knowledge/wide.md", "\xff\xfea\x00b\x00")
	d.put("knowledge/binary.md", "a\x00b")
	d.put("knowledge/large.md", "")
	if err := os.Truncate(d.file("knowledge/large.md"), 1<<30); err != nil { // it takes no room on the disk
		t.Fatal(err)
	}
	d.put("knowledge/locked.md", "locked")
	d.put("knowledge/line\nbreak.md", "two lines")
	d.put("knowledge/\xff.md", "a name that is no text")
	d.put("knowledge/"+strings.Repeat("y", 245)+".md", "a long name")
	d.put("skills/bare/readme.md", "no SKILL.md")
	d.put("skills/loose.md", "a file")
	d.put("skills/odd/SKILL.md/x", "a folder")
	for link, to := range map[string]string{
		"knowledge/out.md": outside, "knowledge/in.md": "good.md", "knowledge/nowhere.md": "nothing", "knowledge/self.md": "self.md", "knowledge/up.md": "..",
		"skills/linked": filepath.Dir(outside), "skills/loop": ".",
	} {
		if err := os.Symlink(to, d.file(link)); err != nil {
			t.Fatal(err)
		}
	}
	d.put("skills/inner/other.md", "x")
	if err := os.Symlink(outside, d.file("skills/inner/SKILL.md")); err != nil {
		t.Fatal(err)
	}
	for _, pipe := range []string{"knowledge/pipe.md", "skills/pipe"} {
		if err := syscall.Mkfifo(d.file(pipe), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(d.file("skills/piped"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(d.file("skills/piped/SKILL.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{
		".secret knowledge memory.hidden", "bare skill memory.no-skill-file", "binary knowledge memory.not-text", "folder knowledge memory.folder-in-knowledge",
		"good knowledge", "in knowledge memory.link", "inner skill memory.link", "large knowledge memory.too-large", "latin knowledge memory.not-text",
		"line break knowledge memory.bad-title", "linked skill memory.file-in-skills", "locked knowledge", "loop skill memory.file-in-skills",
		"loose.md skill memory.file-in-skills", "notes.txt knowledge memory.not-markdown", "nowhere knowledge memory.link", "odd skill memory.no-file",
		"out knowledge memory.link", "pipe skill memory.file-in-skills", "pipe knowledge memory.no-file", "piped skill memory.no-file", "self knowledge memory.link",
		"up knowledge memory.link", "wide knowledge memory.not-text", "work knowledge memory.folder-in-knowledge",
		strings.Repeat("y", MaxTitleChars) + "… knowledge memory.bad-title", "\ufffd knowledge memory.bad-title",
	}
	got := d.items()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := d.served(); !slices.Equal(got, []string{"good", "locked"}) {
		t.Errorf("tools see %q", got)
	}
	for _, title := range []string{"out", "pipe", "large", "linked", "latin", "self", "loop"} {
		if text, err := d.Service().Get(t.Context(), title); err == nil {
			t.Errorf("%q gives %q", title, text.Content)
		}
	}
	// Each has an id of its own, and can be taken away and brought back.
	list, err := d.Store.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, item := range list.Items {
		if ids[item.ID] {
			t.Errorf("two have the id %q", item.ID)
		}
		ids[item.ID] = true
		undo, err := d.Remove(t.Context(), item.ID)
		if err != nil {
			t.Errorf("remove %q: %v", item.ID, err)
			continue
		}
		if _, err := d.Restore(t.Context(), undo); err != nil && code(err) != "memory.bad-title" {
			t.Errorf("restore %q: %v", item.ID, err)
		}
	}
	if got, _ := os.ReadFile(outside); string(got) != "outside" {
		t.Error("the file outside was touched")
	}
	after := d.items()
	slices.Sort(after)
	if !slices.Equal(after, want) {
		t.Errorf("afterwards %q", after)
	}
}

func TestAFileThatBecomesALinkIsNotFollowed(t *testing.T) {
	d := open(t)
	secret := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.put("knowledge/a.md", "a")
	d.put("skills/web/SKILL.md", webSkill)
	d.put("skills/web/sub/x.md", "x")
	d.items()
	if err := os.Remove(d.file("knowledge/a.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, d.file("knowledge/a.md")); err != nil {
		t.Fatal(err)
	}
	_, err := d.Service().Get(t.Context(), "a")
	refused(t, "memory.link", err)
	_, err = d.Service().Write(t.Context(), "a", "overwritten")
	refused(t, "memory.link", err)
	if err := os.RemoveAll(d.file("skills/web/sub")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(secret), d.file("skills/web/sub")); err != nil {
		t.Fatal(err)
	}
	_, err = d.Service().File(t.Context(), "web", "sub/secret.md")
	refused(t, "memory.no-such-file", err)
	if got, _ := os.ReadFile(secret); string(got) != "secret" {
		t.Error("the file outside was written")
	}
}

func TestAFolderThatIsALinkIsNotWrittenInto(t *testing.T) {
	d := open(t)
	elsewhere := t.TempDir()
	if err := os.MkdirAll(d.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, d.file("knowledge")); err != nil {
		t.Fatal(err)
	}
	d.put("skills/web/SKILL.md", webSkill)
	list, err := d.Store.List(t.Context())
	if err != nil || list.Problem == nil || list.Problem.Code != "memory.folder" || len(list.Items) != 1 {
		t.Fatalf("got %+v, %v", list, err)
	}
	_, err = d.Save(t.Context(), Draft{Title: "x", Kind: capability.Knowledge, Content: "x"})
	refused(t, "memory.folder", err)
	if entries, _ := os.ReadDir(elsewhere); len(entries) != 0 {
		t.Errorf("there are %v", entries)
	}
}

func TestTitlesAreTheSameHoweverTheyAreComposed(t *testing.T) {
	d := open(t)
	d.put("knowledge/"+norm.NFD.String("Café")+".md", "decomposed")
	if got := d.text(norm.NFC.String("CAFÉ")); got != "decomposed" {
		t.Errorf("got %q", got)
	}
	if _, err := d.Service().Write(t.Context(), norm.NFC.String("café"), "new"); err != nil {
		t.Fatal(err)
	}
	if got := d.content("knowledge/" + norm.NFD.String("Café") + ".md"); got != "new" {
		t.Errorf("the file holds %q", got)
	}
	d.put("knowledge/"+norm.NFC.String("café")+".md", "composed")
	d.put("skills/CAFÉ/SKILL.md", webSkill)
	d.soon("the clash", func() bool {
		return strings.HasSuffix(strings.Join(d.items(), ","), "memory.same-title") && len(d.items()) == 3
	})
	_, err := d.Service().Get(t.Context(), "café")
	refused(t, "memory.same-title", err)
	_, err = d.Service().Write(t.Context(), "café", "x")
	refused(t, "memory.same-title", err)
	_, err = d.Service().Edit(t.Context(), "café", "new", "x")
	refused(t, "memory.same-title", err)
	for _, id := range []string{"skills/CAFÉ", "knowledge/" + norm.NFC.String("café") + ".md"} { // all but one switched off: that one is meant
		if _, err := d.SetEnabled(t.Context(), id, false); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.text("café"); got != "new" {
		t.Errorf("got %q", got)
	}
}

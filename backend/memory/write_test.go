package memory

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/backend/capability"
)

func text(s string) *string { return &s }

func TestThePersonWritesAMemory(t *testing.T) {
	d := open(t)
	item := d.save(Draft{Title: "  Wi-Fi ", Kind: capability.Knowledge, Content: "Alder."})
	if item.Title != "Wi-Fi" || !item.Enabled || item.ReadOnly || item.Summary != "Alder." || item.Bytes != 6 || item.ID != "knowledge/Wi-Fi.md" {
		t.Errorf("got %+v", item)
	}
	skill := d.save(Draft{Title: "web", Kind: capability.Skill, Content: webSkill})
	if skill.Summary == "" || d.content("skills/web/SKILL.md") != webSkill {
		t.Errorf("got %+v", skill)
	}
	_, err := d.Save(t.Context(), Draft{Title: "WEB", Kind: capability.Knowledge, Content: "x"})
	refused(t, "memory.title-exists", err)
	_, err = d.Save(t.Context(), Draft{Title: "song", Kind: "song", Content: "x"})
	refused(t, "memory.bad-kind", err)
	_, err = d.Save(t.Context(), Draft{ID: item.ID, Title: "Wi-Fi", Kind: capability.Skill, Content: "x"})
	refused(t, "memory.bad-kind", err)
	_, err = d.Save(t.Context(), Draft{ID: "knowledge/../../x.md", Title: "x", Kind: capability.Knowledge, Content: "x"})
	refused(t, "memory.missing", err)
}

func TestTwoWindowsDoNotOverwriteEachOther(t *testing.T) {
	d := open(t)
	item := d.save(Draft{Title: "list", Kind: capability.Knowledge, Content: "milk"})
	first := d.save(Draft{ID: item.ID, Title: "list", Kind: capability.Knowledge, Content: "milk, bread", Before: text("milk")})
	_, err := d.Save(t.Context(), Draft{ID: first.ID, Title: "list", Kind: capability.Knowledge, Content: "milk, eggs", Before: text("milk")})
	refused(t, "memory.changed", err)
	if got := d.content("knowledge/list.md"); got != "milk, bread" {
		t.Errorf("it is %q now", got)
	}
	d.put("knowledge/list.md", "by an editor") // and no event need have arrived
	_, err = d.Save(t.Context(), Draft{ID: first.ID, Title: "list", Kind: capability.Knowledge, Content: "x", Before: text("milk, bread")})
	refused(t, "memory.changed", err)
	if err := os.Remove(d.file("knowledge/list.md")); err != nil {
		t.Fatal(err)
	}
	_, err = d.Save(t.Context(), Draft{ID: first.ID, Title: "list", Kind: capability.Knowledge, Content: "x", Before: text("by an editor")})
	refused(t, "memory.missing", err)
}

func TestANewTitleRenamesTheFileAndKeepsTheSwitch(t *testing.T) {
	d := open(t)
	item := d.save(Draft{Title: "a", Kind: capability.Knowledge, Content: "text"})
	d.save(Draft{Title: "taken", Kind: capability.Knowledge, Content: "other"})
	if _, err := d.SetEnabled(t.Context(), item.ID, false); err != nil {
		t.Fatal(err)
	}
	_, err := d.Save(t.Context(), Draft{ID: item.ID, Title: "Taken", Kind: capability.Knowledge, Content: "text"})
	refused(t, "memory.title-exists", err)
	renamed := d.save(Draft{ID: item.ID, Title: "A/B", Kind: capability.Knowledge, Content: "new", Before: text("text")})
	if renamed.Enabled || renamed.ID != "knowledge/A%2FB.md" || d.content("knowledge/A%2FB.md") != "new" {
		t.Errorf("got %+v", renamed)
	}
	cased := d.save(Draft{ID: renamed.ID, Title: "a/b", Kind: capability.Knowledge, Content: "new"})
	if cased.Title != "a/b" {
		t.Errorf("got %+v", cased)
	}
	d.expect("a/b knowledge off", "taken knowledge")
	again := d.save(Draft{Title: "a", Kind: capability.Knowledge, Content: "another"}) // at the place of the first
	if !again.Enabled {
		t.Error("a new memory is off because one of its name was")
	}
	skill := d.save(Draft{Title: "web", Kind: capability.Skill, Content: webSkill})
	d.put("skills/web/more.md", "more")
	moved := d.save(Draft{ID: skill.ID, Title: "net", Kind: capability.Skill, Content: webSkill})
	if file, err := d.FileOf(t.Context(), moved.ID, "more.md"); err != nil || file != "more" {
		t.Errorf("got %q, %v", file, err)
	}
}

func TestWhatWasRemovedComesBackForADay(t *testing.T) {
	d := open(t)
	note := d.save(Draft{Title: "note", Kind: capability.Knowledge, Content: "text"})
	skill := d.save(Draft{Title: "web", Kind: capability.Skill, Content: webSkill})
	d.put("skills/web/sub/more.md", "more")
	var undos []string
	for _, id := range []string{note.ID, skill.ID} {
		undo, err := d.Remove(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		undos = append(undos, undo)
	}
	d.expect()
	d.start() // also after the app was closed
	for _, undo := range undos {
		if _, err := d.Restore(t.Context(), undo); err != nil {
			t.Fatal(err)
		}
		_, err := d.Restore(t.Context(), undo)
		refused(t, "memory.undo-over", err)
	}
	d.expect("note knowledge", "web skill")
	if d.text("note") != "text" || d.content("skills/web/sub/more.md") != "more" {
		t.Error("what came back is not what was removed")
	}
	undo, err := d.Remove(t.Context(), note.ID)
	if err != nil {
		t.Fatal(err)
	}
	d.save(Draft{Title: "Note", Kind: capability.Knowledge, Content: "newer"})
	_, err = d.Restore(t.Context(), undo)
	refused(t, "memory.title-exists", err)
	if got := d.text("note"); got != "newer" {
		t.Errorf("it is %q", got)
	}
	d.ahead = undoTime - time.Minute
	d.start()
	d.items()
	if left, _ := os.ReadDir(d.file(".removed")); len(left) != 1 {
		t.Errorf("within the day it is gone: %v", left)
	}
	d.ahead = undoTime + time.Minute
	d.start()
	d.items()
	if left, _ := os.ReadDir(d.file(".removed")); len(left) != 0 {
		t.Errorf("after a day there is still %v", left)
	}
	for _, undo := range []string{"", "..", "../knowledge", "1-" + strings.Repeat("A", 26), "1-../../x"} {
		_, err := d.Restore(t.Context(), undo)
		refused(t, "memory.undo-over", err)
	}
	d.expect("Note knowledge", "web skill")
}

func TestAFileThatIsNoTextIsRemovedAndNotOverwritten(t *testing.T) {
	d := open(t)
	d.put("knowledge/photo.md", "\xff\xd8\xff")
	id := d.id("photo")
	_, err := d.Save(t.Context(), Draft{ID: id, Title: "photo", Kind: capability.Knowledge, Content: "x"})
	refused(t, "memory.not-text", err)
	_, err = d.Service().Write(t.Context(), "photo", "x")
	refused(t, "memory.not-text", err)
	undo, err := d.Remove(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	d.expect()
	item, err := d.Restore(t.Context(), undo)
	if err != nil || item.Problem == nil || d.content("knowledge/photo.md") != "\xff\xd8\xff" {
		t.Errorf("got %+v, %v", item, err)
	}
}

func TestAWriteLeavesNothingBesideTheFileAndKeepsItsMode(t *testing.T) {
	d := open(t)
	d.put("knowledge/a.md", "old")
	if err := os.Chmod(d.file("knowledge/a.md"), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Service().Write(t.Context(), "a", "new"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(d.file("knowledge/a.md"))
	if err != nil || info.Mode().Perm()&0o040 == 0 && filepath.Separator == '/' {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	entries, _ := os.ReadDir(d.file("knowledge"))
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"a.md"}) {
		t.Errorf("there are %q", names)
	}
}

package memory

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"portico/backend/capability"
)

// announced waits for a change that is announced.
func (d *desk) announced() {
	d.t.Helper()
	select {
	case <-d.changes:
	case <-time.After(patience):
		d.t.Fatal("no change was announced")
	}
}

// rests drops what was announced until nothing is for a while.
func (d *desk) rests() {
	for {
		select {
		case <-d.changes:
		case <-time.After(3 * quiet):
			return
		}
	}
}

func TestWhatAnotherProgramDoesIsNoticed(t *testing.T) {
	d := open(t)
	d.put("knowledge/a.md", "one")
	d.put("skills/web/SKILL.md", webSkill)
	d.expect("a knowledge", "web skill")
	if list, _ := d.Store.List(t.Context()); !list.Watching || list.Problem != nil {
		t.Fatalf("the folder is not watched: %+v", list)
	}
	sees := func(what string, do func(), so func() bool) {
		t.Helper()
		d.rests()
		do()
		d.announced()
		d.soon(what, so)
	}
	sees("a change in place", func() { d.put("knowledge/a.md", "two") }, func() bool { return d.text("a") == "two" })
	sees("an atomic save", func() {
		d.put("knowledge/.a.md.swp", "three, saved as a whole")
		if err := os.Rename(d.file("knowledge/.a.md.swp"), d.file("knowledge/a.md")); err != nil {
			t.Fatal(err)
		}
	}, func() bool {
		list, _ := d.Service().List(t.Context())
		return list[0].Summary == "three, saved as a whole"
	})
	sees("a new file", func() { d.put("knowledge/b.md", "b") }, func() bool { return len(d.items()) == 3 })
	sees("a file that is gone", func() { os.Remove(d.file("knowledge/b.md")) }, func() bool { return len(d.items()) == 2 })
	sees("a renamed one", func() { os.Rename(d.file("knowledge/a.md"), d.file("knowledge/z.md")) }, func() bool { return slices.Equal(d.served(), []string{"web", "z"}) })
	sees("a new skill", func() { d.put("skills/new/SKILL.md", webSkill) }, func() bool { return slices.Contains(d.served(), "new") })
	sees("a change in the new skill", func() { d.put("skills/new/SKILL.md", "---\nbroken") }, func() bool { return !slices.Contains(d.served(), "new") })
	sees("a folder in a skill", func() { d.put("skills/web/deep/er/x.md", "x") }, func() bool { return true })
	sees("a change in it", func() { d.put("skills/web/deep/er/x.md", "y") }, func() bool { return true })
	sees("a skill that moves in", func() {
		outside := t.TempDir()
		if err := os.MkdirAll(outside+"/moved/sub", 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(outside+"/moved/SKILL.md", []byte(webSkill), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(outside+"/moved", d.file("skills/moved")); err != nil {
			t.Fatal(err)
		}
	}, func() bool { return slices.Contains(d.served(), "moved") })
	sees("a change in its folder", func() { d.put("skills/moved/sub/x.md", "x") }, func() bool { return true })
}

func TestABurstIsAnnouncedAFewTimes(t *testing.T) {
	d := open(t)
	d.items()
	d.rests()
	begin := time.Now()
	for n := range 500 {
		d.put(fmt.Sprintf("knowledge/%d.md", n), "text")
	}
	took := time.Since(begin)
	d.announced()
	d.soon("all of them", func() bool { return len(d.items()) == 500 })
	most := 2 + int(took/quiet) // each announcement needs a rest, or its longest wait
	for announced := 1; ; announced++ {
		select {
		case <-d.changes:
			if announced > most {
				t.Fatalf("500 files were announced more than %d times", most)
			}
			continue
		case <-time.After(3 * quiet):
		}
		break
	}
}

func TestAFolderThatNeverRestsIsStillAnnounced(t *testing.T) {
	d := open(t)
	d.items()
	d.rests()
	stop := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(quiet / 10):
				os.WriteFile(d.file("knowledge/log.md"), fmt.Append(nil, n), 0o600)
			}
		}
	})
	d.announced()
	d.announced()
	close(stop)
	writing.Wait()
}

func TestTheFolderIsDeletedAndMadeAgain(t *testing.T) {
	d := open(t)
	d.put("knowledge/a.md", "a")
	d.put("skills/web/SKILL.md", webSkill)
	d.expect("a knowledge", "web skill")
	d.rests()
	if err := os.RemoveAll(d.folder); err != nil {
		t.Fatal(err)
	}
	d.announced()
	d.soon("the empty list", func() bool { return len(d.items()) == 0 })
	if list, err := d.Store.List(t.Context()); err != nil || list.Problem != nil || !list.Watching {
		t.Errorf("got %+v, %v", list, err)
	}
	d.rests()
	d.put("knowledge/b.md", "b")
	d.announced()
	d.soon("the new file", func() bool { return slices.Equal(d.served(), []string{"b"}) })
	if err := os.RemoveAll(d.folder); err != nil {
		t.Fatal(err)
	}
	d.save(Draft{Title: "c", Kind: capability.Knowledge, Content: "c"})
	d.soon("the saved one", func() bool { return slices.Equal(d.served(), []string{"c"}) })
	// Moved away and put back, it is watched as before.
	if err := os.Rename(d.folder, d.folder+"-aside"); err != nil {
		t.Fatal(err)
	}
	d.soon("the empty list", func() bool { return len(d.items()) == 0 })
	if err := os.RemoveAll(d.folder); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(d.folder+"-aside", d.folder); err != nil {
		t.Fatal(err)
	}
	d.soon("what was put back", func() bool { return slices.Equal(d.served(), []string{"c"}) })
	d.rests()
	d.put("knowledge/d.md", "d")
	d.announced()
	d.soon("a file after that", func() bool { return slices.Equal(d.served(), []string{"c", "d"}) })
}

func TestAFileInTheFoldersPlaceIsSaid(t *testing.T) {
	d := open(t)
	if err := os.WriteFile(d.folder, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := d.Store.List(t.Context())
	if err != nil || code(list.Problem) != "memory.folder" || len(list.Items) != 0 {
		t.Errorf("got %+v, %v", list, err)
	}
	_, err = d.Service().Write(t.Context(), "a", "a")
	refused(t, "memory.folder", err)
	if err := os.Remove(d.folder); err != nil {
		t.Fatal(err)
	}
	d.save(Draft{Title: "a", Kind: capability.Knowledge, Content: "a"})
	d.expect("a knowledge")
}

func TestWithoutWatchesTheFolderIsLookedAtWithEachUse(t *testing.T) {
	for name, limit := range map[string]func(*Store){
		"the system has no watcher left": func(s *Store) {
			s.newWatcher = func() (*fsnotify.Watcher, error) { return nil, errors.New("too many open files") }
		},
		"too many folders": func(s *Store) { s.watchLimit = 4 },
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			limit(d.Store)
			for _, skill := range []string{"a", "b", "c"} {
				d.put("skills/"+skill+"/SKILL.md", webSkill)
			}
			d.expect("a skill", "b skill", "c skill")
			list, err := d.Store.List(t.Context())
			if err != nil || list.Watching || code(list.Problem) != "memory.unwatched" {
				t.Fatalf("got %+v, %v", list, err)
			}
			// At once, with nothing to wait for.
			d.put("knowledge/x.md", "x")
			d.put("skills/a/SKILL.md", "---\nbroken")
			d.expect("a skill memory.front-matter", "b skill", "c skill", "x knowledge")
			if found, err := d.Relevant(t.Context(), "tell me x", 3); err != nil || len(found) != 1 {
				t.Errorf("got %v, %v", found, err)
			}
		})
	}
}

func TestAClosedStoreAnswersInWords(t *testing.T) {
	d := open(t)
	d.items()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := d.Store.List(t.Context())
	refused(t, "memory.closed", err)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	never := New(Options{Folder: t.TempDir()})
	if err := never.Close(); err != nil {
		t.Error(err)
	}
}

func TestNothingIsReadBeforeTheFirstUse(t *testing.T) {
	d := open(t)
	if _, err := os.Stat(d.folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is there before it was used: %v", err)
	}
}

func TestManyUseOneStore(t *testing.T) {
	d := open(t)
	var all sync.WaitGroup
	for n := range 8 {
		title := fmt.Sprintf("note %d", n)
		all.Go(func() {
			for m := range 10 {
				if _, err := d.Service().Write(t.Context(), title, fmt.Sprintf("text %d", m)); err != nil {
					t.Error(err)
				}
				if _, err := d.Relevant(t.Context(), title, 3); err != nil {
					t.Error(err)
				}
				if _, err := d.Service().Edit(t.Context(), title, "text", "Text"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := d.items(); len(got) != 8 {
		t.Errorf("got %q", got)
	}
	for n := range 8 {
		if got := d.text(fmt.Sprintf("note %d", n)); got != "Text 9" {
			t.Errorf("note %d holds %q", n, got)
		}
	}
	if n := d.index.live; n != 8 {
		t.Errorf("the index holds %d", n)
	}
}

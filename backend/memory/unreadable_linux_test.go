package memory

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"portico/backend/capability"
)

// nobody is the user of no rights that every Linux has.
const nobody = 65534

// asOrdinaryUser does something with the rights of a person who is not root, to whom the folder is given: root reads
// everything, and tests in a container mostly run as root. The rights are this thread's alone.
func (d *desk) asOrdinaryUser(do func()) {
	d.t.Helper()
	if os.Getuid() != 0 {
		do()
		return
	}
	err := filepath.WalkDir(d.folder, func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(name, nobody, nobody)
	})
	for _, above := range []string{filepath.Dir(d.folder), filepath.Dir(filepath.Dir(d.folder))} { // the test's own
		err = errors.Join(err, os.Chmod(above, 0o755))
	}
	if err != nil {
		d.t.Fatal(err)
	}
	runtime.LockOSThread()
	if _, err := unix.SetfsuidRetUid(nobody); err != nil {
		d.t.Fatal(err)
	}
	defer func() {
		if _, err := unix.SetfsuidRetUid(0); err != nil {
			d.t.Fatal(err) // the thread stays locked, and ends with the test
		}
		runtime.UnlockOSThread()
	}()
	do()
}

func (d *desk) mode(name string, mode fs.FileMode) {
	d.t.Helper()
	if err := os.Chmod(d.file(name), mode); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { os.Chmod(d.file(name), 0o700) })
}

func TestWhatMayNotBeReadIsListedAndTheRestIsServed(t *testing.T) {
	d := open(t)
	d.put("knowledge/locked.md", "locked")
	d.put("knowledge/good.md", "good")
	d.put("skills/shut/SKILL.md", webSkill)
	d.put("skills/web/SKILL.md", webSkill)
	d.put("skills/web/key.md", "key")
	for _, name := range []string{"knowledge/locked.md", "skills/shut", "skills/web/key.md"} {
		d.mode(name, 0)
	}
	d.asOrdinaryUser(func() {
		d.expect("good knowledge", "locked knowledge memory.unreadable", "shut skill memory.unreadable", "web skill")
		_, err := d.Service().File(t.Context(), "web", "key.md")
		refused(t, "memory.unreadable", err)
		if list, _ := d.Store.List(t.Context()); !list.Watching {
			t.Error("for one folder that may not be read, none is watched")
		}
		_, err = d.Save(t.Context(), Draft{ID: "knowledge/locked.md", Title: "locked", Kind: capability.Knowledge, Content: "x"})
		refused(t, "memory.unreadable", err)
		d.mode("skills/shut", 0o700)
		d.soon("the skill", func() bool { return slices.Contains(d.served(), "shut") })
	})
}

func TestAFolderThatMayNotBeReadOrWrittenIsSaid(t *testing.T) {
	d := open(t)
	d.put("knowledge/a.md", "a")
	d.put("skills/web/SKILL.md", webSkill)
	d.mode("knowledge", 0)
	d.asOrdinaryUser(func() {
		d.expect("web skill")
		list, err := d.Store.List(t.Context())
		if err != nil || code(list.Problem) != "memory.folder" {
			t.Errorf("got %+v, %v", list, err)
		}
		d.mode("knowledge", 0o700)
		d.expect("a knowledge", "web skill")
	})
	d.start()
	d.mode("knowledge", 0o500)
	d.asOrdinaryUser(func() {
		d.expect("a knowledge", "web skill")
		_, err := d.Service().Write(t.Context(), "b", "b")
		refused(t, "memory.unwritable", err)
		_, err = d.Service().Write(t.Context(), "a", "b")
		refused(t, "memory.unwritable", err)
		_, err = d.Remove(t.Context(), d.id("a"))
		refused(t, "memory.unwritable", err)
		if got := d.text("a"); got != "a" {
			t.Errorf("it is %q now", got)
		}
	})
}

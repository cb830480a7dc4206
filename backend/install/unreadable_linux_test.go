package install

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"portico/backend/extension"
)

// nobody is the user of no rights that every Linux has.
const nobody = 65534

// asOrdinaryUser does something with the rights of a person who is not root: root reads everything, and tests in a
// container mostly run as root. The rights are this thread's alone.
func asOrdinaryUser(t *testing.T, do func()) {
	t.Helper()
	if os.Getuid() != 0 {
		do()
		return
	}
	runtime.LockOSThread()
	if _, err := unix.SetfsuidRetUid(nobody); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := unix.SetfsuidRetUid(0); err != nil {
			t.Fatal(err) // the thread stays locked, and ends with the test
		}
		runtime.UnlockOSThread()
	}()
	do()
}

func TestWhatMayNotBeReadIsToldWithItsPlace(t *testing.T) {
	for _, c := range []struct {
		closed     string // what may not be read, relative to the source
		code, says string
	}{
		{".", "install.unreadable", "from can't be read: reading it is not allowed"},
		{"loca.json", "loca.unreadable", "loca.json can't be read: reading it is not allowed"},
		{"lib", "install.unreadable-file", "lib can't be read: reading it is not allowed"},
		{"lib/deep/a.ts", "install.unreadable-file", "lib/deep/a.ts can't be read: reading it is not allowed"},
	} {
		t.Run(c.closed, func(t *testing.T) {
			in, from := fixture(t)
			closed := filepath.Join(from, filepath.FromSlash(c.closed))
			before, err := os.Stat(closed)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(closed, 0); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(closed, before.Mode()) })
			if err := os.Chmod(filepath.Dir(filepath.Dir(from)), 0o755); err != nil { // the testing package's own is closed to others
				t.Fatal(err)
			}
			for _, folder := range []string{in.options.Data, filepath.Join(in.options.Data, "extensions")} { // the ordinary user's
				if err := errors.Join(os.Mkdir(folder, 0o777), os.Chmod(folder, 0o777)); err != nil {
					t.Fatal(err)
				}
			}
			asOrdinaryUser(t, func() {
				_, reviewErr := in.Review(t.Context(), from, extension.Agent, "")
				_, installErr := in.Install(t.Context(), from, extension.Agent, "", "", quiet)
				for name, err := range map[string]error{"the review": reviewErr, "the install": installErr} {
					if code(err) != c.code || !strings.Contains(err.Error(), c.says) {
						t.Errorf("%s says %v, want %s about %q", name, err, c.code, c.says)
					}
				}
			})
			if left := leftBehind(t, in); left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// Package planted installs the extension that comes inside the program, with no network, at the first start. It goes through
// the same install as any other; before that its signature and every file of it are checked. It promises that of several
// processes that start at once one installs, that a newer version replaces an older one and never the other way round, and
// that what the person removed, or replaced by a copy of their own, stays so. A process that is killed in between leaves
// nothing that the next start would not put right.
package planted

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/Masterminds/semver/v3"
	"github.com/gofrs/flock"

	"portico/backend/extension"
	"portico/backend/install"
	"portico/sandbox"
)

// Source is where the lock says that a planted extension came from.
const Source = "Portico itself"

const (
	// turnFile is held in the data folder by the process that plants.
	turnFile = ".planting.lock"
	// folderName is where the checked files are laid out for the install, in the cache folder.
	folderName = "planting"
	// turnLimit is how long one waits for another process to plant: that takes a second on a slow disk.
	turnLimit = 20 * time.Second
)

// Archive is an extension as it is shipped.
type Archive struct {
	Files  fs.FS
	Signed []byte            // what Sign gave, as JSON
	Key    ed25519.PublicKey // of who must have signed it
}

// BuiltIn is the archive that is embedded into this program.
func BuiltIn() Archive {
	files, signed := sandbox.BuiltIn()
	return Archive{Files: files, Signed: signed, Key: makersKey()}
}

// Garden is where an archive is planted.
type Garden struct {
	Data, Cache string
	Installer   *install.Installer
	// Last gives the version that was planted last, empty before the first; Remember keeps it. What was removed is known by it:
	// planted once, and not there.
	Last     func(ctx context.Context) (string, error)
	Remember func(ctx context.Context, version string) error
}

// Plant installs the archive where it was never planted, or an older version of it is there.
func (g Garden) Plant(ctx context.Context, archive Archive) error {
	return g.plant(ctx, archive, false)
}

// Restore installs it again whatever became of it: the person asked for it. Only a newer one stays.
func (g Garden) Restore(ctx context.Context, archive Archive) error {
	return g.plant(ctx, archive, true)
}

func (g Garden) plant(ctx context.Context, archive Archive, asked bool) error {
	signed, err := ReadSigned(archive.Signed)
	if err != nil {
		return untrusted(err)
	}
	last, err := g.Last(ctx)
	if err != nil {
		return err
	}
	if last == signed.Version && !asked {
		return nil // at nearly every start: nothing else is read
	}
	done, err := g.turn(ctx)
	if err != nil {
		return err
	}
	defer done()
	last, err = g.Last(ctx) // again: another process may have planted while we waited
	if err != nil || last == signed.Version && !asked {
		return err
	}
	have, err := g.installed(ctx, signed.ID)
	if err != nil {
		return err
	}
	switch decide(signed.Version, last, have, asked) {
	case leave:
		return nil
	case refuse:
		return extension.NewProblem("planted.older", "A newer version of {extension} is installed than this Portico brings.", "Update Portico, or remove the extension first.", "extension", have.DisplayName)
	case plant:
		if err := g.install(ctx, archive, signed); err != nil {
			return err
		}
	}
	// After the install: one that is killed between the two finds the extension installed at the next start, and remembers then.
	return g.Remember(ctx, signed.Version)
}

// step is what there is to do about an archive.
type step int

const (
	leave  step = iota // nothing
	note               // remember that it was seen
	plant              // install, and remember
	refuse             // say that it is older than what is there
)

// decide compares an archive's version with what was planted last and with the copy of that id that is there, if any.
func decide(version, last string, have *extension.Copy, asked bool) step {
	switch {
	case have == nil && (last == "" || asked):
		return plant
	case have == nil, have.Source != Source: // removed, or the person's own copy
		if asked {
			return plant
		}
		if newer(version, last) {
			return note
		}
		return leave
	}
	installed := have.Version
	if have.Problem != nil {
		installed = last // files that changed may say anything
	}
	switch {
	case newer(version, installed):
		return plant
	case newer(installed, version) && asked:
		return refuse
	case newer(installed, version):
		return leave
	case asked:
		return plant
	}
	return note
}

// newer says whether a version comes after another; any comes after none.
func newer(version, than string) bool {
	a, err := semver.NewVersion(version)
	if err != nil {
		return false
	}
	b, err := semver.NewVersion(than)
	return err != nil || a.GreaterThan(b)
}

// turn waits until no other process plants into the same data folder.
func (g Garden) turn(ctx context.Context) (func(), error) {
	lock := flock.New(filepath.Join(g.Data, turnFile))
	waiting, cancel := context.WithTimeout(ctx, turnLimit)
	defer cancel()
	ok, err := lock.TryLockContext(waiting, 10*time.Millisecond)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && waiting.Err() == nil:
		return nil, fmt.Errorf("wait to install what Portico brings: %w", err)
	case err != nil || !ok:
		return nil, extension.NewProblem("install.busy", "Another Portico is installing into the same place.", "Wait until it is done, and try again.").Because(err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// installed gives the agent's copy of that id; nil when there is none.
func (g Garden) installed(ctx context.Context, id string) (*extension.Copy, error) {
	copies, err := g.Installer.List(ctx)
	if err != nil {
		return nil, err
	}
	for i := range copies {
		if copies[i].ID == id {
			return &copies[i], nil
		}
	}
	return nil, nil
}

// install lays the signed files out and installs them. Nothing is written before every one of them was checked.
func (g Garden) install(ctx context.Context, archive Archive, signed Signed) (err error) {
	files, err := signed.Verify(archive.Files, archive.Key)
	if err != nil {
		return untrusted(err)
	}
	folder := filepath.Join(g.Cache, folderName)
	if err := os.RemoveAll(folder); err != nil { // of a process that was killed
		return unusable(folder, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	for name, data := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
			return unusable(folder, err)
		}
	}
	copied, err := g.Installer.Plant(ctx, folder, Source)
	if err != nil {
		return err
	}
	return g.Installer.Tidy(ctx, copied.Ref())
}

func untrusted(err error) error {
	return extension.NewProblem("planted.untrusted", "The extension that comes with Portico is not as its makers signed it, so it was not installed.", "Install Portico again from where its makers publish it.").Because(err)
}

func unusable(folder string, err error) error {
	return extension.NewProblem("planted.unwritable", "The extension that comes with Portico can't be laid out in {folder}.", "Make that folder writable, and start Portico again.", "folder", folder).Because(err)
}

// Package vault keeps secrets. Each is a file of its own, of any size, encrypted with age to one key; the system's keyring
// holds that key and nothing else, because keyrings take two or three kilobytes (architecture.md, Measured). Where there is
// no keyring, or it doesn't answer, a passphrase takes its place. Names are readable while the vault is closed, values never.
//
// A value is on the disk when Set returns; a crash leaves the old one or the new one. Several processes may share a folder.
// What can't be decrypted is never overwritten and never deleted. No error of this package holds a value, a key or a
// passphrase. What names mean is left to others.
package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"filippo.io/age"
	"github.com/gofrs/flock"

	"portico/backend/extension"
)

// Limits.
const (
	// KeyringWait is how long a keyring may take: one that hangs must block nothing (reports.md, goose #879 and others).
	KeyringWait = 3 * time.Second
	// slowRest is how long one that took longer is left alone.
	slowRest = time.Minute
	// turnWait is how long another process may write: it waits for the keyring at most twice, and for a passphrase.
	turnWait = 4 * KeyringWait

	maxNameBytes       = 1 << 10
	minPassphraseChars = 8
	maxPassphraseBytes = 1 << 10
	defaultWorkFactor  = 18 // of scrypt: a second on the machine that asks, as age itself has it
)

// State says whether values can be reached.
type State string

const (
	Ready      State = "ready"      // they can, or can be written at once
	Locked     State = "locked"     // the keyring is locked
	Missing    State = "missing"    // there is no keyring
	Slow       State = "slow"       // there is one that doesn't answer
	Passphrase State = "passphrase" // the passphrase is asked for
	Broken     State = "broken"     // the key is gone, or is not the right one
)

// Item is one secret, without its value.
type Item struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"` // of the value
}

// Status is what can be said without a value.
type Status struct {
	State         State              `json:"state"`
	Words         *extension.Problem `json:"words,omitempty"` // why it is not ready
	HasPassphrase bool               `json:"hasPassphrase"`   // the key is kept by a passphrase, not by the keyring
	Items         []Item             `json:"items"`           // by name
	Damaged       []string           `json:"damaged"`         // files that hold no item, or none that can be read
}

// Options are where a vault is and what it stands on.
type Options struct {
	Folder     string        // of its own; made when first written
	Wait       time.Duration // for the keyring; 0: KeyringWait
	WorkFactor int           // of scrypt, its logarithm; 0: defaultWorkFactor
	Changed    func()        // called when the state or the items changed; from any goroutine; nil: nobody listens
}

// Vault is one process's way to the folder. It is safe for concurrent use.
type Vault struct {
	options Options
	keyring *patient

	mu       sync.Mutex
	identity *age.X25519Identity // once it is known; for the lifetime of the process
}

// Open makes a vault. It touches neither disk nor keyring.
func Open(options Options) *Vault {
	if options.Wait == 0 {
		options.Wait = KeyringWait
	}
	if options.WorkFactor == 0 {
		options.WorkFactor = defaultWorkFactor
	}
	if options.Changed == nil {
		options.Changed = func() {}
	}
	v := &Vault{options: options}
	v.keyring = &patient{wait: options.Wait, late: options.Changed}
	return v
}

// Get gives a value. None of that name is no error, and needs no key.
func (v *Vault) Get(ctx context.Context, name string) (value string, found bool, err error) {
	seal, err := v.seal()
	if err != nil || seal == nil {
		return "", false, err
	}
	file := v.itemFile(seal, name)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, unreadable(file, err)
	}
	identity, err := v.open(ctx, seal, asked)
	if err != nil {
		return "", false, err
	}
	value, err = readItem(data, name, identity)
	if err != nil {
		return "", false, damaged(name, file, err)
	}
	return value, true, nil
}

// Has says whether there is a value of that name. It needs no key.
func (v *Vault) Has(name string) (bool, error) {
	seal, err := v.seal()
	if err != nil || seal == nil {
		return false, err
	}
	_, err = os.Stat(v.itemFile(seal, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, unreadable(v.itemFile(seal, name), err)
	}
	return err == nil, nil
}

// Set keeps a value. The first one makes the key.
func (v *Vault) Set(ctx context.Context, name, value string) error {
	if err := checkName(name); err != nil {
		return err
	}
	err := v.inTurn(ctx, func() error {
		seal, identity, err := v.openOrMake(ctx)
		if err != nil {
			return err
		}
		file := v.itemFile(seal, name)
		if before, err := os.ReadFile(file); err == nil {
			if _, err := readItem(before, name, identity); err != nil {
				return damaged(name, file, err)
			}
		} else if !errors.Is(err, fs.ErrNotExist) {
			return unreadable(file, err)
		}
		return v.writeItem(file, name, value, identity)
	})
	if err == nil {
		v.options.Changed()
	}
	return err
}

// Remove takes an item away. One that can't be decrypted is moved aside instead; without the key nothing is removed, since
// nobody could tell. An item that is not there is no error.
func (v *Vault) Remove(ctx context.Context, name string) error {
	err := v.inTurn(ctx, func() error {
		seal, err := v.seal()
		if err != nil || seal == nil {
			return err
		}
		file := v.itemFile(seal, name)
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return unreadable(file, err)
		}
		identity, err := v.open(ctx, seal, asked)
		if err != nil {
			return err
		}
		if _, err := readItem(data, name, identity); err != nil {
			return v.setAside(file)
		}
		if err := os.Remove(file); err != nil {
			return unwritable(file, err)
		}
		return nil
	})
	if err == nil {
		v.options.Changed()
	}
	return err
}

// Status says how the vault is. It shows no dialog of the system's, and takes no longer than a keyring may take.
func (v *Vault) Status(ctx context.Context) (Status, error) {
	s := Status{State: Ready, Items: []Item{}, Damaged: []string{}}
	seal, err := v.seal()
	if err == nil && seal != nil {
		s.HasPassphrase = seal.KeptIn == inPassphrase
		if s.Items, s.Damaged, err = v.list(seal); err != nil {
			return s, err
		}
		_, err = v.open(ctx, seal, quietly)
	} else if err == nil {
		err = v.keyring.look(ctx)
	}
	if err == nil || ctx.Err() != nil {
		return s, ctx.Err()
	}
	s.Words = extension.AsProblem(err, "vault.unreadable", "The vault can't be read.", "")
	s.State = stateOf(s.Words)
	return s, nil
}

// stateOf reads the state off the Problem that stands in the way.
func stateOf(p *extension.Problem) State {
	switch p.Code {
	case "vault.locked", "vault.dismissed":
		return Locked
	case "vault.no-keyring":
		return Missing
	case "vault.slow":
		return Slow
	case "vault.passphrase":
		return Passphrase
	}
	return Broken
}

// Retry asks the keyring again, and lets the system show its dialog.
func (v *Vault) Retry(ctx context.Context) error {
	v.keyring.again()
	seal, err := v.seal()
	if err != nil {
		return err
	}
	if seal == nil {
		err = v.keyring.unlock(ctx)
	} else {
		_, err = v.open(ctx, seal, asked)
	}
	v.options.Changed()
	return err
}

// Unlock opens a vault that a passphrase keeps, for as long as the process lives.
func (v *Vault) Unlock(ctx context.Context, passphrase string) error {
	seal, err := v.seal()
	if err != nil {
		return err
	}
	if seal == nil || seal.KeptIn != inPassphrase {
		return extension.NewProblem("vault.no-passphrase", "This vault has no passphrase: the system's keyring keeps its key.", "")
	}
	identity, err := seal.unwrap(passphrase)
	if err != nil {
		return err
	}
	v.remember(identity)
	v.options.Changed()
	return nil
}

// SetPassphrase lets a passphrase keep the key, new or in place of the keyring or of another passphrase. A key in a keyring
// that can't be reached stays there: that is the keyring's Problem.
func (v *Vault) SetPassphrase(ctx context.Context, passphrase string) error {
	if err := checkPassphrase(passphrase); err != nil {
		return err
	}
	err := v.inTurn(ctx, func() error {
		seal, err := v.seal()
		if err != nil {
			return err
		}
		if seal == nil {
			_, _, err := v.make(passphrase)
			return err
		}
		identity, err := v.open(ctx, seal, asked)
		if err != nil && seal.KeptIn == inKeyring && ctx.Err() == nil {
			return extension.NewProblem("vault.out-of-reach", "What is in the vault was encrypted with a key that only the system's keyring has, and it can't be reached.",
				"Make the keyring work and try again, or start a new vault; the files of this one are kept.").Because(err)
		}
		if err != nil {
			return err
		}
		wasInKeyring := seal.KeptIn == inKeyring
		changed := *seal
		if err := changed.wrap(identity, passphrase, v.options.WorkFactor); err != nil {
			return err
		}
		if err := v.writeSeal(&changed); err != nil {
			return err
		}
		if wasInKeyring {
			return v.keyring.remove(ctx, seal.ID)
		}
		return nil
	})
	v.options.Changed()
	return err
}

// UseKeyring moves the key from the passphrase back to the keyring.
func (v *Vault) UseKeyring(ctx context.Context) error {
	v.keyring.again()
	err := v.inTurn(ctx, func() error {
		seal, err := v.seal()
		if err != nil || seal == nil || seal.KeptIn == inKeyring {
			return err
		}
		identity, err := v.open(ctx, seal, asked)
		if err != nil {
			return err
		}
		if err := v.keyring.keep(ctx, seal.ID, identity.String()); err != nil {
			return err
		}
		changed := *seal
		changed.KeptIn, changed.Wrapped = inKeyring, ""
		return v.writeSeal(&changed)
	})
	v.options.Changed()
	return err
}

// StartAnew begins an empty vault with a new key, kept by the passphrase, or by the keyring if that is empty. What was
// there stays where it is; kept is the file that still says how it is opened, empty if there was nothing.
func (v *Vault) StartAnew(ctx context.Context, passphrase string) (kept string, err error) {
	if passphrase != "" {
		if err := checkPassphrase(passphrase); err != nil {
			return "", err
		}
	}
	v.keyring.again()
	err = v.inTurn(ctx, func() error {
		if kept, err = v.keepSeal(); err != nil {
			return err
		}
		if passphrase != "" {
			_, _, err = v.make(passphrase)
		} else {
			_, _, err = v.makeInKeyring(ctx)
		}
		return err
	})
	v.options.Changed()
	return kept, err
}

func (v *Vault) remember(identity *age.X25519Identity) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.identity = identity
}

// known gives the identity of a seal if this process has it.
func (v *Vault) known(seal *seal) *age.X25519Identity {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.identity != nil && v.identity.Recipient().String() == seal.Recipient {
		return v.identity
	}
	return nil
}

// manner says whether the keyring may show a dialog.
type manner int

const (
	quietly manner = iota
	asked          // the person does something that needs a value
)

// open gives the key of a seal.
func (v *Vault) open(ctx context.Context, seal *seal, how manner) (*age.X25519Identity, error) {
	if identity := v.known(seal); identity != nil {
		return identity, nil
	}
	if seal.KeptIn == inPassphrase {
		return nil, extension.NewProblem("vault.passphrase", "The vault is closed.", "Type its passphrase in Settings › Vault.")
	}
	text, err := v.keyring.key(ctx, seal.ID, how)
	if err != nil {
		return nil, err
	}
	identity, err := age.ParseX25519Identity(text)
	if err != nil || identity.Recipient().String() != seal.Recipient {
		// The parser's error is not kept: it could quote the key.
		return nil, extension.NewProblem("vault.wrong-key", "The keyring has another key than the one this vault was written with.",
			"Open Portico as the one who wrote it, or start a new vault in Settings › Vault; the files of this one are kept.").At(v.options.Folder)
	}
	v.remember(identity)
	return identity, nil
}

// openOrMake gives the seal and its key, new ones in the keyring if there are none. It is called in turn.
func (v *Vault) openOrMake(ctx context.Context) (*seal, *age.X25519Identity, error) {
	seal, err := v.seal()
	if err != nil {
		return nil, nil, err
	}
	if seal == nil {
		return v.makeInKeyring(ctx)
	}
	identity, err := v.open(ctx, seal, asked)
	return seal, identity, err
}

// inTurn does something while no other process, and nobody else in this one, changes the folder.
func (v *Vault) inTurn(ctx context.Context, do func() error) error {
	if err := os.MkdirAll(v.options.Folder, 0o700); err != nil {
		return unwritable(v.options.Folder, err)
	}
	waiting, cancel := context.WithTimeout(ctx, turnWait)
	defer cancel()
	lock := flock.New(filepath.Join(v.options.Folder, turnFile), flock.SetPermissions(0o600))
	if locked, err := lock.TryLockContext(waiting, 5*time.Millisecond); err != nil || !locked {
		lock.Close()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if waiting.Err() != nil {
			return extension.NewProblem("vault.busy", "Another Portico has been writing to the vault for too long.", "Quit it, and try again.").At(v.options.Folder)
		}
		return unwritable(v.options.Folder, err)
	}
	defer lock.Close()
	v.sweep()
	return do()
}

func checkName(name string) error {
	why := ""
	switch {
	case strings.TrimSpace(name) == "":
		why = "it is empty"
	case len(name) > maxNameBytes:
		why = fmt.Sprintf("it is longer than %d bytes", maxNameBytes)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		why = "it has characters that can't be seen"
	}
	if why == "" {
		return nil
	}
	return extension.NewProblem("vault.bad-name", "That is no name for a secret: {why}.", "Choose another name.", "why", why)
}

func checkPassphrase(passphrase string) error {
	switch {
	case utf8.RuneCountInString(strings.TrimSpace(passphrase)) < minPassphraseChars:
		return extension.NewProblem("vault.short-passphrase", "A passphrase has at least {count} characters.", "Four or five words that don't belong together are good, and easy to remember.",
			"count", fmt.Sprint(minPassphraseChars))
	case len(passphrase) > maxPassphraseBytes:
		return extension.NewProblem("vault.long-passphrase", "That passphrase is too long.", "Take one of at most {count} bytes.", "count", fmt.Sprint(maxPassphraseBytes))
	}
	return nil
}

func damaged(name, file string, err error) *extension.Problem {
	return extension.NewProblem("vault.damaged", "“{name}” in the vault can't be decrypted: its file was changed or damaged.",
		"Restore the file from a backup. Or remove “{name}” in Settings › Vault and enter it again; the file is kept aside.", "name", name).At(file).Because(err)
}

func unreadable(file string, err error) *extension.Problem {
	return extension.NewProblem("vault.unreadable", "The vault can't be read.", "Make it readable for you. Nothing was changed.").At(file).Because(err)
}

func unwritable(file string, err error) *extension.Problem {
	return extension.NewProblem("vault.unwritable", "The vault can't be written.", "Make room, and make it writable for you.").At(file).Because(err)
}

package vault

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"

	"portico/backend/extension"
	"portico/backend/whole"
)

// What is in the folder: the seal, the lock, and one folder of items a key.
const (
	sealFile = "vault.json"
	turnFile = ".turn"
	aside    = "aside"  // in the folder of items: what can't be decrypted and was to be removed
	itemEnd  = ".item"  // of an item's file
	maxSeal  = 64 << 10 // bytes
	maxHead  = 8 << 10  // bytes of an item's first line
)

// Where a key is kept.
const (
	inKeyring    = "keyring"
	inPassphrase = "passphrase"
)

// seal says which key the items are encrypted with, and where it is. It is no secret, but for Wrapped, which a passphrase
// protects.
type seal struct {
	ID        string `json:"id"`        // names the key in the keyring, and the folder of the items
	Recipient string `json:"recipient"` // of the key: tells the right one from others
	KeptIn    string `json:"keptIn"`    // inKeyring or inPassphrase
	Wrapped   string `json:"wrapped,omitempty"`
}

// seal reads it; nil: there is none yet.
func (v *Vault) seal() (*seal, error) {
	file := filepath.Join(v.options.Folder, sealFile)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(file, err)
	}
	s := &seal{}
	err = json.Unmarshal(data, s)
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return nil, extension.NewProblem("vault.bad-seal", "The vault's file {file} is damaged: nothing can be read without it.",
			"Restore it from a backup, or start a new vault in Settings › Vault; the files of this one are kept.", "file", sealFile).At(file).Because(err)
	}
	return s, nil
}

func (s *seal) check() error {
	if id, err := hex.DecodeString(s.ID); err != nil || len(id) != idBytes {
		return errors.New("its id is none")
	}
	if _, err := age.ParseX25519Recipient(s.Recipient); err != nil {
		return errors.New("its recipient is none")
	}
	if s.KeptIn != inKeyring && (s.KeptIn != inPassphrase || s.Wrapped == "") {
		return errors.New("it does not say where the key is")
	}
	return nil
}

const idBytes = 16

func newSeal() (*seal, *age.X25519Identity, error) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, nil, fmt.Errorf("make the vault's key: %w", err)
	}
	id := make([]byte, idBytes)
	if _, err := rand.Read(id); err != nil {
		return nil, nil, fmt.Errorf("make the vault's key: %w", err)
	}
	return &seal{ID: hex.EncodeToString(id), Recipient: identity.Recipient().String()}, identity, nil
}

// writeSeal puts a seal in place.
func (v *Vault) writeSeal(s *seal) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("write the vault's seal: %w", err)
	}
	file := filepath.Join(v.options.Folder, sealFile)
	if err := whole.Write(file, append(data, '\n'), 0o600); err != nil {
		return unwritable(file, err)
	}
	return nil
}

// make begins a vault that a passphrase keeps. Whoever calls it made sure that nothing is in its way.
func (v *Vault) make(passphrase string) (*seal, *age.X25519Identity, error) {
	s, identity, err := newSeal()
	if err == nil {
		err = s.wrap(identity, passphrase, v.options.WorkFactor)
	}
	if err == nil {
		err = v.begin(s, identity)
	}
	return s, identity, err
}

// begin puts a new seal in place.
func (v *Vault) begin(s *seal, identity *age.X25519Identity) error {
	folder := filepath.Join(v.options.Folder, s.ID)
	if err := os.Mkdir(folder, 0o700); err != nil {
		return unwritable(folder, err)
	}
	if err := v.writeSeal(s); err != nil {
		return err
	}
	v.remember(identity)
	return nil
}

// keepSeal copies the seal that is there to a name where nothing overwrites it, and gives that file. One that can't be read is
// copied as it is.
func (v *Vault) keepSeal() (string, error) {
	file := filepath.Join(v.options.Folder, sealFile)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", unreadable(file, err)
	}
	sum := sha256.Sum256(data)
	kept := filepath.Join(v.options.Folder, "vault-"+hex.EncodeToString(sum[:8])+".json")
	if err := whole.Write(kept, data, 0o600); err != nil {
		return "", unwritable(kept, err)
	}
	return kept, nil
}

// wrap lets a passphrase keep the key.
func (s *seal) wrap(identity *age.X25519Identity, passphrase string, workFactor int) error {
	recipient, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return fmt.Errorf("take the passphrase: %w", err)
	}
	recipient.SetWorkFactor(workFactor)
	var out bytes.Buffer
	text := armor.NewWriter(&out)
	in, err := age.Encrypt(text, recipient)
	if err == nil {
		_, err = io.WriteString(in, identity.String())
		err = errors.Join(err, in.Close(), text.Close())
	}
	if err != nil {
		return fmt.Errorf("encrypt the vault's key: %w", err)
	}
	s.KeptIn, s.Wrapped = inPassphrase, out.String()
	return nil
}

// unwrap gives the key that a passphrase keeps.
func (s *seal) unwrap(passphrase string) (*age.X25519Identity, error) {
	wrong := extension.NewProblem("vault.wrong-passphrase", "That is not the vault's passphrase.", "Try again. Without the passphrase nobody can read it, and you can only start a new vault.")
	scrypt, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, wrong // an empty one
	}
	broken := func(err error) error {
		return extension.NewProblem("vault.bad-seal", "The vault's file {file} is damaged: nothing can be read without it.",
			"Restore it from a backup, or start a new vault in Settings › Vault; the files of this one are kept.", "file", sealFile).Because(err)
	}
	out, err := age.Decrypt(armor.NewReader(strings.NewReader(s.Wrapped)), scrypt)
	if none := (*age.NoIdentityMatchError)(nil); errors.As(err, &none) {
		return nil, wrong
	}
	if err != nil {
		return nil, broken(err)
	}
	text, err := io.ReadAll(io.LimitReader(out, maxSeal))
	if err != nil {
		return nil, broken(err)
	}
	identity, err := age.ParseX25519Identity(string(text))
	if err != nil || identity.Recipient().String() != s.Recipient {
		return nil, broken(errors.New("it holds another key than it says"))
	}
	return identity, nil
}

// head is the first line of an item's file. The name stands within the encrypted part too: a file that was put in the place
// of another would hand its value to the wrong one.
type head struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// itemFile is where an item is: names are of any length and case, file names are not.
func (v *Vault) itemFile(s *seal, name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(v.options.Folder, s.ID, hex.EncodeToString(sum[:])+itemEnd)
}

func (v *Vault) writeItem(file, name, value string, identity *age.X25519Identity) error {
	first, err := json.Marshal(head{name, int64(len(value))})
	if err != nil {
		return fmt.Errorf("write the name of a secret: %w", err)
	}
	var out bytes.Buffer
	out.Write(first)
	out.WriteByte('\n')
	in, err := age.Encrypt(&out, identity.Recipient())
	if err == nil {
		_, err = io.WriteString(in, name+"\x00"+value) // a name has no such character
		err = errors.Join(err, in.Close())
	}
	if err != nil {
		return fmt.Errorf("encrypt %q: %w", name, err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return unwritable(file, err)
	}
	if err := whole.Write(file, out.Bytes(), 0o600); err != nil {
		return unwritable(file, err)
	}
	return nil
}

func readHead(data []byte) (h head, rest []byte, err error) {
	line, rest, found := bytes.Cut(data, []byte("\n"))
	if !found || json.Unmarshal(line, &h) != nil || checkName(h.Name) != nil {
		return head{}, nil, errors.New("it has no name")
	}
	return h, rest, nil
}

// readItem gives the value of a file that has to be the item of that name.
func readItem(data []byte, name string, identity *age.X25519Identity) (string, error) {
	_, rest, err := readHead(data)
	if err != nil {
		return "", err
	}
	out, err := age.Decrypt(bytes.NewReader(rest), identity)
	if err != nil {
		return "", fmt.Errorf("decrypt it: %w", err)
	}
	text, err := io.ReadAll(out)
	if err != nil {
		return "", fmt.Errorf("decrypt it: %w", err)
	}
	inside, value, found := strings.Cut(string(text), "\x00")
	if !found || inside != name {
		return "", errors.New("it was written under another name")
	}
	return value, nil
}

// list gives what is there, without opening it.
func (v *Vault) list(s *seal) (items []Item, strange []string, err error) {
	items, strange = []Item{}, []string{}
	folder := filepath.Join(v.options.Folder, s.ID)
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, unreadable(folder, err)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), itemEnd) {
			continue
		}
		h, err := headOf(filepath.Join(folder, entry.Name()))
		if err != nil || filepath.Base(v.itemFile(s, h.Name)) != entry.Name() {
			strange = append(strange, filepath.Join(folder, entry.Name()))
			continue
		}
		items = append(items, Item(h))
	}
	slices.SortFunc(items, func(a, b Item) int { return strings.Compare(a.Name, b.Name) })
	return items, strange, nil
}

// headOf reads only the beginning: a value can be large.
func headOf(file string) (head, error) {
	in, err := os.Open(file)
	if err != nil {
		return head{}, err
	}
	defer in.Close()
	start, err := io.ReadAll(io.LimitReader(in, maxHead))
	if err != nil {
		return head{}, err
	}
	h, _, err := readHead(start)
	return h, err
}

// setAside moves a file that can't be decrypted where it is in nobody's way.
func (v *Vault) setAside(file string) error {
	folder := filepath.Join(filepath.Dir(file), aside)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return unwritable(folder, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return unreadable(file, err)
	}
	sum := sha256.Sum256(data) // the same file twice is one
	to := filepath.Join(folder, strings.TrimSuffix(filepath.Base(file), itemEnd)+"-"+hex.EncodeToString(sum[:8])+itemEnd)
	if err := os.Rename(file, to); err != nil {
		return unwritable(file, err)
	}
	return nil
}

// sweep removes what a crash left half written. Nobody else writes meanwhile. What can't be removed hurts nobody.
func (v *Vault) sweep() {
	entries, _ := os.ReadDir(v.options.Folder)
	for _, entry := range entries {
		at := filepath.Join(v.options.Folder, entry.Name())
		if strings.HasPrefix(entry.Name(), ".vault") {
			os.Remove(at)
		}
		if !entry.IsDir() {
			continue
		}
		items, _ := os.ReadDir(at)
		for _, item := range items {
			if strings.HasPrefix(item.Name(), ".") && strings.Contains(item.Name(), itemEnd+"-") {
				os.Remove(filepath.Join(at, item.Name()))
			}
		}
	}
}

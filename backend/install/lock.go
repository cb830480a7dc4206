package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"portico/backend/extension"
	"portico/backend/whole"
)

// LockFile is the record of what is installed in one scope, in agent-kit's shape (agent-kit-notes.md, 1); every change of
// it replaces the file.
const LockFile = "extensions.lock.json"

// entry is one installed extension in the lock. Fields that we do not know are kept as they are.
type entry struct {
	Source      string
	Commit      string
	SHA256      string
	Enabled     bool
	Installed   string // ISO-8601 UTC
	Marketplace string
	Linked      bool
	Format      extension.Format // ours; a lock of agent-kit's own has none, and means a plugin
	Packages    *lockedPackages  // ours: what was fetched for it
	unknown     map[string]json.RawMessage
}

// lock is the whole file: entries by id.
type lock map[string]entry

// lockKey is what an entry may be named: an id as it stands on disk, never a path.
var lockKey = regexp.MustCompile(`^(@[a-z0-9~-][a-z0-9._~-]*__)?[a-zA-Z0-9~_-][a-zA-Z0-9._~-]*$`)

func idOf(key string) string {
	if strings.HasPrefix(key, "@") {
		return strings.Replace(key, "__", "/", 1)
	}
	return key
}

func (e *entry) UnmarshalJSON(data []byte) error {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	if fields == nil {
		return errors.New("an entry is null")
	}
	for name, into := range e.known() {
		value, present := fields[name]
		if !present {
			continue
		}
		if err := json.Unmarshal(value, into); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		delete(fields, name)
	}
	e.unknown = fields
	return nil
}

func (e *entry) known() map[string]any {
	return map[string]any{"source": &e.Source, "commit": &e.Commit, "sha256": &e.SHA256, "enabled": &e.Enabled,
		"installed": &e.Installed, "marketplace": &e.Marketplace, "linked": &e.Linked, "format": &e.Format, "dependencies": &e.Packages}
}

func (e entry) MarshalJSON() ([]byte, error) {
	fields := map[string]any{"source": e.Source, "sha256": e.SHA256, "enabled": e.Enabled, "installed": e.Installed}
	for name, value := range e.unknown {
		fields[name] = value
	}
	if e.Commit != "" {
		fields["commit"] = e.Commit
	}
	if e.Marketplace != "" {
		fields["marketplace"] = e.Marketplace
	}
	if e.Linked {
		fields["linked"] = true
	}
	if e.Format != "" {
		fields["format"] = e.Format
	}
	if e.Packages != nil {
		fields["dependencies"] = e.Packages
	}
	return encode(fields, "")
}

func encode(value any, indent string) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// free says whether an extension of this format may have the key: nobody else's it is, on systems either where capitals
// make no difference, and not that of a file which is Portico's own.
func (l lock) free(key string, of extension.Format) error {
	if why := badName(key, key); why != "" || strings.HasPrefix(strings.ToLower(key), LockFile) {
		return extension.NewProblem("install.bad-name", "{id} can't be an extension's name on every system.", "Ask its author for another name.", "id", idOf(key)).Because(errors.New(why))
	}
	for _, other := range l.keys() {
		have := l[other].formatOf()
		if other == key && have != of {
			return extension.NewProblem("install.name-taken", "The name {id} is taken by an extension of another format ({format}).",
				"Remove that one first, if you no longer need it.", "id", idOf(key), "format", string(have))
		}
		if other != key && strings.EqualFold(other, key) {
			return extension.NewProblem("install.name-similar", "The name {id} is taken: {other} is installed, and some systems can't tell the two apart.",
				"Remove that one first, if you no longer need it.", "id", idOf(key), "other", idOf(other))
		}
	}
	return nil
}

// maxLockBytes bounds the lock: a project's is a stranger's. A thousand extensions take 300 kB.
const maxLockBytes = 8 << 20

// readLock reads a scope's lock; none is an empty one. One that can't be understood is set aside, never overwritten.
func readLock(folder string, now time.Time) (lock, error) {
	file := filepath.Join(folder, LockFile)
	data, err := readBounded(file)
	if errors.Is(err, fs.ErrNotExist) {
		return lock{}, nil
	}
	if err != nil {
		return nil, extension.NewProblem("lock.unreadable", "The list of installed extensions can't be read.", "Make {file} readable.", "file", file).Because(err)
	}
	l := lock{}
	err = json.Unmarshal(data, &l)
	if err == nil && l == nil {
		err = errors.New("it holds null")
	}
	for key := range l {
		if err == nil && !lockKey.MatchString(key) {
			err = fmt.Errorf("%q is no extension's name", key)
		}
	}
	if err == nil {
		return l, nil
	}
	aside := fmt.Sprintf("%s.broken-%s", file, now.UTC().Format("20060102T150405Z"))
	for n := 2; ; n++ { // an earlier one of the same second stays
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			break
		}
		aside = fmt.Sprintf("%s.broken-%s-%d", file, now.UTC().Format("20060102T150405Z"), n)
	}
	if moveErr := os.Rename(file, aside); moveErr != nil {
		return nil, extension.NewProblem("lock.broken", "The list of installed extensions is damaged.", "Repair or remove {file}.", "file", file).Because(errors.Join(err, moveErr))
	}
	return nil, extension.NewProblem("lock.set-aside", "The list of installed extensions was damaged. It was set aside as {aside}.",
		"Install your extensions again, or repair that file and put it back as {file}.", "aside", aside, "file", file).Because(err)
}

func readBounded(file string) ([]byte, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no file")
	case info.Size() > maxLockBytes:
		return nil, fmt.Errorf("it is larger than %d MB", maxLockBytes>>20)
	}
	return os.ReadFile(file)
}

// write puts the lock in place whole: a crash leaves the old one or the new one.
func (l lock) write(folder string) error {
	data, err := encode(l, "  ") // a map's keys are sorted
	if err != nil {
		return fmt.Errorf("write the list of installed extensions: %w", err)
	}
	return whole.Write(filepath.Join(folder, LockFile), data, 0o600)
}

func (l lock) keys() []string { return slices.Sorted(maps.Keys(l)) }

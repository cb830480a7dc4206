package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"portico/backend/whole"
)

// checkedFiles remembers fingerprints, so that files are read again only when one of them was touched. What counts as
// touched is stampOf's to say; where it has no answer, files are always read.
type checkedFiles struct {
	folder string // the memory that outlives the process; losing it costs one read
	now    func() time.Time

	mu     sync.Mutex
	byRoot map[string]remembered
}

// settled is how long the newest change must lie back before a stamp is trusted: a second change within one tick of the
// file system's clock (4 ms on most Linux kernels, 2 s on FAT) leaves the same times.
const settled = 2 * time.Second

type remembered struct {
	Root    string  `json:"root"`
	Stamp   string  `json:"stamp"`
	Summary Summary `json:"summary"`
}

func newCheckedFiles(folder string) *checkedFiles {
	return &checkedFiles{folder: folder, now: time.Now, byRoot: map[string]remembered{}}
}

// fingerprint hashes a folder, or gives what it gave before when no file was touched since.
func (c *checkedFiles) fingerprint(ctx context.Context, root string, files fs.FS) (Summary, error) {
	before, err := stampTree(files)
	if err != nil {
		return Summary{}, err
	}
	if before.known {
		if have := c.recall(root); have.Stamp == before.text {
			return have.Summary, nil
		}
	}
	summary, err := fingerprint(ctx, files)
	if err != nil {
		return Summary{}, err
	}
	if before.known && c.now().Sub(before.newest) > settled {
		if after, err := stampTree(files); err == nil && after.text == before.text { // nothing moved meanwhile
			c.keep(remembered{root, before.text, summary})
		}
	}
	return summary, nil
}

// stamp describes a tree's state without its content.
type stamp struct {
	text   string
	newest time.Time // the newest change
	known  bool      // whether the system says enough to rely on it
}

func stampTree(files fs.FS) (stamp, error) {
	hash := sha256.New()
	s := stamp{known: true}
	err := walk(files, func(name string, entry fs.DirEntry) error {
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text, changed, known := stampOf(info)
		s.known = s.known && known
		if changed.After(s.newest) {
			s.newest = changed
		}
		fmt.Fprintf(hash, "%s\x00%s\x00%s\x00", name, info.Mode(), text)
		return nil
	})
	s.text = hex.EncodeToString(hash.Sum(nil))
	return s, err
}

func (c *checkedFiles) file(root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(c.folder, hex.EncodeToString(sum[:12])+".json")
}

func (c *checkedFiles) recall(root string) remembered {
	c.mu.Lock()
	defer c.mu.Unlock()
	if have, ok := c.byRoot[root]; ok {
		return have
	}
	var have remembered
	data, err := os.ReadFile(c.file(root))
	if err != nil || json.Unmarshal(data, &have) != nil || have.Root != root {
		return remembered{}
	}
	c.byRoot[root] = have
	return have
}

func (c *checkedFiles) keep(r remembered) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byRoot[r.Root] = r
	data, err := json.Marshal(r)
	if err != nil || os.MkdirAll(c.folder, 0o700) != nil {
		return // a memory that can't be kept costs a read the next time
	}
	_ = whole.Write(c.file(r.Root), data, 0o600)
}

func readStart(root *os.Root, name string) ([]byte, error) {
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxReadBytes))
}

package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// checkedFiles remembers fingerprints, so that files are read again only when one of them was touched. What counts as
// touched is stampOf's to say; where it has no answer, files are always read.
type checkedFiles struct {
	folder string // the memory that outlives the process; losing it costs one read

	mu     sync.Mutex
	byRoot map[string]remembered
}

type remembered struct {
	Root    string  `json:"root"`
	Stamp   string  `json:"stamp"`
	Summary Summary `json:"summary"`
}

func newCheckedFiles(folder string) *checkedFiles {
	return &checkedFiles{folder: folder, byRoot: map[string]remembered{}}
}

func (c *checkedFiles) fingerprint(root string) (Summary, error) {
	stamp, ok, err := stampTree(root)
	if err != nil {
		return Summary{}, err
	}
	if ok {
		if have := c.recall(root); have.Stamp == stamp {
			return have.Summary, nil
		}
	}
	summary, err := Fingerprint(os.DirFS(root))
	if err != nil {
		return Summary{}, err
	}
	if ok {
		if again, still, err := stampTree(root); err == nil && still && again == stamp { // nothing moved meanwhile
			c.keep(remembered{root, stamp, summary})
		}
	}
	return summary, nil
}

// stampTree describes a tree's state without reading its files.
func stampTree(root string) (string, bool, error) {
	info, err := os.Stat(root)
	if err != nil {
		return "", false, err
	}
	if !info.IsDir() {
		return "", false, fmt.Errorf("%s is no folder", root)
	}
	hash := sha256.New()
	ok := true
	err = walk(os.DirFS(root), ".", func(name string, entry fs.DirEntry) error {
		info, err := entry.Info()
		if err != nil {
			return err
		}
		stamp, known := stampOf(info)
		ok = ok && known
		fmt.Fprintf(hash, "%s\x00%s\x00%s\x00", name, info.Mode(), stamp)
		return nil
	})
	return hex.EncodeToString(hash.Sum(nil)), ok, err
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
	_ = writeWhole(c.file(r.Root), data, 0o600)
}

func readStart(root *os.Root, name string) ([]byte, error) {
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxReadBytes))
}

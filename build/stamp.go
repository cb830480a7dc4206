package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// inputs is a hash over everything that a step's outcome depends on.
type inputs struct {
	hash [sha256.Size]byte
	err  error
}

// inputsOf hashes values (versions, flags) and files. A folder counts with all in it, but for what skip names.
func (d *driver) inputsOf(values []string, skip func(rel string, dir bool) bool, paths ...string) inputs {
	h := sha256.New()
	for _, v := range values {
		fmt.Fprintf(h, "%d:%s\n", len(v), v)
	}
	for _, p := range paths {
		if err := d.hashTree(h, p, skip); err != nil {
			return inputs{err: err}
		}
	}
	return inputs{hash: [sha256.Size]byte(h.Sum(nil))}
}

func (d *driver) hashTree(h io.Writer, path string, skip func(string, bool) bool) error {
	return filepath.WalkDir(d.path(path), func(full string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(d.root, full)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if skip != nil && rel != filepath.ToSlash(path) && skip(rel, entry.IsDir()) {
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(full)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		fmt.Fprintf(h, "%s %x\n", rel, sum)
		return nil
	})
}

// once does work unless its inputs are what they were when it was last done and its outputs are as it left them.
func (d *driver) once(name string, in inputs, outputs []string, done, doing string, work func() error) error {
	if in.err != nil {
		return failed("the inputs of the step “"+doing+"” can't be read", in.err, "Restore the files from git.")
	}
	file := d.path("build", "cache", name+".stamp")
	if had, err := os.ReadFile(file); err == nil && string(had) == d.stamp(in, outputs) {
		skip("%s", done)
		return nil
	}
	say("%s", doing)
	if err := os.RemoveAll(file); err != nil { // a half-done step must not look done
		return failed("a stamp can't be removed", err, "Remove the folder build/cache.")
	}
	if err := work(); err != nil {
		return err
	}
	for _, output := range outputs {
		if _, err := os.Stat(d.path(output)); err != nil {
			return failed("the step “"+doing+"” left no "+output, err, "Report this with the output above.")
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return failed("the folder build/cache can't be made", err, "Make the repository writable.")
	}
	if err := os.WriteFile(file, []byte(d.stamp(in, outputs)), 0o644); err != nil {
		return failed("a stamp can't be written", err, "Make build/cache writable.")
	}
	return nil
}

// stamp is the inputs' hash with each output's size and time: an output that something else wrote is made again.
func (d *driver) stamp(in inputs, outputs []string) string {
	var b strings.Builder
	fmt.Fprintln(&b, hex.EncodeToString(in.hash[:]))
	for _, output := range outputs {
		info, err := os.Stat(d.path(output))
		if err != nil {
			fmt.Fprintf(&b, "%s missing\n", output)
			continue
		}
		if info.IsDir() {
			fmt.Fprintf(&b, "%s folder\n", output)
			continue
		}
		fmt.Fprintf(&b, "%s %d %d\n", output, info.Size(), info.ModTime().UnixNano())
	}
	return b.String()
}

// skipNames skips files and folders of these names anywhere, and these paths.
func skipNames(names ...string) func(string, bool) bool {
	return func(rel string, _ bool) bool {
		return slices.Contains(names, rel) || slices.Contains(names, rel[strings.LastIndexByte(rel, '/')+1:])
	}
}

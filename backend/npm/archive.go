package npm

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"path"
	"strings"

	"portico/backend/extension"
)

// serveArchive hands a package on after it was looked at as a whole.
func (d *Door) serveArchive(w http.ResponseWriter, r *http.Request, a archive) {
	file, about, problem := d.fetch(r, a)
	if problem != nil {
		if r.Context().Err() == nil {
			d.fail(problem)
		}
		http.Error(w, "the package is not handed on", http.StatusBadGateway)
		return
	}
	if file == nil {
		http.Error(w, "the registry failed", http.StatusBadGateway)
		return
	}
	defer os.Remove(file.Name())
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		d.fail(unwritable(a, err))
		http.Error(w, "the package is not handed on", http.StatusBadGateway)
		return
	}
	d.came(about)
	w.Header().Set("Content-Length", fmt.Sprint(size))
	w.Header().Set("Content-Type", "application/octet-stream")
	io.Copy(w, file)
}

func unwritable(a archive, err error) *extension.Problem {
	return extension.NewProblem("npm.unwritable", "There is no room for {package} on this disk, or no right to write it.", "Make room, and install again.", "package", a.name).Because(err)
}

// fetch gets a package and checks its hash and everything in it. Neither file nor problem: the door failed already.
func (d *Door) fetch(r *http.Request, a archive) (kept *os.File, about Package, problem *extension.Problem) {
	switch locked := d.wanted.Hashes[a.name+"@"+a.version]; {
	case a.elsewhere != "":
		return nil, about, elsewhere(a.name, a.registry, a.elsewhere)
	case a.integrity == "" && a.shasum == "":
		return nil, about, noHash(a.name, a.registry)
	case locked != "" && a.integrity != "" && !strings.Contains(" "+a.integrity+" ", " "+locked+" "):
		return nil, about, otherHash(a.name, a.registry, locked, a.integrity)
	}
	response, cancel := d.get(r.Context(), a.name, a.registry, a.address, "*/*")
	if response == nil {
		return nil, about, nil
	}
	defer cancel()
	defer response.Body.Close()
	if response.StatusCode == http.StatusNotFound {
		return nil, about, NoVersion(a.name, a.version, a.registry)
	}
	file, err := d.scratchFile()
	if err != nil {
		return nil, about, unwritable(a, err)
	}
	defer func() {
		if kept == nil {
			file.Close()
			os.Remove(file.Name())
		}
	}()
	check, want, encode := a.check()
	if check == nil {
		return nil, about, noHash(a.name, a.registry)
	}
	disk := false
	err = d.read(response.Body, d.limits.ArchiveBytes, cancel, func(part []byte) error {
		check.Write(part)
		_, err := file.Write(part)
		disk = err != nil
		return err
	})
	switch {
	case disk:
		return nil, about, unwritable(a, err)
	case err != nil:
		return nil, about, d.broken(a.name, a.registry, d.limits.ArchiveBytes, err)
	}
	if got := encode(check.Sum(nil)); got != want {
		return nil, about, wrongHash(a.name, a.registry, want, got)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, about, unwritable(a, err)
	}
	about = Package{Name: a.name, Version: a.version}
	if problem := d.look(file, a, &about); problem != nil {
		return nil, about, problem
	}
	return file, about, nil
}

// check gives the strongest hash that a version states (loca-notes.md, 5: sha512, else sha1, else refused), with how it is
// written.
func (a archive) check() (check hash.Hash, want string, encode func([]byte) string) {
	for _, kind := range []struct {
		name string
		make func() hash.Hash
	}{{"sha512-", sha512.New}, {"sha384-", sha512.New384}, {"sha256-", sha256.New}, {"sha1-", sha1.New}} {
		for _, stated := range strings.Fields(a.integrity) {
			if strings.HasPrefix(stated, kind.name) {
				stated, _, _ = strings.Cut(stated, "?")
				return kind.make(), stated, func(sum []byte) string { return kind.name + base64.StdEncoding.EncodeToString(sum) }
			}
		}
	}
	if a.shasum != "" {
		return sha1.New(), strings.ToLower(a.shasum), hex.EncodeToString
	}
	return nil, "", nil
}

// maxManifestBytes bounds a package.json that is read for its scripts.
const maxManifestBytes = 4 << 20

// look reads a package without unpacking it: every name stays inside, and all together is not too much. Links are left to
// Deno, which makes none.
func (d *Door) look(file io.Reader, a archive, about *Package) *extension.Problem {
	bad := func(name, why string) *extension.Problem { return unsafe(a.name, name, why) }
	unpacked, err := gzip.NewReader(bufio.NewReader(file))
	if err != nil {
		return bad("the archive", "is no archive of npm's")
	}
	counted := &counter{from: unpacked, room: func(n int64) bool { return d.take(n, 0) }}
	entries := tar.NewReader(counted)
	for {
		entry, err := entries.Next()
		switch {
		case errors.Is(err, io.EOF):
			// What follows the last entry is unpacked by others too: it counts.
			if _, err := io.Copy(io.Discard, counted); err != nil && counted.full {
				return d.full(a)
			}
			return nil
		case counted.full:
			return d.full(a)
		case err != nil:
			return bad("the archive", "is cut off or damaged")
		}
		if !d.take(0, 1) {
			return d.full(a)
		}
		if why := outside(entry.Name); why != "" {
			return bad(entry.Name, why)
		}
		if entry.Typeflag != tar.TypeReg {
			continue
		}
		_, inside, _ := strings.Cut(path.Clean(entry.Name), "/")
		about.Native = about.Native || strings.HasSuffix(inside, ".node") || inside == "binding.gyp"
		if inside == "package.json" {
			data, err := io.ReadAll(io.LimitReader(entries, maxManifestBytes))
			if err != nil {
				return bad(entry.Name, "is cut off or damaged")
			}
			about.Scripts = about.Scripts || hasScripts(data)
		}
	}
}

// take counts what is unpacked; false: it is too much.
func (d *Door) take(bytes int64, files int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bytes += bytes
	d.files += files
	return d.bytes <= d.limits.UnpackedBytes && d.files <= d.limits.Files
}

func (d *Door) full(a archive) *extension.Problem {
	return tooLarge(a.name, a.registry, fmt.Sprintf("unpacked, all packages together may have %s and %d files", megabytes(d.limits.UnpackedBytes), d.limits.Files))
}

// counter stops a stream that becomes too much.
type counter struct {
	from io.Reader
	room func(int64) bool
	full bool
}

func (c *counter) Read(into []byte) (int, error) {
	n, err := c.from.Read(into)
	if !c.room(int64(n)) {
		c.full = true
		return 0, errTooLarge
	}
	return n, err
}

// outside says why a name can't be unpacked; empty when it can. The first part of a name is dropped, whatever it is.
func outside(name string) string {
	slashed := strings.ReplaceAll(name, `\`, "/")
	switch {
	case strings.ContainsRune(name, 0):
		return "has a name that no file can have"
	case strings.HasPrefix(slashed, "/"), len(slashed) > 1 && slashed[1] == ':':
		return "would lie outside of it"
	}
	for part := range strings.SplitSeq(slashed, "/") {
		if part == ".." {
			return "would lie outside of it"
		}
	}
	return ""
}

// hasScripts says whether npm would run something of a package when it is installed.
func hasScripts(manifest []byte) bool {
	var read struct {
		Scripts map[string]any `json:"scripts"`
	}
	if json.Unmarshal(manifest, &read) != nil {
		return false
	}
	for _, name := range []string{"preinstall", "install", "postinstall"} {
		if read.Scripts[name] != nil {
			return true
		}
	}
	return false
}

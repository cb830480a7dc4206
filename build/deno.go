package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// maxDenoBytes bounds what is unpacked; Deno 2.9 is about 95 MB.
const maxDenoBytes = 400 << 20

// denoPin is build/deno.json: which Deno every build of Portico runs, and what its packages hash to.
type denoPin struct {
	Version  string `json:"version"`
	Packages map[string]struct {
		Name      string `json:"name"`
		Integrity string `json:"integrity"` // as npm writes it: "sha512-" and base64
	} `json:"packages"`
}

// fetchDeno leaves the pinned Deno at build/bin/deno. It comes from its npm package by npm's own configuration, so that a
// mirror or a proxy that npm knows is used; what arrives is believed only when it has the pinned hash.
func (d *driver) fetchDeno() error {
	content, err := os.ReadFile(d.path("build", "deno.json"))
	if err != nil {
		return failed("build/deno.json can't be read", err, "Restore it from git.")
	}
	var pin denoPin
	if err := json.Unmarshal(content, &pin); err != nil {
		return failed("build/deno.json can't be read", err, "Restore it from git.")
	}
	pkg, ok := pin.Packages[d.host.String()]
	if !ok {
		return failed("Deno has no build for "+d.host.String(), nil, "Build Portico on Linux (glibc), macOS or Windows, on x64 or arm64.")
	}
	name := pkg.Name + "@" + pin.Version
	binary := filepath.Join("build", "bin", d.host.exe("deno"))
	return d.once("deno", d.inputsOf([]string{name, pkg.Integrity}, nil), []string{binary},
		"Deno "+pin.Version, "fetch Deno "+pin.Version+" from its npm package (about 45 MB)", func() error {
			return d.unpackDeno(name, pkg.Integrity, binary)
		})
}

func (d *driver) unpackDeno(name, integrity, binary string) (err error) {
	folder, err := os.MkdirTemp("", "portico-deno-")
	if err != nil {
		return failed("no temporary folder can be made", err, "Make room on the disk.")
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	// npm's own integrity check passes whatever the registry says the hash is; ours is the pinned one.
	if err := d.quiet("", nil, "Check the network and `npm config get registry`, then run the command again.",
		d.npm(), "pack", name, "--pack-destination", folder, "--silent"); err != nil {
		return err
	}
	packed, err := filepath.Glob(filepath.Join(folder, "*.tgz"))
	if err != nil || len(packed) != 1 {
		return failed(fmt.Sprintf("npm packed %d files for %s instead of one", len(packed), name), err, "Run the command again.")
	}
	if err := checkIntegrity(packed[0], integrity); err != nil {
		return failed(name+" is not the package that was pinned", err, "Do not use it: the registry serves other content. Check `npm config get registry`.")
	}
	member := "package/" + d.host.exe("deno")
	if err := extract(packed[0], member, d.path(binary)); err != nil {
		return failed("Deno can't be unpacked", err, "Make room on the disk and run the command again.")
	}
	return nil
}

// checkIntegrity compares a file's SHA-512 with npm's notation for it.
func checkIntegrity(path, want string) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer closing(file, &err)
	h := sha512.New()
	if _, err := io.Copy(h, file); err != nil {
		return err
	}
	if got := "sha512-" + base64.StdEncoding.EncodeToString(h.Sum(nil)); got != want {
		return fmt.Errorf("its hash is %s, not %s", got, want)
	}
	return nil
}

// extract writes one member of a packed package to a file, which appears whole or not at all.
func extract(archive, member, to string) (err error) {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer closing(file, &err)
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("read %s: %w", archive, err)
	}
	for members := tar.NewReader(unzipped); ; {
		header, err := members.Next()
		if err == io.EOF {
			return fmt.Errorf("%s holds no %s", filepath.Base(archive), member)
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", archive, err)
		}
		if header.Name != member || header.Typeflag != tar.TypeReg {
			continue
		}
		if header.Size > maxDenoBytes {
			return fmt.Errorf("%s is %d bytes, more than %d", member, header.Size, maxDenoBytes)
		}
		return writeProgram(members, to)
	}
}

func writeProgram(from io.Reader, to string) (err error) {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(to), ".part-")
	if err != nil {
		return err
	}
	_, err = io.Copy(part, from)
	err = errors.Join(err, part.Chmod(0o755), part.Close())
	if err == nil {
		err = os.Rename(part.Name(), to)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return nil
}

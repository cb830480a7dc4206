package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// voicePin is backend/voice/espeak-ng.json: the voice that Portico fetches when a person asks for it.
type voicePin struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	Integrity string `json:"integrity"`
}

// fetchVoice leaves the pinned espeak-ng package in build/cache, for the tests alone: it is under the GPL and no part of
// what is built.
func (d *driver) fetchVoice() error {
	content, err := os.ReadFile(d.path("backend", "voice", "espeak-ng.json"))
	var pin voicePin
	if err == nil {
		err = json.Unmarshal(content, &pin)
	}
	if err != nil {
		return failed("backend/voice/espeak-ng.json can't be read", err, "Restore it from git.")
	}
	name := pin.Name + "@" + pin.Version
	archive := filepath.Join("build", "cache", pin.Name+"-"+pin.Version+".tgz")
	return d.once("voice", d.inputsOf([]string{name, pin.Integrity}, nil), []string{archive},
		name+" for the tests", "fetch "+name+" for the tests from its npm package (about 9 MB)", func() error {
			return d.packInto(name, pin.Integrity, archive)
		})
}

// packInto fetches a package's archive by npm's own configuration, and believes it when it has the pinned hash.
func (d *driver) packInto(name, integrity, archive string) (err error) {
	if err := os.MkdirAll(filepath.Dir(d.path(archive)), 0o755); err != nil {
		return failed("build/cache can't be made", err, "Make room on the disk.")
	}
	folder, err := os.MkdirTemp(filepath.Dir(d.path(archive)), "fetch-")
	if err != nil {
		return failed("no temporary folder can be made", err, "Make room on the disk.")
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
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
	if err := os.Rename(packed[0], d.path(archive)); err != nil {
		return failed(name+" can't be kept", err, "Make room on the disk and run the command again.")
	}
	return nil
}

package voice

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"portico/backend/confine"
	"portico/backend/extension"
	"portico/backend/whole"
)

// Pin names one version of a package on the npm registry, by its content.
type Pin struct {
	Name      string            `json:"name"`
	Version   string            `json:"version"`
	Integrity string            `json:"integrity"` // of the archive, as npm writes it
	Bytes     int64             `json:"bytes"`     // of the archive
	License   string            `json:"license"`
	Files     map[string]string `json:"files"` // what is taken out of it, with the SHA-256 of each: they lie in the data folder for years
}

//go:embed espeak-ng.json
var pinnedJSON []byte

// Pinned is espeak-ng as WebAssembly. It is under the GPL, so it is never shipped inside Portico: the person fetches it.
var Pinned = readPin()

func readPin() (p Pin) {
	if err := json.Unmarshal(pinnedJSON, &p); err != nil {
		panic(fmt.Sprintf("espeak-ng.json: %v", err)) // it is part of the binary
	}
	return p
}

const (
	maxMemberBytes = 32 << 20
	packagedData   = 2 << 30 // private memory that Deno may take: WebAssembly reserves much of it
	packagedCPU    = 60      // seconds
)

//go:embed packaged.mjs
var packagedScript []byte

// packaged is that package, run by Deno, which may read its folder and nothing else.
type packaged struct{ voice *Voice }

func (p *packaged) id() string { return Package }

func (p *packaged) folder() string {
	return filepath.Join(p.voice.options.Folder, Pinned.Name+"-"+Pinned.Version)
}

func (p *packaged) ready() bool {
	info, err := os.Stat(filepath.Join(p.folder(), "espeak-ng.wasm"))
	return err == nil && info.Mode().IsRegular()
}

func (p *packaged) found(ctx context.Context) (Found, bool) {
	f := Found{Engine: Package, Name: Pinned.Name + " " + Pinned.Version + " (WebAssembly)", Ready: p.ready(), License: Pinned.License, Voices: []VoiceName{}}
	if !f.Ready {
		f.Bytes = Pinned.Bytes
		// Where the system speaks by itself nobody needs it.
		return f, runtime.GOOS == "linux" && !(&espeak{p.voice}).ready()
	}
	if said, err := p.run(ctx, "", "--voices"); err == nil {
		f.Voices = espeakVoices(said)
	}
	return f, true
}

func (p *packaged) speak(ctx context.Context, text string, s SpeakSettings) ([]byte, error) {
	return p.run(ctx, text, espeakArgs(s)...)
}

// run speaks a text, or gives what is printed when there is none.
func (p *packaged) run(ctx context.Context, text string, args ...string) ([]byte, error) {
	for member, want := range Pinned.Files {
		if err := checkMember(filepath.Join(p.folder(), filepath.Base(member)), want); err != nil {
			return nil, extension.NewProblem("voice.package-changed", "The fetched voice is not what was fetched: {file} is another.", "Fetch it again in Settings › Voice.",
				"file", filepath.Base(member)).At(p.folder()).Because(err)
		}
	}
	script := filepath.Join(p.folder(), "packaged.mjs")
	if have, err := os.ReadFile(script); err != nil || !bytes.Equal(have, packagedScript) {
		if err := whole.Write(script, packagedScript, 0o600); err != nil {
			return nil, extension.NewProblem("voice.no-room", "There is no room for a sound on this disk, or no right to write it.", "Make room, and try again.").At(script).Because(err)
		}
	}
	deno, err := p.voice.options.Deno()
	if err != nil {
		return nil, err
	}
	folder, err := filepath.EvalSymlinks(p.folder())
	if err != nil {
		return nil, fmt.Errorf("look at the fetched voice: %w", err)
	}
	order, err := json.Marshal(struct {
		Text string   `json:"text"`
		Args []string `json:"args"`
	}{text, args})
	if err != nil {
		return nil, fmt.Errorf("ask the fetched voice: %w", err)
	}
	return p.voice.run(ctx, program{
		policy: p.policy(deno, folder), path: deno, folder: folder, in: order, max: maxSoundBytes,
		args: []string{"run", "--no-prompt", "--quiet", "--no-config", "--no-lock", "--no-remote", "--cached-only", "--no-code-cache",
			"--allow-read=" + folder, filepath.Join(folder, "packaged.mjs")},
		env: []string{"NO_COLOR=1", "DENO_NO_UPDATE_CHECK=1", "DENO_DIR=" + filepath.Join(folder, "no-such-folder"), "SystemRoot=" + os.Getenv("SystemRoot")},
	})
}

// policy is Deno, its folder, and what starting a program takes.
func (p *packaged) policy(deno, folder string) confine.Policy {
	policy := confine.Policy{Read: []string{folder}, Exec: []string{deno}, Limits: confine.Limits{DataBytes: packagedData, CPUSeconds: packagedCPU, FileBytes: 1, OpenFiles: 256}}
	if runtime.GOOS == "linux" {
		policy.Read = append(policy.Read, "/etc/ld.so.cache", "/dev/urandom", "/dev/zero", "/dev/null")
		policy.Exec = append(policy.Exec, "/lib", "/lib64", "/usr/lib", "/usr/lib64")
		policy.Write = []string{"/dev/null"}
	}
	return policy
}

func checkMember(file, want string) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, in); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != want {
		return fmt.Errorf("its hash is %s, not %s", got, want)
	}
	return nil
}

// Fetch gets the package into its folder, which is there as a whole or not at all.
func (v *Voice) Fetch(ctx context.Context, step func(step string, fraction float64)) (err error) {
	p := &packaged{v}
	noRoom := func(err error) error {
		return extension.NewProblem("voice.no-room", "There is no room for a sound on this disk, or no right to write it.", "Make room, and try again.").At(v.options.Folder).Because(err)
	}
	step("fetch", 0)
	archive, err := v.options.Archive(ctx, Pinned, func(bytes int64) { step("fetch", 0.9*min(1, float64(bytes)/float64(Pinned.Bytes))) })
	if err != nil {
		return err
	}
	defer os.Remove(archive)
	step("unpack", 0.9)
	if err := os.MkdirAll(v.options.Folder, 0o700); err != nil {
		return noRoom(err)
	}
	made, err := os.MkdirTemp(v.options.Folder, ".fetched-")
	if err != nil {
		return noRoom(err)
	}
	defer os.RemoveAll(made)
	if err := unpack(archive, made); err != nil {
		return extension.NewProblem("voice.bad-package", "What was fetched is not the voice that it should be.", "Try again. If it stays so, tell whoever runs the registry.").Because(err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	step("swap", 0.98)
	if err := os.RemoveAll(p.folder()); err != nil {
		return noRoom(err)
	}
	if err := os.Rename(made, p.folder()); err != nil {
		return noRoom(err)
	}
	if err := whole.SyncFolder(v.options.Folder); err != nil {
		return noRoom(err)
	}
	step("done", 1)
	return nil
}

// RemovePackage takes the fetched package away.
func (v *Voice) RemovePackage() error {
	folder := (&packaged{v}).folder()
	if err := os.RemoveAll(folder); err != nil {
		return extension.NewProblem("voice.not-removed", "The fetched voice can't be removed.", "Close what uses it, and try again.").At(folder).Because(err)
	}
	return nil
}

// unpack takes the members out of an archive, each checked.
func unpack(archive, into string) (err error) {
	in, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer in.Close()
	unzipped, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	left := len(Pinned.Files)
	for entries := tar.NewReader(unzipped); left > 0; {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return errors.New("something is missing in it")
		}
		if err != nil {
			return err
		}
		for member, want := range Pinned.Files {
			if entry.Name != "package/"+member || entry.Typeflag != tar.TypeReg {
				continue
			}
			file := filepath.Join(into, filepath.Base(member))
			data, err := io.ReadAll(io.LimitReader(entries, maxMemberBytes))
			if err == nil {
				err = whole.Write(file, data, 0o600)
			}
			if err == nil {
				err = checkMember(file, want)
			}
			if err != nil {
				return err
			}
			left--
		}
	}
	return nil
}

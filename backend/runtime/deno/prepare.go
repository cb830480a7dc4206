package deno

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"portico/backend/confine"
	"portico/backend/extension"
	"portico/backend/whole"
	"portico/sandbox"
)

// prepared is an extension that was checked and has its modules transpiled.
type prepared struct {
	binary    string
	dir       string   // DENO_DIR and the import map; no worker can write it
	worker    string   // the host's module, which loads the extension's
	importMap string   // empty: none
	entry     string   // file URL
	modules   []string // the flags that say how modules are found
	packages  string   // the folder of its packages, which they may read; empty: none
	base      confine.Policy
}

const (
	importMapFile = "imports.json"
	denoDir       = "deno"
)

// prepare checks an extension's files and makes its cache, unless that was done for the same files before. The cache comes
// into being as a whole, so that an app and a command line that prepare at the same time do not meet.
func prepare(ctx context.Context, i *instance) (*prepared, error) {
	binary, err := i.runtime.binary()
	if err != nil {
		return nil, err
	}
	fingerprint, err := survey(i.root, i.ext.Fingerprint)
	if err != nil {
		return nil, err
	}
	worker, err := placeWorker(filepath.Join(i.runtime.options.Cache, "deno"))
	if err != nil {
		return nil, err
	}
	identity := sha256.Sum256([]byte(strings.Join([]string{fingerprint, i.root, i.ext.Entry, worker, Version, i.ext.PackagesRoot}, "\x00")))
	all := CacheFolder(i.runtime.options.Cache, i.ext.Ref())
	p := &prepared{
		binary: binary, worker: worker, dir: filepath.Join(all, hex.EncodeToString(identity[:8])),
		entry: fileURL(filepath.Join(i.root, filepath.FromSlash(i.ext.Entry))),
	}
	p.base = basePolicy(p, i.root)
	p.modules = moduleFlags
	if i.ext.PackagesRoot != "" {
		// A variable that was not granted is one that is not set: packages look at variables that nobody declares (NODE_ENV,
		// DEBUG), and would throw.
		p.modules = append([]string{"--cached-only", "--frozen", "--lock=" + filepath.Join(p.dir, lockFile), "--ignore-env"}, ownFlags...)
		p.packages = filepath.Join(p.dir, denoDir, npmFolder)
		if err := p.sound(i.ext.PackagesRoot); err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(p.dir); errors.Is(err, fs.ErrNotExist) {
		if err := p.build(ctx, i, all); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, fmt.Errorf("look for the cache of %s: %w", i.ext.ID, err)
	}
	if isFile(filepath.Join(p.dir, importMapFile)) {
		p.importMap = filepath.Join(p.dir, importMapFile)
	}
	return p, nil
}

func (p *prepared) build(ctx context.Context, i *instance, all string) (err error) {
	if err := os.MkdirAll(all, 0o700); err != nil {
		return fmt.Errorf("make the cache of %s: %w", i.ext.ID, err)
	}
	made, err := os.MkdirTemp(all, ".new-")
	if err != nil {
		return fmt.Errorf("make the cache of %s: %w", i.ext.ID, err)
	}
	defer func() {
		if removeErr := os.RemoveAll(made); removeErr != nil && err == nil {
			err = fmt.Errorf("tidy up the cache of %s: %w", i.ext.ID, removeErr)
		}
	}()
	names, err := readImports(i.root)
	if err != nil {
		return err
	}
	mapped, err := names.importMap()
	if err != nil {
		return err
	}
	flags := slices.Clone(moduleFlags)
	if i.ext.PackagesRoot != "" {
		if err := placePackages(i.ext.PackagesRoot, made); err != nil {
			return fmt.Errorf("make the cache of %s: %w", i.ext.ID, err)
		}
		flags = append([]string{"--frozen", "--lock=" + filepath.Join(made, lockFile)}, ownFlags...)
	}
	if mapped != nil {
		path := filepath.Join(made, importMapFile)
		if err := os.WriteFile(path, mapped, 0o600); err != nil {
			return fmt.Errorf("make the cache of %s: %w", i.ext.ID, err)
		}
		flags = append(flags, "--import-map="+path)
	}
	for _, folder := range []string{"npm", "node_compat_bin"} { // Deno looks for them at each start, and makes what is missing
		if err := os.MkdirAll(filepath.Join(made, denoDir, folder), 0o700); err != nil {
			return fmt.Errorf("make the cache of %s: %w", i.ext.ID, err)
		}
	}
	graph, said, err := p.tool(ctx, i, made, append(append([]string{"info", "--json"}, flags...), p.entry))
	if err != nil {
		if p := neverBegan(err, said); p != nil {
			return p
		}
		return extension.NewProblem("extension.unreadable-modules", "The modules of {extension} can't be read.", "Its author has to mend it.", "extension", i.ext.DisplayName).Because(fmt.Errorf("%w: %s", err, said))
	}
	modules, err := readGraph(graph, i.ext.DisplayName)
	if err != nil {
		return err
	}
	if err := modules.check(i.root, i.ext.DisplayName, i.ext.PackagesRoot != ""); err != nil {
		return err
	}
	// A module that does not compile fails here and is told by the call, with its place.
	if _, said, err := p.tool(ctx, i, made, append(append([]string{"cache"}, flags...), p.worker, p.entry)); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		i.note("warn", "its modules could not be prepared: %s", said)
	}
	if err := dropAnalyses(filepath.Join(made, denoDir)); err != nil {
		return fmt.Errorf("make the cache of %s: %w", i.ext.ID, err)
	}
	if err := os.Rename(made, p.dir); err != nil {
		if info, statErr := os.Stat(p.dir); statErr == nil && info.IsDir() {
			return nil // another process was first, with the same
		}
		return fmt.Errorf("make the cache of %s: %w", i.ext.ID, err)
	}
	return dropOthers(all, filepath.Base(p.dir))
}

// dropAnalyses removes the databases in which Deno keeps what it found out about modules. They are left in SQLite's WAL mode,
// which needs to write even to be read: a worker, which may not, sometimes tried for ten seconds before it gave up. Without
// them it boots as fast.
func dropAnalyses(denoDir string) error {
	entries, err := os.ReadDir(denoDir)
	for _, entry := range entries {
		if strings.Contains(entry.Name(), "_cache_v") {
			err = errors.Join(err, os.Remove(filepath.Join(denoDir, entry.Name())))
		}
	}
	return err
}

// abandoned is how old a cache that was never finished is when whoever made it is surely gone.
const abandoned = time.Hour

// exitNeverBegan is how the launcher ends when the program could not begin.
const exitNeverBegan = 125

// neverBegan is why Deno did not begin at all: a Problem of the system's, or of this installation, and none of the
// extension's. nil: it began.
func neverBegan(err error, said []byte) *extension.Problem {
	var p *extension.Problem
	if errors.As(err, &p) {
		return p
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() != exitNeverBegan || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return extension.NewProblem("call.not-started", "The tool could not be started.", "Look at `portico doctor`.").Because(fmt.Errorf("%w: %s", err, said))
}

// dropOthers removes the caches of older files. One that another process is making is left alone.
func dropOthers(all, keep string) error {
	entries, err := os.ReadDir(all)
	if err != nil {
		return fmt.Errorf("tidy up %s: %w", all, err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".new-") {
			if info, err := entry.Info(); err != nil || time.Since(info.ModTime()) < abandoned {
				continue
			}
		}
		if entry.Name() != keep {
			if err := os.RemoveAll(filepath.Join(all, entry.Name())); err != nil {
				return fmt.Errorf("tidy up %s: %w", all, err)
			}
		}
	}
	return nil
}

// ownFlags let nothing that a file beside the modules configures decide how they are found.
var ownFlags = []string{"--no-config", "--node-modules-dir=none", "--quiet"}

// moduleFlags are those of an extension without packages: nothing but files.
var moduleFlags = append([]string{"--no-remote", "--no-npm", "--no-lock"}, ownFlags...)

// noRegistry makes Deno's commands that know no --cached-only find no network, also where the system does not take it away.
var noRegistry = []string{"HTTPS_PROXY=http://127.0.0.1:0", "HTTP_PROXY=http://127.0.0.1:0"}

// tool runs one of Deno's commands that reads modules and runs none of them. It reads what strangers wrote, so it is
// confined as well: to the extension's folder, and without a network.
func (p *prepared) tool(ctx context.Context, i *instance, made string, args []string) (stdout, stderr []byte, err error) {
	policy := p.base
	policy.Read = append(slices.Clone(policy.Read), made)
	policy.Write = append(slices.Clone(policy.Write), made)
	return i.runtime.tool(ctx, policy, confine.Command{Path: p.binary, Args: args, Env: append(environment(filepath.Join(made, denoDir), nil), noRegistry...), Dir: i.root})
}

// tool runs a command under a policy and gives what it printed, and its last words.
func (r *Runtime) tool(ctx context.Context, policy confine.Policy, command confine.Command) (stdout, stderr []byte, err error) {
	said := newTail(stderrTailBytes)
	command.Stderr, command.Cache = said, r.options.Cache
	process, err := confine.Start(policy, command)
	if err != nil {
		return nil, nil, err
	}
	defer process.Close()
	process.Stdin.Close()
	unwatch := context.AfterFunc(ctx, process.Kill)
	defer unwatch()
	stdout, readErr := io.ReadAll(io.LimitReader(process.Stdout, maxFrameBytes))
	if len(stdout) == maxFrameBytes {
		process.Kill()
	}
	err = process.Wait()
	if ctx.Err() != nil {
		return nil, said.lines(), ctx.Err()
	}
	return stdout, said.lines(), errors.Join(err, readErr)
}

// survey walks an extension's files: only folders and files are allowed, no links and nothing else, because a link leads
// out of the folder under Deno's flags. It gives the fingerprint, which it makes itself for files that were never
// installed.
func survey(root, fingerprint string) (string, error) {
	contents := sha256.New()
	files := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("read the extension's files: %w", err)
		}
		if entry.IsDir() {
			return nil
		}
		if files++; files > maxModules {
			return extension.NewProblem("extension.too-many-files", "The extension has more than {count} files.", "Its author has to make it smaller.", "count", fmt.Sprint(maxModules)).At(root)
		}
		if !entry.Type().IsRegular() {
			rel, relErr := filepath.Rel(root, path)
			if relErr != nil {
				rel = path
			}
			return extension.NewProblem("extension.link", "{file} is a link or a device: it could lead out of the extension's folder.", "Install the extension again.", "file", filepath.ToSlash(rel)).At(root)
		}
		if fingerprint != "" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read the extension's files: %w", err)
		}
		fmt.Fprintf(contents, "%s\x00%d\x00", path, len(data))
		contents.Write(data)
		return nil
	})
	if err != nil {
		return "", err
	}
	if fingerprint == "" {
		fingerprint = hex.EncodeToString(contents.Sum(nil))
	}
	return fingerprint, nil
}

// placeWorker writes the host's module where no grant reaches, named by its content, and gives its path.
func placeWorker(folder string) (string, error) {
	source, err := sandbox.Files.ReadFile("worker.ts")
	if err != nil {
		return "", fmt.Errorf("read the worker: %w", err)
	}
	sum := sha256.Sum256(source)
	dir := filepath.Join(folder, "worker-"+hex.EncodeToString(sum[:8]))
	path := filepath.Join(dir, "worker.ts")
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, source) {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("place the worker: %w", err)
	}
	if err := whole.Write(path, source, 0o600); err != nil {
		return "", fmt.Errorf("place the worker: %w", err)
	}
	return path, nil
}

// basePolicy is what a worker gets of the system before any grant: its own folder, its cache, and what starting Deno
// takes. Deno looks at /proc and does without: with it, a process reads the environment of others.
func basePolicy(p *prepared, root string) confine.Policy {
	base := confine.Policy{
		Read:   []string{root, p.dir, filepath.Dir(p.worker)},
		Exec:   []string{p.binary},
		Limits: StandardLimits.ofProcess(), // of Deno's own commands; a worker has its own
	}
	if runtime.GOOS == "linux" {
		base.Read = append(base.Read, "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo", "/dev/urandom", "/dev/zero", "/dev/null")
		base.Write = []string{"/dev/null"}
		if loader := loaderOf(p.binary); loader != "" {
			base.Exec = append(base.Exec, loader)
		}
	}
	return base
}

var loaders sync.Map // path of a binary → path of its loader

// loaderOf gives the program that loads a dynamic one: the kernel executes it, so it has to be allowed.
func loaderOf(binary string) string {
	if known, ok := loaders.Load(binary); ok {
		return known.(string)
	}
	loader := ""
	if file, err := elf.Open(binary); err == nil {
		defer file.Close()
		if section := file.Section(".interp"); section != nil {
			if data, err := section.Data(); err == nil {
				loader = string(bytes.TrimRight(data, "\x00"))
			}
		}
	}
	loaders.Store(binary, loader)
	return loader
}

func fileURL(path string) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") { // C:/…
		slashed = "/" + slashed
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}

// filePath is the reverse; false for any other URL.
func filePath(address string) (string, bool) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "file" {
		return "", false
	}
	path := parsed.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.Clean(filepath.FromSlash(path)), true
}

package deno

import (
	"bytes"
	"cmp"
	"context"
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

	"portico/backend/confine"
	"portico/backend/extension"
	"portico/backend/npm"
)

// What lies in a folder of packages: what Deno keeps of npm and of JSR, by its own names, and its lock.
const (
	npmFolder    = "npm"
	remoteFolder = "remote"
	lockFile     = "deno.lock"
)

// Fetch brings the packages that an extension's code imports into an empty folder, with all that those need, and gives them
// by name. Deno decides about versions; an author's deno.lock binds it. None of their code runs, nor any of their scripts.
// Deno reads what strangers wrote, so it reaches nothing but one door to the registries (package npm), the extension's
// folder and the folder to fill.
//
// No packages and no error: the code imports none, and the folder is as it was.
func (r *Runtime) Fetch(ctx context.Context, ext extension.Extension, root, into string, progress func(known, fetched int, name string)) ([]extension.Dependency, error) {
	names, err := readImports(root)
	if err != nil {
		return nil, err
	}
	if len(names.packages) == 0 && len(names.unusable) == 0 {
		named, err := namesPackages(root)
		if err != nil || !named {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, fetchLimit, errFetchLimit)
	defer cancel()
	f := &fetching{runtime: r, ext: ext, names: names, folder: into, work: filepath.Join(into, "work"), progress: progress}
	if f.root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, fmt.Errorf("look at the files of %s: %w", ext.ID, err)
	}
	packages, err := f.fetch(ctx)
	if errors.Is(context.Cause(ctx), errFetchLimit) {
		return nil, extension.NewProblem("dependencies.slow", "Fetching what {extension} needs took more than {minutes} minutes.", "Check the network, and install again.",
			"extension", ext.DisplayName, "minutes", fmt.Sprint(int(fetchLimit.Minutes()))).Because(err)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return packages, err
}

var errFetchLimit = errors.New("it took too long")

// namesPackages says whether any file says npm: or jsr:. Most extensions don't, and then nothing has to be started.
func namesPackages(root string) (bool, error) {
	named := false
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || named || !entry.Type().IsRegular() || !slices.Contains(codeEndings, strings.ToLower(filepath.Ext(path))) {
			return err
		}
		data, err := os.ReadFile(path)
		named = bytes.Contains(data, []byte("npm:")) || bytes.Contains(data, []byte("jsr:"))
		return err
	})
	if err != nil {
		return false, fmt.Errorf("look for packages in the extension's files: %w", err)
	}
	return named, nil
}

var codeEndings = []string{".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx", ".json", ".jsonc"}

// fetching is one Fetch.
type fetching struct {
	runtime  *Runtime
	ext      extension.Extension
	root     string // without links
	names    *imports
	folder   string // to fill
	work     string // below it, and gone at the end
	progress func(known, fetched int, name string)

	binary string
	flags  []string
	said   []byte // Deno's last words
}

func (f *fetching) fetch(ctx context.Context) ([]extension.Dependency, error) {
	wanted, err := f.wanted(ctx)
	if err != nil || len(wanted) == 0 {
		return nil, errors.Join(err, os.RemoveAll(f.work))
	}
	config, err := npm.Read(f.runtime.options.Registries)
	if err != nil {
		return nil, err
	}
	if config.JSR == "" {
		if config.JSR, err = f.denosJSR(ctx); err != nil {
			return nil, err
		}
	}
	author, err := readAuthorLock(f.root, f.names.ranges)
	if err != nil {
		return nil, err
	}
	if author != nil {
		if err := os.WriteFile(f.lock(), author.text, 0o600); err != nil {
			return nil, fmt.Errorf("fetch what %s needs: %w", f.ext.ID, err)
		}
	}
	door, err := npm.Open(config, f.runtime.options.limits(), f.work, npm.Wanted{Hashes: author.hashes(), Ranges: f.names.ranges}, func(p npm.Progress) { f.progress(p.Known, p.Fetched, p.Package) })
	if err != nil {
		return nil, err
	}
	err = f.cache(ctx, door, wanted)
	came := door.Packages()
	if err := errors.Join(err, door.Close()); err != nil {
		return nil, err
	}
	got, err := readLockFile(f.lock())
	if err != nil {
		return nil, fmt.Errorf("read what was locked for %s: %w", f.ext.ID, err)
	}
	if err := author.binds(got); err != nil {
		return nil, err
	}
	if err := f.keep(ctx, wanted); err != nil {
		return nil, err
	}
	return got.packages(came), nil
}

func (f *fetching) denoDir() string { return filepath.Join(f.work, denoDir) }
func (f *fetching) lock() string    { return filepath.Join(f.work, lockFile) }
func (f *fetching) entry() string {
	return fileURL(filepath.Join(f.root, filepath.FromSlash(f.ext.Entry)))
}

// wanted gives what Deno is to fetch: the packages that the files declare, and the entry module when it leads to some.
// Nothing is reached for this.
func (f *fetching) wanted(ctx context.Context) ([]string, error) {
	var err error
	if f.binary, err = f.runtime.binary(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(f.denoDir(), 0o700); err != nil {
		return nil, fmt.Errorf("fetch what %s needs: %w", f.ext.ID, err)
	}
	f.flags = []string{"--no-config", "--node-modules-dir=none"}
	mapped, err := f.names.importMap()
	if err != nil {
		return nil, err
	}
	if mapped != nil {
		path := filepath.Join(f.work, importMapFile)
		if err := os.WriteFile(path, mapped, 0o600); err != nil {
			return nil, fmt.Errorf("fetch what %s needs: %w", f.ext.ID, err)
		}
		f.flags = append(f.flags, "--import-map="+path)
	}
	said, err := f.deno(ctx, nil, append(append([]string{"info", "--json", "--no-remote", "--no-npm", "--no-lock", "--quiet"}, f.flags...), f.entry()))
	if err != nil {
		return nil, f.failed(err, nil)
	}
	modules, err := readGraph(said, f.ext.DisplayName)
	if err != nil {
		return nil, err
	}
	if err := f.names.check(modules, f.ext.DisplayName); err != nil {
		return nil, err
	}
	wanted := slices.Clone(f.names.packages)
	if len(modules.packages()) > 0 {
		wanted = append(wanted, f.entry())
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	return wanted, modules.check(f.root, f.ext.DisplayName, true)
}

// cache lets Deno choose versions and fetch them.
func (f *fetching) cache(ctx context.Context, door *npm.Door, wanted []string) error {
	trusted := filepath.Join(f.work, "registries.pem")
	if err := os.WriteFile(trusted, door.Authority(), 0o600); err != nil {
		return fmt.Errorf("fetch what %s needs: %w", f.ext.ID, err)
	}
	running, end := context.WithCancel(ctx)
	defer end()
	watched := make(chan struct{})
	go func() { // ends with the run
		defer close(watched)
		select {
		case <-door.Failed():
			end()
		case <-running.Done():
		}
	}()
	_, err := f.deno(running, door, append(append([]string{"cache", "--lock=" + f.lock()}, f.flags...), wanted...))
	end()
	<-watched
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return f.failed(err, door)
	}
	select {
	case <-door.Failed():
		return door.Problem()
	default:
		return nil
	}
}

// denosJSR gives the address of JSR that Deno has by itself: it names it when it may not reach it (measured with Deno 2.9.6).
// Empty when it names none.
func (f *fetching) denosJSR(ctx context.Context) (string, error) {
	env := slices.DeleteFunc(f.environment(nil), func(pair string) bool { return strings.HasPrefix(pair, "JSR_URL=") })
	said, err := f.run(ctx, nil, env, []string{"info", "--json", "--no-config", "--no-npm", "--no-lock", "--quiet", "jsr:" + noModule})
	if err != nil {
		return "", f.failed(err, nil)
	}
	if found := moduleAddress.FindSubmatch(said); found != nil {
		return string(found[1]), nil
	}
	return "", nil
}

// noModule is a package that nobody can publish: a scope of JSR has at least two letters.
const noModule = "@p/none@1"

var moduleAddress = regexp.MustCompile(`'(https://[^'/]+/)@p/none/meta\.json'`)

// deno runs one of Deno's commands that runs no module.
func (f *fetching) deno(ctx context.Context, door *npm.Door, args []string) ([]byte, error) {
	return f.run(ctx, door, f.environment(door), args)
}

func (f *fetching) environment(door *npm.Door) []string {
	env := environment(f.denoDir(), []string{"HOME=" + f.work, "USERPROFILE=" + f.work})
	if door == nil {
		return append(env, noRegistry...)
	}
	return append(env, "HTTPS_PROXY="+door.Address(), "HTTP_PROXY="+door.Address(), "DENO_CERT="+filepath.Join(f.work, "registries.pem"))
}

func (f *fetching) run(ctx context.Context, door *npm.Door, env, args []string) ([]byte, error) {
	policy := basePolicy(&prepared{binary: f.binary, dir: f.work, worker: f.work}, f.root)
	policy.Write = append(policy.Write, f.work)
	if door != nil {
		policy.Network = confine.Network{Ports: []uint16{door.Port()}}
	}
	said, words, err := f.runtime.tool(ctx, policy, confine.Command{Path: f.binary, Args: args, Env: env, Dir: f.work})
	f.said = words
	return said, err
}

// failed says why Deno could not fetch: what the door saw, else what Deno said.
func (f *fetching) failed(err error, door *npm.Door) error {
	if p := neverBegan(err, f.said); p != nil {
		return p
	}
	if door != nil {
		if p := door.Problem(); p != nil {
			return p
		}
		if found := noVersion.FindSubmatch(f.said); found != nil {
			name := string(found[1]) + string(found[4])
			return npm.NoVersion(name, f.names.rangeOf(name, string(found[2])+string(found[3])), door.Registry(name)).Because(fmt.Errorf("%w: %s", err, f.said))
		}
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(lastError(f.said)), "error: "), "\n")
	return extension.NewProblem("dependencies.failed", "What {extension} imports could not be fetched: {error}.", "Its author has to mend it.",
		"extension", f.ext.DisplayName, "error", sentence(first)).Because(fmt.Errorf("%w: %s", err, f.said))
}

// noVersion is how Deno 2.9.6 says that a package has no version of that kind.
var noVersion = regexp.MustCompile(`(?:npm package '([^']+)' matching '([^']+)'|dist-tag '([^']+)' for npm package '([^']+)')`)

// lastError is what Deno says from its error on; before it stands what it downloaded.
func lastError(said []byte) string {
	if at := bytes.LastIndex(said, []byte("error: ")); at >= 0 {
		return string(said[at:])
	}
	return string(said)
}

// keep leaves in the folder what a worker needs, after Deno found all of it there without any network.
func (f *fetching) keep(ctx context.Context, wanted []string) error {
	if _, err := f.deno(ctx, nil, append(append([]string{"cache", "--quiet", "--frozen", "--lock=" + f.lock()}, f.flags...), wanted...)); err != nil {
		return f.failed(err, nil)
	}
	kept := map[string]string{f.lock(): filepath.Join(f.folder, lockFile)}
	for _, name := range []string{npmFolder, remoteFolder} {
		kept[filepath.Join(f.denoDir(), name)] = filepath.Join(f.folder, name)
	}
	for from, to := range kept {
		if err := os.Rename(from, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("keep what %s needs: %w", f.ext.ID, err)
		}
	}
	if err := os.RemoveAll(f.work); err != nil {
		return fmt.Errorf("keep what %s needs: %w", f.ext.ID, err)
	}
	return filepath.WalkDir(f.folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("keep what %s needs: %w", f.ext.ID, err)
		case entry.IsDir() && entry.Name() == ".git": // the fingerprint leaves it out, and npm never packs it
			if err := os.RemoveAll(path); err != nil {
				return fmt.Errorf("keep what %s needs: %w", f.ext.ID, err)
			}
			return fs.SkipDir
		case entry.IsDir():
			return nil
		case !entry.Type().IsRegular():
			return extension.NewProblem("dependencies.link", "A package that {extension} imports holds {file}, which is no plain file.", "Do not use it; tell the extension's author.",
				"extension", f.ext.DisplayName, "file", entry.Name())
		case entry.Name() == "registry.json" && isAboutPackage(f.folder, path): // the versions that there were; the lock says which is meant
			return os.Remove(path)
		}
		return nil
	})
}

// isAboutPackage tells npm/<host>/<name>/registry.json from a package's own file of that name.
func isAboutPackage(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	if err != nil {
		return false
	}
	parts := strings.Split(filepath.ToSlash(rel), "/")
	scoped := len(parts) == 5 && strings.HasPrefix(parts[2], "@")
	return parts[0] == npmFolder && (len(parts) == 4 || scoped)
}

// locked is what a deno.lock says, of version 3 to 5.
type locked struct {
	text []byte // as Deno is told it

	NPM map[string]lockedPackage
	JSR map[string]lockedPackage
}

type lockedPackage struct {
	Integrity string `json:"integrity"`
}

func parseLock(data []byte) (*locked, error) {
	var read struct {
		NPM      map[string]lockedPackage `json:"npm"`
		JSR      map[string]lockedPackage `json:"jsr"`
		Packages struct {
			NPM map[string]lockedPackage `json:"npm"`
			JSR map[string]lockedPackage `json:"jsr"`
		} `json:"packages"` // version 3
	}
	if err := json.Unmarshal(data, &read); err != nil {
		return nil, err
	}
	l := &locked{text: data, NPM: map[string]lockedPackage{}, JSR: map[string]lockedPackage{}}
	maps.Copy(l.NPM, read.Packages.NPM)
	maps.Copy(l.NPM, read.NPM)
	maps.Copy(l.JSR, read.Packages.JSR)
	maps.Copy(l.JSR, read.JSR)
	return l, nil
}

func readLockFile(path string) (*locked, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseLock(data)
}

// readAuthorLock reads the deno.lock that came with an extension; nil when there is none. What it says of packages counts;
// what it says of the author's own set-up, of addresses and of other places to fetch from does not. A range of several parts
// is locked under the name by which the door offers it as well.
func readAuthorLock(root string, ranges map[string][]string) (*locked, error) {
	var whole map[string]any
	found, err := readConfig(root, lockFile, &whole)
	if err == nil && !found {
		return nil, nil
	}
	var l *locked
	if err == nil {
		for _, name := range []string{"workspace", "remote", "redirects"} {
			delete(whole, name)
		}
		specifiers, _ := whole["specifiers"].(map[string]any)
		if third, ok := whole["packages"].(map[string]any); ok && specifiers == nil {
			specifiers, _ = third["specifiers"].(map[string]any)
		}
		for name, all := range ranges {
			for _, wanted := range all {
				if chosen, ok := specifiers["npm:"+name+"@"+wanted]; ok {
					tag, _ := npm.RangeTag(wanted)
					specifiers["npm:"+name+"@"+tag] = chosen
				}
			}
		}
		packages, _ := whole["npm"].(map[string]any)
		for _, entry := range packages {
			if entry, ok := entry.(map[string]any); ok {
				delete(entry, "tarball")
			}
		}
		var text []byte
		if text, err = json.Marshal(whole); err == nil {
			l, err = parseLock(text)
		}
	}
	if err != nil {
		return nil, extension.NewProblem("dependencies.bad-lock", "The extension's deno.lock can't be read.", "Its author has to lock again.").At(filepath.Join(root, lockFile)).Because(err)
	}
	return l, nil
}

// hashes gives what each package has to have, by name@version.
func (l *locked) hashes() map[string]string {
	all := map[string]string{}
	if l == nil {
		return all
	}
	for key, p := range l.NPM {
		all[nameAndVersion(key)] = p.Integrity
	}
	return all
}

// nameAndVersion drops what Deno adds to a key for the packages beside it: "a@1.0.0_b@2.0.0".
func nameAndVersion(key string) string {
	version := strings.IndexByte(key[min(1, len(key)):], '@') + 1
	if peers := strings.IndexByte(key[version:], '_'); version > 0 && peers >= 0 {
		return key[:version+peers]
	}
	return key
}

// binds says whether what was fetched is what the author locked.
func (author *locked) binds(got *locked) error {
	if author == nil {
		return nil
	}
	var issues []extension.Issue
	compare := func(from string, have, want map[string]lockedPackage) {
		for _, key := range slices.Sorted(maps.Keys(have)) {
			wanted, ok := want[key]
			switch {
			case !ok:
				issues = append(issues, extension.Issue{Place: from + ":" + key, What: "is imported and not locked"})
			case wanted.Integrity != have[key].Integrity:
				issues = append(issues, extension.Issue{Place: from + ":" + key, What: "is locked with another hash"})
			}
		}
	}
	compare("npm", got.NPM, author.NPM)
	compare("jsr", got.JSR, author.JSR)
	if len(issues) == 0 {
		return nil
	}
	p := extension.NewProblem("dependencies.other-lock", "The extension's deno.lock does not fit what it imports: {first}.", "Its author has to lock again.", "first", issues[0].String())
	p.Issues = issues
	return p
}

// packages gives what is locked, by name.
func (l *locked) packages(came map[string]npm.Package) []extension.Dependency {
	seen := map[string]bool{}
	all := []extension.Dependency{}
	add := func(from string, of map[string]lockedPackage) {
		for _, key := range slices.Sorted(maps.Keys(of)) {
			plain := nameAndVersion(key)
			if seen[from+plain] {
				continue
			}
			seen[from+plain] = true
			at := strings.LastIndexByte(plain, '@')
			if at <= 0 {
				continue
			}
			about := came[plain]
			all = append(all, extension.Dependency{From: from, Name: plain[:at], Version: plain[at+1:], Integrity: of[key].Integrity, Native: about.Native, Scripts: about.Scripts})
		}
	}
	add("npm", l.NPM)
	add("jsr", l.JSR)
	slices.SortStableFunc(all, func(a, b extension.Dependency) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

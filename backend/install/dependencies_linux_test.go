package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"portico/backend/extension"
)

// shelf is where packages are fetched from: what Deno does for the installer, without one.
type shelf struct {
	mu      sync.Mutex
	version string // of the package that everybody needs; empty: nobody needs any
	fetch   func(ctx context.Context, into string) error
}

func (s *shelf) Fetch(ctx context.Context, _ extension.Extension, root, into string, progress func(known, fetched int, name string)) ([]extension.Dependency, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := os.Stat(filepath.Join(root, "loca.json")); err != nil {
		return nil, err
	}
	if s.version == "" {
		return nil, nil
	}
	for n, known := range []int{1, 3, 3, 3} {
		progress(known, min(n, 3), "word")
	}
	folder := filepath.Join(into, "npm", "word")
	err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "index.js"), []byte(s.version), 0o600))
	if err == nil && s.fetch != nil {
		err = s.fetch(ctx, into)
	}
	return []extension.Dependency{{From: "npm", Name: "word", Version: s.version, Integrity: "sha512-x"}}, err
}

func stocked(data string, from *shelf) *Installer {
	in := at(data)
	in.options.Dependencies = map[extension.Format]Dependencies{extension.Loca: from}
	return in
}

// fetchedFolders lists what lies there for packages, by extension and install.
func fetchedFolders(t *testing.T, in *Installer) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(in.options.Data, dependenciesFolder, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func needsPackages(t *testing.T) (*Installer, *shelf, string) {
	t.Helper()
	base := t.TempDir()
	from := &shelf{version: "1.0.0"}
	return stocked(filepath.Join(base, "data"), from), from, example(t, filepath.Join(base, "from"), "one", "first")
}

// packageText is what runs of an installed extension's package.
func packageText(t *testing.T, c extension.Copy) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(c.PackagesRoot, "npm", "word", "index.js"))
	if err != nil {
		t.Error(err)
	}
	return string(data)
}

func TestPackagesAreInstalledBesideTheFilesAndLocked(t *testing.T) {
	in, _, from := needsPackages(t)
	plain := install(t, at(filepath.Join(t.TempDir(), "data")), from)
	var steps []string
	last := 0.0
	c, err := in.Install(t.Context(), from, extension.Agent, "", "", func(step string, fraction float64, detail string) {
		if step == "fetch" {
			step += " " + detail
		}
		if len(steps) == 0 || steps[len(steps)-1] != step {
			steps = append(steps, step)
		}
		if fraction < last {
			t.Errorf("the bar went back from %f to %f at %s", last, fraction, step)
		}
		last = fraction
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(steps, ", "); got != "read, copy, check, fingerprint, fetch 0/1, fetch 1/3, fetch 2/3, fetch 3/3, swap, done" {
		t.Errorf("got the steps %s", got)
	}
	if c.Fingerprint != plain.Fingerprint || c.Files != plain.Files {
		t.Errorf("packages count as the author's files: %+v", c)
	}
	listed := onlyOne(t, in)
	if !listed.Usable() || len(listed.Dependencies) != 1 || listed.Dependencies[0].Name != "word" || packageText(t, listed) != "1.0.0" {
		t.Errorf("got %+v", listed)
	}
	if strings.HasPrefix(listed.PackagesRoot, listed.Root) {
		t.Errorf("the packages lie in the extension's folder: %s", listed.PackagesRoot)
	}
	if left := leftBehind(t, in, "one"); left != nil {
		t.Errorf("left behind: %v", left)
	}
	if busy, err := filepath.Glob(filepath.Join(in.options.Data, dependenciesFolder, "*", "*", busyFile)); err != nil || len(busy) > 0 {
		t.Errorf("still busy: %v %v", busy, err)
	}
}

func TestAnUpdateKeepsTheOldPackagesUntilItsCallsEnded(t *testing.T) {
	in, from, folder := needsPackages(t)
	before := install(t, in, folder)
	from.version = "2.0.0"
	after := install(t, in, folder)
	if packageText(t, before) != "1.0.0" || packageText(t, after) != "2.0.0" || len(fetchedFolders(t, in)) != 2 {
		t.Fatalf("got %v", fetchedFolders(t, in))
	}
	if err := in.Tidy(t.Context(), ref("one")); err != nil {
		t.Fatal(err)
	}
	if all := fetchedFolders(t, in); len(all) != 1 || packageText(t, onlyOne(t, in)) != "2.0.0" {
		t.Errorf("got %v", all)
	}
	from.version = ""
	if install(t, in, folder).PackagesRoot != "" {
		t.Error("a version without packages has some")
	}
	if err := in.Tidy(t.Context(), ref("one")); err != nil || len(fetchedFolders(t, in)) != 0 {
		t.Errorf("got %v, %v", fetchedFolders(t, in), err)
	}
}

func TestAFailedFetchLeavesTheVersionBefore(t *testing.T) {
	full := extension.NewProblem("npm.no-package", "No.", "Look.")
	for name, c := range map[string]struct {
		fail error
		want string
	}{"in words": {full, "npm.no-package"}, "by the disk": {syscall.ENOSPC, "install.disk-full"}} {
		for _, replacing := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, replacing %v", name, replacing), func(t *testing.T) {
				in, from, folder := needsPackages(t)
				if replacing {
					install(t, in, folder)
					write(t, folder, "index.ts", "export function t() { return 'second'; }\n")
				}
				from.version, from.fetch = "2.0.0", func(context.Context, string) error { return c.fail }
				if _, err := in.Install(t.Context(), folder, extension.Agent, "", "", quiet); code(err) != c.want {
					t.Errorf("got %v", err)
				}
				copies, err := in.List(t.Context())
				want := 0
				if replacing {
					want = 1
				}
				if err != nil || len(copies) != want || len(fetchedFolders(t, in)) != want || replacing && (!copies[0].Usable() || packageText(t, copies[0]) != "1.0.0") {
					t.Errorf("got %+v, %v, %v", copies, err, fetchedFolders(t, in))
				}
				if left := leftBehind(t, in, "one"); left != nil {
					t.Errorf("left behind: %v", left)
				}
			})
		}
	}
}

func TestACancelledFetchLeavesNothing(t *testing.T) {
	in, from, folder := needsPackages(t)
	ctx, cancel := context.WithCancel(t.Context())
	from.fetch = func(ctx context.Context, _ string) error { cancel(); return ctx.Err() }
	if _, err := in.Install(ctx, folder, extension.Agent, "", "", quiet); code(err) != "install.cancelled" {
		t.Errorf("got %v", err)
	}
	if copies, err := in.List(t.Context()); err != nil || len(copies) > 0 || len(fetchedFolders(t, in)) > 0 || leftBehind(t, in) != nil {
		t.Errorf("got %v %v, left %v %v", copies, err, fetchedFolders(t, in), leftBehind(t, in))
	}
}

func TestPackagesThatAreNoPlainFilesAreRefused(t *testing.T) {
	in, from, folder := needsPackages(t)
	from.fetch = func(_ context.Context, into string) error {
		return os.Symlink("/etc/passwd", filepath.Join(into, "npm", "link"))
	}
	if _, err := in.Install(t.Context(), folder, extension.Agent, "", "", quiet); code(err) != "install.refused" || len(fetchedFolders(t, in)) > 0 {
		t.Errorf("got %v, left %v", err, fetchedFolders(t, in))
	}
}

func TestPackagesThatChangedStopTheExtension(t *testing.T) {
	for name, c := range map[string]struct {
		change func(root string) error
		want   string
	}{
		"a file with other content": {func(root string) error {
			return os.WriteFile(filepath.Join(root, "npm", "word", "index.js"), []byte("9.9.9"), 0o600)
		}, "extension.packages-drift"},
		"one more file": {func(root string) error { return os.WriteFile(filepath.Join(root, "more.js"), nil, 0o600) }, "extension.packages-drift"},
		"a file less":   {func(root string) error { return os.Remove(filepath.Join(root, "npm", "word", "index.js")) }, "extension.packages-drift"},
		"a link":        {func(root string) error { return os.Symlink("/etc/passwd", filepath.Join(root, "link")) }, "extension.packages-drift"},
		"all gone":      {os.RemoveAll, "extension.packages-gone"},
		"a link in their place": {func(root string) error {
			return errors.Join(os.Rename(root, root+"-"), os.Symlink(root+"-", root))
		}, "extension.packages-drift"},
	} {
		t.Run(name, func(t *testing.T) {
			in, _, folder := needsPackages(t)
			if err := c.change(install(t, in, folder).PackagesRoot); err != nil {
				t.Fatal(err)
			}
			got := onlyOne(t, in)
			if got.Problem == nil || got.Problem.Code != c.want || got.PackagesRoot != "" {
				t.Errorf("got %v, %s", got.Problem, got.PackagesRoot)
			}
			if err := in.Verify(t.Context(), ref("one")); code(err) != c.want {
				t.Errorf("it may run: %v", err)
			}
			if again := install(t, in, folder); again.Problem != nil || packageText(t, again) != "1.0.0" {
				t.Errorf("installing again does not mend it: %+v", again)
			}
		})
	}
}

func TestALockThatNamesPackagesElsewhereIsNotFollowed(t *testing.T) {
	in, _, folder := needsPackages(t)
	c := install(t, in, folder)
	lock := filepath.Join(in.options.Data, "extensions", LockFile)
	data, err := os.ReadFile(lock)
	if err != nil {
		t.Fatal(err)
	}
	for _, strange := range []string{"..", ".", "", "../agent-loca-other/in-1", "/etc", c.PackagesRoot} {
		changed := strings.Replace(string(data), fmt.Sprintf("%q", filepath.Base(filepath.Dir(c.PackagesRoot))), fmt.Sprintf("%q", strange), 1)
		if err := os.WriteFile(lock, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := onlyOne(t, in); got.Problem == nil || got.Problem.Code != "extension.packages-gone" || got.PackagesRoot != "" {
			t.Errorf("%q: got %v, %s", strange, got.Problem, got.PackagesRoot)
		}
	}
}

func TestRemovingTakesThePackagesAlong(t *testing.T) {
	in, _, folder := needsPackages(t)
	install(t, in, folder)
	other := example(t, filepath.Join(t.TempDir(), "other"), "two", "first")
	install(t, in, other)
	if err := in.Remove(t.Context(), ref("one")); err != nil {
		t.Fatal(err)
	}
	if all := fetchedFolders(t, in); len(all) != 1 || !strings.Contains(all[0], "agent-loca-two") {
		t.Errorf("got %v", all)
	}
	if got := onlyOne(t, in); got.Problem != nil {
		t.Errorf("got %v", got.Problem)
	}
}

func TestTwoInstallsOfPackagesAtOnce(t *testing.T) {
	in, from, folder := needsPackages(t)
	second := stocked(in.options.Data, &shelf{version: "1.0.0"}) // another process's
	other := example(t, filepath.Join(t.TempDir(), "other"), "two", "first")
	from.fetch = func(context.Context, string) error { // while it fetches, another start tidies up
		return errors.Join(second.Recover(context.Background()), second.Tidy(context.Background(), ref("one")))
	}
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() { install(t, in, folder) })
		all.Go(func() { install(t, second, other) })
	}
	all.Wait()
	copies, err := in.List(t.Context())
	if err != nil || len(copies) != 2 {
		t.Fatal(copies, err)
	}
	for _, c := range copies {
		if !c.Usable() || packageText(t, c) != "1.0.0" {
			t.Errorf("got %+v", c)
		}
	}
}

func TestACrashLeavesNoPackagesThatNobodyNeeds(t *testing.T) {
	if step := os.Getenv("PORTICO_TEST_CRASH"); step != "" {
		in := stocked(os.Getenv("PORTICO_TEST_DATA"), &shelf{version: "2.0.0"})
		die := func() error { return syscall.Kill(os.Getpid(), syscall.SIGKILL) }
		in.before = func(s string) error {
			if s == step {
				return die()
			}
			return nil
		}
		if step == "fetching" {
			in.options.Dependencies[extension.Loca].(*shelf).fetch = func(context.Context, string) error { return die() }
		}
		_, err := in.Install(t.Context(), os.Getenv("PORTICO_TEST_FROM"), extension.Agent, "", "", quiet)
		t.Fatalf("the process outlived its end: %v", err)
	}
	for _, c := range []struct {
		step    string
		wantNew bool
	}{{"fetch", false}, {"fetching", false}, {"journal", false}, {"exchange", false}, {"lock", true}, {"tidy", true}} {
		for _, replacing := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, replacing %v", c.step, replacing), func(t *testing.T) {
				in, _, folder := needsPackages(t)
				if replacing {
					install(t, in, folder)
					write(t, folder, "index.ts", "export function t() { return 'second'; }\n")
				}
				crash := exec.Command(os.Args[0], "-test.run", "^TestACrashLeavesNoPackagesThatNobodyNeeds$")
				crash.Env = append(os.Environ(), "PORTICO_TEST_CRASH="+c.step, "PORTICO_TEST_DATA="+in.options.Data, "PORTICO_TEST_FROM="+folder)
				if out, err := crash.CombinedOutput(); !strings.Contains(fmt.Sprint(err), "killed") {
					t.Fatalf("the process was not killed: %v\n%s", err, out)
				}
				next := stocked(in.options.Data, &shelf{version: "3.0.0"})
				if err := next.Recover(t.Context()); err != nil {
					t.Fatal(err)
				}
				copies, err := next.List(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				want := ""
				switch {
				case c.wantNew:
					want = "2.0.0"
				case replacing:
					want = "1.0.0"
				}
				if want == "" && (len(copies) > 0 || len(fetchedFolders(t, next)) > 0) {
					t.Errorf("got %+v, left %v", copies, fetchedFolders(t, next))
				}
				if want != "" && (len(copies) != 1 || !copies[0].Usable() || packageText(t, copies[0]) != want || len(fetchedFolders(t, next)) != 1) {
					t.Errorf("got %+v, left %v", copies, fetchedFolders(t, next))
				}
				if left := leftBehind(t, next, "one"); left != nil {
					t.Errorf("left behind: %v", left)
				}
				if again := install(t, next, folder); packageText(t, again) != "3.0.0" {
					t.Errorf("got %+v", again)
				}
			})
		}
	}
}

func TestAProjectsPackagesLieOnThisComputer(t *testing.T) {
	in, _, folder := needsPackages(t)
	project := t.TempDir()
	confirmed := map[string]bool{}
	in.options.Confirm = func(_ context.Context, _ extension.Ref, fingerprint string) error {
		confirmed[fingerprint] = true
		return nil
	}
	in.options.Confirmed = func(_ context.Context, _ extension.Ref, fingerprint string) (bool, error) {
		return confirmed[fingerprint], nil
	}
	c, err := in.Install(t.Context(), folder, extension.Project, project, "", quiet)
	if err != nil || packageText(t, c) != "1.0.0" || !strings.HasPrefix(c.PackagesRoot, in.options.Data) {
		t.Fatalf("got %+v, %v", c, err)
	}
	if err := in.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if packageText(t, c) != "1.0.0" {
		t.Error("a start of the agent's took a project's packages away")
	}
	elsewhere := stocked(filepath.Join(t.TempDir(), "data"), &shelf{version: "1.0.0"}) // another computer, where the project came with its lock
	copies, err := elsewhere.List(t.Context(), project)
	if err != nil || len(copies) != 1 || copies[0].Problem == nil || copies[0].Problem.Code != "extension.unconfirmed" || copies[0].PackagesRoot != "" {
		t.Errorf("got %+v, %v", copies, err)
	}
	if err := in.Remove(t.Context(), c.Ref()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(c.PackagesRoot); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
}

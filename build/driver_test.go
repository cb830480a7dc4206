package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestNodesVersionIsReadFromItsOwnWords(t *testing.T) {
	for said, want := range map[string]int{"v20.20.2": 20, "v22.0.0\n": 22, "v8.17.0": 8} {
		if got, err := nodeMajor(said); err != nil || got != want {
			t.Errorf("%q: %d, %v, not %d", said, got, err, want)
		}
	}
	if _, err := nodeMajor("command not found"); err == nil {
		t.Error("words without a version passed for one")
	}
}

func TestADistributionIsKnownByItselfAndByWhatItIsLike(t *testing.T) {
	mint := "NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_ID=\"22\"\n"
	if got := distribution(mint); !reflect.DeepEqual(got, []string{"linuxmint", "ubuntu", "debian"}) {
		t.Errorf("Linux Mint is %v", got)
	}
	if got := distribution("ID_LIKE='rhel fedora'\nID=rocky\n"); got[0] != "rocky" {
		t.Errorf("the system's own id comes first, not %v", got)
	}
	if got := distribution(""); len(got) != 0 {
		t.Errorf("no file is no distribution, not %v", got)
	}
}

func TestOnlyWhatDpkgCallsInstalledIsInstalled(t *testing.T) {
	answer := "xvfb install ok installed\nchromium deinstall ok config-files\nopenbox install ok half-configured\n"
	if got := missingPackages([]string{"xvfb", "chromium", "openbox", "dbus"}, answer); !reflect.DeepEqual(got, []string{"chromium", "openbox", "dbus"}) {
		t.Errorf("missing are %v", got)
	}
}

func TestEverySystemGetsACommandToRunByHand(t *testing.T) {
	for _, c := range []struct {
		goos string
		ids  []string
		want string
	}{
		{"linux", []string{"debian"}, "apt-get install"},
		{"linux", []string{"linuxmint", "ubuntu", "debian"}, "apt-get install"},
		{"linux", []string{"rocky", "rhel", "fedora"}, "dnf install"},
		{"linux", []string{"arch"}, "pacman"},
		{"linux", []string{"opensuse-tumbleweed", "opensuse", "suse"}, "zypper"},
		{"linux", []string{"void"}, "WebKitGTK 4.1"},
		{"darwin", nil, "xcode-select"},
		{"windows", nil, "WebView2"},
	} {
		for _, test := range []bool{false, true} {
			if got := byHand(c.goos, c.ids, test); !strings.Contains(got, c.want) {
				t.Errorf("%s %v: %q says nothing of %q", c.goos, c.ids, got, c.want)
			}
		}
	}
}

func TestNoPasswordIsCompiledIntoABinary(t *testing.T) {
	for address, want := range map[string]string{
		"https://name:secret@npm.example.org/mirror/": "https://npm.example.org/mirror/",
		"http://127.0.0.1:4873/\n":                    "http://127.0.0.1:4873/",
	} {
		if got, err := publicAddress(address); err != nil || got != want {
			t.Errorf("%q became %q, %v", address, got, err)
		}
	}
}

func TestEveryPinnedDenoHasAHash(t *testing.T) {
	content, err := os.ReadFile("deno.json")
	if err != nil {
		t.Fatal(err)
	}
	var pin denoPin
	if err := json.Unmarshal(content, &pin); err != nil {
		t.Fatal(err)
	}
	for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"} {
		pkg := pin.Packages[platform]
		hash, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(pkg.Integrity, "sha512-"))
		if err != nil || len(hash) != sha512.Size || !strings.HasPrefix(pkg.Name, "@deno/") {
			t.Errorf("%s is pinned to %q with %q", platform, pkg.Name, pkg.Integrity)
		}
	}
}

// pack makes an npm package of one member and gives its path and integrity.
func pack(t *testing.T, member, content string) (path, integrity string) {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	err := archive.WriteHeader(&tar.Header{Name: member, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(content))})
	if err == nil {
		_, err = archive.Write([]byte(content))
	}
	if err := errors.Join(err, archive.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "package.tgz")
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha512.Sum512(packed.Bytes())
	return path, "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

func TestAPackageIsBelievedByItsHashAlone(t *testing.T) {
	path, integrity := pack(t, "package/deno", "#!/bin/sh\n")
	if err := checkIntegrity(path, integrity); err != nil {
		t.Errorf("the pinned package is refused: %v", err)
	}
	other, _ := pack(t, "package/deno", "#!/bin/bash\n")
	if err := checkIntegrity(other, integrity); err == nil {
		t.Error("another package passes for the pinned one")
	}
}

func TestAProgramAppearsWholeOrNotAtAll(t *testing.T) {
	path, _ := pack(t, "package/deno", "the program")
	folder := t.TempDir()
	to := filepath.Join(folder, "bin", "deno")
	if err := extract(path, "package/deno.exe", to); err == nil {
		t.Error("a member that is not there was unpacked")
	}
	if _, err := os.Stat(to); err == nil {
		t.Error("a failed unpacking left a file")
	}
	if err := extract(path, "package/deno", to); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(to)
	info, statErr := os.Stat(to)
	if err != nil || statErr != nil || string(content) != "the program" {
		t.Fatalf("%q, %v, %v", content, err, statErr)
	}
	if info.Mode().Perm()&0o100 == 0 {
		t.Error("the program cannot be run")
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "bin", ".part-*")); len(left) > 0 {
		t.Errorf("parts are left: %v", left)
	}
}

// scratch is a driver over an empty repository.
func scratch(t *testing.T) *driver {
	t.Helper()
	d := &driver{ctx: context.Background(), root: t.TempDir(), host: platform{"linux", "amd64"}}
	write(t, d, "source.txt", "one")
	return d
}

func write(t *testing.T, d *driver, path, content string) {
	t.Helper()
	if err := os.WriteFile(d.path(path), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAStepIsDoneAgainExactlyWhenSomethingItStandsOnChanged(t *testing.T) {
	for _, c := range []struct {
		change string
		do     func(*testing.T, *driver)
		again  bool
	}{
		{"nothing", func(*testing.T, *driver) {}, false},
		{"a source", func(t *testing.T, d *driver) { write(t, d, "source.txt", "two") }, true},
		{"a new source", func(t *testing.T, d *driver) { write(t, d, "more.txt", "") }, true},
		{"what the step skips", func(t *testing.T, d *driver) { write(t, d, "source_test.go", "") }, false},
		{"the output is gone", func(t *testing.T, d *driver) { os.Remove(d.path("output")) }, true},
		{"the output was replaced", func(t *testing.T, d *driver) { write(t, d, "output", "something else") }, true},
	} {
		d := scratch(t)
		runs := 0
		step := func() error {
			in := d.inputsOf([]string{"flags"}, skipTests("output", "build"), ".")
			return d.once("step", in, []string{"output"}, "done", "doing", func() error {
				runs++
				write(t, d, "output", "made")
				return nil
			})
		}
		if err := step(); err != nil {
			t.Fatal(err)
		}
		c.do(t, d)
		if err := step(); err != nil {
			t.Fatal(err)
		}
		if again := runs == 2; again != c.again {
			t.Errorf("after %s: done again is %v", c.change, again)
		}
	}
}

func TestAFailedStepIsNotDone(t *testing.T) {
	d := scratch(t)
	in := d.inputsOf(nil, nil, "source.txt")
	write(t, d, "output", "of the last time")
	broken := errors.New("broken")
	if err := d.once("step", in, []string{"output"}, "done", "doing", func() error { return broken }); !errors.Is(err, broken) {
		t.Fatalf("the failure is %v", err)
	}
	ran := false
	if err := d.once("step", in, []string{"output"}, "done", "doing", func() error { ran = true; return nil }); err != nil || !ran {
		t.Errorf("after a failure the step ran %v, %v", ran, err)
	}
}

func TestAStepThatLeavesNoOutputFails(t *testing.T) {
	d := scratch(t)
	if err := d.once("step", d.inputsOf(nil, nil, "source.txt"), []string{"output"}, "done", "doing", func() error { return nil }); err == nil {
		t.Error("nothing was made, and that passed for done")
	}
}

func TestAFailureSaysWhatToDoNext(t *testing.T) {
	text := (&failure{what: "`npm ci` failed", why: errors.New("exit status 1"), next: "Check the network.", output: "npm error\n"}).text()
	if want := "npm error\nbuild: `npm ci` failed: exit status 1\n  next: Check the network.\n"; text != want {
		t.Errorf("it says %q", text)
	}
}

// dependencies are the packages of this repository that a build contains.
func dependencies(t *testing.T, tags string) string {
	t.Helper()
	list := exec.Command("go", "list", "-e", "-deps", "-tags", tags, ".") // -e: the frontend need not be built for this
	list.Dir = ".."
	said, err := list.Output()
	if err != nil {
		t.Fatalf("list what a build with %s contains: %v", tags, err)
	}
	return string(said)
}

func TestTheBrowserModeIsInDevelopmentBuildsAlone(t *testing.T) {
	host := platform{os: "linux", arch: "amd64"}
	if strings.Contains(dependencies(t, host.windowTags()), "portico/app/browser\n") {
		t.Error("the release binary contains the browser mode")
	}
	if !strings.Contains(dependencies(t, "browser"), "portico/app/browser\n") {
		t.Error("the development binary lacks the browser mode")
	}
}

func TestTheDriverStandsOnTheStandardLibraryAlone(t *testing.T) {
	said, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(said)); got != "portico/build" {
		t.Errorf("beside itself it needs %s", strings.ReplaceAll(got, "\n", ", "))
	}
}

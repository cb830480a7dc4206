//go:build unix

package deno

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// desktop keeps what it was asked to open.
type desktop struct {
	mu     sync.Mutex
	opened []string
}

func (d *desktop) keep(what string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.opened = append(d.opened, what)
	if strings.Contains(what, "broken") {
		return fmt.Errorf("%s could not be opened", what)
	}
	return nil
}
func (d *desktop) URL(address string) error { return d.keep("url " + address) }
func (d *desktop) Path(path string) error   { return d.keep("path " + path) }
func (d *desktop) App(name string) error    { return d.keep("app " + name) }

func (d *desktop) all() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.opened)
}

func standIns(t *testing.T, names ...string) (*openers, *desktop) {
	t.Helper()
	d := &desktop{}
	o, err := newOpeners(names, d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(o.folder); err == nil {
			t.Errorf("%s was left behind", o.folder)
		}
	})
	return o, d
}

func TestAStandInHandsItsCommandLineOverAsItIs(t *testing.T) {
	o, d := standIns(t, "xdg-open", "gtk-launch")
	for _, address := range []string{"https://example.com/?q='; touch x; '&r=$(id)", "https://example.com/" + strings.Repeat("a", 5000), "https://example.com/broken"} {
		out, err := exec.Command(filepath.Join(o.bin, "xdg-open"), address).CombinedOutput()
		if broken := strings.Contains(address, "broken"); broken != (err != nil) || broken != strings.Contains(string(out), "could not be opened") {
			t.Errorf("%.60q: %v, %s", address, err, out)
		}
		if last := d.all(); last[len(last)-1] != "url "+address {
			t.Errorf("opened was %.60q", last[len(last)-1])
		}
	}
	if out, err := exec.Command(filepath.Join(o.bin, "gtk-launch"), "firefox").CombinedOutput(); err != nil {
		t.Errorf("%v, %s", err, out)
	}
	if last := d.all(); last[len(last)-1] != "app firefox" {
		t.Errorf("opened was %q", last)
	}
}

func TestStandInsThatAskAtOnceAreAnsweredEach(t *testing.T) {
	o, d := standIns(t, "xdg-open")
	var all sync.WaitGroup
	for n := range 10 {
		all.Go(func() {
			address := fmt.Sprintf("https://example.com/%d", n)
			if n%2 == 1 {
				address += "/broken"
			}
			if out, err := exec.Command(filepath.Join(o.bin, "xdg-open"), address).CombinedOutput(); (err != nil) != (n%2 == 1) {
				t.Errorf("%s: %v, %s", address, err, out)
			}
		})
	}
	all.Wait()
	if got := len(d.all()); got != 10 {
		t.Errorf("%d were opened", got)
	}
}

func TestWhatIsNoSingleAddressOrFileIsNotOpened(t *testing.T) {
	folder := t.TempDir()
	put := func(name string, mode fs.FileMode) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain, script, entry := put("notes.txt", 0o600), put("script", 0o700), put("Trap.DESKTOP", 0o600)
	disguised := filepath.Join(folder, "innocent.txt")
	if err := os.Symlink(entry, disguised); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command []string
		opened  string // empty: refused
	}{
		{[]string{"xdg-open", "https://example.com/"}, "url https://example.com/"},
		{[]string{"gio", "open", "mailto:a@example.com"}, "url mailto:a@example.com"},
		{[]string{"xdg-open", plain}, "path " + plain},
		{[]string{"xdg-open", folder}, "path " + folder},
		{[]string{"open", "-a", "Visual Studio Code"}, "app Visual Studio Code"},
		{[]string{"gtk-launch", "firefox"}, "app firefox"},
		{[]string{"xdg-open"}, ""},
		{[]string{"xdg-open", "--help"}, ""},
		{[]string{"xdg-open", "file:///etc/passwd"}, ""},
		{[]string{"xdg-open", "javascript:alert(1)"}, ""},
		{[]string{"xdg-open", "notes.txt"}, ""},
		{[]string{"xdg-open", filepath.Join(folder, "none")}, ""},
		{[]string{"xdg-open", script}, ""},
		{[]string{"xdg-open", entry}, ""},
		{[]string{"xdg-open", disguised}, ""},
		{[]string{"xdg-open", os.DevNull}, ""},
		{[]string{"xdg-open", plain, plain}, ""},
		{[]string{"open", "-n", plain}, ""},
		{[]string{"gtk-launch", "--version"}, ""},
		{[]string{"gtk-launch", "../evil"}, ""},
		{[]string{"gio", "copy", plain, folder}, ""},
		{[]string{"sh", plain}, ""},
		{[]string{""}, ""},
	} {
		d := &desktop{}
		err := openAs(d, c.command)
		if got := strings.Join(d.all(), ", "); got != c.opened || (err == nil) != (c.opened != "") {
			t.Errorf("%q opened %q, %v", c.command, got, err)
		}
	}
	if err := openAs(nil, []string{"xdg-open", "https://example.com/"}); err == nil {
		t.Error("something was opened without a desktop")
	}
}

func TestWindowsAreListedAndPlacedAndNothingElse(t *testing.T) {
	real := t.TempDir()
	for _, name := range []string{"wmctrl", "xprop"} {
		if err := os.WriteFile(filepath.Join(real, name), []byte("#!/bin/sh\n[ \"$3\" != 0xdead ] || { echo gone >&2; exit 1; }\necho \"did: $*\"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", real+":"+os.Getenv("PATH"))
	o, _ := standIns(t, "wmctrl", "xprop")
	for _, c := range []struct {
		line []string
		want string // on stdout, or on stderr after a failure
		ok   bool
	}{
		{[]string{"wmctrl", "-lGx"}, "did: -lGx\n", true},
		{[]string{"xprop", "-root", "_NET_ACTIVE_WINDOW"}, "did: -root _NET_ACTIVE_WINDOW\n", true},
		{[]string{"wmctrl", "-i", "-r", "0x1a", "-e", "0,-5,6,70,80"}, "did: -i -r 0x1a -e 0,-5,6,70,80\n", true},
		{[]string{"wmctrl", "-i", "-r", "0x1a", "-b", "remove,maximized_vert,maximized_horz"}, "did: -i -r 0x1a -b remove,maximized_vert,maximized_horz\n", true},
		{[]string{"wmctrl", "-i", "-r", "0xdead", "-e", "0,1,2,3,4"}, "wmctrl failed: gone\n", false},
		{[]string{"wmctrl", "-c", "Terminal"}, "Windows can only be listed and placed.\n", false},
		{[]string{"wmctrl", "-lGx\n-c"}, "Windows can only be listed and placed.\n", false},
		{[]string{"xprop", "-id", "0x1", "-spy"}, "Windows can only be listed and placed.\n", false},
		{[]string{"wmctrl"}, "Windows can only be listed and placed.\n", false},
	} {
		out, err := exec.Command(filepath.Join(o.bin, c.line[0]), c.line[1:]...).CombinedOutput()
		if string(out) != c.want || (err == nil) != c.ok {
			t.Errorf("%q: %q, %v", c.line, out, err)
		}
	}
}

func TestTheOtherCommandsOfGioAreTheSystems(t *testing.T) {
	real := t.TempDir()
	if err := os.WriteFile(filepath.Join(real, "gio"), []byte("#!/bin/sh\necho \"the real one: $*\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", real+":"+os.Getenv("PATH"))
	o, d := standIns(t, "gio")
	out, err := exec.Command(filepath.Join(o.bin, "gio"), "info", "a b").CombinedOutput()
	if err != nil || string(out) != "the real one: info a b\n" || len(d.all()) != 0 {
		t.Errorf("%q, %v, opened %q", out, err, d.all())
	}
}

// A tool may write where its stand-ins talk: whatever it puts there is read as a request and nothing else, and no answer is
// written anywhere else.
func TestWhatAToolPutsWhereItsStandInsTalkLeadsNowhere(t *testing.T) {
	o, d := standIns(t, "xdg-open")
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("xdg-open\x00https://example.com/\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := func(name string) {
		if err := os.Symlink(outside, filepath.Join(o.talk, name)); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(o.talk, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link("1.asked")
	write("2.asked", "xdg-open\x00https://example.com/2\x00")
	link("2.said")
	write("3.asked", "xdg-open\x00https://example.com/3\x00")
	link("3.saying")
	if out, err := exec.Command("mkfifo", filepath.Join(o.talk, "4.asked")).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	write("5.asked", strings.Repeat("x", maxCommandBytes+1))
	write("6.asked", "xdg-open\x00https://example.com/6") // cut off
	if err := os.Mkdir(filepath.Join(o.talk, "7.asked"), 0o700); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(filepath.Join(o.talk, askFile), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	for _, line := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "../1", "", "-1", "1.asked", "9999999999"} {
		if _, err := fmt.Fprintln(pipe, line); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Lstat(filepath.Join(o.talk, "9999999999.said")); err == nil {
			break // the last one was answered
		}
		if time.Now().After(deadline) {
			t.Fatal("the last request got no answer")
		}
	}
	if got := d.all(); !slices.Equal(got, []string{"url https://example.com/2", "url https://example.com/3"}) {
		t.Errorf("opened were %q", got)
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "xdg-open\x00https://example.com/\x00" {
		t.Errorf("outside holds %q, %v", text, err)
	}
}

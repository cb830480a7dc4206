package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// What Debian and Ubuntu call what the build needs. They are the only systems where the driver installs; elsewhere it
// prints the command.
var (
	buildPackages = []string{"build-essential", "pkg-config", "libgtk-3-dev", "libwebkit2gtk-4.1-dev"}
	testPackages  = []string{
		"chromium",              // end-to-end tests of the browser mode
		"dbus", "gnome-keyring", // a session bus and a Secret Service
		"xvfb", "openbox", // a screen and a window manager for the real window
		"at-spi2-core", "python3-pyatspi", "gir1.2-atspi-2.0", // its accessibility tree
		"xdotool", "imagemagick", // keys and pictures
		"fonts-dejavu-core",                                           // text on both
		"espeak-ng",                                                   // a voice
		"pocketsphinx", "pocketsphinx-en-us", "pocketsphinx-testdata", // a program that writes down speech, a language's sounds, and speech
	}
)

// need is one thing that a build or a test stands on, with a way to see that it is there on systems without dpkg.
type need struct {
	what    string
	present func() bool
}

func program(names ...string) need {
	return need{names[0], func() bool {
		return slices.ContainsFunc(names, func(name string) bool { _, err := exec.LookPath(name); return err == nil })
	}}
}

func library(name string) need {
	return need{name, func() bool { return exec.Command("pkg-config", "--exists", name).Run() == nil }}
}

func pythonModule(name string) need {
	return need{"python3 " + name, func() bool { return exec.Command("/usr/bin/python3", "-c", "import "+name).Run() == nil }}
}

var (
	buildNeeds = map[string][]need{
		"linux":  {program("gcc", "cc", "clang"), program("pkg-config"), library("gtk+-3.0"), library("webkit2gtk-4.1")},
		"darwin": {program("clang")},
	}
	testNeeds = map[string][]need{
		"linux": {program("chromium", "chromium-browser", "google-chrome"), program("dbus-run-session"), program("Xvfb"), program("openbox"), pythonModule("pyatspi"), program("xdotool"), program("import"), program("gnome-keyring-daemon"), program("espeak-ng")},
	}
)

// distribution is what /etc/os-release says: the system's id first, then those it is like.
func distribution(osRelease string) []string {
	var ids []string
	for line := range strings.Lines(osRelease) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.Trim(value, `"'`)
		switch key {
		case "ID":
			ids = append([]string{value}, ids...)
		case "ID_LIKE":
			ids = append(ids, strings.Fields(value)...)
		}
	}
	return ids
}

// byHand is the command a person runs where the driver does not install by itself.
func byHand(goos string, ids []string, test bool) string {
	pick := func(build, testToo string) string {
		if test {
			return build + " " + testToo
		}
		return build
	}
	switch goos {
	case "darwin":
		return "xcode-select --install"
	case "windows":
		return "winget install Microsoft.EdgeWebView2Runtime"
	}
	for _, id := range ids {
		switch id {
		case "debian", "ubuntu":
			command := "sudo apt-get update && sudo apt-get install -y " + strings.Join(buildPackages, " ")
			return pick(command, strings.Join(testPackages, " "))
		case "fedora", "rhel", "centos":
			return pick("sudo dnf install gcc pkgconf-pkg-config gtk3-devel webkit2gtk4.1-devel",
				"chromium dbus-daemon gnome-keyring xorg-x11-server-Xvfb openbox at-spi2-core python3-pyatspi xdotool ImageMagick dejavu-sans-fonts espeak-ng")
		case "arch":
			return pick("sudo pacman -S --needed base-devel gtk3 webkit2gtk-4.1",
				"chromium dbus gnome-keyring xorg-server-xvfb openbox at-spi2-core python-atspi xdotool imagemagick ttf-dejavu espeak-ng")
		case "suse", "opensuse":
			return pick("sudo zypper install gcc pkgconf-pkg-config gtk3-devel webkit2gtk3-devel",
				"chromium dbus-1-daemon gnome-keyring xorg-x11-server-Xvfb openbox at-spi2-core python3-atspi xdotool ImageMagick dejavu-fonts espeak-ng")
		}
	}
	return "install GTK 3 and WebKitGTK 4.1 with their development files, a C compiler and pkg-config"
}

// missingPackages picks from wanted what dpkg-query's answer (`<package> <status>` lines) does not call installed.
func missingPackages(wanted []string, answer string) []string {
	installed := map[string]bool{}
	scan := bufio.NewScanner(strings.NewReader(answer))
	for scan.Scan() {
		name, status, _ := strings.Cut(scan.Text(), " ")
		if status == "install ok installed" {
			installed[name] = true
		}
	}
	var missing []string
	for _, name := range wanted {
		if !installed[name] {
			missing = append(missing, name)
		}
	}
	return missing
}

func (d *driver) installBuildPackages() error {
	return d.install("what the window is built with", false, buildPackages, buildNeeds[d.host.os])
}

func (d *driver) installTestPackages() error {
	return d.install("what the tests run in", true, testPackages, testNeeds[d.host.os])
}

func (d *driver) install(what string, test bool, packages []string, needs []need) error {
	osRelease, _ := os.ReadFile("/etc/os-release") // absent outside Linux
	ids := distribution(string(osRelease))
	if d.host.os == "linux" && (slices.Contains(ids, "debian") || slices.Contains(ids, "ubuntu")) {
		return d.installByApt(what, test, ids, packages)
	}
	var missing []string
	for _, n := range needs {
		if !n.present() {
			missing = append(missing, n.what)
		}
	}
	if len(missing) == 0 {
		skip("%s is installed", what)
		return nil
	}
	return failed("this computer lacks "+strings.Join(missing, ", "), nil, byHand(d.host.os, ids, test))
}

func (d *driver) installByApt(what string, test bool, ids, packages []string) error {
	// dpkg-query fails when it does not know one of the names; what it knows it still prints.
	query := d.command("", nil, "dpkg-query", append([]string{"-W", "-f", "${Package} ${Status}\n"}, packages...)...)
	answer, _ := query.Output()
	missing := missingPackages(packages, string(answer))
	if len(missing) == 0 {
		skip("%s is installed", what)
		return nil
	}
	next := "Run it by hand: " + byHand("linux", ids, test)
	apt := []string{"env", "DEBIAN_FRONTEND=noninteractive", "apt-get"}
	if os.Geteuid() != 0 {
		if _, err := exec.LookPath("sudo"); err != nil {
			return failed("this computer lacks "+strings.Join(missing, ", ")+", and only root may install it", nil, next)
		}
		apt = append([]string{"sudo"}, apt...)
	}
	say("install %s by apt: %s", what, strings.Join(missing, " "))
	for _, arguments := range [][]string{
		{"-q", "update"},
		append([]string{"-q", "install", "-y", "--no-install-recommends"}, missing...),
	} {
		line := append(slices.Clone(apt), arguments...)
		if err := d.quietWithInput("", next, line[0], line[1:]...); err != nil {
			return err
		}
	}
	return nil
}

// quietWithInput lets the program ask the person (sudo for a password) where there is one.
func (d *driver) quietWithInput(dir, next, name string, args ...string) error {
	cmd := d.command(dir, nil, name, args...)
	cmd.Stdin = os.Stdin
	out, err := cmd.CombinedOutput()
	if err != nil {
		return &failure{what: "`" + shown(name, args) + "` failed", why: err, next: next, output: fmt.Sprintf("%s", out)}
	}
	return nil
}

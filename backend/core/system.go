package core

import (
	"context"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"time"

	"portico/backend/confine"
	"portico/backend/grant"
	"portico/backend/runtime/deno"
)

// version and registry are set by the build driver. The registry is the npm registry that the build was configured with.
var (
	version  = "0.1.0-dev"
	registry string
)

// Version is this build's version.
func Version() string { return version }

// doctorLimit bounds each program that the doctor starts.
const doctorLimit = 3 * time.Second

// About says what this Portico is. Native is the window's to say.
func (c *Core) About(context.Context) About {
	return About{Version: version, Platform: runtime.GOOS + "/" + runtime.GOARCH, Data: c.places.Data, Locale: c.options.Locale, Home: grant.SystemPlaces().Home, Registry: registry, Containment: c.containment()}
}

// Logs is the folder of all logs.
func (c *Core) Logs() string { return c.places.Logs }

func (c *Core) containment() Containment { return Containment{Level: c.level.Name, What: c.level.What} }

// Doctor checks what Portico needs and what extensions may use.
func (c *Core) Doctor(ctx context.Context) []Check {
	checks := []Check{
		c.denoCheck(ctx),
		confinementCheck(c.level),
		webviewCheck(ctx),
		keyringCheck(ctx),
		c.plantedCheck(),
		programCheck(ctx, "node", "--version", "Plugins that bring servers run on it; without it Portico uses its own Deno."),
		programCheck(ctx, "python3", "--version", "Extensions written in Python need it. Install Python 3 to use them."),
		programCheck(ctx, "git", "--version", "Large repositories install faster with it."),
	}
	return checks
}

func (c *Core) denoCheck(ctx context.Context) Check {
	check := Check{Name: "deno", Required: true}
	path, err := deno.Find()
	if err != nil {
		check.Detail, check.Next = err.Error(), "Reinstall Portico: Deno comes with it."
		return check
	}
	said, err := run(ctx, path, "--version")
	if err != nil {
		check.Detail, check.Next = path+": "+err.Error(), "Reinstall Portico: Deno comes with it."
		return check
	}
	check.OK, check.Detail = true, spoken(said)+", "+path
	return check
}

func confinementCheck(level confine.Level) Check {
	check := Check{Name: "confinement", OK: level.Name == "full", Detail: level.Name + ": " + level.What}
	if !check.OK {
		check.Next = "Extensions are held by Deno's flags and what is named here; each one's page says what that means."
	}
	return check
}

func programCheck(ctx context.Context, name, flag, why string) Check {
	check := Check{Name: name}
	path, err := exec.LookPath(name)
	if err != nil {
		check.Detail, check.Next = "not found on the PATH", why
		return check
	}
	said, err := run(ctx, path, flag)
	if err != nil {
		check.Detail, check.Next = path+": "+err.Error(), why
		return check
	}
	check.OK, check.Detail = true, spoken(said)+", "+path
	return check
}

// spoken is the version that a program says, without the name it puts in front: "git version 2.39.5" is "2.39.5".
func spoken(said string) string {
	line := firstLine(said)
	for _, before := range []string{"deno ", "Python ", "git version "} {
		line = strings.TrimPrefix(line, before)
	}
	return line
}

func run(ctx context.Context, path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, doctorLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

var localeShape = regexp.MustCompile(`^[a-z]{2,3}([_-][A-Za-z0-9]+)*$`)

// systemLocale reads a POSIX locale ("es_ES.UTF-8") as BCP 47 ("es-ES"); without one it is the desktop's, and "en" where
// that names none either.
func systemLocale(getenv func(string) string, desktop func() string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		value, _, _ := strings.Cut(getenv(name), ".")
		value, _, _ = strings.Cut(value, "@")
		if localeShape.MatchString(value) {
			return strings.ReplaceAll(value, "_", "-")
		}
		if value != "" { // "C", "POSIX"
			return "en"
		}
	}
	if chosen := desktop(); chosen != "" {
		return chosen
	}
	return "en"
}

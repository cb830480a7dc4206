package main

import (
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// windowTags are what a binary with a window is compiled with, beside what Wails adds itself.
func (p platform) windowTags() string {
	if p.os == "linux" {
		return "desktop,production,webkit2_41"
	}
	return "desktop,production"
}

// installNodeModules runs npm ci when what it would install changed.
func (d *driver) installNodeModules() error {
	node, err := d.output("", nil, "node", "--version")
	if err != nil {
		return failed("Node can't be asked for its version", err, "Install Node 20 or newer.")
	}
	in := d.inputsOf([]string{node, d.host.String()}, nil, "frontend/package.json", "frontend/package-lock.json")
	return d.once("npm", in, []string{"frontend/node_modules/.package-lock.json"}, "the frontend's packages", "install the frontend's packages (npm ci)", func() error {
		// The end-to-end tests drive the system's Chromium; Playwright's own browsers would be 500 MB for nothing.
		return d.quiet("frontend", withEnv("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1"), "Check the network and npm's configuration, then run the command again.",
			d.npm(), "ci", "--no-audit", "--no-fund")
	})
}

// buildFrontend leaves the page at frontend/dist, which the binary embeds.
func (d *driver) buildFrontend() error {
	skipped := skipNames("node_modules", "frontend/dist", "frontend/test-results", "frontend/playwright-report", "frontend/e2e", ".vite")
	lock := d.inputsOf(nil, skipped, "frontend")
	return d.once("frontend", lock, []string{"frontend/dist/index.html"}, "the frontend", "build the frontend (Vite)", func() error {
		return d.quiet("frontend", nil, "Mend what Vite names above.", d.npm(), "run", "build")
	})
}

// buildLauncher leaves the static program that confines a child before it becomes it. It is embedded into every binary,
// so it comes before any other Go build; only Linux has one.
func (d *driver) buildLauncher() error {
	if d.host.os != "linux" {
		return nil
	}
	program := "backend/confine/launcher"
	output := program + "/bin/confine-linux-" + d.host.arch
	in := d.inputsOf([]string{runtime.Version()}, skipTests(program+"/bin"), "backend/confine", "go.mod")
	return d.once("launcher", in, []string{output}, "the confinement launcher", "build the confinement launcher", func() error {
		return d.quiet("", d.goEnv("CGO_ENABLED=0"), "Mend the Go code that does not compile.",
			"go", "build", "-trimpath", "-ldflags", "-s -w", "-o", output, "./"+program)
	})
}

// skipTests skips Go's test files, which no binary contains, and these names.
func skipTests(names ...string) func(string, bool) bool {
	named := skipNames(names...)
	return func(rel string, dir bool) bool {
		return named(rel, dir) || !dir && strings.HasSuffix(rel, "_test.go")
	}
}

// goInputs are the sources of the binaries: everything in the repository but what no binary is made of.
func (d *driver) goInputs(values ...string) inputs {
	skipped := skipTests(".git", "node_modules", "build/bin", "build/cache", "build/bench", "build/realwindow", "artefacts", "docs", ".ci",
		"frontend/src", "frontend/e2e", "frontend/test-results", "frontend/playwright-report", "testdata", "README.md")
	return d.inputsOf(append(values, runtime.Version(), d.host.String()), skipped, ".")
}

// linkFlags pass in what stands in no source file: this build's version, and the npm registry that extensions will come
// from, which is the one npm is configured with where Portico is built.
func (d *driver) linkFlags() (string, error) {
	version, err := os.ReadFile(d.path("build", "version.txt"))
	if err != nil {
		return "", failed("build/version.txt can't be read", err, "Restore it from git.")
	}
	configured, err := d.output("", nil, d.npm(), "config", "get", "registry")
	if err != nil {
		return "", failed("npm does not say which registry it uses", err, "Run `npm config get registry` and mend what it names.")
	}
	registry, err := publicAddress(configured)
	if err != nil {
		return "", failed("npm's registry address can't be read", err, "Set it with `npm config set registry ADDRESS`.")
	}
	return "-X portico/backend/core.version=" + strings.TrimSpace(string(version)) + " -X portico/backend/core.registry=" + registry, nil
}

// publicAddress is an address without a name and password, which must never be compiled into a binary.
func publicAddress(address string) (string, error) {
	parsed, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return "", err
	}
	parsed.User = nil
	return parsed.String(), nil
}

func (d *driver) appBinary() string { return d.path("build", "bin", d.host.exe("portico")) }

// buildApp leaves the release binary at build/bin/portico.
func (d *driver) buildApp() error {
	flags, err := d.linkFlags()
	if err != nil {
		return err
	}
	output := filepath.Join("build", "bin", d.host.exe("portico"))
	return d.once("app", d.goInputs(flags), []string{output}, "build/bin/portico", "build build/bin/portico (Wails)", func() error {
		// The frontend is built already (-s), the one bound method needs no generated bindings, and go.mod is ours to keep
		// (-m, -nosyncgomod): Wails compiles and nothing else.
		tags := ""
		if d.host.os == "linux" {
			tags = "webkit2_41"
		}
		return d.quiet("", d.goEnv(), "Mend the Go code that does not compile; if a library is missing, `go run ./build setup` installs it.",
			"go", "tool", "wails", "build", "-v", "1", "-nocolour", "-s", "-skipbindings", "-m", "-nosyncgomod", "-nopackage", "-trimpath",
			"-tags", tags, "-ldflags", flags, "-o", d.host.exe("portico"))
	})
}

// buildDev leaves the binary that serves the page to a browser. It has no window, so it needs no C compiler.
func (d *driver) buildDev() error {
	flags, err := d.linkFlags()
	if err != nil {
		return err
	}
	output := filepath.Join("build", "bin", d.host.exe("portico-dev"))
	return d.once("dev", d.goInputs(flags, "browser"), []string{output}, "build/bin/portico-dev", "build build/bin/portico-dev (browser mode)", func() error {
		return d.quiet("", d.goEnv(), "Mend the Go code that does not compile.", "go", "build", "-trimpath", "-tags", "browser", "-ldflags", flags, "-o", output, ".")
	})
}

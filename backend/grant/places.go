package grant

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/adrg/xdg"

	"portico/backend/extension"
)

// Places are what the templates of a path stand for on this computer (loca-extensions.md, Permissions), and where
// Portico's own data lies, which no grant covers.
type Places struct {
	Home      string
	Downloads string
	Models    string
	Sessions  string
	Extension string // the extension's own folder
	Data      string // Portico's own
	Getenv    func(string) string
}

// SystemPlaces fills in what is the same for every extension.
func SystemPlaces() Places {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // a template that stands for nothing grants nothing
	}
	return Places{Home: home, Downloads: xdg.UserDirs.Download, Getenv: os.Getenv}
}

// Expand gives the absolute, clean path that a manifest's path stands for; empty when it stands for none.
func (p Places) Expand(path string) string {
	first, rest, _ := strings.Cut(filepath.ToSlash(path), "/")
	if name, ok := strings.CutPrefix(first, "$"); ok {
		base := p.template(name)
		if base == "" || !filepath.IsAbs(base) {
			return ""
		}
		path = filepath.Join(base, filepath.FromSlash(rest))
	}
	if !filepath.IsAbs(path) {
		return ""
	}
	return filepath.Clean(path)
}

// base is the part of a path that is not its manifest's to choose: the folder that the template stands for.
func (p Places) base(path string) string {
	first, _, _ := strings.Cut(filepath.ToSlash(path), "/")
	if name, ok := strings.CutPrefix(first, "$"); ok {
		return filepath.Clean(p.template(name))
	}
	return ""
}

func (p Places) template(name string) string {
	switch name {
	case "home":
		return p.Home
	case "downloads":
		return p.Downloads
	case "models":
		return p.Models
	case "sessions":
		return p.Sessions
	case "extension":
		return p.Extension
	}
	if variable, ok := strings.CutPrefix(name, "env."); ok && slices.Contains(extension.FolderVariables, variable) && p.Getenv != nil {
		return p.Getenv(variable)
	}
	return ""
}

// placeless says why a path stands for no place: for its author where the manifest is at fault, for the person where this
// computer differs.
func placeless(path string) string {
	first, _, _ := strings.Cut(filepath.ToSlash(path), "/")
	variable, ok := strings.CutPrefix(first, "$env.")
	switch {
	case !ok:
		return "its path stands for no folder on this computer"
	case !slices.Contains(extension.FolderVariables, variable):
		return "a path may not start with the variable " + variable + ", only with " + strings.Join(extension.FolderVariables, ", ")
	}
	return "the variable " + variable + " stands for no folder on this computer"
}

// Resolve gives the path behind a permission's template, for a person to read; empty for permissions without a path.
func Resolve(permission extension.Permission, places Places) string {
	if permission.Path == "" {
		return ""
	}
	return places.Expand(permission.Path)
}

// Platforms are the names this system answers to in a manifest (loca-notes.md, 1).
func Platforms() []string { return platforms(runtime.GOOS, os.Getenv) }

func platforms(system string, getenv func(string) string) []string {
	if system != "linux" {
		return []string{system}
	}
	if getenv("WAYLAND_DISPLAY") != "" || getenv("XDG_SESSION_TYPE") == "wayland" {
		return []string{"linux", "linux_wayland"}
	}
	return []string{"linux", "linux_x11"}
}

// Opens says whether a program only hands things to the person's desktop: Portico does that in a tool's place.
func Opens(program string) bool {
	return runtime.GOOS == "linux" && slices.Contains([]string{"xdg-open", "gio", "gtk-launch"}, program) || runtime.GOOS == "darwin" && program == "open"
}

// ArrangesWindows says whether a program lists and places windows, which Portico does in a tool's place too.
func ArrangesWindows(program string) bool {
	return runtime.GOOS == "linux" && (program == "wmctrl" || program == "xprop")
}

// RiskOf says what allowing a permission means under the level of confinement in force: "full", "partial" or "runtime".
func RiskOf(p extension.Permission, level string) Risk {
	switch p.Kind {
	case extension.Net:
		if strings.HasPrefix(p.Host, "*") { // "*.com" is hardly less than "*"
			return Risk{"any-address", "high"}
		}
		return Risk{"one-address", "low"}
	case extension.Read:
		if wide(p.Path) {
			return Risk{"read-everything", "high"}
		}
		return Risk{"read-files", "medium"}
	case extension.Write:
		if wide(p.Path) {
			return Risk{"replace-everything", "high"}
		}
		return Risk{"replace-files", "medium"}
	case extension.Run:
		switch {
		case level != "full":
			return Risk{"anything-you-can", "high"}
		case Opens(p.Binary):
			return Risk{"opens-things", "medium"}
		case ArrangesWindows(p.Binary):
			return Risk{"arranges-windows", "low"}
		}
		return Risk{"held-to-same-files", "medium"}
	case extension.FFI:
		if level == "full" {
			return Risk{"native-code-held", "high"}
		}
		return Risk{"anything-you-can", "high"}
	case extension.Env:
		return Risk{"one-variable", "medium"}
	case extension.Sys:
		return Risk{"system-facts", "low"}
	case extension.Memories:
		if p.Access == "write" {
			return Risk{"change-memories", "medium"}
		}
		return Risk{"read-memories", "low"}
	case extension.LLM:
		return Risk{"use-model", "low"}
	}
	return Risk{"use-voice", "low"}
}

// wide says whether a path is the whole home folder or more.
func wide(path string) bool {
	clean := strings.TrimRight(filepath.ToSlash(path), "/")
	return slices.Contains([]string{"", "$home", "$env.HOME", "$env.USERPROFILE", "/home", "/Users", "C:"}, clean)
}

package deno

import (
	"bytes"
	"context"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/grant"
)

// Programs that only reach for the person's desktop can't do so when they are held to a tool's permissions: a process that
// reaches a screen or a session's services can do what the person can. So a tool that may run one gets a stand-in of that
// name, which asks the host to do the same thing (architecture.md, Rules that follow): to open it, or to arrange windows by
// one of windowCommands. On Windows the system's own programs work as they are.

// openersIn names the openers that were allowed.
func openersIn(decided []grant.Decided) []string {
	var names []string
	for _, d := range decided {
		if d.Decision == grant.Allow && d.Permission.Kind == extension.Run && (grant.Opens(d.Permission.Binary) || grant.ArrangesWindows(d.Permission.Binary)) {
			names = append(names, d.Permission.Binary)
		}
	}
	return names
}

// appName is what an application may be called: never a path, never an option.
var appName = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N} ._+'()-]{0,99}$`)

// runs are endings of files that a desktop runs rather than shows. A tool could have written the file, and what is opened
// is held to nothing.
var runs = []string{".app", ".appimage", ".bat", ".cmd", ".com", ".command", ".deb", ".desktop", ".dmg", ".exe", ".jar", ".lnk", ".msi", ".pkg", ".ps1", ".rpm", ".run", ".scpt", ".scr", ".terminal", ".tool", ".url", ".webloc", ".workflow"}

// windowCommands are the command lines, joined by spaces, by which windows are listed, told apart and placed.
var windowCommands = regexp.MustCompile(`^(wmctrl -l[Gpx]*|wmctrl -i -r 0x[0-9a-f]+ -(b (add|remove|toggle),[a-z_]+(,[a-z_]+)?|e 0,-?[0-9]+,-?[0-9]+,-?[0-9]+,-?[0-9]+)|xprop -root _NET_ACTIVE_WINDOW)$`)

// windowLimit is how long a window manager has to answer.
const windowLimit = 5 * time.Second

// obey does what one command line asks for, and gives what it prints. The error is for the tool to read.
func obey(to capability.Opener, command []string) (printed []byte, err error) {
	switch {
	case to == nil || command[0] != "wmctrl" && command[0] != "xprop":
		return nil, openAs(to, command)
	case !windowCommands.MatchString(strings.Join(command, " ")):
		return nil, extension.NewProblem("open.window-command", "Windows can only be listed and placed.", "")
	}
	ctx, cancel := context.WithTimeout(context.Background(), windowLimit)
	defer cancel()
	program := exec.CommandContext(ctx, command[0], command[1:]...)
	program.WaitDelay = time.Second
	var said bytes.Buffer
	program.Stderr = &said
	if printed, err = program.Output(); err != nil {
		return nil, extension.NewProblem("open.windows-failed", "{program} failed: {why}", "", "program", command[0], "why", strings.TrimSpace(said.String())).Because(err)
	}
	return printed, nil
}

// openAs hands one command line of an opener over.
func openAs(to capability.Opener, command []string) error {
	refused := func(why string) error {
		return extension.NewProblem("open.refused", "It was not opened: {why}.", "Open it by hand.", "why", why)
	}
	if to == nil {
		return refused("this Portico has no desktop to open it on")
	}
	target := command[len(command)-1]
	switch shape := strings.Join(command[:len(command)-1], " "); {
	case shape == "gtk-launch" || shape == "open -a":
		if !appName.MatchString(target) {
			return refused("that is not the name of an application")
		}
		return to.App(target)
	case shape != "xdg-open" && shape != "gio open" && shape != "open":
		return refused("only one address or file can be opened, without options")
	}
	if address, err := url.Parse(target); err == nil && (address.Scheme == "http" || address.Scheme == "https" || address.Scheme == "mailto") {
		return to.URL(target)
	}
	if !filepath.IsAbs(target) {
		return refused("it is neither a web address nor a file's whole path")
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return refused("there is no such file")
	case !info.Mode().IsRegular() && !info.IsDir():
		return refused("it is no plain file")
	case info.Mode().IsRegular() && info.Mode()&0o111 != 0 || runnable(target):
		return refused("it is a program")
	}
	return to.Path(target)
}

// runnable looks at the file's own name, whatever a link to it is called.
func runnable(path string) bool {
	named := []string{path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		named = append(named, real)
	}
	return slices.ContainsFunc(named, func(name string) bool { return slices.Contains(runs, strings.ToLower(filepath.Ext(name))) })
}

// quoted is a text as a word of sh.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// isPlain says whether a tool left a plain file there, and not something that leads elsewhere or waits.
func isPlain(info fs.FileInfo) bool { return info.Mode().IsRegular() }

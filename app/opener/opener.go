// Package opener hands addresses and files to the system: the person's browser, the file manager. What is opened is no
// child of Portico's in any sense that matters: it lives on.
package opener

import (
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"portico/backend/extension"
)

// schemes that are opened: nothing that runs a program or reaches a file.
var schemes = []string{"http", "https", "mailto"}

// URL opens an address in the person's browser or mail program.
func URL(address string) error {
	parsed, err := url.Parse(address)
	if err != nil || !slices.Contains(schemes, parsed.Scheme) || parsed.Scheme != "mailto" && parsed.Host == "" {
		return extension.NewProblem("open.bad-link", "“{link}” is not a link that Portico opens.", "Only http, https and mailto links are opened.", "link", address)
	}
	if parsed.Scheme == "mailto" {
		plainMail(parsed)
	}
	return open(parsed.String())
}

// mailFields are what a link may fill into a message. Some mail programs also take files to attach.
var mailFields = []string{"to", "cc", "bcc", "subject", "body"}

// plainMail drops every other field.
func plainMail(address *url.URL) {
	var kept []string
	for _, field := range strings.Split(address.RawQuery, "&") {
		name, _, _ := strings.Cut(field, "=")
		if plain, err := url.QueryUnescape(name); err == nil && slices.Contains(mailFields, strings.ToLower(plain)) {
			kept = append(kept, field)
		}
	}
	address.RawQuery = strings.Join(kept, "&")
}

// Path shows a file or folder in the system's file manager.
func Path(path string) error {
	if !filepath.IsAbs(path) { // a relative one could be read as an option
		return extension.NewProblem("open.bad-path", "“{path}” is not a whole path.", "", "path", path)
	}
	return open(path)
}

func open(what string) error {
	cmd := command(what)
	if err := cmd.Start(); err != nil {
		return extension.NewProblem("open.failed", "“{what}” could not be opened.", "Open it by hand.", "what", what).Because(err)
	}
	go wait(cmd) // ends with the opener, which hands over and exits
	return nil
}

func wait(cmd *exec.Cmd) {
	// The opener's exit code says nothing that could be acted on here: what it opened has its own window.
	_ = cmd.Wait()
}

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
	cmd, err := forURL(address)
	if err != nil {
		return err
	}
	_, err = begin(cmd, address)
	return err
}

func forURL(address string) (*exec.Cmd, error) {
	parsed, err := url.Parse(address)
	if err != nil || !slices.Contains(schemes, parsed.Scheme) || parsed.Scheme != "mailto" && parsed.Host == "" {
		return nil, extension.NewProblem("open.bad-link", "“{link}” is not a link that Portico opens.", "Only http, https and mailto links are opened.", "link", address)
	}
	if parsed.Scheme == "mailto" {
		plainMail(parsed)
	}
	return command(parsed.String()), nil
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
	cmd, err := forPath(path)
	if err != nil {
		return err
	}
	_, err = begin(cmd, path)
	return err
}

func forPath(path string) (*exec.Cmd, error) {
	if !filepath.IsAbs(path) { // a relative one could be read as an option
		return nil, extension.NewProblem("open.bad-path", "“{path}” is not a whole path.", "", "path", path)
	}
	return command(path), nil
}

// begin starts an opener. How it ended says little where nobody waits for it: what it opened has its own window.
func begin(cmd *exec.Cmd, what string) (ended <-chan error, err error) {
	if err := cmd.Start(); err != nil {
		return nil, failed(what, err)
	}
	end := make(chan error, 1)        // there may be nobody who waits
	go func() { end <- cmd.Wait() }() // ends with the opener, which hands over and exits
	return end, nil
}

func failed(what string, err error) error {
	return extension.NewProblem("open.failed", "“{what}” could not be opened.", "Open it by hand.", "what", what).Because(err)
}

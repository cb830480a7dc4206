package memory

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"portico/backend/extension"
)

// fold writes a title so that case, and how accents are composed, make no difference.
func fold(title string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(strings.TrimSpace(title))))
}

// checkTitle gives a new title as it is kept.
func checkTitle(title string) (string, error) {
	if !utf8.ValidString(title) {
		return "", badTitle(title, "it is no text in UTF-8")
	}
	title = norm.NFC.String(strings.TrimSpace(title))
	switch {
	case title == "":
		return "", badTitle(title, "it is empty")
	case strings.ContainsFunc(title, hidden):
		return "", badTitle(title, "it has characters that can't be seen")
	case utf8.RuneCountInString(title) > MaxTitleChars:
		return "", badTitle(title, fmt.Sprintf("it is longer than %d characters", MaxTitleChars))
	case len(nameOf(title)) > maxNameBytes:
		return "", badTitle(title, fmt.Sprintf("as the name of a file it is longer than %d bytes", maxNameBytes))
	}
	return title, nil
}

// hidden characters have no place in a title: it is shown in a line.
func hidden(r rune) bool {
	return r == '\n' || r == '\t' || extension.Unseen(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)
}

// nameOf is the title as the name of a file on any system, without ending: what a name can't hold stands there as "%2F",
// and so does a "%" that would be read as such.
func nameOf(title string) string {
	escaped := map[int]bool{}
	last := len(title) - 1
	for n := range len(title) {
		switch c := title[n]; {
		case strings.IndexByte(`/\:*?"<>|`, c) >= 0, c < ' ', c == 0x7f:
			escaped[n] = true
		case c == '%':
			escaped[n] = n+2 <= last && isHex(title[n+1]) && isHex(title[n+2])
		case c == '.':
			escaped[n] = n == 0 || n == last
		case c == ' ':
			escaped[n] = n == last
		}
	}
	if reserved(title) {
		escaped[0] = true
	}
	var name strings.Builder
	for n := range len(title) {
		if escaped[n] {
			fmt.Fprintf(&name, "%%%02X", title[n])
		} else {
			name.WriteByte(title[n])
		}
	}
	return name.String()
}

// titleOf is the title that the name of a file stands for. A name that nameOf would not have given stands for itself.
func titleOf(name string) string {
	name = norm.NFC.String(name)
	if !strings.Contains(name, "%") {
		return name
	}
	var title strings.Builder
	for n := 0; n < len(name); n++ {
		if name[n] == '%' && n+2 < len(name) && isHex(name[n+1]) && isHex(name[n+2]) {
			if value, err := strconv.ParseUint(name[n+1:n+3], 16, 8); err == nil {
				title.WriteByte(byte(value))
				n += 2
				continue
			}
		}
		title.WriteByte(name[n])
	}
	if nameOf(title.String()) != name {
		return name
	}
	return title.String()
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'F' || c >= 'a' && c <= 'f' }

// reserved names are devices on Windows, whatever their ending.
func reserved(title string) bool {
	base, _, _ := strings.Cut(title, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	for _, device := range []string{"COM", "LPT"} {
		if number, ok := strings.CutPrefix(base, device); ok && strings.Contains("0123456789¹²³", number) && utf8.RuneCountInString(number) == 1 {
			return true
		}
	}
	return false
}

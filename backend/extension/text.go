package extension

import (
	"strings"
	"unicode"
)

// Unseen says whether a character does something to what is shown other than to stand there: controls, the marks that
// turn text around, line breaks that are not "\n", and tags that nobody sees. In a stranger's text it could make
// Portico's own words beside it read as others.
func Unseen(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x2028, r == 0x2029, r == 0xfeff, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}

// Plain takes out what is unseen.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if Unseen(r) {
			return -1
		}
		return r
	}, text)
}

// PlainLine is a stranger's text within a line of Portico's.
func PlainLine(text string) string { return strings.Join(strings.Fields(Plain(text)), " ") }

// InPlainText gives the extension with the texts that are shown beside Portico's own as plain ones. What a permission
// reaches is no text to be changed: where a person could not see what it is, that is a broken rule.
func (e Extension) InPlainText() (Extension, []Issue) {
	e.DisplayName, e.Description, e.Publisher, e.License = PlainLine(e.DisplayName), Plain(e.Description), PlainLine(e.Publisher), PlainLine(e.License)
	if e.DisplayName == "" {
		e.DisplayName = e.ID
	}
	var issues []Issue
	tools := make([]Tool, len(e.Tools))
	for n, tool := range e.Tools {
		tool.Description = Plain(tool.Description)
		permissions := make([]Permission, len(tool.Permissions))
		for m, p := range tool.Permissions {
			p.Reason = PlainLine(p.Reason)
			if key := p.Key(); strings.ContainsFunc(key, func(r rune) bool { return Unseen(r) || r == '\n' || r == '\t' }) {
				issues = append(issues, Issue{Place: Address(e.ID, tool.Name), What: "asks for " + PlainLine(key) + ", with characters in it that can't be seen"})
			}
			permissions[m] = p
		}
		if tool.Permissions != nil {
			tool.Permissions = permissions
		}
		tools[n] = tool
	}
	if e.Tools != nil {
		e.Tools = tools
	}
	return e, issues
}

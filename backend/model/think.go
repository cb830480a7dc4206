package model

import "strings"

// maxBlankStart is how much that is blank is held back for what may follow.
const maxBlankStart = 4 << 10

const (
	thinkOpens  = "<think>"
	thinkCloses = "</think>"
)

// thoughts parts an answer whose beginning is marked as thinking, as local servers send it that know no field for it.
type thoughts struct {
	state int
	held  string // could be the beginning of a mark
}

const (
	atStart = iota
	inside
	justClosed // blank lines that follow are no part of the answer
	outside
)

func (t *thoughts) split(text string) (thinking, answer string) {
	text, t.held = t.held+text, ""
	if t.state == atStart {
		trimmed := strings.TrimLeft(text, " \t\r\n")
		switch {
		case strings.HasPrefix(trimmed, thinkOpens):
			t.state, text = inside, trimmed[len(thinkOpens):]
		case len(text) > maxBlankStart:
			t.state = outside
		case strings.HasPrefix(thinkOpens, trimmed): // still open, also while all is blank
			t.held = text
			return "", ""
		default:
			t.state = outside
		}
	}
	if t.state == inside {
		before, after, found := strings.Cut(text, thinkCloses)
		if !found {
			keep := overlap(text, thinkCloses)
			t.held = text[len(text)-keep:]
			return text[:len(text)-keep], ""
		}
		thinking, text, t.state = before, after, justClosed
	}
	if t.state == justClosed {
		if text = strings.TrimLeft(text, " \t\r\n"); text == "" {
			return thinking, ""
		}
		t.state = outside
	}
	return thinking, text
}

// rest gives what was held back when the answer ends.
func (t *thoughts) rest() (thinking, answer string) {
	held := t.held
	t.held = ""
	if t.state == inside {
		return held, ""
	}
	return "", held
}

// overlap is the length of the longest end of text that mark begins with.
func overlap(text, mark string) int {
	for n := min(len(mark)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, mark[:n]) {
			return n
		}
	}
	return 0
}

package session

import (
	"strings"
	"unicode"
)

// oneLine makes a text fit for one line: what breaks or directs it becomes a space, and there are no two in a row.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(validText(text), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || directs(r) }), " ")
}

// directs says whether a character only turns the direction of those around it, also beyond the title's own.
func directs(r rune) bool { return r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069' }

// titleFrom gives the title that a first message gives its session: its first line with something in it, cut at a word. It is empty
// when the message has nothing to show.
func titleFrom(message string) string {
	for line := range strings.Lines(message) {
		if title := oneLine(line); title != "" {
			return shorten(title, firstTitleRunes)
		}
	}
	return ""
}

// shorten cuts at a word, or in the middle of one that fills more than half of the room (an address, or a language that writes without
// spaces), never between a character and what combines with it. The result has at most so many runes, its "…" among them.
func shorten(line string, room int) string {
	runes := []rune(line)
	if len(runes) <= room {
		return line
	}
	cut := room - 1
	for at := cut; at > room/2; at-- {
		if runes[at] == ' ' {
			return string(runes[:at]) + "…"
		}
	}
	for cut > 1 && joined(runes[cut-1], runes[cut]) {
		cut--
	}
	return string(runes[:cut]) + "…"
}

const zeroWidthJoiner = '\u200D'

func joined(before, after rune) bool {
	return unicode.In(after, unicode.Mn, unicode.Me, unicode.Mc) || after == zeroWidthJoiner || before == zeroWidthJoiner ||
		after >= 0x1F3FB && after <= 0x1F3FF // skin tones
}

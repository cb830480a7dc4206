package memory

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMentions is how many places of one text are looked at; what comes after is text.
const maxMentions = 100

// mentioned gives the folded titles that a text mentions, in order, each once. known says whether there is such a title.
func mentioned(text string, known func(folded string) bool) []string {
	var keys []string
	looked := 0
	before := rune(0)
	for at := 0; at < len(text) && looked < maxMentions; {
		r, size := utf8.DecodeRuneInString(text[at:])
		if r != '@' || partOfWord(before) { // "me@example.org" mentions nothing
			at, before = at+size, r
			continue
		}
		looked++
		key, length := mentionAt(text[at+1:], known)
		if key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
		at, before = at+1+length, '@'
	}
	return keys
}

// mentionAt gives the longest title at the beginning of a text, and how many bytes it takes.
func mentionAt(text string, known func(string) bool) (key string, length int) {
	if quoted, ok := strings.CutPrefix(text, `"`); ok {
		title, _, closed := strings.Cut(quoted, `"`)
		if key := fold(title); closed && len(title) <= 4*MaxTitleChars && known(key) {
			return key, len(title) + 2
		}
		return "", 0
	}
	if first, _ := utf8.DecodeRuneInString(text); unicode.IsSpace(first) { // "mail @ car" names none
		return "", 0
	}
	runes := 0
	for at, r := range text {
		if runes++; runes > MaxTitleChars+1 || r == '\n' {
			break
		}
		end := at + utf8.RuneLen(r)
		if r == utf8.RuneError {
			break
		}
		next, _ := utf8.DecodeRuneInString(text[end:])
		if end < len(text) && partOfWord(r) && partOfWord(next) || unicode.IsSpace(r) {
			continue // within a word
		}
		if found := fold(text[:end]); known(found) {
			key, length = found, end
		}
	}
	return key, length
}

func partOfWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

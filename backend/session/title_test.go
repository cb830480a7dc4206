package session

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTheFirstMessageGivesATitle(t *testing.T) {
	cases := map[string]struct{ message, title string }{
		"a short line":            {"Count the words", "Count the words"},
		"the first line":          {"Trip plan\nTwo days in Rome", "Trip plan"},
		"after empty lines":       {"\n  \r\n\tInvoices  of   May\r\nmore", "Invoices of May"},
		"cut at a word":           {"Please count the words and the characters of this sentence for me now", "Please count the words and the characters of this sentence…"},
		"exactly 60":              {strings.Repeat("abcde ", 9) + "123456", strings.Repeat("abcde ", 9) + "123456"},
		"61":                      {strings.Repeat("abcde ", 9) + "1234567", strings.TrimSpace(strings.Repeat("abcde ", 9)) + "…"},
		"one long word":           {strings.Repeat("x", 100), strings.Repeat("x", 59) + "…"},
		"a language without gaps": {strings.Repeat("日", 100), strings.Repeat("日", 59) + "…"},
		"a word after a few":      {"see " + strings.Repeat("y", 100), "see " + strings.Repeat("y", 55) + "…"},
		"no half characters":      {strings.Repeat("x", 58) + "e\u0301" + strings.Repeat("z", 9), strings.Repeat("x", 58) + "…"},
		"no half emoji":           {strings.Repeat("x", 57) + "👩‍👩‍👧" + strings.Repeat("z", 9), strings.Repeat("x", 57) + "…"},
		"characters that turn":    {"abc\u202Etxt\x00\x1b[31m", "abc txt [31m"},
		"no text":                 {" \n\t\n", ""},
		"no UTF-8":                {"a\xffb", "a\uFFFDb"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := titleFrom(c.message)
			if got != c.title {
				t.Errorf("got %q, want %q", got, c.title)
			}
			if utf8.RuneCountInString(got) > firstTitleRunes {
				t.Errorf("%d characters", utf8.RuneCountInString(got))
			}
		})
	}
}

func FuzzATitleIsOneShortLine(f *testing.F) {
	for _, seed := range []string{"", "a b", "\u202E", strings.Repeat("e\u0301", 99), "\xff\xfe", strings.Repeat("a ", 99)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, message string) {
		title := titleFrom(message)
		if !utf8.ValidString(title) || utf8.RuneCountInString(title) > firstTitleRunes || strings.ContainsAny(title, "\n\r\t\x00") || strings.TrimSpace(title) != title {
			t.Errorf("%q gives %q", message, title)
		}
	})
}

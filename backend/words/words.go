// Package words takes texts apart so that they can be compared: tools with what a person wrote, memories with a message.
// Case, accents and endings make no difference, in English and Spanish. All of it is pure.
package words

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold writes a text so that case, accents and widths make no difference: "Traducción" becomes "traduccion".
func Fold(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(text))
}

// Of gives the folded words of a text. "getWeather" and "word_count" are two words each; scripts that are written
// without spaces give every pair of neighbours.
func Of(text string) []string {
	var all []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			all = append(all, Fold(string(word)))
			word = nil
		}
	}
	runes := []rune(text)
	for n, r := range runes {
		switch {
		case unspaced(r):
			end()
			if n+1 < len(runes) && unspaced(runes[n+1]) {
				all = append(all, string(runes[n:n+2]))
			} else if n == 0 || !unspaced(runes[n-1]) {
				all = append(all, string(r))
			}
			continue
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r):
			end()
			continue
		case unicode.IsUpper(r) && n > 0 && unicode.IsLower(runes[n-1]):
			end()
		}
		word = append(word, r)
	}
	end()
	return all
}

func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// Stems are the words that say something, without their endings.
func Stems(text string) []string {
	var all []string
	for _, word := range Of(text) {
		if !stopWords[word] {
			all = append(all, Stem(word))
		}
	}
	return all
}

// endings that English and Spanish words take on and that a search sees past, the longest first. They are cut the same way
// on both sides, so a stem only has to be the same for the forms of a word, not to be right.
var endings = []string{"isations", "izations", "isation", "ization", "aciones", "ising", "izing", "ations", "iendo", "acion", "ation", "ating", "ando", "ador", "ised", "ized", "ises", "izes", "ions", "ates", "ated", "ones", "ion", "ing", "ers", "ies", "ate", "ise", "ize", "ar", "er", "ir", "or", "ed", "es", "as", "os", "a", "e", "o", "y", "s"}

// MinStem is how many letters a stem keeps.
const MinStem = 4

// Stem is a folded word without its ending.
func Stem(word string) string {
	if strings.HasSuffix(word, "ss") {
		return word
	}
	for _, ending := range endings {
		if base, ok := strings.CutSuffix(word, ending); ok && len(base) >= MinStem {
			if n := len(base); n > MinStem && base[n-1] == base[n-2] && (ending == "ing" || ending == "ed" || ending == "er" || ending == "ers") {
				base = base[:n-1] // "planning", "planned", "plan"
			}
			return base
		}
	}
	if base, ok := strings.CutSuffix(word, "s"); ok && len(base) >= 3 {
		return base // "maps"
	}
	return word
}

// stopWords are words of a request that say nothing about what it wants, folded.
var stopWords = func() map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(`
		a an the this that these those my your our their his her its i me you we they he she it him them us
		and or but if then than so as at by for from in into of off on onto out over to up with without about
		is are was were be been being am do does did done have has had can could will would shall should may might must
		what which who whom whose how when where why please thanks thank hey hi hello want wanna need like let lets get give
		use user when whether some any all no not just also there here tell show make
		un una unos unas el la los las lo al del de y o u e ni que como cual cuales quien cuando donde por para con sin en
		entre sobre hasta desde a ante bajo es son era eran fue ser sido soy eres esta estas este estos esto esa ese eso estan
		estoy hay he ha han mi mis tu tus su sus nos me te se le les yo ella ellos nosotros ustedes usted si no mas muy ya
		quiero quisiera necesito puedes puede podrias favor dame dime hazme haz gracias hola tengo tiene`) {
		all[word] = true
	}
	return all
}()

// Likeness says how much two stems are the same word: 1, or less when one begins with the other.
func Likeness(asked, have string) float64 {
	switch {
	case asked == have:
		return 1
	case len(asked) >= 3 && strings.HasPrefix(have, asked):
		return 0.4 + 0.4*float64(len(asked))/float64(len(have))
	case len(have) >= MinStem && strings.HasPrefix(asked, have):
		return 0.3 + 0.4*float64(len(have))/float64(len(asked))
	}
	return 0
}

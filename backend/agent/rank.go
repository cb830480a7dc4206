package agent

import (
	"math"
	"slices"
	"strings"

	"portico/backend/session"
	"portico/backend/words"
)

// Weights of the places in which a word is found. Names and triggers are written to be found, descriptions also say what
// the tool is not.
const (
	weightName        = 3.0
	weightTrigger     = 2.2
	weightDescription = 1.0
	weightExtension   = 0.6
	saturation        = 2.0 // a word in every place counts little more than in two

	bonusTrigger     = 100.0 // the text is a trigger
	bonusPhrase      = 6.0   // a trigger stands in the text, for each of its words
	bonusAlike       = 6.0   // a trigger shares words with the text, by their share
	bonusIdentifier  = 80.0  // the text has the tool's name as it is written in code
	bonusNamePhrase  = 8.0   // the text has the words of the name in a row, for each of them
	bonusNameWords   = 3.5   // or somewhere
	leastOfBest      = 0.12  // what scores less than this share of the best is noise
	minNameLetters   = 3
	descriptionWords = 40 // after so many, a word of a description counts less

	// maxQueryBytes is how much of a text is ranked by: what is wanted stands at its beginning, and a pasted document must
	// not keep a turn waiting.
	maxQueryBytes = 4_000
)

// Rank orders tools by how well they fit what a person wrote, and leaves out those that do not. It is a pure function:
// the same tools and text give the same order.
func Rank(query string, offers []Offer) []session.ToolMatch {
	scores := newIndex(offers).scores(query)
	matches := make([]session.ToolMatch, 0, len(offers))
	best := 0.0
	for _, score := range scores {
		best = max(best, score)
	}
	for n, o := range offers {
		if scores[n] > 0 && scores[n] >= leastOfBest*best {
			matches = append(matches, session.ToolMatch{
				Address: o.Address(), Title: o.Tool.Title(), Text: o.Tool.Description, Extension: o.Copy.DisplayName,
				Score: math.Round(scores[n]*1000) / 1000, Touches: len(o.Tool.Permissions) > 0,
			})
		}
	}
	slices.SortStableFunc(matches, func(a, b session.ToolMatch) int {
		if a.Score != b.Score {
			if a.Score > b.Score {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Address, b.Address)
	})
	return matches
}

// index is what the tools say, as words.
type index struct {
	documents []document
}

type document struct {
	identifier  string   // the folded name, as it is written
	nameWords   []string // of the name, as they are
	name        []string // stems, from here on
	description []string
	extension   []string
	triggers    []trigger
	letters     int // of the name
}

type trigger struct {
	plain string // its words
	stems []string
}

func newIndex(offers []Offer) *index {
	x := &index{documents: make([]document, len(offers))}
	for n, o := range offers {
		d := document{
			identifier: words.Fold(o.Tool.Name), nameWords: words.Of(o.Tool.Name), name: stemsOr(o.Tool.Name),
			description: words.Stems(o.Tool.Description), extension: words.Stems(o.Copy.DisplayName), letters: len(strings.Trim(o.Tool.Name, "_-")),
		}
		for _, text := range o.Tool.Triggers {
			if plain := words.Of(text); len(plain) > 0 {
				d.triggers = append(d.triggers, trigger{strings.Join(plain, " "), stemsOr(text)})
			}
		}
		x.documents[n] = d
	}
	return x
}

func stemAll(plain []string) []string {
	all := make([]string, len(plain))
	for n, word := range plain {
		all[n] = words.Stem(word)
	}
	return all
}

// stemsOr gives the stems of the words that say something, or of all when none does ("what is this").
func stemsOr(text string) []string {
	if said := words.Stems(text); len(said) > 0 {
		return said
	}
	return stemAll(words.Of(text))
}

// scores gives one number for each tool; 0 is none at all.
func (x *index) scores(query string) []float64 {
	query = cut(query, maxQueryBytes)
	plain := words.Of(query)
	asked := unique(words.Stems(query))
	scores := make([]float64, len(x.documents))
	rarity := make([]float64, len(asked))
	found := make([][]float64, len(asked)) // by asked word and tool
	for q, word := range asked {
		found[q] = make([]float64, len(x.documents))
		having := 0.0
		for n := range x.documents {
			found[q][n] = x.documents[n].has(word)
			if found[q][n] > 0 {
				having++
			}
		}
		total := float64(len(x.documents))
		rarity[q] = math.Log(1 + (total-having+0.5)/(having+0.5))
	}
	text := " " + strings.Join(plain, " ") + " "
	folded := words.Fold(query)
	everything := stemAll(plain)
	for n := range x.documents {
		d := &x.documents[n]
		for q := range asked {
			scores[n] += rarity[q] * found[q][n] / (found[q][n] + saturation) * 3
		}
		scores[n] += d.triggered(text, asked) + d.named(folded, text, everything)
	}
	return scores
}

// has says how much a word is in the tool's own.
func (d *document) has(asked string) float64 {
	score := weightName*closest(asked, d.name) + weightExtension*closest(asked, d.extension)
	described := closest(asked, d.description)
	if n := len(d.description); n > descriptionWords {
		described *= math.Sqrt(float64(descriptionWords) / float64(n))
	}
	score += weightDescription * described
	triggered := 0.0
	for _, t := range d.triggers {
		triggered = max(triggered, closest(asked, t.stems))
	}
	return score + weightTrigger*triggered
}

func closest(asked string, have []string) float64 {
	best := 0.0
	for _, word := range have {
		best = max(best, words.Likeness(asked, word))
	}
	return best
}

// triggered is what the best trigger adds: it is the text, stands in it, or shares words with it.
func (d *document) triggered(text string, asked []string) float64 {
	best := 0.0
	for _, t := range d.triggers {
		score := 0.0
		switch {
		case text == " "+t.plain+" ":
			score = bonusTrigger
		case strings.Contains(text, " "+t.plain+" "):
			score = bonusPhrase * float64(len(t.stems))
		}
		common := 0.0
		for _, word := range t.stems {
			common += closest(word, asked)
		}
		if all := float64(len(t.stems)+len(asked)) - common; all > 0 {
			score += bonusAlike * common / all
		}
		best = max(best, score)
	}
	return best
}

// named is what the text adds by saying the tool's name.
func (d *document) named(folded, text string, everything []string) float64 {
	if d.letters < minNameLetters || len(d.nameWords) == 0 {
		return 0
	}
	switch {
	case d.written(folded):
		return bonusIdentifier
	case strings.Contains(text, " "+strings.Join(d.nameWords, " ")+" "):
		return bonusNamePhrase * float64(len(d.nameWords))
	}
	for _, word := range d.name {
		if !slices.Contains(everything, word) {
			return 0
		}
	}
	return bonusNameWords * float64(len(d.name))
}

// written says whether the text has the name as only code has it: with an underscore or the like.
func (d *document) written(folded string) bool {
	if !strings.ContainsAny(d.identifier, "_-") {
		return false
	}
	for rest := folded; ; {
		at := strings.Index(rest, d.identifier)
		if at < 0 {
			return false
		}
		end := at + len(d.identifier)
		if (at == 0 || !partOfName(rest[at-1])) && (end == len(rest) || !partOfName(rest[end])) {
			return true
		}
		rest = rest[end:]
	}
}

func partOfName(b byte) bool {
	return b == '_' || b == '-' || b >= 'a' && b <= 'z' || b >= '0' && b <= '9'
}

func unique(words []string) []string {
	var once []string
	for _, word := range words {
		if !slices.Contains(once, word) {
			once = append(once, word)
		}
	}
	return once
}

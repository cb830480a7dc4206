package memory

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"

	"portico/backend/capability"
	"portico/backend/words"
)

// How memories are ranked: BM25 over stems, where a word of the title or the summary counts more than one of the text.
const (
	weightTitle   = 3.0
	weightSummary = 1.5
	saturation    = 1.0
	usualWords    = 200.0 // of a text; in a longer one a word says less

	// A memory is offered when it has at least this share of what the message asks for, by the rarity of its words; what
	// only stands somewhere in the text counts half, and so does a word that no memory has in the total.
	leastShare   = 0.25
	textShare    = 0.5
	countedWords = 8 // the rarest ones are the message; in a pasted document the others are noise

	maxAsked      = 64    // words of a message
	maxQueryBytes = 4_000 // what is wanted stands at its beginning
	indexedBytes  = 16 << 10
	maxNewTerms   = 512 // that are looked through one by one before the vocabulary is sorted again

	noDocument = -1
)

// index finds records by their words.
type index struct {
	terms      map[string]int32
	names      []string // by term
	vocabulary []int32  // terms in the order of their names, but for the newest
	newest     []int32
	postings   [][]posting // by term
	documents  []*document // nil: removed
	free       []int32     // places of removed ones
	live       int
}

// posting says how much a word says about a document: strong means it stands in the title or the summary.
type posting struct {
	document int32
	weight   float32
	strong   bool
}

type document struct {
	record *record
	title  []int32
	terms  []int32
}

func newIndex() *index { return &index{terms: map[string]int32{}} }

// add takes a record in, with a further name and its text.
func (x *index) add(r *record, name, body string) {
	d := &document{record: r}
	if last := len(x.free) - 1; last >= 0 {
		r.document, x.free = x.free[last], x.free[:last]
	} else {
		r.document = int32(len(x.documents))
		x.documents = append(x.documents, nil)
	}
	weights := map[int32]posting{}
	counts := map[int32]float64{}
	body = body[:min(len(body), indexedBytes)]
	said := words.Stems(strings.ToValidUTF8(body, ""))
	for _, stem := range said {
		counts[x.term(stem)]++
	}
	length := 0.25 + 0.75*float64(len(said))/usualWords
	for term, count := range counts {
		weights[term] = posting{r.document, float32(count / (count + length)), false}
	}
	strongly := func(text string, weight float32) {
		for _, stem := range words.Stems(text) {
			term := x.term(stem)
			p := weights[term]
			weights[term] = posting{r.document, p.weight + weight, true}
		}
	}
	strongly(r.Summary, weightSummary)
	strongly(name, weightTitle)
	strongly(r.Title, weightTitle)
	for _, stem := range words.Stems(r.Title) {
		d.title = append(d.title, x.term(stem))
	}
	for term, p := range weights {
		x.postings[term] = append(x.postings[term], p)
		d.terms = append(d.terms, term)
	}
	x.documents[r.document] = d
	x.live++
}

func (x *index) term(stem string) int32 {
	term, known := x.terms[stem]
	if !known {
		term = int32(len(x.names))
		x.terms[stem] = term
		x.names = append(x.names, stem)
		x.postings = append(x.postings, nil)
		x.newest = append(x.newest, term)
	}
	return term
}

// remove takes a record out.
func (x *index) remove(r *record) {
	if r.document == noDocument {
		return
	}
	for _, term := range x.documents[r.document].terms {
		x.postings[term] = slices.DeleteFunc(x.postings[term], func(p posting) bool { return p.document == r.document })
	}
	x.documents[r.document] = nil
	x.free = append(x.free, r.document)
	r.document = noDocument
	x.live--
}

// beginning gives the terms that begin with a text.
func (x *index) beginning(with string) []int32 {
	if len(x.newest) > maxNewTerms {
		x.vocabulary = append(x.vocabulary, x.newest...)
		x.newest = nil
		slices.SortFunc(x.vocabulary, func(a, b int32) int { return strings.Compare(x.names[a], x.names[b]) })
	}
	var found []int32
	at, _ := slices.BinarySearchFunc(x.vocabulary, with, func(term int32, text string) int { return strings.Compare(x.names[term], text) })
	for ; at < len(x.vocabulary) && strings.HasPrefix(x.names[x.vocabulary[at]], with); at++ {
		found = append(found, x.vocabulary[at])
	}
	for _, term := range x.newest {
		if strings.HasPrefix(x.names[term], with) {
			found = append(found, term)
		}
	}
	return found
}

// alike is a term that is the same word as another, and how much.
type alike struct {
	term     int32
	likeness float64
}

// alike gives the terms that are the same word as a stem: they begin with it, or it begins with them.
func (x *index) alike(asked string) []alike {
	var found []alike
	add := func(term int32) {
		if likeness := words.Likeness(asked, x.names[term]); likeness > 0 {
			found = append(found, alike{term, likeness})
		}
	}
	if term, known := x.terms[asked]; known && len(asked) < 3 {
		add(term)
		return found
	}
	for _, term := range x.beginning(asked) {
		add(term)
	}
	for end := words.MinStem; end < len(asked); end++ {
		if term, known := x.terms[asked[:end]]; known {
			add(term)
		}
	}
	return found
}

// hit is a record and how well it fits.
type hit struct {
	record *record
	score  float64
}

// search gives the records that fit a text, the best first.
func (x *index) search(query string, want func(*record) bool) []hit {
	asked := askedIn(query)
	type sum struct {
		score, share float64
		worded       bool // more than numbers fit
	}
	numbersOnly := !slices.ContainsFunc(asked, func(word string) bool { return !isNumber(word) })
	sums := map[int32]*sum{}
	best := make([]posting, len(x.documents)) // of one asked word, by document
	likeness := make([]float64, len(x.documents))
	rarities := make([]float64, 0, len(asked))
	total := float64(x.live)
	for _, word := range asked {
		var touched []int32
		for _, a := range x.alike(word) {
			like := a.likeness
			for _, p := range x.postings[a.term] {
				if likeness[p.document] == 0 {
					touched = append(touched, p.document)
				}
				if float64(p.weight)*like > float64(best[p.document].weight)*likeness[p.document] {
					best[p.document], likeness[p.document] = p, like
				}
			}
		}
		having := float64(len(touched))
		rarity := math.Log(1 + (total-having+0.5)/(having+0.5))
		if having == 0 {
			rarities = append(rarities, rarity/2)
		} else {
			rarities = append(rarities, rarity)
		}
		for _, n := range touched {
			p, like := best[n], likeness[n]
			best[n], likeness[n] = posting{}, 0
			s := sums[n]
			if s == nil {
				s = &sum{}
				sums[n] = s
			}
			weight := float64(p.weight)
			s.score += rarity * like * weight / (weight + saturation)
			if !p.strong {
				like *= textShare
			}
			s.share += rarity * like
			s.worded = s.worded || numbersOnly || !isNumber(word)
		}
	}
	slices.SortFunc(rarities, func(a, b float64) int { return cmp.Compare(b, a) })
	whole := 0.0
	for _, rarity := range rarities[:min(len(rarities), countedWords)] {
		whole += rarity
	}
	var hits []hit
	for n, s := range sums {
		d := x.documents[n]
		if !s.worded { // a sum of two numbers is not about what holds one of them
			continue
		}
		if named := x.named(d, asked); named || s.share >= leastShare*whole {
			if named {
				s.score *= 2
			}
			if want(d.record) {
				hits = append(hits, hit{d.record, s.score})
			}
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.record.key, b.record.key), strings.Compare(a.record.ID, b.record.ID))
	})
	return hits
}

// named says whether a text has every word of the title.
func (x *index) named(d *document, asked []string) bool {
	for _, term := range d.title {
		if !slices.Contains(asked, x.names[term]) {
			return false
		}
	}
	return len(d.title) > 0
}

// isNumber says whether a word has digits alone.
func isNumber(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsDigit(r) })
}

func askedIn(query string) []string {
	query = strings.ToValidUTF8(query[:min(len(query), maxQueryBytes)], "")
	var asked []string
	for _, stem := range words.Stems(query) {
		if !slices.Contains(asked, stem) {
			asked = append(asked, stem)
		}
		if len(asked) == maxAsked {
			break
		}
	}
	return asked
}

// Relevant gives at most so many memories that fit a message, the best first; of those that are on.
func (s *Store) Relevant(ctx context.Context, message string, most int) ([]capability.Memory, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	hits := s.index.search(message, v.serves)
	found := make([]capability.Memory, 0, most)
	for _, h := range hits[:min(len(hits), most)] {
		found = append(found, listed(h.record))
	}
	return found, nil
}

// serves says whether a title leads to this record.
func (v *view) serves(r *record) bool {
	n, ok := v.served[r.key]
	return ok && v.records[n] == r
}

// Content gives the text of the memory of that title.
func (s *Store) Content(ctx context.Context, title string) (string, error) {
	text, err := s.Service().Get(ctx, title)
	return text.Content, err
}

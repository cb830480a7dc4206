package agent

import (
	"slices"
	"strings"

	"portico/backend/words"
)

// remembered is how many of the person's last messages count for the choice, the newest most.
const remembered = 3

// Choose gives the tools that the model sees, in the order of their addresses: all, while there are no more than most. Of
// more, those that are always available or that the message names come first and are never left
// out; the rest of the places goes to what fits the message and the ones before it best. said are the person's messages
// so far, the oldest first.
func Choose(message string, said []string, offers []Offer, most int) []Offer {
	chosen := make([]bool, len(offers))
	n := 0
	if len(offers) > most {
		x := newIndex(offers)
		plain := " " + strings.Join(words.Of(message), " ") + " "
		folded := words.Fold(message)
		for i, o := range offers {
			if o.Tool.AlwaysAvailable || x.documents[i].isNamed(folded, plain) {
				chosen[i] = true
				n++
			}
		}
		scores := x.scores(message)
		weight := 0.5
		for back, earlier := range slices.Backward(said) {
			if len(said)-back > remembered {
				break
			}
			if earlier == message {
				continue
			}
			for i, score := range x.scores(earlier) {
				scores[i] += weight * score
			}
			weight /= 2
		}
		order := make([]int, len(offers))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int {
			if scores[a] != scores[b] {
				if scores[a] > scores[b] {
					return -1
				}
				return 1
			}
			return strings.Compare(offers[a].Address(), offers[b].Address())
		})
		for _, i := range order {
			if n >= most {
				break
			}
			if !chosen[i] {
				chosen[i] = true
				n++
			}
		}
	}
	var seen []Offer
	for i, o := range offers {
		if chosen[i] || len(offers) <= most {
			seen = append(seen, o)
		}
	}
	slices.SortStableFunc(seen, func(a, b Offer) int { return strings.Compare(a.Address(), b.Address()) })
	return seen
}

// isNamed says whether a text has the tool's name in whole words.
func (d *document) isNamed(folded, text string) bool {
	if d.letters < minNameLetters || len(d.nameWords) == 0 {
		return false
	}
	return d.written(folded) || strings.Contains(text, " "+strings.Join(d.nameWords, " ")+" ")
}

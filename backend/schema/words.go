package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"portico/backend/extension"
)

var english = message.NewPrinter(language.English)

// issues lists the broken places, each once, in words that a person and a model can act on.
func issues(err *jsonschema.ValidationError) []extension.Issue {
	var all []extension.Issue
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		place := placeOf(e.InstanceLocation)
		add := func(place, what string) { all = append(all, extension.Issue{Place: named(place), What: what}) }
		switch k := e.ErrorKind.(type) {
		case *kind.Required:
			for _, missing := range k.Missing {
				add(join(place, missing), "is required")
			}
			return
		case *kind.AdditionalProperties:
			for _, extra := range k.Properties {
				add(join(place, extra), "is not an argument of this tool")
			}
			return
		case *kind.DependentRequired:
			for _, missing := range k.Missing {
				add(join(place, missing), "is required beside "+k.Prop)
			}
			return
		case *kind.Dependency:
			for _, missing := range k.Missing {
				add(join(place, missing), "is required beside "+k.Prop)
			}
			return
		case *kind.PropertyNames:
			add(join(place, k.Property), "is a name that is not allowed there")
			return
		case *kind.AnyOf:
			add(place, "fits none of the shapes that are allowed there"+nearest(e))
			return
		case *kind.OneOf:
			if len(k.Subschemas) > 0 {
				add(place, "fits several of the shapes of which it may fit only one")
				return
			}
			add(place, "fits none of the shapes that are allowed there"+nearest(e))
			return
		case *kind.Contains:
			add(place, "has no item of the kind that must be in it")
			return
		}
		if what := words(e.ErrorKind); what != "" {
			add(place, what)
			return
		}
		if len(e.Causes) == 0 {
			add(place, e.ErrorKind.LocalizedString(english))
			return
		}
		for _, cause := range e.Causes {
			walk(cause)
		}
	}
	walk(err)
	slices.SortStableFunc(all, func(a, b extension.Issue) int {
		return strings.Compare(a.Place+"\x00"+a.What, b.Place+"\x00"+b.What)
	})
	all = slices.Compact(all)
	if len(all) > maxIssues {
		all = all[:maxIssues]
	}
	return all
}

// words says what is wrong with one value; empty where the causes say it.
func words(broken jsonschema.ErrorKind) string {
	switch k := broken.(type) {
	case *kind.Type:
		return fmt.Sprintf("must be %s, and is %s", orList(k.Want), k.Got)
	case *kind.Enum:
		return "must be " + choices(k.Want)
	case *kind.Const:
		return "must be " + shown(k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %s, and has %d", many(k.Want, "character"), k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %s, and has %d", many(k.Want, "character"), k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %s, and has %d", many(k.Want, "item"), k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %s, and has %d", many(k.Want, "item"), k.Got)
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %s, and has %d", many(k.Want, "field"), k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %s, and has %d", many(k.Want, "field"), k.Got)
	case *kind.UniqueItems:
		return fmt.Sprintf("must not hold the same item twice, and [%d] equals [%d]", k.Duplicates[1], k.Duplicates[0])
	case *kind.AdditionalItems:
		return fmt.Sprintf("has %s too many", many(k.Count, "item"))
	case *kind.Minimum:
		return "must be at least " + decimal(k.Want)
	case *kind.Maximum:
		return "must be at most " + decimal(k.Want)
	case *kind.ExclusiveMinimum:
		return "must be more than " + decimal(k.Want)
	case *kind.ExclusiveMaximum:
		return "must be less than " + decimal(k.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + decimal(k.Want)
	case *kind.Pattern:
		return "must match the pattern " + k.Want
	case *kind.Format:
		return "must be a valid " + k.Want
	case *kind.FalseSchema:
		return "must not be given"
	case *kind.Not:
		return "is of a kind that is not allowed there"
	case *kind.RefCycle:
		return "can't be checked: the schema refers to itself without end"
	}
	return ""
}

// nearest says what the shape that fits best lacks: the one with the fewest faults.
func nearest(e *jsonschema.ValidationError) string {
	var fewest []extension.Issue
	for _, cause := range e.Causes {
		if found := issues(cause); len(found) > 0 && (fewest == nil || len(found) < len(fewest)) {
			fewest = found
		}
	}
	if fewest == nil {
		return ""
	}
	return fmt.Sprintf(" (nearest: %s %s)", fewest[0].Place, fewest[0].What)
}

// maxChoices is how many values of an enum one message lists.
const maxChoices = 20

func choices(want []any) string {
	names := make([]string, 0, maxChoices+1)
	for n, value := range want {
		if n == maxChoices {
			return strings.Join(names, ", ") + fmt.Sprintf(" or one of %d more", len(want)-n)
		}
		names = append(names, shown(value))
	}
	return orList(names)
}

// maxShown is how many bytes of a value one message shows.
const maxShown = 200

func shown(value any) string {
	text, err := encode(value)
	if err != nil || len(text) > maxShown {
		return "what the schema names"
	}
	return string(text)
}

func decimal(want *big.Rat) string {
	if want.IsInt() {
		return want.RatString()
	}
	short, _ := want.Float64()
	text, _ := json.Marshal(short)
	return string(text)
}

func many(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// placeOf writes a location as a person does: items[2].name.
func placeOf(location []string) string {
	place := ""
	for _, step := range location {
		if isIndex(step) {
			place += "[" + step + "]"
		} else {
			place = join(place, step)
		}
	}
	return place
}

func isIndex(step string) bool {
	return step != "" && strings.Trim(step, "0123456789") == ""
}

func join(place, step string) string {
	if place == "" {
		return step
	}
	return place + "." + step
}

func named(place string) string {
	if place == "" {
		return "arguments"
	}
	return place
}

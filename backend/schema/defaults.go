package schema

import (
	"maps"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// filler puts defaults where nothing was given: through properties, items, allOf and $ref. Not inside anyOf, oneOf, not or
// if: which branch counts is not known before the check. It walks the compiled schema, so that a $ref means to it what it
// means to the check: anchors, embedded ids and draft-07's rule that a $ref's neighbours don't count.
type filler struct{ effort *effort }

// fill gives a copy of value with its defaults; level is how deep in the arguments it lies.
func (f filler) fill(s *jsonschema.Schema, value any, level int) any {
	if s == nil || s.Bool != nil {
		return value
	}
	f.effort.step()
	if level > maxDepth { // defaults that ask for themselves again
		panic(exhausted{"the defaults of its parameters go round in a circle"})
	}
	if s.Ref != nil {
		value = f.fill(s.Ref, value, level)
		if s.DraftVersion < 2019 {
			return value
		}
	}
	for _, part := range s.AllOf {
		value = f.fill(part, value, level)
	}
	switch have := value.(type) {
	case map[string]any:
		return f.fillObject(s, have, level)
	case []any:
		return f.fillArray(s, have, level)
	}
	return value
}

func (f filler) fillObject(s *jsonschema.Schema, have map[string]any, level int) any {
	filled := maps.Clone(have)
	for name, property := range s.Properties {
		current, present := filled[name]
		if !present {
			preset, found := presetOf(property, 0)
			if !found {
				continue
			}
			current = preset
		}
		filled[name] = f.fill(property, current, level+1)
	}
	rest, _ := s.AdditionalProperties.(*jsonschema.Schema)
	if rest == nil && len(s.PatternProperties) == 0 {
		return filled
	}
	for name := range have {
		_, named := s.Properties[name]
		for pattern, property := range s.PatternProperties {
			if pattern.MatchString(name) {
				named = true
				filled[name] = f.fill(property, filled[name], level+1)
			}
		}
		if !named {
			filled[name] = f.fill(rest, filled[name], level+1)
		}
	}
	return filled
}

func (f filler) fillArray(s *jsonschema.Schema, have []any, level int) any {
	prefix, rest := s.PrefixItems, s.Items2020
	switch items := s.Items.(type) { // the forms before 2020-12
	case []*jsonschema.Schema:
		prefix = items
		rest, _ = s.AdditionalItems.(*jsonschema.Schema)
	case *jsonschema.Schema:
		rest = items
	}
	filled := make([]any, 0, max(len(have), len(prefix)))
	for n, item := range have {
		of := rest
		if n < len(prefix) {
			of = prefix[n]
		}
		filled = append(filled, f.fill(of, item, level+1))
	}
	for len(filled) < len(prefix) { // a tuple's missing end, up to the first place without a default
		of := prefix[len(filled)]
		preset, found := presetOf(of, 0)
		if !found {
			break
		}
		filled = append(filled, f.fill(of, preset, level+1))
	}
	return filled
}

// presetOf finds the default of what is absent, also behind a $ref.
func presetOf(s *jsonschema.Schema, hops int) (any, bool) {
	switch {
	case s == nil || hops > maxDepth:
		return nil, false
	case s.Default != nil && (s.Ref == nil || s.DraftVersion >= 2019):
		return *s.Default, true
	}
	return presetOf(s.Ref, hops+1)
}

package schema

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

const (
	// minSteps and stepsPerValue bound one check, counted in pairs of a schema and a value. References can multiply
	// without end: thirty definitions that each name the next one twice make 2^30 steps of an empty object. Real tools
	// take a few steps for each value.
	minSteps      = 50_000
	stepsPerValue = 100
	// matchTime bounds all pattern matches of one check together, patternLimit one of them.
	matchTime = time.Second
)

// exhausted ends a check from within; the libraries below have no error for it, so it travels as a panic to check.
type exhausted struct{ why string }

func (e exhausted) Error() string { return e.why }

// effort is what one check may still spend. It belongs to one compiled schema; whoever holds the lock is checking.
type effort struct {
	sync.Mutex
	steps    int
	matching time.Duration
}

func (e *effort) renew(values int) {
	e.steps, e.matching = minSteps+stepsPerValue*values, matchTime
}

func (e *effort) step() {
	if e.steps--; e.steps < 0 {
		panic(exhausted{"its parameters refer to each other so often that checking does not end"})
	}
}

// prepare makes every schema that can be reached from s spend a step when a value is checked against it. The format is
// what the library looks at before it goes deeper, whatever else the schema says.
func (e *effort) prepare(s *jsonschema.Schema, seen map[*jsonschema.Schema]bool) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	if s.Bool == nil {
		format := &jsonschema.Format{Validate: func(any) error { e.step(); return nil }}
		if own := s.Format; own != nil {
			format = &jsonschema.Format{Name: own.Name, Validate: func(v any) error { e.step(); return own.Validate(v) }}
		}
		s.Format = format
		if s.PropertyNames != nil {
			e.prepare(s.PropertyNames, seen)
			s.Extensions, s.PropertyNames = append(s.Extensions, names{s.PropertyNames}), nil
		}
	}
	for _, inner := range within(s) {
		e.prepare(inner, seen)
	}
}

// within lists the schemas that s applies, nil among them.
func within(s *jsonschema.Schema) []*jsonschema.Schema {
	all := []*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else, s.UnevaluatedProperties,
		s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema}
	if s.DynamicRef != nil {
		all = append(all, s.DynamicRef.Ref)
	}
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems} {
		all = append(all, list...)
	}
	for _, inner := range s.Properties {
		all = append(all, inner)
	}
	for _, inner := range s.PatternProperties {
		all = append(all, inner)
	}
	for _, inner := range s.DependentSchemas {
		all = append(all, inner)
	}
	loose := []any{s.AdditionalProperties, s.Items, s.AdditionalItems}
	for _, inner := range s.Dependencies {
		loose = append(loose, inner)
	}
	for _, value := range loose {
		switch v := value.(type) {
		case *jsonschema.Schema:
			all = append(all, v)
		case []*jsonschema.Schema:
			all = append(all, v...)
		}
	}
	return all
}

// names is "propertyNames". The library's own reports it at a place that it overwrites afterwards.
type names struct{ schema *jsonschema.Schema }

func (n names) Validate(ctx *jsonschema.ValidatorContext, value any) {
	object, _ := value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		var invalid *jsonschema.ValidationError
		if errors.As(n.schema.Validate(name), &invalid) {
			ctx.AddErr(&jsonschema.ValidationError{SchemaURL: n.schema.Location, InstanceLocation: slices.Clone(ctx.ValueLocation()),
				ErrorKind: &kind.PropertyNames{Property: name}, Causes: invalid.Causes})
		}
	}
}

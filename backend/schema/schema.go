// Package schema checks tool arguments against the JSON Schema that a manifest gives, draft 2020-12 or draft-07, before
// anything is started. It reads patterns as ECMAScript does, fills defaults, coerces nothing, and reaches neither the
// network nor a file: a schema is a stranger's text. A compiled schema is safe for concurrent use.
package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"portico/backend/extension"
)

const (
	// maxDepth bounds the nesting of schemas and arguments; deeper ones are attacks, not data.
	maxDepth = 64
	// maxIssues is how many broken places one check reports; a person reads no more.
	maxIssues = 50
	// maxCached is how many compiled schemas are kept.
	maxCached = 512
	// address names the schema inside the compiler; nothing is ever fetched from it.
	address = "mem:///arguments"
)

// Schema is one compiled schema.
type Schema struct {
	compiled *jsonschema.Schema
	document any // the schema itself, for its defaults
}

var cache = struct {
	sync.Mutex
	byHash map[[sha256.Size]byte]*Schema
}{byHash: map[[sha256.Size]byte]*Schema{}}

// Compile reads a schema. Its error is a Problem with code "schema.unusable" that says what is wrong with it.
func Compile(raw json.RawMessage) (*Schema, error) {
	hash := sha256.Sum256(raw)
	cache.Lock()
	have := cache.byHash[hash]
	cache.Unlock()
	if have != nil {
		return have, nil
	}
	document, err := decode(raw)
	if err != nil {
		return nil, unusable(err)
	}
	if depth(document) > maxDepth {
		return nil, unusable(fmt.Errorf("it is nested deeper than %d levels", maxDepth))
	}
	compiled, err := compile(document)
	if err != nil {
		return nil, unusable(err)
	}
	s := &Schema{compiled, document}
	cache.Lock()
	defer cache.Unlock()
	if len(cache.byHash) >= maxCached {
		clear(cache.byHash)
	}
	cache.byHash[hash] = s
	return s, nil
}

// compile takes the draft that "$schema" names. Without one it is 2020-12, and draft-07 where only that fits: authors
// write `items: [..]` and `definitions` and name no draft.
func compile(document any) (*jsonschema.Schema, error) {
	object, _ := document.(map[string]any)
	compiled, err := compileAs(document, jsonschema.Draft2020)
	if err != nil && object["$schema"] == nil {
		if older, olderErr := compileAs(document, jsonschema.Draft7); olderErr == nil {
			return older, nil
		}
	}
	return compiled, err
}

func compileAs(document any, draft *jsonschema.Draft) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.UseLoader(nowhere{})
	c.UseRegexpEngine(compilePattern)
	c.AssertFormat()
	if err := c.AddResource(address, document); err != nil {
		return nil, err
	}
	return c.Compile(address)
}

// nowhere loads nothing: a $ref may only point inside the schema.
type nowhere struct{}

func (nowhere) Load(url string) (any, error) {
	return nil, fmt.Errorf("%q lies outside the schema, and nothing is fetched", url)
}

func unusable(err error) error {
	text := strings.ReplaceAll(err.Error(), address, "")
	return extension.NewProblem("schema.unusable", "The tool's parameters are no usable JSON Schema: {why}.",
		"Tell the extension's author; `portico check FOLDER` shows it.", "why", text).Because(err)
}

// decode reads one JSON value with its numbers as they are written, and nothing after it.
func decode(raw []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something after the value")
	}
	return value, nil
}

func depth(value any) int {
	deepest := 0
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			deepest = max(deepest, depth(inner))
		}
	case []any:
		for _, inner := range v {
			deepest = max(deepest, depth(inner))
		}
	default:
		return 0
	}
	return deepest + 1
}

// Check fills defaults and checks the arguments. Empty arguments are {}. With issues, the arguments are not to be used.
func (s *Schema) Check(args json.RawMessage) (json.RawMessage, []extension.Issue) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	value, err := decode(args)
	if err != nil {
		return nil, []extension.Issue{{Place: "arguments", What: "are not JSON: " + err.Error()}}
	}
	if depth(value) > maxDepth {
		return nil, []extension.Issue{{Place: "arguments", What: fmt.Sprintf("are nested deeper than %d levels", maxDepth)}}
	}
	if _, ok := value.(map[string]any); !ok {
		return nil, []extension.Issue{{Place: "arguments", What: "must be a JSON object"}}
	}
	value = fill(s.document, s.document, value, 0)
	if err := validate(s.compiled, value); err != nil {
		var invalid *jsonschema.ValidationError
		if !errors.As(err, &invalid) {
			return nil, []extension.Issue{{Place: "arguments", What: err.Error()}}
		}
		return nil, issues(invalid)
	}
	filled, err := json.Marshal(value)
	if err != nil {
		return nil, []extension.Issue{{Place: "arguments", What: err.Error()}}
	}
	return filled, nil
}

// validate turns the pattern engine's time-out, which the library has no error for, back into an error.
func validate(compiled *jsonschema.Schema, value any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			slow, ok := r.(slowPattern)
			if !ok {
				panic(r)
			}
			err = slow
		}
	}()
	return compiled.Validate(value)
}

var english = message.NewPrinter(language.English)

// issues lists the broken places, each once, in words that a person and a model can act on.
func issues(err *jsonschema.ValidationError) []extension.Issue {
	var all []extension.Issue
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		place := placeOf(e.InstanceLocation)
		switch k := e.ErrorKind.(type) {
		case *kind.Required:
			for _, missing := range k.Missing {
				all = append(all, extension.Issue{Place: join(place, missing), What: "is required"})
			}
			return
		case *kind.AdditionalProperties:
			for _, extra := range k.Properties {
				all = append(all, extension.Issue{Place: join(place, extra), What: "is not an argument of this tool"})
			}
			return
		case *kind.Type:
			all = append(all, extension.Issue{Place: named(place), What: fmt.Sprintf("must be %s, and is %s", orList(k.Want), k.Got)})
			return
		case *kind.AnyOf, *kind.OneOf:
			all = append(all, extension.Issue{Place: named(place), What: "fits none of the shapes that are allowed there" + firstCause(e)})
			return
		}
		if len(e.Causes) == 0 {
			all = append(all, extension.Issue{Place: named(place), What: e.ErrorKind.LocalizedString(english)})
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

// firstCause says what the nearest shape lacks: the one with the fewest faults.
func firstCause(e *jsonschema.ValidationError) string {
	var nearest []extension.Issue
	for _, cause := range e.Causes {
		if found := issues(cause); len(found) > 0 && (nearest == nil || len(found) < len(nearest)) {
			nearest = found
		}
	}
	if nearest == nil {
		return ""
	}
	return fmt.Sprintf(" (nearest: %s %s)", nearest[0].Place, nearest[0].What)
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

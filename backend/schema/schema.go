// Package schema checks tool arguments against the JSON Schema that a manifest gives, draft 2020-12 or draft-07, before
// anything is started. It reads patterns as ECMAScript does, fills defaults, coerces nothing, and reaches neither the
// network nor a file: a schema is a stranger's text, and what one check may cost is bounded. A compiled schema is safe for
// concurrent use.
package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"portico/backend/extension"
)

const (
	// maxDepth bounds the nesting of schemas and arguments; deeper ones are attacks, not data.
	maxDepth = 64
	// maxParts bounds the values in one schema; compiling takes time in the square of it. The largest real tools have
	// some hundred.
	maxParts = 5_000
	// maxDigits bounds one number as it is written. No double has more than 1,100 that mean anything.
	maxDigits = 1_100
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
	effort   *effort
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
	size := measure(document)
	switch {
	case size.depth > maxDepth:
		return nil, unusable(fmt.Errorf("it is nested deeper than %d levels", maxDepth))
	case size.values > maxParts:
		return nil, unusable(fmt.Errorf("it has %d parts; at most %d are read", size.values, maxParts))
	case size.odd != "":
		return nil, unusable(fmt.Errorf("the number at %s is beyond what can be computed with", size.odd))
	}
	s, err := compile(document)
	if err != nil {
		return nil, unusable(err)
	}
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
func compile(document any) (*Schema, error) {
	object, _ := document.(map[string]any)
	compiled, err := compileAs(document, jsonschema.Draft2020)
	if err != nil && object["$schema"] == nil {
		if older, olderErr := compileAs(document, jsonschema.Draft7); olderErr == nil {
			return older, nil
		}
	}
	return compiled, err
}

func compileAs(document any, draft *jsonschema.Draft) (*Schema, error) {
	s := &Schema{effort: &effort{}}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.UseLoader(nowhere{})
	c.UseRegexpEngine(s.effort.pattern)
	c.AssertFormat()
	if err := c.AddResource(address, document); err != nil {
		return nil, err
	}
	var err error
	if s.compiled, err = c.Compile(address); err != nil {
		return nil, err
	}
	seen := map[*jsonschema.Schema]bool{}
	s.effort.prepare(s.compiled, seen)
	for _, place := range dynamic(document, "", nil) { // found by name at the check, not by any path from the root
		if anchored, err := c.Compile(address + "#" + place); err == nil {
			s.effort.prepare(anchored, seen)
		}
	}
	return s, nil
}

// dynamic lists where a schema has a "$dynamicAnchor", as JSON pointers.
func dynamic(value any, place string, found []string) []string {
	switch v := value.(type) {
	case map[string]any:
		if v["$dynamicAnchor"] != nil {
			found = append(found, place)
		}
		for key, inner := range v {
			found = dynamic(inner, place+"/"+pointerStep.Replace(key), found)
		}
	case []any:
		for n, inner := range v {
			found = dynamic(inner, place+"/"+strconv.Itoa(n), found)
		}
	}
	return found
}

// pointerStep writes a key as a step of a JSON pointer in a URL's fragment (RFC 6901, 6).
var pointerStep = strings.NewReplacer("~", "~0", "/", "~1", "%", "%25", "#", "%23", "?", "%3F", `"`, "%22", " ", "%20")

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

// size is what measure finds out about a value.
type size struct {
	depth  int
	values int
	odd    string // where a number stands that no double can hold; empty: nowhere
}

func measure(value any) size {
	var s size
	var walk func(value any, place []string, depth int)
	walk = func(value any, place []string, depth int) {
		s.values++
		switch v := value.(type) {
		case map[string]any:
			s.depth = max(s.depth, depth+1)
			for key, inner := range v {
				walk(inner, append(place, key), depth+1)
			}
		case []any:
			s.depth = max(s.depth, depth+1)
			for n, inner := range v {
				walk(inner, append(place, strconv.Itoa(n)), depth+1)
			}
		case json.Number:
			if s.odd == "" && !computable(v) {
				s.odd = named(placeOf(place))
			}
		}
	}
	walk(value, nil, 0)
	return s
}

// computable says whether a number lies within what a double can hold, which is all that a tool could be given. Exact
// arithmetic with 1e5000000 takes the host's time and memory, and with 1e99999999 it ends the check.
func computable(n json.Number) bool {
	if len(n) > maxDigits {
		return false
	}
	double, err := n.Float64()
	if err != nil {
		return false
	}
	_, exponent, written := strings.Cut(strings.ToLower(n.String()), "e")
	if !written {
		return true
	}
	power, err := strconv.Atoi(exponent)
	return err == nil && math.Abs(float64(power)) <= maxDigits && !math.IsInf(double, 0)
}

// Check fills defaults and checks the arguments. Empty arguments are {}. With issues, the arguments are not to be used.
func (s *Schema) Check(args json.RawMessage) (json.RawMessage, []extension.Issue) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	value, err := decode(args)
	if err != nil {
		return nil, whole("are not JSON: " + err.Error())
	}
	size := measure(value)
	switch {
	case size.depth > maxDepth:
		return nil, whole(fmt.Sprintf("are nested deeper than %d levels", maxDepth))
	case size.odd != "":
		return nil, []extension.Issue{{Place: size.odd, What: "is a number that is too large or too long"}}
	}
	if _, ok := value.(map[string]any); !ok {
		return nil, whole("must be a JSON object")
	}
	if value, err = s.fillAndCheck(value, size.values); err != nil {
		var invalid *jsonschema.ValidationError
		if !errors.As(err, &invalid) {
			return nil, whole("can't be checked: " + err.Error())
		}
		return nil, issues(invalid)
	}
	filled, err := encode(value)
	if err != nil {
		return nil, whole(err.Error())
	}
	return filled, nil
}

func whole(what string) []extension.Issue { return []extension.Issue{{Place: "arguments", What: what}} }

func (s *Schema) fillAndCheck(value any, values int) (filled any, err error) {
	s.effort.Lock()
	defer s.effort.Unlock()
	s.effort.renew(values)
	err = bounded(func() error {
		filled = filler{s.effort}.fill(s.compiled, value, 0)
		return s.compiled.Validate(filled)
	})
	return filled, err
}

// bounded turns the end of an effort, which the library has no error for, back into an error.
func bounded(work func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			end, ok := r.(exhausted)
			if !ok {
				panic(r)
			}
			err = end
		}
	}()
	return work()
}

// encode writes texts as they are: a tool's "<" need not arrive as an escape.
func encode(value any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

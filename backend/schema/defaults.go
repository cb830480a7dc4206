package schema

import (
	"maps"
	"strconv"
	"strings"
)

// fill gives a copy of value in which what is absent has its schema's default: through properties, items, allOf and
// local $ref. Not inside anyOf, oneOf or if: which branch counts is not known before the check.
func fill(root, schema, value any, level int) any {
	object, ok := schema.(map[string]any)
	if !ok || level > maxDepth {
		return value
	}
	if ref, ok := object["$ref"].(string); ok {
		if target, found := pointer(root, ref); found {
			value = fill(root, target, value, level+1)
		}
	}
	if parts, ok := object["allOf"].([]any); ok {
		for _, part := range parts {
			value = fill(root, part, value, level+1)
		}
	}
	switch have := value.(type) {
	case map[string]any:
		return fillObject(root, object, have, level)
	case []any:
		return fillArray(root, object, have, level)
	}
	return value
}

func fillObject(root any, schema, have map[string]any, level int) any {
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return have
	}
	filled := maps.Clone(have)
	for name, property := range properties {
		current, present := filled[name]
		if !present {
			preset, found := presetOf(root, property, level)
			if !found {
				continue
			}
			current = preset
		}
		filled[name] = fill(root, property, current, level+1)
	}
	return filled
}

// presetOf finds a property's default, also behind a $ref.
func presetOf(root, property any, level int) (any, bool) {
	for ; level <= maxDepth; level++ {
		object, ok := property.(map[string]any)
		if !ok {
			return nil, false
		}
		if preset, found := object["default"]; found {
			return preset, true
		}
		ref, ok := object["$ref"].(string)
		if !ok {
			return nil, false
		}
		if property, ok = pointer(root, ref); !ok {
			return nil, false
		}
	}
	return nil, false
}

func fillArray(root any, schema map[string]any, have []any, level int) any {
	prefix, _ := schema["prefixItems"].([]any)
	rest := schema["items"]
	if list, ok := rest.([]any); ok { // draft-07's form
		prefix, rest = list, schema["additionalItems"]
	}
	filled := make([]any, len(have))
	for n, item := range have {
		of := rest
		if n < len(prefix) {
			of = prefix[n]
		}
		filled[n] = fill(root, of, item, level+1)
	}
	return filled
}

// pointer follows a local JSON pointer ("#/$defs/size", RFC 6901).
func pointer(root any, ref string) (any, bool) {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	at := root
	for _, step := range strings.Split(path, "/")[1:] {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		switch v := at.(type) {
		case map[string]any:
			if at, ok = v[step]; !ok {
				return nil, false
			}
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n < 0 || n >= len(v) {
				return nil, false
			}
			at = v[n]
		default:
			return nil, false
		}
	}
	return at, true
}

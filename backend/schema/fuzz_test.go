package schema

import (
	"encoding/json"
	"testing"
)

// A schema and its arguments come from strangers both: whatever they are, there is an answer, and what passed passes again.
func FuzzASchemaAndItsArgumentsHaveAnAnswer(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"object","properties":{"a":{"type":"string","default":"x"}},"required":["a"]}`, `{}`},
		{`{"$defs":{"n":{"properties":{"a":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}`, `{"a":{"a":{}}}`},
		{`{"items":[{"default":1}],"dependencies":{"a":["b"]},"definitions":{}}`, `{"a":[1e5]}`},
		{`{"patternProperties":{"^\\p{L}+$":{"minimum":1.5,"multipleOf":0.1}},"propertyNames":{"maxLength":2}}`, `{"é":2.5,"abc":1}`},
		{`{"anyOf":[{"const":1},{"format":"date"}],"not":{"enum":[1]},"if":true,"then":{"contains":{"type":"null"}}}`, `{"x":[null]}`},
		{`{"$dynamicAnchor":"a","unevaluatedProperties":{"$dynamicRef":"#a"},"prefixItems":[true]}`, `{"b":{"c":[1,1]}}`},
		{`true`, `[]`}, {`{"$ref":"#"}`, `{}`}, {`{"$id":"x","$ref":"x#"}`, `{}`}, {`{"properties":{"a":{"contentMediaType":"application/json","contentEncoding":"base64"}}}`, `{"a":"e30="}`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, schema, args []byte) {
		compiled, err := Compile(schema)
		if err != nil {
			return
		}
		filled, found := compiled.Check(args)
		if len(found) > 0 {
			if filled != nil {
				t.Errorf("arguments that broke a rule came back: %s", filled)
			}
			for _, issue := range found {
				if issue.Place == "" || issue.What == "" {
					t.Errorf("no place or no words: %+v", issue)
				}
			}
			return
		}
		if !json.Valid(filled) {
			t.Fatalf("no JSON: %s", filled)
		}
		again, found := compiled.Check(filled)
		if len(found) > 0 || string(again) != string(filled) {
			t.Errorf("%s passed as %s, and then %s %v", args, filled, again, found)
		}
	})
}

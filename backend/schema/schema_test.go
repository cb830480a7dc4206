package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"portico/backend/extension"
)

func check(t *testing.T, schema, args string) (string, []extension.Issue) {
	t.Helper()
	compiled, err := Compile(json.RawMessage(schema))
	if err != nil {
		t.Fatalf("compile %s: %v", schema, err)
	}
	filled, issues := compiled.Check(json.RawMessage(args))
	return string(filled), issues
}

func TestArgumentsAreCheckedBeforeAnythingStarts(t *testing.T) {
	for _, c := range []struct {
		name, schema, args string
		issues             []string // "place: what", in order; none: accepted
	}{
		{"a required text", `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`, `{}`, []string{"text: is required"}},
		{"nothing at all is an empty object", `{"type":"object"}`, ``, nil},
		{"a wrong type", `{"properties":{"n":{"type":"integer"}}}`, `{"n":"1"}`, []string{"n: must be integer, and is string"}},
		{"no coercion", `{"properties":{"n":{"type":"string"}}}`, `{"n":1}`, []string{"n: must be string, and is number"}},
		{"an unknown argument", `{"properties":{"a":{}},"additionalProperties":false}`, `{"b":1}`, []string{"b: is not an argument of this tool"}},
		{"every broken place", `{"required":["a","b"],"properties":{"c":{"type":"array","items":{"type":"object","required":["x"]}}}}`, `{"c":[{},{"x":1},{}]}`,
			[]string{"a: is required", "b: is required", "c[0].x: is required", "c[2].x: is required"}},
		{"not an object", `{}`, `[1]`, []string{"arguments: must be a JSON object"}},
		{"not JSON", `{}`, `{"a":`, []string{"arguments: are not JSON: unexpected EOF"}},
		{"two values", `{}`, `{} {}`, []string{"arguments: are not JSON: there is something after the value"}},
		{"draft-07 by name", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"p":{"items":[{"type":"string"}],"additionalItems":false}}}`, `{"p":["a"]}`, nil},
		{"draft-07 by its form", `{"definitions":{"s":{"type":"string"}},"properties":{"p":{"type":"array","items":[{"$ref":"#/definitions/s"}]}}}`, `{"p":[1]}`,
			[]string{"p[0]: must be string, and is number"}},
		{"2020-12 prefixItems", `{"properties":{"p":{"prefixItems":[{"type":"string"}],"items":false}}}`, `{"p":["a"]}`, nil},
		{"a format", `{"properties":{"d":{"type":"string","format":"date"}}}`, `{"d":"2026-02-30"}`, []string{"d: must be a valid date"}},
		{"in words", `{"properties":{"s":{"minLength":2,"pattern":"^b"},"e":{"enum":["a","<b>",3]},"n":{"minimum":3,"multipleOf":0.5},"l":{"minItems":2},"u":{"uniqueItems":true},"x":false,"c":{"const":1},"k":{"propertyNames":{"maxLength":1}}}}`,
			`{"s":"a","e":"c","n":1.2,"l":[1],"u":[1,1.0],"x":1,"c":2,"k":{"ab":1}}`,
			[]string{"c: must be 1", `e: must be "a", "<b>" or 3`, "k.ab: is a name that is not allowed there", "l: must have at least 2 items, and has 1", "n: must be a multiple of 0.5", "n: must be at least 3",
				"s: must have at least 2 characters, and has 1", "s: must match the pattern ^b", "u: must not hold the same item twice, and [1] equals [0]", "x: must not be given"}},
		{"one needs another", `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, []string{"b: is required beside a"}},
		{"no shape fits", `{"properties":{"o":{"oneOf":[{"type":"string"},{"required":["a","b"],"type":"object"}]}}}`, `{"o":[]}`, []string{"o: fits none of the shapes that are allowed there (nearest: o must be string, and is array)"}},
		{"two shapes fit", `{"properties":{"o":{"oneOf":[{"type":"number"},{"type":"integer"}]}}}`, `{"o":1}`, []string{"o: fits several of the shapes of which it may fit only one"}},
		{"a number that no double holds", `{"properties":{"l":{"items":{"minimum":3}}}}`, `{"l":[1,1e5000000]}`, []string{"l[1]: is a number that is too large or too long"}},
		{"a number that is almost nothing", `{"properties":{"n":{"multipleOf":3}}}`, `{"n":1e-5000000}`, []string{"n: is a number that is too large or too long"}},
		{"large whole numbers stay whole", `{"properties":{"n":{"const":9007199254740993}}}`, `{"n":9007199254740993}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, issues := check(t, c.schema, c.args)
			var got []string
			for _, issue := range issues {
				got = append(got, issue.String())
			}
			if strings.Join(got, "|") != strings.Join(c.issues, "|") {
				t.Errorf("got  %q\nwant %q", got, c.issues)
			}
		})
	}
}

func TestDefaultsAreFilled(t *testing.T) {
	for _, c := range []struct{ name, schema, args, want string }{
		{"a property", `{"properties":{"n":{"default":3}}}`, `{}`, `{"n":3}`},
		{"what was given stays", `{"properties":{"n":{"default":3}}}`, `{"n":null}`, `{"n":null}`},
		{"a nested object that is there", `{"properties":{"o":{"properties":{"a":{"default":true}}}}}`, `{"o":{}}`, `{"o":{"a":true}}`},
		{"a nested object that is not there stays away", `{"properties":{"o":{"properties":{"a":{"default":true}}}}}`, `{}`, `{}`},
		{"a default object gets its own defaults", `{"properties":{"o":{"default":{},"properties":{"a":{"default":1}}}}}`, `{}`, `{"o":{"a":1}}`},
		{"items", `{"properties":{"l":{"items":{"properties":{"a":{"default":1}}}}}}`, `{"l":[{},{"a":2}]}`, `{"l":[{"a":1},{"a":2}]}`},
		{"behind a reference", `{"$defs":{"size":{"default":"m"}},"properties":{"s":{"$ref":"#/$defs/size"}}}`, `{}`, `{"s":"m"}`},
		{"allOf", `{"allOf":[{"properties":{"a":{"default":1}}}]}`, `{}`, `{"a":1}`},
		{"not in a branch that may not count", `{"anyOf":[{"properties":{"a":{"default":1}}}]}`, `{}`, `{}`},
		{"behind an anchor", `{"$defs":{"x":{"$anchor":"size","properties":{"b":{"default":2}}}},"properties":{"a":{"default":1},"o":{"$ref":"#size"}}}`, `{"o":{}}`, `{"a":1,"o":{"b":2}}`},
		{"behind a name that is escaped", `{"$defs":{"a b/c":{"default":2}},"properties":{"a":{"$ref":"#/$defs/a%20b~1c"}}}`, `{}`, `{"a":2}`},
		{"draft-07 knows nothing beside a reference", `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"x":{}},"properties":{"a":{"$ref":"#/definitions/x","default":1}}}`, `{}`, `{}`},
		{"the rest of an object", `{"properties":{"a":true},"additionalProperties":{"properties":{"n":{"default":1}}}}`, `{"a":{},"b":{}}`, `{"a":{},"b":{"n":1}}`},
		{"names that match", `{"patternProperties":{"^x":{"properties":{"n":{"default":1}}}}}`, `{"x1":{},"b":{}}`, `{"b":{},"x1":{"n":1}}`},
		{"the end of a tuple", `{"properties":{"l":{"prefixItems":[{"type":"number"},{"default":2},{"default":3},{},{"default":5}]}}}`, `{"l":[1]}`, `{"l":[1,2,3]}`},
		{"the end of a tuple in draft-07", `{"properties":{"l":{"items":[{"default":1}],"additionalItems":{"properties":{"a":{"default":1}}}}}}`, `{"l":[0,{}]}`, `{"l":[0,{"a":1}]}`},
		{"texts as they are", `{"properties":{"n":{"default":"<a&b>"}}}`, `{}`, `{"n":"<a&b>"}`},
		{"numbers as written", `{"properties":{"n":{"default":1.50}}}`, `{}`, `{"n":1.50}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, issues := check(t, c.schema, c.args)
			if len(issues) > 0 || got != c.want {
				t.Errorf("got %s %v, want %s", got, issues, c.want)
			}
		})
	}
}

func TestADefaultOfOneCallIsNotAnothers(t *testing.T) {
	const schema = `{"properties":{"o":{"default":{"l":[]},"properties":{"a":{"default":1}}}}}`
	for range 3 {
		if got, _ := check(t, schema, `{}`); got != `{"o":{"a":1,"l":[]}}` {
			t.Fatalf("got %s", got)
		}
	}
}

func TestPatternsReadAsECMAScript(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		matches       bool
	}{
		{`^\\d+$`, "12", true}, {`^\\d+$`, "١٢", false}, {`^\\w+$`, "é", false}, {`^\\s$`, "\u00a0", true}, {`^\\s$`, "\ufeff", true},
		{`^\\p{L}+$`, "año", true}, {`^\\p{Script=Greek}+$`, "αβγ", true}, {`^\\p{Script=Greek}+$`, "abc", false}, {`^\\p{Uppercase_Letter}$`, "É", true},
		{`^\\p{gc=Nd}$`, "7", true}, {`^\\u{1F600}$`, "😀", true}, {`^.$`, "😀", true}, {`(?<=a)b`, "ab", true}, {`(?<!a)b`, "ab", false},
		{`^(?<y>\\d{4})-\\k<y>$`, "2026-2026", true}, {`^a$`, "a\n", false}, {`^[^]$`, "\n", true}, {`^\\/$`, "/", true}, {`b`, "abc", true},
	} {
		_, issues := check(t, `{"properties":{"t":{"pattern":"`+c.pattern+`"}}}`, `{"t":`+quoted(c.text)+`}`)
		if (len(issues) == 0) != c.matches {
			t.Errorf("%s on %q: matched %v", c.pattern, c.text, len(issues) == 0)
		}
	}
}

func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

func TestAPatternThatTakesForeverEndsInWords(t *testing.T) {
	// 2^60 steps would outlive us all: that there is an answer is the test.
	_, issues := check(t, `{"properties":{"t":{"pattern":"^(a+)+$"}}}`, `{"t":"`+strings.Repeat("a", 60)+`!"}`)
	if len(issues) != 1 || !strings.Contains(issues[0].What, "takes too long") {
		t.Fatalf("got %v", issues)
	}
	many := `{"l":["` + strings.Repeat(strings.Repeat("a", 21)+`!","`, 1000) + `"]}` // each within its limit, all of them not
	if _, issues = check(t, `{"properties":{"l":{"items":{"pattern":"^(a+)+$"}}}}`, many); len(issues) != 1 || !strings.Contains(issues[0].What, "takes too long") {
		t.Fatalf("got %v", issues)
	}
}

func TestAnUnusableSchemaIsAProblem(t *testing.T) {
	deep := strings.Repeat(`{"not":`, 200) + `{}` + strings.Repeat(`}`, 200)
	for _, c := range []struct{ name, schema, says string }{
		{"not JSON", `{`, "unexpected EOF"},
		{"a type that is none", `{"type":"text"}`, "type"},
		{"a reference to the network", `{"$ref":"https://example.com/schema"}`, "nothing is fetched"},
		{"a reference to a file", `{"$ref":"file:///etc/passwd"}`, "nothing is fetched"},
		{"a reference to nothing", `{"$ref":"#/$defs/none"}`, "none"},
		{"a pattern that is none", `{"properties":{"a":{"pattern":"("}}}`, "("},
		{"too deep", deep, "nested deeper"},
		{"too many parts", `{"enum":[` + strings.Repeat("1,", maxParts) + `2]}`, "at most 5000"},
		{"a pattern without end", `{"properties":{"a":{"pattern":"` + strings.Repeat("a", maxPattern+1) + `"}}}`, "longer than"},
		{"a bound that can't be computed", `{"properties":{"n":{"maximum":1e99999999}}}`, "properties.n.maximum"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Compile(json.RawMessage(c.schema))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want something about %q", err, c.says)
			}
		})
	}
}

func TestReferencesThatGoRoundEnd(t *testing.T) {
	const tree = `{"$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"},"n":{"default":1}}}},"$ref":"#/$defs/node"}`
	if got, issues := check(t, tree, `{"next":{"next":{}}}`); len(issues) > 0 || got != `{"n":1,"next":{"n":1,"next":{"n":1}}}` {
		t.Errorf("got %s %v", got, issues)
	}
	nested := strings.Repeat(`{"next":`, 500) + `{}` + strings.Repeat(`}`, 500)
	if _, issues := check(t, tree, nested); len(issues) == 0 {
		t.Error("arguments nested 500 levels deep were accepted")
	}
	if _, err := Compile(json.RawMessage(`{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}`)); err == nil {
		_, issues := check(t, `{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}`, `{}`)
		if len(issues) == 0 {
			t.Error("a reference to itself said nothing")
		}
	}
}

// Each of these takes longer than anyone lives when nothing bounds it: a stranger's schema must not hold up the host.
func TestASchemaThatMultipliesWithoutEndIsCutShort(t *testing.T) {
	twice := func(keyword, inner string) string { // forty definitions that each apply the next one twice
		var out strings.Builder
		out.WriteString(`{"$defs":{`)
		for n := range 40 {
			next := fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, n+1)
			fmt.Fprintf(&out, `"d%d":{%q:[%s,%s]},`, n, keyword, next, next)
		}
		out.WriteString(`"d40":` + inner + `},"$ref":"#/$defs/d0"}`)
		return out.String()
	}
	nested := strings.Repeat(`{"a":`, maxDepth-2) + `{}` + strings.Repeat(`}`, maxDepth-2)
	for _, c := range []struct{ name, schema, args string }{
		{"allOf", twice("allOf", `{"type":"object"}`), `{}`},
		{"allOf of nothing", twice("allOf", `true`), `{}`},
		{"anyOf that never fits", twice("anyOf", `{"type":"string"}`), `{}`},
		{"not", `{"not":{"$ref":"#/$defs/d0"},` + twice("allOf", `{"type":"object"}`)[1:], `{}`},
		{"once more at every level of the arguments", `{"patternProperties":{"a":{"$ref":"#"},"^a":{"$ref":"#"}}}`, nested},
		{"and failing at the last one", `{"not":{"$ref":"#/$defs/x"},"$defs":{"x":{"minProperties":1,"patternProperties":{"a":{"$ref":"#/$defs/x"},"^a":{"$ref":"#/$defs/x"}}}}}`, nested},
		{"defaults that ask for themselves", `{"$defs":{"n":{"default":{},"properties":{"a":{"$ref":"#/$defs/n"},"b":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}`, `{}`},
		{"a default that asks for itself", `{"properties":{"a":{"$ref":"#","default":{}}}}`, `{}`},
		{"an anchor that is found by name alone", `{"$id":"https://example.com/a","$defs":{"inner":{"$id":"b","$dynamicAnchor":"x","$dynamicRef":"#x"},
			"x":{"$dynamicAnchor":"x","allOf":[{"patternProperties":{"a":{"$dynamicRef":"b#x"},"^a":{"$dynamicRef":"b#x"}}}]}},"$ref":"b"}`, nested},
	} {
		t.Run(c.name, func(t *testing.T) {
			compiled, err := Compile(json.RawMessage(c.schema))
			if err != nil {
				t.Fatal(err)
			}
			if _, found := compiled.Check(json.RawMessage(c.args)); len(found) != 1 || found[0].Place != "arguments" || !strings.Contains(found[0].What, "can't be checked") {
				t.Errorf("got %v", found)
			}
		})
	}
}

func TestAnHonestSchemaIsNotCutShort(t *testing.T) {
	const schema = `{"$defs":{"row":{"type":"object","properties":{"id":{"type":"integer","minimum":0},"tags":{"type":"array","items":{"enum":["a","b"]}},
		"kind":{"anyOf":[{"const":"x"},{"const":"y"},{"type":"null"}],"default":null}},"required":["id"]}},
		"type":"object","properties":{"rows":{"type":"array","items":{"allOf":[{"$ref":"#/$defs/row"},{"properties":{"note":{"type":"string","pattern":"^n\\d+$"}}}]}}}}`
	args := `{"rows":[` + strings.TrimSuffix(strings.Repeat(`{"id":1,"tags":["a","b","a"],"note":"n12"},`, 20_000), ",") + `]}`
	if _, found := check(t, schema, args); len(found) > 0 {
		t.Errorf("got %v", found)
	}
}

func TestOneSchemaChecksManyCallsAtATime(t *testing.T) {
	compiled, err := Compile(json.RawMessage(`{"properties":{"n":{"type":"integer","default":7},"t":{"pattern":"^a+$"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for n := range 16 {
		all.Go(func() {
			for range 50 {
				args := fmt.Sprintf(`{"t":%q}`, strings.Repeat("a", n+1))
				if filled, found := compiled.Check(json.RawMessage(args)); len(found) > 0 || !strings.Contains(string(filled), `"n":7`) {
					t.Errorf("got %s %v", filled, found)
				}
			}
		})
	}
	all.Wait()
}

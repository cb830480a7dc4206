package schema

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

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
		{"a format", `{"properties":{"d":{"type":"string","format":"date"}}}`, `{"d":"2026-02-30"}`, []string{`d: '2026-02-30' is not valid date: parsing time "2026-02-30": day out of range`}},
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
	begin := time.Now()
	_, issues := check(t, `{"properties":{"t":{"pattern":"^(a+)+$"}}}`, `{"t":"`+strings.Repeat("a", 60)+`!"}`)
	if len(issues) != 1 || !strings.Contains(issues[0].What, "takes too long") {
		t.Fatalf("got %v", issues)
	}
	if spent := time.Since(begin); spent > 20*time.Second { // 2^60 steps would outlive us all
		t.Fatalf("it took %s", spent)
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

package loca

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"portico/backend/schema"
)

// TestExoticSchemasMeanWhatTheirAuthorsMean reads an extension and checks arguments against what it says.
func TestExoticSchemasMeanWhatTheirAuthorsMean(t *testing.T) {
	ext, warnings, err := New().Load(os.DirFS("../../../testdata/loca/exotic-schemas"))
	if err != nil || len(warnings) > 0 {
		t.Fatalf("got %v %v", err, warnings)
	}
	for _, c := range []struct {
		name, tool, args string
		filled           string   // what the tool is given; empty: it is not called
		issues           []string // "place: what"
	}{
		{"draft-07 with nested defaults", "plan_trip", `{"from":{"name":"Delft"},"to":{"name":"Gent","country":"BE"}}`,
			`{"from":{"country":"NL","name":"Delft"},"options":{"by":"train","stops":0},"to":{"country":"BE","name":"Gent"}}`, nil},
		{"draft-07's tuples and dependencies", "plan_trip", `{"from":{},"to":{"name":"Gent","zip":1},"position":[91,4,5],"returning":true,"options":{"by":"car"}}`, "", []string{
			"from.name: is required", `options.by: must be "train", "bus" or "bicycle"`, "position: has 1 item too many", "position[0]: must be at most 90",
			"returnOn: is required beside returning", "to.zip: is not an argument of this tool"}},
		{"2020-12, recursive", "tag_notes", `{"notes":[{"text":"a","size":[],"answers":[{"text":"b","tags":[]}]}]}`,
			`{"notes":[{"answers":[{"tags":[],"text":"b"}],"size":[1,2],"tags":["inbox"],"text":"a"}]}`, nil},
		{"2020-12's conditions and unevaluated fields", "tag_notes", `{"notes":[{"text":"a","size":[1,2,3]},{"text":"b","answers":[{"tagz":[]}]}]}`, "", []string{
			"colours: is required", "notes[0].size[2]: must not be given", "notes[1].answers[0].tagz: must not be given", "notes[1].answers[0].text: is required"}},
		{"names and values of a map", "tag_notes", `{"notes":[{"text":"a"}],"colours":{"Red":"#ff0000","blue":"blue"}}`, "", []string{
			"colours.Red: is a name that is not allowed there", "colours.blue: fits none of the shapes that are allowed there (nearest: colours.blue must match the pattern ^#[0-9a-f]{6}$)"}},
		{"patterns of ECMAScript", "match_patterns", `{"word":"größer","digits":"12","face":"😀","euros":"€ 12","day":"2026-03"}`,
			`{"day":"2026-03","digits":"12","euros":"€ 12","face":"😀","large":9007199254740993,"word":"größer"}`, nil},
		{"and what they leave out", "match_patterns", `{"word":"a b","digits":"١٢","face":"a","euros":"$12","large":1.5}`, "", []string{
			"digits: must match the pattern ^\\d+$", "euros: must match the pattern (?<=€\\s?)\\d+", "face: must match the pattern ^[\\u{1F600}-\\u{1F64F}]$",
			"large: must be integer, and is number", "word: must match the pattern ^\\p{L}+$"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			compiled, err := schema.Compile(ext.Tool(c.tool).Schema)
			if err != nil {
				t.Fatal(err)
			}
			filled, issues := compiled.Check(json.RawMessage(c.args))
			var got []string
			for _, issue := range issues {
				got = append(got, issue.String())
			}
			if string(filled) != c.filled || strings.Join(got, "\n") != strings.Join(c.issues, "\n") {
				t.Errorf("got %s\n%s\nwant %s\n%s", filled, strings.Join(got, "\n"), c.filled, strings.Join(c.issues, "\n"))
			}
		})
	}
}

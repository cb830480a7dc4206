package loca

import (
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The published schema and the validator are given the same manifests.
func TestThePublishedSchemaSaysWhatTheValidatorSays(t *testing.T) {
	const published = "../../../docs/loca.schema.json"
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(published)
	if err != nil {
		t.Fatal(err)
	}
	accepts := func(manifest string) error {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(manifest))
		if err != nil {
			t.Fatalf("%v in %s", err, manifest)
		}
		return schema.Validate(value)
	}
	beyond := map[string]bool{"one name twice": true} // no schema can say it
	for _, c := range brokenRules() {
		if err := accepts(c.manifest); (err == nil) != beyond[c.name] {
			t.Errorf("%s: the schema says %v to %s", c.name, err, c.manifest)
		}
	}
	good := []string{everything(), with(""), with(`"tools":[` + tool("") + `]`)}
	for _, c := range oddities() {
		good = append(good, string(c.files["loca.json"].Data))
	}
	for _, name := range []string{"wordcount", "permissions"} {
		manifest, err := os.ReadFile("../../../testdata/loca/" + name + "/loca.json")
		if err != nil {
			t.Fatal(err)
		}
		good = append(good, string(manifest))
	}
	for _, manifest := range good {
		if broken, _ := issuesOf(t, folder(manifest)); len(broken) > 0 {
			t.Errorf("the validator refuses %s: %q", manifest, broken)
		}
		if err := accepts(manifest); err != nil {
			t.Errorf("the schema refuses %s: %v", manifest, err)
		}
	}
}

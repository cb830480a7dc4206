package capability

import (
	"encoding/json"
	"testing"
)

func TestATypedTextComesWithoutTheSpaceAroundItAndAChoiceToTheLetter(t *testing.T) {
	options := []Option{{Value: " red "}, {Value: "blue"}}
	for _, c := range []struct {
		name         string
		q            Question
		answer, want string
	}{
		{"a text", Question{}, `"  two\nlines \n"`, `"two\nlines"`},
		{"something else", Question{Options: options, AllowFreeform: true}, `" mauve "`, `"mauve"`},
		{"an option with space of its own", Question{Options: options, AllowFreeform: true}, `" red "`, `" red "`},
		{"several and something else", Question{Kind: "choice", Options: options, AllowFreeform: true, Multiselect: true}, `[" red "," mauve "]`, `[" red ","mauve"]`},
		{"no text is taken", Question{Options: options}, `" red "`, `" red "`},
		{"markup", Question{}, `"<b> & ” "`, `"<b> & ”"`},
		{"a table", Question{Kind: "table", Columns: []string{"a"}}, `[{"a":" 1 "}]`, `[{"a":" 1 "}]`},
	} {
		got := Tidied(c.q, json.RawMessage(c.answer))
		var a, b any
		if json.Unmarshal(got, &a) != nil || json.Unmarshal([]byte(c.want), &b) != nil {
			t.Fatalf("%s: no JSON: %s", c.name, got)
		}
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		if string(x) != string(y) {
			t.Errorf("%s: got %s", c.name, got)
		}
	}
}

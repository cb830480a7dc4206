package extension

import (
	"reflect"
	"testing"
)

func TestTextsOfStrangersAreShownAsPlainOnes(t *testing.T) {
	for text, want := range map[string]string{
		"Word Count": "Word Count", "שלום עולם": "שלום עולם", "👩‍👩‍👧 ok": "👩‍👩‍👧 ok", "a\u200fb": "a\u200fb",
		"X\u202e esrever\u2066": "X esrever", "\x1b[2Ja\u009bb\x7f\r": "[2Jab", "a\nPortico: allowed": "a Portico: allowed", "\u2028\U000e0041\ufeff": "",
	} {
		if got := PlainLine(text); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
	hidden := Permission{Kind: Read, Path: "$home/\u202eterces", Reason: "nice\nreally"}
	e := Extension{ID: "x", DisplayName: "\u202e\u202e", Description: "one\ntwo\x1b", Tools: []Tool{
		{Name: "f", Description: "d\u202e", Permissions: []Permission{hidden, {Kind: Net, Host: "example.com", Ports: []string{"443"}, Reason: "fine"}}},
	}}
	plain, issues := e.InPlainText()
	if plain.DisplayName != "x" || plain.Description != "one\ntwo" || plain.Tools[0].Description != "d" || plain.Tools[0].Permissions[0].Reason != "nice really" {
		t.Errorf("got %+v", plain)
	}
	if len(issues) != 1 || issues[0].Place != "x/f" {
		t.Errorf("got %v", issues)
	}
	if e.Tools[0].Permissions[0] = hidden; e.DisplayName != "\u202e\u202e" || !reflect.DeepEqual(e.Tools[0].Permissions[0], hidden) || plain.Tools[0].Permissions[0].Path != hidden.Path {
		t.Error("what was read is changed, or what a permission reaches")
	}
}

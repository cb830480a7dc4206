package agent

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestToolsKeepTheirOwnNames(t *testing.T) {
	names := Names(tools("a/open | x\nb/close | x"), nil)
	if names["a/open"] != "open" || names["b/close"] != "close" {
		t.Errorf("the names are %v", names)
	}
}

func TestTwoOfOneNameBothGetTheirExtensionInFront(t *testing.T) {
	names := Names(tools("a/open | x\nb/open | x\n@s/c/open | x"), nil)
	if names["a/open"] != "a__open" || names["b/open"] != "b__open" || names["@s/c/open"] != "s_c__open" {
		t.Errorf("the names are %v", names)
	}
}

func TestATookNameStaysInTheSession(t *testing.T) {
	first := Names(tools("a/open | x"), nil)
	later := Names(tools("a/open | x\nb/open | x"), first)
	if later["a/open"] != "open" || later["b/open"] != "b__open" {
		t.Errorf("after a second one came: %v", later)
	}
	gone := Names(tools("b/open | x"), later)
	if gone["b/open"] != "b__open" {
		t.Errorf("after the first one went: %v", gone)
	}
}

func TestNamesAreAlwaysOnesThatProvidersTakeAndUnique(t *testing.T) {
	long := strings.Repeat("x", 80)
	offers := tools(fmt.Sprintf("a/%s1 | x\na/%s2 | x\n@s/e/t | x\n@s.e/t | x\ns_e/t | x\nz/天气 | x\nz/天 | x\ny/_ | x\na/s_e__t | x", long, long))
	names := Names(offers, nil)
	shape, seen := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`), map[string]bool{}
	for address, name := range names {
		if !shape.MatchString(name) || seen[name] {
			t.Errorf("%s is called %q, seen before: %v", address, name, seen[name])
		}
		seen[name] = true
	}
	if len(names) != len(offers) {
		t.Errorf("%d tools have %d names", len(offers), len(names))
	}
	if again := Names(offers, nil); fmt.Sprint(again) != fmt.Sprint(names) {
		t.Errorf("the names are not the same twice: %v, %v", names, again)
	}
}

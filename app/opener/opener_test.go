package opener

import "testing"

func TestOnlyLinksThatRunNothingAreOpened(t *testing.T) {
	for _, address := range []string{"file:///etc/passwd", "javascript:alert(1)", "ssh://host", "http://", "-h", "", "data:text/html,x", "portico://x", "https:///path"} {
		if err := URL(address); err == nil {
			t.Errorf("%q was opened", address)
		}
	}
	if err := Path("relative"); err == nil {
		t.Error("a relative path was opened")
	}
}

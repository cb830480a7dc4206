package opener

import (
	"net/url"
	"testing"
)

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

func TestALinkToWriteAMessageAttachesNoFile(t *testing.T) {
	for address, want := range map[string]string{
		"mailto:a@example.com": "mailto:a@example.com",
		"mailto:a@example.com?subject=Hi%20there&body=x%26attach=y":                               "mailto:a@example.com?subject=Hi%20there&body=x%26attach=y",
		"mailto:a@example.com?attach=/etc/passwd&subject=Hi":                                      "mailto:a@example.com?subject=Hi",
		"mailto:a@example.com?Attachment=/etc/passwd&%61ttach=/x&ATTACH=file:///y&CC=b&insert=/z": "mailto:a@example.com?CC=b",
	} {
		parsed, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		plainMail(parsed)
		if got := parsed.String(); got != want {
			t.Errorf("%s: got %s", address, got)
		}
	}
}

package confine

import (
	"strings"
	"testing"
)

func TestASeatbeltProfileNamesWhatIsAllowedAndNothingElse(t *testing.T) {
	profile := seatbeltProfile(Policy{Read: []string{"/a \"b\""}, Write: []string{"/w"}, Exec: []string{"/bin/x"}, Network: Network{Ports: []uint16{443}}})
	for _, want := range []string{"(deny default)", `(allow file-read* (subpath "/a \"b\""))`, `(allow file-write* (subpath "/w"))`, `(allow file-read* process-exec (subpath "/bin/x"))`, `(remote tcp "*:443")`} {
		if !strings.Contains(profile, want) {
			t.Errorf("it lacks %s:\n%s", want, profile)
		}
	}
	if none := seatbeltProfile(Policy{}); strings.Contains(none, "network") || strings.Contains(none, "subpath") {
		t.Errorf("an empty policy allows something:\n%s", none)
	}
	if open := seatbeltProfile(Policy{Network: Network{All: true}}); !strings.Contains(open, "(allow network-outbound)\n") {
		t.Errorf("a policy with the whole network has none:\n%s", open)
	}
}

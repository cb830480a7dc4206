package deno

import (
	"path/filepath"
	"testing"
	"time"

	"portico/backend/grant"
)

// What runs on flags can't be given less: taking something back ends it.
func TestTakingBackWhatARunningCallHasEndsIt(t *testing.T) {
	s := reachingWith(t, `{"read":[{"path":"$downloads","reason":"r"}],"sys":[{"flag":"hostname","reason":"r","optional":true}]}`)
	file := filepath.Join(s.downloads(), "a.txt")
	s.person.allow("read:$downloads", "sys:hostname")
	during := func(do func()) {
		time.AfterFunc(300*time.Millisecond, func() {
			s.person.mu.Lock()
			do()
			s.person.mu.Unlock()
			s.instance.Refresh()
		})
	}
	during(func() {})
	s.goes(`["content","waited","content"]`, "read "+file, "wait 600", "read "+file)
	for _, decision := range []grant.Decision{grant.Deny, grant.Ask} {
		s.person.allow("sys:hostname")
		during(func() { s.person.decisions["sys:hostname"] = decision })
		began := time.Now()
		got, err := s.call("t", accessing("read "+file, "wait 20000"))
		p := s.isProblem(got, err, "call.revoked")
		if took := time.Since(began); took > 10*time.Second || p.Params["key"] != "sys:hostname" {
			t.Errorf("%s: ended after %v with %+v", decision, took, p)
		}
	}
	s.person.decisions["sys:hostname"] = grant.Deny
	s.goes(`["content","NotCapable"]`, "read "+file, "sys") // and the next call works
}

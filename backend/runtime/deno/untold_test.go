package deno

import (
	"fmt"
	"net"
	"strings"
	"testing"
)

func TestAHostsPortMayStandBesideEveryPortOfAnother(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	s := reachingWith(t, `{"net":[{"host":"127.0.0.1","ports":[1],"reason":"r"},{"host":"localhost","ports":["*"],"reason":"r"}]}`)
	s.person.allow("net:127.0.0.1:1", "net:localhost:*")
	s.goes(`["connected","NotCapable"]`, "connect localhost:"+port, "connect 127.0.0.1:"+port)
}

func TestAHostMayStandForItsSubdomains(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	for _, decided := range []bool{true, false} {
		s := reachingWith(t, `{"net":[{"host":"*.localhost","ports":[`+port+`],"reason":"r"}],"read":[{"path":"$downloads","reason":"r"}]}`)
		if decided {
			s.person.allow("net:*.localhost:"+port, "read:$downloads")
		} else {
			s.answers("allow")
		}
		s.goes(`["connected","Error","NotCapable","NotCapable"]`, "connect localhost:"+port, "connect a.b.localhost:"+port, "connect 127.0.0.1:"+port, "connect xlocalhost:"+port) // Error: it was let through, and no such host is known
	}
}

// What a manifest names that Deno can't read is not given, and stands in nobody's way.
func TestAStrangeHostOrFactNeverKeepsAToolFromStarting(t *testing.T) {
	s := reachingWith(t, `{"net":[{"host":"a#b","ports":[80],"reason":"r"},{"host":"a:80","ports":["*"],"reason":"r"},{"host":"müller.example","ports":[443],"reason":"r"},{"host":"[::1]","ports":[9],"reason":"r"},{"host":"--allow-all","ports":[1],"reason":"r"}],
		"sys":[{"flag":"nothing","reason":"r"},{"flag":"hostname","reason":"r"}],"run":[{"binary":"--allow-all","reason":"r"},{"binary":"no such program","reason":"r"}],"env":[{"key":"DENO_PERMISSION_BROKER_PATH","reason":"r"}]}`)
	for _, p := range s.ext.Tools[0].Permissions {
		s.person.allow(p.Key())
	}
	s.goes(`["string","NotCapable","NotCapable"]`, "sys", "read /etc/passwd", "connect 127.0.0.1:9")
	if !s.person.logged("warn: net:a#b:80 is not given: its host is no name and no address") || !s.person.logged("warn: sys:nothing is not given: there is no such fact about the system") {
		t.Errorf("got %q", s.person.logs)
	}
}

// facts are the same for whoever asks Deno: a release that knows others has to be looked at.
func TestEveryFactThatCanBeGrantedStartsDeno(t *testing.T) {
	var all []string
	for _, fact := range []string{"hostname", "osRelease", "osUptime", "loadavg", "networkInterfaces", "systemMemoryInfo", "uid", "gid", "cpus", "homedir", "statfs", "getPriority", "setPriority", "userInfo", "username", "getegid"} {
		all = append(all, fmt.Sprintf(`{"flag":%q,"reason":"r"}`, fact))
	}
	s := reachingWith(t, `{"sys":[`+strings.Join(all, ",")+`]}`)
	for _, p := range s.ext.Tools[0].Permissions {
		s.person.allow(p.Key())
	}
	s.goes(`["string"]`, "sys")
	if len(s.person.logs) > 0 {
		t.Errorf("got %q", s.person.logs)
	}
}

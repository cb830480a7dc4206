package confine

import (
	"fmt"
	"strconv"
	"strings"
)

// seatbeltProfile writes a policy as macOS's sandbox reads it (sandbox-exec, TinyScheme). Everything is refused but what
// is named. Hosts are not its to hold: it knows ports.
func seatbeltProfile(p Policy) string {
	var b strings.Builder
	b.WriteString("(version 1)\n(deny default)\n(import \"system.sb\")\n(allow process-fork)\n(allow sysctl-read)\n(allow mach-lookup (global-name \"com.apple.system.opendirectoryd.libinfo\"))\n")
	rule := func(operation string, paths []string) {
		for _, path := range paths {
			fmt.Fprintf(&b, "(allow %s (subpath %s))\n", operation, seatbeltString(path))
		}
	}
	rule("file-read*", p.Read)
	rule("file-write*", p.Write)
	rule("file-read* process-exec", p.Exec)
	if p.Socket != "" {
		fmt.Fprintf(&b, "(allow network-outbound (literal %s))\n(allow system-socket)\n", seatbeltString(p.Socket))
	}
	switch {
	case p.Network.All:
		b.WriteString("(allow network-outbound)\n(allow system-socket)\n")
	case len(p.Network.Ports) > 0:
		for _, port := range p.Network.Ports {
			fmt.Fprintf(&b, "(allow network-outbound (remote tcp \"*:%d\"))\n", port)
		}
		b.WriteString("(allow network-outbound (literal \"/private/var/run/mDNSResponder\"))\n(allow system-socket)\n")
	}
	return b.String()
}

// seatbeltString quotes a path; the profile language knows the escapes of C.
func seatbeltString(path string) string { return strconv.Quote(path) }

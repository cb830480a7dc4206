package grant

import "portico/backend/extension"

// Need finds what a tool declares for a capability, and how it stands: an allowed permission before one that is still to
// be asked about, that before a denied one. Writing memories covers reading them. False: the tool declares none.
func Need(decided []Decided, kind extension.Kind, access string) (Decided, bool) {
	order := []Decision{Allow, Ask, Deny}
	for _, decision := range order {
		for _, d := range decided {
			if d.Decision == decision && d.Permission.Kind == kind && coversAccess(d.Permission.Access, access) {
				return d, true
			}
		}
	}
	return Decided{}, false
}

func coversAccess(declared, needed string) bool {
	return declared == needed || declared == "write" && needed == "read"
}

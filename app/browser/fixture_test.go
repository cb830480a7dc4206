//go:build browser

package browser

import "portico/backend/session"

func sessionOf() session.Session { return session.Session{Title: "x"} }

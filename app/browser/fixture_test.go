//go:build browser

package browser

import (
	"testing"

	"go.uber.org/goleak"

	"portico/backend/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func sessionOf() session.Session { return session.Session{Title: "x"} }

package deno

import (
	"portico/backend/capability"
	"portico/backend/confine"
)

// openers are none on Windows: explorer and start hand over to the desktop as they are.
type openers struct{}

func newOpeners([]string, capability.Opener) (*openers, error) { return nil, nil }
func (*openers) environment(env []string) []string             { return env }
func (*openers) policy(held confine.Policy) confine.Policy     { return held }
func (*openers) close() error                                  { return nil }

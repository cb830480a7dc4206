package vault

import "context"

// look: the credential store is always there, and open while the person is logged in.
func look(context.Context) error { return nil }

func unlock(context.Context) error { return nil }

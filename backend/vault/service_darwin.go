package vault

import "context"

// look: the keychain is always there, and asks the person itself.
func look(context.Context) error { return nil }

func unlock(context.Context) error { return nil }

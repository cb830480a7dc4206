//go:build !linux

package install

// exchange puts the staged folder in place; the old folder is moved to old first.
func exchange(staged, target, old string) error { return moveAside(staged, target, old) }

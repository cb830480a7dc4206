//go:build !linux

package confinetest

// use has nothing to do: only Linux has a launcher.
func use() (clean func(), err error) { return func() {}, nil }

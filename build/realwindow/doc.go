// Package realwindow tests the built binary as a person meets it: in its real window on a real (virtual) screen, found and
// pressed through the accessibility tree, which is also what a screen reader has. It needs build/bin/portico and runs
// with the tag "realwindow", on Linux: `go run ./build test` does all of that.
//
// Python drives, because AT-SPI's maintained client is Python's; drive.py says each case's outcome as a line of JSON,
// which the Go test turns into a test of its own.
package realwindow

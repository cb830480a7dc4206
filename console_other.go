//go:build !windows

package main

// attachConsole: a process has its terminal already.
func attachConsole() {}

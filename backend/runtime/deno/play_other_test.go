//go:build !linux

package deno

func play() bool { return false }

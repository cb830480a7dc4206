//go:build !linux

// Command launcher is Linux's; macOS and Windows confine by other means.
package main

func main() {}

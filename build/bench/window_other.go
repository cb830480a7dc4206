//go:build !linux

package main

import (
	"context"
	"errors"
)

// benchWindow is measured under a virtual X server, which only Linux has.
func benchWindow(context.Context) ([]measure, error) {
	return nil, errors.New("the window is measured on Linux, under Xvfb")
}

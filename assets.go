//go:build production || browser

package main

import (
	"embed"
	"io/fs"
)

//go:embed all:frontend/dist
var built embed.FS

// assets is the built frontend.
func assets() (fs.FS, error) { return fs.Sub(built, "frontend/dist") }

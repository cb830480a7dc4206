package format

import (
	"io/fs"
	"strings"

	"portico/backend/extension"
)

// Detect gives the format of a folder by its marker. No marker, or more than one, is a Problem.
func Detect(files fs.FS, formats []Format) (Format, error) {
	var found []Format
	var markers []string
	for _, f := range formats {
		markers = append(markers, f.Marker())
		if f.Detect(files) {
			found = append(found, f)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, extension.NewProblem("install.no-marker", "This folder is no extension: it has no {markers}.",
			"Choose the folder that holds it.", "markers", strings.Join(markers, ", "))
	}
	markers = markers[:0]
	for _, f := range found {
		markers = append(markers, f.Marker())
	}
	return nil, extension.NewProblem("install.two-markers", "This folder says it is several extensions at once: it has {markers}.",
		"Keep one of them in each folder.", "markers", strings.Join(markers, " and "))
}

package core

import (
	"os"

	"portico/backend/extension"
	"portico/backend/format"
	"portico/backend/format/loca"
)

// formats are those that this Portico reads.
func formats() []format.Format { return []format.Format{loca.New()} }

// CheckFolder reads an extension's folder and installs nothing: what it brings and its warnings, or a Problem with every broken
// rule.
func CheckFolder(folder string) (*extension.Extension, []extension.Issue, error) {
	files := os.DirFS(folder)
	of, err := format.Detect(files, formats())
	if err != nil {
		return nil, nil, err
	}
	return of.Load(files)
}

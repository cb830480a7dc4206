package core

import (
	"context"
	"os"

	"portico/backend/extension"
	"portico/backend/format"
	"portico/backend/format/loca"
	"portico/backend/install"
)

// formats are those that this Portico reads.
func formats() []format.Format { return []format.Format{loca.New()} }

// CheckFolder reads an extension's folder and installs nothing: what it brings and its warnings, or a Problem with every broken
// rule.
func CheckFolder(ctx context.Context, folder string) (*extension.Extension, []extension.Issue, error) {
	files := os.DirFS(folder)
	of, err := format.Detect(files, formats())
	if err != nil {
		return nil, nil, err
	}
	ext, warnings, err := of.Load(files)
	if err != nil {
		return nil, warnings, err
	}
	shown, err := install.Shown(*ext)
	if err != nil {
		return nil, warnings, err
	}
	ext = &shown
	refused := install.Installable(ctx, folder)
	links, err := install.Irregular(files)
	if err != nil && refused != nil {
		return nil, warnings, refused // it says more
	}
	if err != nil {
		return nil, warnings, extension.NewProblem("install.unreadable", "{folder} can't be read: {why}.", "Choose a folder that you can read.", "folder", folder, "why", err.Error()).Because(err)
	}
	if len(links) > 0 {
		p := extension.NewProblem("install.refused", "It can't be installed: {why}.", "Remove or rename it in the source, and install again.", "why", "it holds what is no plain file")
		for _, link := range links {
			p.Issues = append(p.Issues, extension.Issue{Place: link, What: "is no plain file, and only plain files and folders are installed"})
		}
		return nil, warnings, p
	}
	if refused != nil {
		return nil, warnings, refused
	}
	return ext, warnings, nil
}

package memory

import (
	"errors"
	"fmt"
	"io/fs"

	"portico/backend/extension"
)

// missing is about an id or a title, as the caller gave it.
func missing(name string) *extension.Problem {
	return extension.NewProblem("memory.missing", "There is no memory {title}.", "List the memories to see their titles.", "title", shown(name))
}

func readOnly(r *record) *extension.Problem {
	return extension.NewProblem("memory.read-only", "{title} belongs to {extension} and can't be changed.", "Copy its text into a memory of your own.", "title", r.Title, "extension", r.Owner)
}

func changed(title string) *extension.Problem {
	return extension.NewProblem("memory.changed", "{title} was changed elsewhere in the meantime. Nothing was overwritten.", "Open it again to see the change, and then make yours.", "title", title)
}

func titleExists(title string) *extension.Problem {
	return extension.NewProblem("memory.title-exists", "There is already a memory {title}.", "Choose another title; upper and lower case make no difference.", "title", title)
}

func sameTitle(title, names string) *extension.Problem {
	return extension.NewProblem("memory.same-title", "Several memories are called {title}: {names}. None is used.", "Rename or switch off all but one.", "title", title, "names", names)
}

func titleTaken(title string) *extension.Problem {
	return extension.NewProblem("memory.title-taken", "Another memory is called {title} and is used in its place.", "Switch off or rename the other one.", "title", title)
}

func switchedOff(title string) *extension.Problem {
	return extension.NewProblem("memory.off", "{title} is switched off.", "Switch it on in Settings › Memories, or choose another title.", "title", title)
}

func badTitle(title, why string) *extension.Problem {
	return extension.NewProblem("memory.bad-title", "“{title}” can't be a title: {why}.", "Choose another title.", "title", shown(title), "why", why)
}

func badFolder(folder string, err error) *extension.Problem {
	return extension.NewProblem("memory.folder", "The memories' folder {folder} can't be used.", "Make it a folder that you can read and write.", "folder", folder).Because(err)
}

func unreadable(name string, err error) *extension.Problem {
	var p *extension.Problem
	switch {
	case errors.As(err, &p):
		return p
	case errors.Is(err, fs.ErrNotExist):
		return missing(name).Because(err)
	}
	return extension.NewProblem("memory.unreadable", "{file} can't be read.", "Make it readable for yourself.", "file", shown(name)).Because(err)
}

func unwritable(name string, err error) *extension.Problem {
	return extension.AsProblem(err, "memory.unwritable", fmt.Sprintf("%s could not be written.", shown(name)), "Look whether the disk is full and the memories' folder is yours.")
}

func tooLarge(name string) *extension.Problem {
	return extension.NewProblem("memory.too-large", "{file} is larger than {limit} kB.", "Split it, or keep it somewhere else and write down where.", "file", shown(name), "limit", fmt.Sprint(MaxBytes>>10))
}

func notText(name string) *extension.Problem {
	return extension.NewProblem("memory.not-text", "{file} is no text in UTF-8.", "Save it as UTF-8, or move it out of the memories' folder.", "file", shown(name))
}

// shown is a name from outside within a line of ours.
func shown(name string) string {
	name = extension.PlainLine(name)
	if runes := []rune(name); len(runes) > MaxTitleChars {
		name = string(runes[:MaxTitleChars]) + "…"
	}
	return name
}

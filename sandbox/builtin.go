package sandbox

import (
	"embed"
	"io/fs"
	"strings"
)

// BuiltInID names the built-in extension, and BuiltInFolder where its sources lie in the repository.
const (
	BuiltInID     = "loca-extension-builtin"
	BuiltInFolder = "sandbox/extensions/" + BuiltInID
)

//go:embed extensions/loca-extension-builtin extensions/loca-extension-builtin.signed.json
var extensions embed.FS

// BuiltIn gives the built-in extension's folder, and what its makers signed of it.
func BuiltIn() (files fs.FS, signed []byte) {
	files, err := fs.Sub(extensions, "extensions/"+BuiltInID)
	if err == nil {
		signed, err = extensions.ReadFile("extensions/" + BuiltInID + ".signed.json")
	}
	if err != nil {
		panic(err) // both are embedded: the paths are constants
	}
	return files, signed
}

// Shipped lists what is installed of an extension's folder: everything but its tests and what they stand on.
func Shipped(folder fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !strings.HasSuffix(name, ".test.ts") && name != "mock.ts" {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

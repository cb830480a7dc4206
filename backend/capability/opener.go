package capability

// Opener hands things to the person's desktop. What it opens is no child of the extension: it is not held to anything, and
// lives on. It returns when it is known to have failed, or has most likely worked.
type Opener interface {
	URL(address string) error
	// Path opens a file or folder, absolute, in the program that the person has for it.
	Path(path string) error
	// App starts an installed application by its name.
	App(name string) error
}

package extension

// Copy is an extension that is present on this computer: what its manifest says, where it lies, and its state.
type Copy struct {
	Extension   `json:"extension"`
	Scope       Scope  `json:"scope"`
	ProjectDir  string `json:"projectDir,omitempty"`
	Origin      Origin `json:"origin"`
	Root        string `json:"root"`   // absolute folder of the files
	Source      string `json:"source"` // what the person gave at install
	Commit      string `json:"commit,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"` // SHA-256, lowercase hex
	InstalledAt string `json:"installedAt,omitempty"` // ISO-8601 UTC
	Enabled     bool   `json:"enabled"`
	Files       int    `json:"files"`
	Bytes       int64  `json:"bytes"`
	// Dependencies are the packages that came with it; PackagesRoot is the absolute folder they lie in, empty when there are
	// none.
	Dependencies []Dependency `json:"dependencies,omitempty"`
	PackagesRoot string       `json:"-"`
	Problem      *Problem     `json:"problem,omitempty"` // why it is off, when it is off for another reason than its switch
}

// Ref names the copy.
func (c *Copy) Ref() Ref {
	return Ref{Scope: c.Scope, Project: c.ProjectDir, Format: c.Format, ID: c.ID}
}

// Usable says whether its code may run.
func (c *Copy) Usable() bool { return c.Enabled && c.Problem == nil }

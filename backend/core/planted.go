package core

import (
	"context"
	"errors"

	"portico/backend/extension"
	"portico/backend/planted"
)

// keptPlanted is the name under which the version is kept that was planted last.
const keptPlanted = "planted"

func (c *Core) garden() planted.Garden {
	return planted.Garden{
		Data: c.places.Data, Cache: c.places.Cache, Installer: c.installer,
		Last: func(ctx context.Context) (version string, err error) {
			err = c.kept.get(ctx, keptPlanted, &version)
			return version, err
		},
		Remember: func(ctx context.Context, version string) error { return c.kept.set(ctx, keptPlanted, version) },
	}
}

// Unplanted says why the built-in extension could not be installed at this start; nil when it could, or need not be.
func (c *Core) Unplanted() error { return c.unplanted }

// RestoreBuiltIn installs the extension that Portico brings, also after the person removed it.
func (c *Core) RestoreBuiltIn(ctx context.Context) (ExtensionView, error) {
	if c.options.Brings.Files == nil {
		return ExtensionView{}, extension.NewProblem("planted.none", "This Portico brings no extension.", "Install one from its folder.")
	}
	if err := c.garden().Restore(ctx, c.options.Brings); err != nil {
		return ExtensionView{}, err
	}
	signed, err := planted.ReadSigned(c.options.Brings.Signed)
	if err != nil {
		return ExtensionView{}, err
	}
	ref := extension.Ref{Scope: extension.Agent, Format: extension.Loca, ID: signed.ID}
	err = c.instances.end(ctx, ref)
	c.extensionsChanged()
	view, viewErr := c.viewOf(ctx, ref)
	return view, errors.Join(err, viewErr)
}

// plantedCheck says whether what this Portico brings could be installed.
func (c *Core) plantedCheck() Check {
	check := Check{Name: "built-in"}
	signed, err := planted.ReadSigned(c.options.Brings.Signed)
	if err = errors.Join(c.unplanted, err); err != nil {
		p := extension.AsProblem(err, "planted.failed", "The extension that comes with Portico could not be installed.", "Start Portico again.")
		check.Detail, check.Next = p.What, p.Next
		return check
	}
	check.OK, check.Detail = true, signed.Version+", as its makers signed it"
	return check
}

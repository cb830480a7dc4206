package core

import (
	"context"
	"slices"
	"sort"

	"portico/backend/agent"
	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/runtime"
)

// ToolViews gives every tool of every enabled extension.
func (c *Core) ToolViews(ctx context.Context) ([]ToolView, error) {
	copies, err := c.usable(ctx)
	if err != nil {
		return nil, err
	}
	var views []ToolView
	for i := range copies {
		tools, err := c.toolViews(ctx, &copies[i])
		if err != nil {
			return nil, err
		}
		views = append(views, tools...)
	}
	sort.SliceStable(views, func(a, b int) bool { return views[a].Title < views[b].Title })
	return views, nil
}

// usable gives the agent's extensions whose code may run.
func (c *Core) usable(ctx context.Context) ([]extension.Copy, error) {
	copies, err := c.installer.List(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(copies, func(ext extension.Copy) bool { return !ext.Usable() }), nil
}

func (c *Core) toolViews(ctx context.Context, ext *extension.Copy) ([]ToolView, error) {
	ref := ext.Ref()
	on, err := c.switches.of(ctx, ref)
	if err != nil {
		return nil, err
	}
	views := make([]ToolView, 0, len(ext.Tools))
	for _, tool := range ext.Tools {
		remembered, err := c.grants.Remembered(ctx, grant.Subject{Ref: ref, Tool: tool.Name}, "")
		if err != nil {
			return nil, err
		}
		views = append(views, c.toolView(ref, &ext.Extension, tool, on[tool.Name], grant.Decide(tool.Permissions, remembered)))
	}
	return views, nil
}

func (c *Core) toolView(ref extension.Ref, ext *extension.Extension, tool extension.Tool, on bool, decided []grant.Decided) ToolView {
	view := ToolView{
		Address: extension.Address(ext.ID, tool.Name), Ref: ref, Extension: ext.DisplayName, Tool: tool, Title: tool.Title(),
		Enabled: on, Available: tool.RunsOn(grant.Platforms()), Permissions: []PermissionView{}, Problem: denied(ext, tool, decided),
	}
	for _, d := range decided {
		view.Permissions = append(view.Permissions, PermissionView{
			Permission: d.Permission, Key: d.Permission.Key(), Resolved: grant.Resolve(d.Permission, c.placesOf(ref)),
			Decision: d.Decision, Risk: grant.RiskOf(d.Permission, c.level.Name),
		})
	}
	return view
}

// denied says why the model does not see a tool that lacks a permission it cannot work without.
func denied(ext *extension.Extension, tool extension.Tool, decided []grant.Decided) *extension.Problem {
	for _, d := range decided {
		if d.Decision == grant.Deny && !d.Permission.Optional {
			return extension.NewProblem("tool.denied", "{tool} is out of the agent's sight: it needs {key}, which you denied.",
				"Allow it on the page of {extension}, or set it back to asking.", "tool", tool.Title(), "key", d.Permission.Key(), "extension", ext.DisplayName)
		}
	}
	return nil
}

// SetToolEnabled switches one tool on or off.
func (c *Core) SetToolEnabled(ctx context.Context, ref extension.Ref, name string, enabled bool) (ToolView, error) {
	ext, err := c.Copy(ctx, ref)
	if err != nil {
		return ToolView{}, err
	}
	if ext.Tool(name) == nil && ext.Problem != nil {
		return ToolView{}, ext.Problem // what can't be read shows no tools
	}
	if ext.Tool(name) == nil {
		return ToolView{}, extension.NewProblem("tool.missing", "{extension} has no tool {tool}.", "Its page lists the tools it has.", "extension", ext.DisplayName, "tool", name)
	}
	if err := c.switches.set(ctx, ref, name, enabled); err != nil {
		return ToolView{}, err
	}
	c.instances.refresh(ref)
	c.extensionsChanged()
	views, err := c.toolViews(ctx, ext)
	if err != nil {
		return ToolView{}, err
	}
	for _, view := range views {
		if view.Tool.Name == name {
			return view, nil
		}
	}
	return ToolView{}, nil
}

// toolbox is what the agent sees of the core.
type toolbox Core

// Offered gives the tools a session's model may see: of usable extensions, switched on, for this system, and lacking
// nothing that was denied.
func (t *toolbox) Offered(ctx context.Context, _ string) ([]agent.Offer, error) {
	c := (*Core)(t)
	copies, err := c.usable(ctx)
	if err != nil {
		return nil, err
	}
	var offers []agent.Offer
	for i := range copies {
		views, err := c.toolViews(ctx, &copies[i])
		if err != nil {
			return nil, err
		}
		for _, view := range views {
			if view.Enabled && view.Available && view.Problem == nil {
				offers = append(offers, agent.Offer{Copy: &copies[i], Tool: view.Tool})
			}
		}
	}
	return offers, nil
}

// Installed gives every tool a person can run by hand, switched on or not.
func (t *toolbox) Installed(ctx context.Context) ([]agent.Offer, error) {
	c := (*Core)(t)
	copies, err := c.usable(ctx)
	if err != nil {
		return nil, err
	}
	var offers []agent.Offer
	for i := range copies {
		for _, tool := range copies[i].Tools {
			if tool.RunsOn(grant.Platforms()) {
				offers = append(offers, agent.Offer{Copy: &copies[i], Tool: tool})
			}
		}
	}
	return offers, nil
}

// Instance gives the running extension, started when it was not. Its files are checked first: what changed since the
// install does not run.
func (t *toolbox) Instance(ctx context.Context, ref extension.Ref, host func(*extension.Copy) capability.Host) (runtime.Instance, error) {
	c := (*Core)(t)
	if err := c.installer.Verify(ctx, ref); err != nil {
		return nil, err
	}
	ext, err := c.Copy(ctx, ref)
	if err != nil {
		return nil, err
	}
	if ext.Problem != nil {
		return nil, ext.Problem
	}
	if !ext.Enabled {
		return nil, switchedOff(ext)
	}
	return c.instances.get(ctx, ext, func() capability.Host { return host(ext) })
}

package core

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/schema"
)

// Direct is one call of a tool outside of any session, for the command line.
type Direct struct {
	Ref  extension.Ref
	Tool string
	Args json.RawMessage
	// Host answers the tool.
	Host func(Beside) capability.Host
}

// Beside is what a host outside of any session stands on.
type Beside struct {
	Remembered map[string]grant.Decision // what the person decided for always
	Extension  *extension.Copy
	Services   capability.Services
}

// RunDirect checks the arguments, runs the tool and gives its result. Nothing starts while the arguments break the
// schema.
func (c *Core) RunDirect(ctx context.Context, d Direct) (json.RawMessage, error) {
	ext, err := c.Copy(ctx, d.Ref)
	if err != nil {
		return nil, err
	}
	tool := ext.Tool(d.Tool)
	if tool == nil && ext.Problem != nil {
		return nil, ext.Problem // what can't be read shows no tools
	}
	if tool == nil {
		return nil, extension.NewProblem("tool.missing", "{extension} has no tool {tool}.", "Its page lists the tools it has.", "extension", ext.DisplayName, "tool", d.Tool)
	}
	if !tool.RunsOn(grant.Platforms()) {
		return nil, extension.NewProblem("tool.wrong-system", "{tool} does not run on this system.", "Its manifest names the systems it runs on.", "tool", extension.Address(ext.ID, tool.Name))
	}
	args, err := schema.Arguments(*tool, extension.Address(ext.ID, tool.Name), d.Args)
	if err != nil {
		return nil, err
	}
	remembered, err := c.grants.Remembered(ctx, grant.Subject{Ref: d.Ref, Tool: tool.Name}, "")
	if err != nil {
		return nil, err
	}
	instance, err := (*toolbox)(c).Instance(ctx, d.Ref, func(ext *extension.Copy) capability.Host {
		return d.Host(Beside{remembered, ext, c.services()})
	})
	if err != nil {
		return nil, err
	}
	return instance.Call(ctx, capability.Call{
		ID: uuid.NewString(), Extension: d.Ref, Tool: tool.Name, Origin: capability.FromPerson, Locale: c.locale(ctx),
	}, tool.Name, args)
}

package capability

import (
	"context"

	"portico/backend/extension"
	"portico/backend/grant"
)

// Asks is who decides about permissions: a Host's own methods.
type Asks interface {
	Decided(ctx context.Context, call Call, tool extension.Tool) ([]grant.Decided, error)
	Permit(ctx context.Context, call Call, tool extension.Tool, undecided []extension.Permission) ([]grant.Answer, error)
}

// Gate stands before the services: whoever comes through was allowed. A Host embeds one, for one extension.
type Gate struct {
	Services  Services
	Extension *extension.Copy
	Asks      Asks
}

// Memories needs the permission "memories".
func (g *Gate) Memories(ctx context.Context, call Call, tool extension.Tool, access string) (Memories, error) {
	if err := g.need(ctx, call, tool, extension.Memories, access); err != nil {
		return nil, err
	}
	if g.Services.Memories == nil {
		return nil, absent("Memories")
	}
	return g.Services.Memories, nil
}

// Database needs "database" in the manifest.
func (g *Gate) Database(context.Context, Call) (Database, error) {
	switch {
	case !g.Extension.Database:
		return nil, extension.NewProblem("db.undeclared", "{extension} does not declare a database.", "Its author has to write \"database\": true in loca.json.", "extension", g.Extension.DisplayName)
	case g.Services.Databases == nil:
		return nil, absent("The database")
	}
	return g.Services.Databases(g.Extension.Ref())
}

// Completer needs the permission "llm".
func (g *Gate) Completer(ctx context.Context, call Call, tool extension.Tool) (Completer, error) {
	if err := g.need(ctx, call, tool, extension.LLM, ""); err != nil {
		return nil, err
	}
	if g.Services.Completer == nil {
		return nil, absent("The model")
	}
	return g.Services.Completer(call), nil
}

// Speaker needs the permission "tts".
func (g *Gate) Speaker(ctx context.Context, call Call, tool extension.Tool) (Speaker, error) {
	if err := g.need(ctx, call, tool, extension.TTS, ""); err != nil {
		return nil, err
	}
	if g.Services.Speaker == nil {
		return nil, absent("The voice")
	}
	return g.Services.Speaker, nil
}

// Transcriber needs the permission "stt".
func (g *Gate) Transcriber(ctx context.Context, call Call, tool extension.Tool) (Transcriber, error) {
	if err := g.need(ctx, call, tool, extension.STT, ""); err != nil {
		return nil, err
	}
	if g.Services.Transcriber == nil {
		return nil, absent("Transcription")
	}
	return g.Services.Transcriber, nil
}

// need returns nil when the tool may; the person is asked when that is undecided.
func (g *Gate) need(ctx context.Context, call Call, tool extension.Tool, kind extension.Kind, access string) error {
	decided, err := g.Asks.Decided(ctx, call, tool)
	if err != nil {
		return err
	}
	address := extension.Address(g.Extension.ID, tool.Name)
	found, declared := grant.Need(decided, kind, access)
	if !declared {
		key := extension.Permission{Kind: kind, Access: access}.Key()
		return extension.NewProblem("call.undeclared", "{tool} does not declare the permission {key}.", "Its author has to declare it in loca.json.", "tool", address, "key", key)
	}
	decision := found.Decision
	if decision == grant.Ask {
		answers, err := g.Asks.Permit(ctx, call, tool, []extension.Permission{found.Permission})
		if err != nil {
			return err
		}
		decision = grant.Deny // an answer that is none allows nothing
		if len(answers) == 1 {
			decision = answers[0].Decision
		}
	}
	if decision != grant.Allow {
		return Denied(g.Extension.DisplayName, address, found.Permission)
	}
	return nil
}

// Denied says that a permission was denied; it fails a call, or the one access that needed it.
func Denied(displayName, address string, p extension.Permission) *extension.Problem {
	return extension.NewProblem("call.denied", "permission denied: {key}.", "Allow it on the page of {extension}, or when {tool} asks again.",
		"key", p.Key(), "extension", displayName, "tool", address)
}

func absent(what string) error {
	return extension.NewProblem("capability.missing", "{what} can't be used here.", "Try it in the app.", "what", what)
}

package app

import (
	"context"

	"portico/backend/core"
	"portico/backend/extension"
)

// Tools is Settings › Tools, and what forms are drawn from.
type Tools struct{ core *core.Core }

type ToolSwitch struct {
	Ref     extension.Ref `json:"ref"`
	Tool    string        `json:"tool"`
	Enabled bool          `json:"enabled"`
}

// List gives every tool of every enabled extension, switched on or not.
func (t *Tools) List(ctx context.Context, _ None) ([]core.ToolView, error) {
	return t.core.ToolViews(ctx)
}

// SetEnabled switches one tool on or off.
func (t *Tools) SetEnabled(ctx context.Context, r ToolSwitch) (core.ToolView, error) {
	return t.core.SetToolEnabled(ctx, r.Ref, r.Tool, r.Enabled)
}

package app

import (
	"context"
	"encoding/json"

	"portico/backend/core"
)

// Settings is General and Appearance, and what the window remembers of itself.
type Settings struct{ core *core.Core }

type Layout struct {
	Layout json.RawMessage `json:"layout"` // tabs and splits, as the frontend keeps them; null at first
}

// Get gives the person's settings.
func (s *Settings) Get(ctx context.Context, _ None) (core.Settings, error) {
	return s.core.Settings(ctx)
}

// Save changes them.
func (s *Settings) Save(ctx context.Context, r core.Settings) (core.Settings, error) {
	return s.core.SaveSettings(ctx, r)
}

// Layout gives the tabs as they were.
func (s *Settings) Layout(ctx context.Context, _ None) (Layout, error) {
	layout, err := s.core.Layout(ctx)
	return Layout{layout}, err
}

// SaveLayout keeps the tabs for the next start.
func (s *Settings) SaveLayout(ctx context.Context, r Layout) (None, error) {
	return None{}, s.core.SaveLayout(ctx, r.Layout)
}

package app

import (
	"context"

	"portico/backend/core"
	"portico/backend/model"
)

// Models is Settings › Models.
type Models struct{ core *core.Core }

type ModelChoice struct {
	BaseURL string `json:"baseURL"` // "http://127.0.0.1:11434/v1"; empty: none, direct mode
	Model   string `json:"model"`
}

type Server struct {
	BaseURL string `json:"baseURL"`
}

// Get gives what is chosen.
func (m *Models) Get(ctx context.Context, _ None) (ModelChoice, error) {
	base, name, err := m.core.ModelChoice(ctx)
	return ModelChoice{base, name}, err
}

// Save chooses a server and a model.
func (m *Models) Save(ctx context.Context, r ModelChoice) (ModelChoice, error) {
	base, name, err := m.core.ChooseModel(ctx, r.BaseURL, r.Model)
	return ModelChoice{base, name}, err
}

// Discover looks for model servers that run on this computer.
func (m *Models) Discover(ctx context.Context, _ None) ([]model.Found, error) {
	return m.core.DiscoverModels(ctx), nil
}

// List asks one server for its models.
func (m *Models) List(ctx context.Context, r Server) ([]string, error) {
	return m.core.ListModels(ctx, r.BaseURL)
}

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

// ChosenModel is what is chosen, and whether its server's key is in the vault.
type ChosenModel struct {
	ModelChoice
	HasKey bool `json:"hasKey"`
}

// ModelKey is a server's key on its way into the vault.
type ModelKey struct {
	BaseURL string `json:"baseURL"`
	Key     string `json:"key"`
}

// ServerStatus says whether a server's key is in the vault.
type ServerStatus struct {
	HasKey bool `json:"hasKey"`
}

type Server struct {
	BaseURL string `json:"baseURL"`
}

// Get gives what is chosen.
func (m *Models) Get(ctx context.Context, _ None) (ChosenModel, error) {
	base, name, err := m.core.ModelChoice(ctx)
	if err != nil {
		return ChosenModel{}, err
	}
	return m.chosen(base, name)
}

// Save chooses a server and a model.
func (m *Models) Save(ctx context.Context, r ModelChoice) (ChosenModel, error) {
	base, name, err := m.core.ChooseModel(ctx, r.BaseURL, r.Model)
	if err != nil {
		return ChosenModel{}, err
	}
	return m.chosen(base, name)
}

func (m *Models) chosen(base, name string) (ChosenModel, error) {
	has, err := m.core.HasModelKey(base)
	return ChosenModel{ModelChoice{base, name}, has}, err
}

// SetKey keeps a server's key in the vault.
func (m *Models) SetKey(ctx context.Context, r ModelKey) (ServerStatus, error) {
	return ServerStatus{HasKey: true}, m.core.SetModelKey(ctx, r.BaseURL, r.Key)
}

// ClearKey removes it.
func (m *Models) ClearKey(ctx context.Context, r Server) (ServerStatus, error) {
	return ServerStatus{}, m.core.ClearModelKey(ctx, r.BaseURL)
}

// Discover looks for model servers that run on this computer.
func (m *Models) Discover(ctx context.Context, _ None) ([]model.Found, error) {
	return m.core.DiscoverModels(ctx), nil
}

// List asks one server for its models.
func (m *Models) List(ctx context.Context, r Server) ([]string, error) {
	return m.core.ListModels(ctx, r.BaseURL)
}

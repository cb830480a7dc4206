package core

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"portico/backend/event"
	"portico/backend/extension"
	"portico/backend/model"
	"portico/backend/runtime/deno"
	"portico/backend/store"
)

// Bounds of the settings. A round is one answer of the model with the tool calls it asks for.
const (
	defaultStepLimit = 12
	maxStepLimit     = 100
	minZoom, maxZoom = 100, 200
	maxLayoutBytes   = 256 << 10
)

var defaultSettings = Settings{Theme: "system", Language: "system", Zoom: 100, StepLimit: defaultStepLimit, Workers: deno.StandardLimits}

// kept is a small table of named JSON values.
type kept struct{ db *store.DB }

// get reads a value into out, and leaves out as it is when there is none.
func (k kept) get(ctx context.Context, key string, out any) error {
	var value []byte
	err := k.db.Read().QueryRowContext(ctx, `SELECT value FROM settings WHERE key=?`, key).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(value, out)
	}
	if err != nil {
		return fmt.Errorf("read the setting %q: %w", key, err)
	}
	return nil
}

func (k kept) set(ctx context.Context, key string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("save the setting %q: %w", key, err)
	}
	err = k.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO settings(key,value) VALUES(?,?) ON CONFLICT(key) DO UPDATE SET value=excluded.value`, key, data)
		return err
	})
	if err != nil {
		return fmt.Errorf("save the setting %q: %w", key, err)
	}
	return nil
}

// Settings gives the person's settings.
func (c *Core) Settings(ctx context.Context) (Settings, error) {
	s := defaultSettings
	err := c.kept.get(ctx, "settings", &s)
	return s, err
}

// locale is the person's: the system's, unless they chose another language here.
func (c *Core) locale(ctx context.Context) string {
	s, err := c.Settings(ctx)
	language, _, _ := strings.Cut(c.options.Locale, "-")
	if err != nil || s.Language == "system" || s.Language == language {
		return c.options.Locale
	}
	return s.Language
}

// SaveSettings checks and keeps them.
func (c *Core) SaveSettings(ctx context.Context, s Settings) (Settings, error) {
	bad := func(field, value string) error {
		return extension.NewProblem("settings.bad-value", "“{value}” is no value for {field}.", "Choose one of those that are offered.", "field", field, "value", value)
	}
	switch {
	case !slices.Contains([]string{"system", "light", "dark"}, s.Theme):
		return s, bad("theme", s.Theme)
	case !slices.Contains([]string{"system", "en", "es"}, s.Language):
		return s, bad("language", s.Language)
	case s.Zoom < minZoom || s.Zoom > maxZoom:
		return s, bad("zoom", fmt.Sprint(s.Zoom))
	case s.StepLimit < 1 || s.StepLimit > maxStepLimit:
		return s, bad("step limit", fmt.Sprint(s.StepLimit))
	}
	for _, limit := range []struct {
		field              string
		value, least, most int
	}{
		{"calls at the same time", s.Workers.Running, deno.LeastLimits.Running, deno.MostLimits.Running},
		{"processes started ahead", s.Workers.Ahead, deno.LeastLimits.Ahead, deno.MostLimits.Ahead},
		{"memory of a process", s.Workers.Megabytes, deno.LeastLimits.Megabytes, deno.MostLimits.Megabytes},
		{"computing time of a process", s.Workers.CPUSeconds, deno.LeastLimits.CPUSeconds, deno.MostLimits.CPUSeconds},
	} {
		if limit.value < limit.least || limit.value > limit.most {
			return s, bad(limit.field, fmt.Sprint(limit.value))
		}
	}
	if err := c.kept.set(ctx, "settings", s); err != nil {
		return s, err
	}
	c.workers.Limit(s.Workers)
	c.Events.Publish(event.Event{Topic: event.Settings})
	return s, nil
}

// Layout gives the tabs as the frontend last kept them; null when it never did.
func (c *Core) Layout(ctx context.Context) (json.RawMessage, error) {
	layout := json.RawMessage("null")
	err := c.kept.get(ctx, "layout", &layout)
	return layout, err
}

// SaveLayout keeps the tabs.
func (c *Core) SaveLayout(ctx context.Context, layout json.RawMessage) error {
	if len(layout) > maxLayoutBytes {
		return extension.NewProblem("settings.layout-too-large", "There are too many open tabs to remember.", "Close some tabs.")
	}
	return c.kept.set(ctx, "layout", layout)
}

type modelChoice struct {
	BaseURL string `json:"baseURL"`
	Model   string `json:"model"`
}

// ModelChoice gives the model server and the model that sessions use unless they chose another; both empty: direct mode.
func (c *Core) ModelChoice(ctx context.Context) (baseURL, name string, err error) {
	var m modelChoice
	err = c.kept.get(ctx, "model", &m)
	return m.BaseURL, m.Model, err
}

// ChooseModel keeps them. An address is written as NormalizeBaseURL gives it.
func (c *Core) ChooseModel(ctx context.Context, baseURL, name string) (string, string, error) {
	m := modelChoice{baseURL, name}
	if baseURL != "" {
		normal, err := model.NormalizeBaseURL(baseURL)
		if err != nil {
			return "", "", err
		}
		m.BaseURL = normal
	} else {
		m.Model = ""
	}
	if err := c.kept.set(ctx, "model", m); err != nil {
		return "", "", err
	}
	c.Events.Publish(event.Event{Topic: event.Models})
	return m.BaseURL, m.Model, nil
}

// DiscoverModels looks for model servers that run on this computer.
func (c *Core) DiscoverModels(ctx context.Context) []model.Found { return model.Discover(ctx) }

// ListModels asks one server for its models.
func (c *Core) ListModels(ctx context.Context, baseURL string) ([]string, error) {
	normal, err := model.NormalizeBaseURL(baseURL)
	if err != nil {
		return nil, err
	}
	return model.List(ctx, normal, model.WithKeys(c.keyOf(normal)))
}

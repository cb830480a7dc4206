package core

import (
	"context"
	"net/url"
	"strings"

	"portico/backend/event"
	"portico/backend/extension"
	"portico/backend/model"
	"portico/backend/vault"
)

// Names in the vault say what a secret is for: "model:<base address>", "setting:<format>:<extension>:<key>"; any other is
// the person's own.
const (
	modelSecret   = "model:"
	settingSecret = "setting:"
)

// VaultStatus is the vault as its page shows it: never a value.
type VaultStatus struct {
	State         vault.State        `json:"state"`
	Words         *extension.Problem `json:"words,omitempty"` // why it is not ready
	HasPassphrase bool               `json:"hasPassphrase"`   // a passphrase keeps the key, not the system's keyring
	Names         []VaultName        `json:"names"`
	Damaged       []string           `json:"damaged"` // files that hold no secret, or none that can be read
}

// VaultName is one secret: what it is and where it is used.
type VaultName struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`             // model, setting, own
	Label  string `json:"label"`            // the server's host, the setting's key, or the name
	Bytes  int64  `json:"bytes"`            // of the value
	UsedBy string `json:"usedBy,omitempty"` // the extension's display name; its id when it is not installed
}

// VaultStatus says how the vault is, without a dialog of the system's.
func (c *Core) VaultStatus(ctx context.Context) (VaultStatus, error) {
	s, err := c.vault.Status(ctx)
	if err != nil {
		return VaultStatus{}, err
	}
	status := VaultStatus{State: s.State, Words: s.Words, HasPassphrase: s.HasPassphrase, Names: []VaultName{}, Damaged: s.Damaged}
	names, err := c.displayNames(ctx)
	if err != nil {
		return VaultStatus{}, err
	}
	for _, item := range s.Items {
		status.Names = append(status.Names, vaultName(item, names))
	}
	return status, nil
}

// displayNames gives the display names of what is installed, by "<format>:<id>".
func (c *Core) displayNames(ctx context.Context) (map[string]string, error) {
	views, err := c.Extensions(ctx)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, view := range views {
		names[string(view.Format)+":"+view.ID] = view.DisplayName
	}
	return names, nil
}

func vaultName(item vault.Item, displayNames map[string]string) VaultName {
	n := VaultName{Name: item.Name, Kind: "own", Label: item.Name, Bytes: item.Bytes}
	if address, ok := strings.CutPrefix(item.Name, modelSecret); ok {
		n.Kind, n.Label = "model", address
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			n.Label = u.Host
		}
	}
	if rest, ok := strings.CutPrefix(item.Name, settingSecret); ok {
		format, rest, _ := strings.Cut(rest, ":")
		if id, key, ok := strings.Cut(rest, ":"); ok {
			n.Kind, n.Label, n.UsedBy = "setting", key, id
			if name := displayNames[format+":"+id]; name != "" {
				n.UsedBy = name
			}
		}
	}
	return n
}

// UnlockVault opens a vault that a passphrase keeps, for as long as this process lives.
func (c *Core) UnlockVault(ctx context.Context, passphrase string) error {
	return c.vault.Unlock(ctx, passphrase)
}

// SetVaultPassphrase lets a passphrase keep the vault's key.
func (c *Core) SetVaultPassphrase(ctx context.Context, passphrase string) error {
	return c.vault.SetPassphrase(ctx, passphrase)
}

// UseKeyring lets the system's keyring keep the vault's key again.
func (c *Core) UseKeyring(ctx context.Context) error { return c.vault.UseKeyring(ctx) }

// RetryVault asks the system's keyring again; it may show its dialog.
func (c *Core) RetryVault(ctx context.Context) error { return c.vault.Retry(ctx) }

// StartVaultAnew begins an empty vault and keeps the files of the one before.
func (c *Core) StartVaultAnew(ctx context.Context, passphrase string) (kept string, err error) {
	return c.vault.StartAnew(ctx, passphrase)
}

// SetSecret keeps a secret.
func (c *Core) SetSecret(ctx context.Context, name, value string) error {
	return c.vault.Set(ctx, name, value)
}

// RemoveSecret takes a secret away.
func (c *Core) RemoveSecret(ctx context.Context, name string) error { return c.vault.Remove(ctx, name) }

// RevealSecret gives a secret's value to the person who asked for it.
func (c *Core) RevealSecret(ctx context.Context, name string) (string, error) {
	value, found, err := c.vault.Get(ctx, name)
	if err == nil && !found {
		return "", extension.NewProblem("vault.no-item", "There is no “{name}” in the vault.", "It may have been removed elsewhere.", "name", name)
	}
	return value, err
}

// SetModelKey keeps the key of a model server in the vault. The address is written as NormalizeBaseURL gives it.
func (c *Core) SetModelKey(ctx context.Context, baseURL, key string) error {
	normal, err := model.NormalizeBaseURL(baseURL)
	if err != nil {
		return err
	}
	if key, err = model.CheckKey(normal, key); err != nil {
		return err
	}
	if err := c.vault.Set(ctx, modelSecret+normal, key); err != nil {
		return err
	}
	c.Events.Publish(event.Event{Topic: event.Models})
	return nil
}

// ClearModelKey removes it.
func (c *Core) ClearModelKey(ctx context.Context, baseURL string) error {
	normal, err := model.NormalizeBaseURL(baseURL)
	if err != nil {
		return err
	}
	if err := c.vault.Remove(ctx, modelSecret+normal); err != nil {
		return err
	}
	c.Events.Publish(event.Event{Topic: event.Models})
	return nil
}

// HasModelKey says whether there is one. It needs no open vault.
func (c *Core) HasModelKey(baseURL string) (bool, error) {
	if baseURL == "" {
		return false, nil
	}
	return c.vault.Has(modelSecret + baseURL)
}

// keyOf takes a server's key out of the vault when it is needed, and not before.
func (c *Core) keyOf(baseURL string) model.Keys {
	return func(ctx context.Context) (string, error) {
		key, _, err := c.vault.Get(ctx, modelSecret+baseURL)
		return key, err
	}
}

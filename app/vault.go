package app

import (
	"context"

	"portico/backend/core"
)

// Vault is Settings › Vault.
type Vault struct{ core *core.Core }

type VaultPassphrase struct {
	Passphrase string `json:"passphrase"`
}

type Secret struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type SecretName struct {
	Name string `json:"name"`
}

type SecretValue struct {
	Value string `json:"value"`
}

type VaultKept struct {
	Kept string `json:"kept"` // the file that still says how the vault before is opened; empty: there was none
}

// Status says how the vault is and what is in it, without values.
func (v *Vault) Status(ctx context.Context, _ None) (core.VaultStatus, error) {
	return v.core.VaultStatus(ctx)
}

// Unlock opens a vault that a passphrase keeps, until Portico ends.
func (v *Vault) Unlock(ctx context.Context, r VaultPassphrase) (None, error) {
	return None{}, v.core.UnlockVault(ctx, r.Passphrase)
}

// SetPassphrase lets a passphrase keep the vault in place of the system's keyring, or of another passphrase.
func (v *Vault) SetPassphrase(ctx context.Context, r VaultPassphrase) (None, error) {
	return None{}, v.core.SetVaultPassphrase(ctx, r.Passphrase)
}

// UseKeyring lets the system's keyring keep the vault again.
func (v *Vault) UseKeyring(ctx context.Context, _ None) (None, error) {
	return None{}, v.core.UseKeyring(ctx)
}

// StartAnew begins an empty vault where the one before can't be opened any more; its files are kept. An empty passphrase:
// the system's keyring keeps the new one.
func (v *Vault) StartAnew(ctx context.Context, r VaultPassphrase) (VaultKept, error) {
	kept, err := v.core.StartVaultAnew(ctx, r.Passphrase)
	return VaultKept{kept}, err
}

// Retry asks the system's keyring again.
func (v *Vault) Retry(ctx context.Context, _ None) (None, error) {
	return None{}, v.core.RetryVault(ctx)
}

// Set keeps a secret.
func (v *Vault) Set(ctx context.Context, r Secret) (None, error) {
	return None{}, v.core.SetSecret(ctx, r.Name, r.Value)
}

// Remove takes a secret away.
func (v *Vault) Remove(ctx context.Context, r SecretName) (None, error) {
	return None{}, v.core.RemoveSecret(ctx, r.Name)
}

// Reveal shows one value.
func (v *Vault) Reveal(ctx context.Context, r SecretName) (SecretValue, error) {
	value, err := v.core.RevealSecret(ctx, r.Name)
	return SecretValue{value}, err
}

package app

import (
	"context"

	"portico/backend/core"
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/install"
)

// Extensions is Settings › Extensions.
type Extensions struct {
	core   *core.Core
	window Window
}

type Source struct {
	Source  string          `json:"source"` // a folder
	Scope   extension.Scope `json:"scope,omitempty"`
	Project string          `json:"project,omitempty"`
}

type InstallRequest struct {
	Source
	Job   string   `json:"job"`             // chosen by the caller; names the progress events and the cancel
	Tools []string `json:"tools,omitempty"` // tools to switch on
	// Fingerprint is the review's: files that became others since are refused. Empty: whatever is there.
	Fingerprint string `json:"fingerprint,omitempty"`
}

type Job struct {
	Job string `json:"job"`
}

type ExtensionRef struct {
	Ref extension.Ref `json:"ref"`
}

type ExtensionSwitch struct {
	Ref     extension.Ref `json:"ref"`
	Enabled bool          `json:"enabled"`
}

type ExtensionFile struct {
	Ref  extension.Ref `json:"ref"`
	Path string        `json:"path"`
}

type FileText struct {
	Text      string `json:"text"`
	Truncated bool   `json:"truncated"` // longer than the page shows
	Binary    bool   `json:"binary"`
}

type GrantChoice struct {
	Ref      extension.Ref  `json:"ref"`
	Tool     string         `json:"tool"`
	Key      string         `json:"key"` // extension.Permission.Key
	Decision grant.Decision `json:"decision"`
}

// List gives every extension on this computer, by display name.
func (e *Extensions) List(ctx context.Context, _ None) ([]core.ExtensionView, error) {
	return e.core.Extensions(ctx)
}

// Review reads what would be installed, and installs nothing.
func (e *Extensions) Review(ctx context.Context, r Source) (core.Review, error) {
	return e.core.Review(ctx, r.Source, r.Scope, r.Project)
}

// Install installs from a folder. Progress arrives as "install" events with the job's name.
func (e *Extensions) Install(ctx context.Context, r InstallRequest) (core.ExtensionView, error) {
	return e.core.Install(ctx, core.InstallRequest{Source: r.Source.Source, Scope: r.Scope, Project: r.Project, Job: r.Job, Tools: r.Tools, Fingerprint: r.Fingerprint})
}

// RestoreBuiltIn installs the extension that Portico brings again, as it came: also after it was removed, or changed.
func (e *Extensions) RestoreBuiltIn(ctx context.Context, _ None) (core.ExtensionView, error) {
	return e.core.RestoreBuiltIn(ctx)
}

// CancelInstall cancels a running install; Install then returns its Problem and nothing is left behind.
func (e *Extensions) CancelInstall(_ context.Context, r Job) (None, error) {
	e.core.CancelInstall(r.Job)
	return None{}, nil
}

// SetEnabled switches an extension on or off.
func (e *Extensions) SetEnabled(ctx context.Context, r ExtensionSwitch) (core.ExtensionView, error) {
	return e.core.SetEnabled(ctx, r.Ref, r.Enabled)
}

// Remove uninstalls: files, data, grants and switches are gone afterwards.
func (e *Extensions) Remove(ctx context.Context, r ExtensionRef) (None, error) {
	return None{}, e.core.Remove(ctx, r.Ref)
}

// Files lists the files of an installed extension.
func (e *Extensions) Files(ctx context.Context, r ExtensionRef) ([]install.File, error) {
	return e.core.ExtensionFiles(ctx, r.Ref)
}

// ReadFile gives one file's text.
func (e *Extensions) ReadFile(ctx context.Context, r ExtensionFile) (FileText, error) {
	text, truncated, binary, err := e.core.ReadExtensionFile(ctx, r.Ref, r.Path)
	return FileText{text, truncated, binary}, err
}

// SetGrant decides one permission of one tool for always, or back to asking.
func (e *Extensions) SetGrant(ctx context.Context, r GrantChoice) (core.ExtensionView, error) {
	return e.core.SetGrant(ctx, grant.Subject{Ref: r.Ref, Tool: r.Tool}, r.Key, r.Decision)
}

// Log gives the newest part of the extension's log file.
func (e *Extensions) Log(ctx context.Context, r ExtensionRef) (FileText, error) {
	text, truncated, err := e.core.ExtensionLog(ctx, r.Ref)
	return FileText{Text: text, Truncated: truncated}, err
}

// OpenFolder shows the extension's folder in the system's file manager.
func (e *Extensions) OpenFolder(ctx context.Context, r ExtensionRef) (None, error) {
	folder, err := e.core.ExtensionFolder(ctx, r.Ref)
	if err != nil {
		return None{}, err
	}
	return None{}, e.window.OpenPath(folder)
}

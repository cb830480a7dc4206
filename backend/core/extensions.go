package core

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"portico/backend/event"
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/install"
	"portico/backend/runtime/deno"
)

const (
	maxShownFileBytes = 512 << 10
	maxShownLogBytes  = 256 << 10
)

// Extensions gives every extension of the agent, with its tools, by display name.
func (c *Core) Extensions(ctx context.Context) ([]ExtensionView, error) {
	return c.ExtensionsOf(ctx, "")
}

// ExtensionsOf gives those of the agent, and of a project where one is named by its absolute folder.
func (c *Core) ExtensionsOf(ctx context.Context, project string) ([]ExtensionView, error) {
	var projects []string
	if project != "" {
		projects = []string{project}
	}
	copies, err := c.installer.List(ctx, projects...)
	if err != nil {
		return nil, err
	}
	views := make([]ExtensionView, len(copies))
	for i := range copies {
		if views[i], err = c.view(ctx, &copies[i]); err != nil {
			return nil, err
		}
	}
	return views, nil
}

// Copy gives one installed extension.
func (c *Core) Copy(ctx context.Context, ref extension.Ref) (*extension.Copy, error) {
	var projects []string
	if ref.Scope == extension.Project {
		projects = []string{ref.Project}
	}
	copies, err := c.installer.List(ctx, projects...)
	if err != nil {
		return nil, err
	}
	for i := range copies {
		if copies[i].Ref() == ref {
			return &copies[i], nil
		}
	}
	return nil, extension.NewProblem("extension.missing", "{id} isn't installed.", "Look at Settings › Extensions, or `portico extension list`, for what is.", "id", ref.ID)
}

func (c *Core) view(ctx context.Context, ext *extension.Copy) (ExtensionView, error) {
	tools, err := c.toolViews(ctx, ext)
	return ExtensionView{Copy: *ext, Tools: tools}, err
}

func (c *Core) viewOf(ctx context.Context, ref extension.Ref) (ExtensionView, error) {
	ext, err := c.Copy(ctx, ref)
	if err != nil {
		return ExtensionView{}, err
	}
	return c.view(ctx, ext)
}

// Review reads what would be installed, and writes nothing.
func (c *Core) Review(ctx context.Context, source string, scope extension.Scope, project string) (Review, error) {
	if scope == "" {
		scope = extension.Agent
	}
	found, err := c.installer.Review(ctx, source, scope, project)
	if err != nil {
		return Review{}, err
	}
	review := Review{
		Source: found.Source, Extension: found.Extension, Warnings: found.Warnings, Files: found.Files, Bytes: found.Bytes,
		Fingerprint: found.Fingerprint, Replaces: found.Replaces, Containment: c.containment(),
	}
	ref := extension.Ref{Scope: scope, Project: project, Format: found.Extension.Format, ID: found.Extension.ID}
	on, err := c.switches.of(ctx, ref)
	if err != nil {
		return Review{}, err
	}
	for _, tool := range found.Extension.Tools {
		review.Tools = append(review.Tools, c.toolView(ref, &found.Extension, tool, on[tool.Name], grant.Decide(tool.Permissions, nil)))
	}
	return review, nil
}

// Install installs from a folder and switches the named tools on.
func (c *Core) Install(ctx context.Context, r InstallRequest) (ExtensionView, error) {
	if r.Scope == "" {
		r.Scope = extension.Agent
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if r.Job != "" {
		c.jobs.Lock()
		c.byJob[r.Job] = cancel
		c.jobs.Unlock()
		defer func() {
			c.jobs.Lock()
			delete(c.byJob, r.Job)
			c.jobs.Unlock()
		}()
	}
	installed, err := c.installer.Install(ctx, r.Source, r.Scope, r.Project, r.Fingerprint, func(step string, fraction float64, detail string) {
		told := event.InstallStep{Job: r.Job, Step: step, Fraction: fraction, Detail: detail}
		if step == "fetch" {
			if _, err := fmt.Sscanf(detail, "%d/%d", &told.Fetched, &told.Packages); err == nil {
				told.Detail = ""
			}
		}
		c.Events.Publish(event.Event{Topic: event.Install, Payload: told})
	})
	if err != nil {
		return ExtensionView{}, err
	}
	// From here on the files are in place: what follows is finished even when the caller has gone.
	ctx = context.WithoutCancel(ctx)
	ref := installed.Ref()
	if err := errors.Join(c.instances.end(ctx, ref), c.installer.Tidy(ctx, ref)); err != nil {
		return ExtensionView{}, err
	}
	for _, tool := range r.Tools {
		if installed.Tool(tool) == nil {
			continue
		}
		if err := c.switches.set(ctx, ref, tool, true); err != nil {
			return ExtensionView{}, err
		}
	}
	c.extensionsChanged()
	return c.view(ctx, &installed)
}

// CancelInstall cancels a running install; nothing happens when there is none of that name.
func (c *Core) CancelInstall(job string) {
	c.jobs.Lock()
	defer c.jobs.Unlock()
	if cancel := c.byJob[job]; cancel != nil {
		cancel()
	}
}

// SetEnabled switches an extension on or off; off ends what runs of it.
func (c *Core) SetEnabled(ctx context.Context, ref extension.Ref, enabled bool) (ExtensionView, error) {
	if err := c.installer.SetEnabled(ctx, ref, enabled); err != nil {
		return ExtensionView{}, err
	}
	if !enabled {
		if err := c.instances.end(ctx, ref); err != nil {
			return ExtensionView{}, err
		}
	}
	c.extensionsChanged()
	return c.viewOf(ctx, ref)
}

// Remove uninstalls: processes, files, data, grants and switches.
func (c *Core) Remove(ctx context.Context, ref extension.Ref) error {
	if err := c.instances.end(ctx, ref); err != nil {
		return err
	}
	if err := c.installer.Remove(ctx, ref); err != nil {
		return err
	}
	err := errors.Join(c.grants.Forget(ctx, ref), c.switches.forget(ctx, ref), memorySwitches{c.kept}.forget(ctx, ref), c.databases.Remove(ctx, ref), c.dropData(ref))
	c.extensionsChanged()
	return err
}

// dropData removes what an extension kept, its log and its cache.
func (c *Core) dropData(ref extension.Ref) error {
	log := deno.LogFile(c.places.Logs, ref)
	for _, path := range []string{filepath.Join(c.places.ExtensionData, ref.Key()), deno.CacheFolder(c.places.Cache, ref), log, log + ".1"} {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("remove what %s kept: %w", ref.ID, err)
		}
	}
	return nil
}

func (c *Core) extensionsChanged() {
	c.Events.Publish(event.Event{Topic: event.Extensions})
	c.memories.ExtensionsChanged()
}

// ExtensionFiles lists an installed extension's files.
func (c *Core) ExtensionFiles(ctx context.Context, ref extension.Ref) ([]install.File, error) {
	return c.installer.Files(ctx, ref)
}

// ReadExtensionFile gives one file's text, cut at maxShownFileBytes.
func (c *Core) ReadExtensionFile(ctx context.Context, ref extension.Ref, path string) (text string, truncated, binary bool, err error) {
	data, err := c.installer.ReadFile(ctx, ref, path)
	if err != nil {
		return "", false, false, err
	}
	if truncated = len(data) > maxShownFileBytes; truncated {
		data = trimToRune(data[:maxShownFileBytes])
	}
	if !utf8.Valid(data) || slices.Contains(data, 0) {
		return "", truncated, true, nil
	}
	return string(data), truncated, false, nil
}

// trimToRune drops the bytes of a character that a cut went through.
func trimToRune(data []byte) []byte {
	for n := 0; n < utf8.UTFMax && len(data) > 0; n++ {
		if r, size := utf8.DecodeLastRune(data); r != utf8.RuneError || size > 1 {
			return data
		}
		data = data[:len(data)-1]
	}
	return data
}

// ExtensionLog gives the end of the extension's log file; empty when it never wrote one.
func (c *Core) ExtensionLog(ctx context.Context, ref extension.Ref) (text string, truncated bool, err error) {
	file, err := os.Open(deno.LogFile(c.places.Logs, ref))
	if errors.Is(err, os.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("open the log of %s: %w", ref.ID, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", false, fmt.Errorf("read the log of %s: %w", ref.ID, err)
	}
	if truncated = info.Size() > maxShownLogBytes; truncated {
		if _, err := file.Seek(-maxShownLogBytes, io.SeekEnd); err != nil {
			return "", false, fmt.Errorf("read the log of %s: %w", ref.ID, err)
		}
	}
	data, err := io.ReadAll(io.LimitReader(file, maxShownLogBytes))
	if err != nil {
		return "", false, fmt.Errorf("read the log of %s: %w", ref.ID, err)
	}
	return string(data), truncated, nil
}

// ExtensionFolder is where the extension's files lie.
func (c *Core) ExtensionFolder(ctx context.Context, ref extension.Ref) (string, error) {
	ext, err := c.Copy(ctx, ref)
	if err != nil {
		return "", err
	}
	return filepath.Clean(ext.Root), nil
}

// SetGrant decides one permission of one tool for always, or puts it back to asking. It counts at once: nothing that was
// prepared under the old decision is used again.
func (c *Core) SetGrant(ctx context.Context, subject grant.Subject, key string, decision grant.Decision) (ExtensionView, error) {
	ext, err := c.Copy(ctx, subject.Ref)
	if err != nil {
		return ExtensionView{}, err
	}
	tool := ext.Tool(subject.Tool)
	if tool == nil || !slices.ContainsFunc(tool.Permissions, func(p extension.Permission) bool { return p.Key() == key }) {
		return ExtensionView{}, extension.NewProblem("grant.undeclared", "{tool} declares no permission {key}.", "Only what a tool declares can be decided.",
			"tool", extension.Address(subject.ID, subject.Tool), "key", key)
	}
	if err := c.grants.Set(ctx, subject, key, decision); err != nil {
		return ExtensionView{}, err
	}
	c.instances.refresh(subject.Ref)
	c.extensionsChanged()
	return c.view(ctx, ext)
}

package app

import (
	"context"

	"portico/backend/core"
	"portico/backend/memory"
)

// Memories is the page of what the agent knows: knowledge and skills.
type Memories struct {
	core   *core.Core
	window Window
}

type MemoryID struct {
	ID string `json:"id"`
}

type MemorySwitch struct {
	ID      string `json:"id"`
	Enabled bool   `json:"enabled"`
}

type MemoryUndo struct {
	Undo string `json:"undo"`
}

type MemoryFileName struct {
	ID   string `json:"id"`
	Name string `json:"name"` // its path in the skill's folder, with "/"
}

type MemoryFileText struct {
	Content string `json:"content"`
}

// List gives all memories by title; the composer completes "@" from it with those that are on and have no problem.
func (m *Memories) List(ctx context.Context, _ None) (memory.List, error) {
	return m.core.Memories(ctx)
}

// Get gives one memory's text for the editor.
func (m *Memories) Get(ctx context.Context, r MemoryID) (memory.Text, error) {
	return m.core.Memory(ctx, r.ID)
}

// Save keeps a new memory, or a change; what was changed elsewhere since "before" is a problem "memory.changed".
func (m *Memories) Save(ctx context.Context, r memory.Draft) (memory.Item, error) {
	return m.core.SaveMemory(ctx, r)
}

// Remove takes a memory away; Restore brings it back for a day.
func (m *Memories) Remove(ctx context.Context, r MemoryID) (MemoryUndo, error) {
	undo, err := m.core.RemoveMemory(ctx, r.ID)
	return MemoryUndo{undo}, err
}

// Restore undoes Remove.
func (m *Memories) Restore(ctx context.Context, r MemoryUndo) (memory.Item, error) {
	return m.core.RestoreMemory(ctx, r.Undo)
}

// SetEnabled switches one memory on or off.
func (m *Memories) SetEnabled(ctx context.Context, r MemorySwitch) (memory.Item, error) {
	return m.core.SetMemoryEnabled(ctx, r.ID, r.Enabled)
}

// File gives the text of a file that a skill bundles.
func (m *Memories) File(ctx context.Context, r MemoryFileName) (MemoryFileText, error) {
	content, err := m.core.MemoryFile(ctx, r.ID, r.Name)
	return MemoryFileText{content}, err
}

// OpenFolder shows the person's memories in the file manager.
func (m *Memories) OpenFolder(_ context.Context, _ None) (None, error) {
	folder, err := m.core.MemoriesFolder()
	if err != nil {
		return None{}, err
	}
	return None{}, m.window.OpenPath(folder)
}

package core

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"portico/backend/event"
	"portico/backend/extension"
	"portico/backend/memory"
)

// openMemories makes the store of the memories. Nothing is read before they are used.
func (c *Core) openMemories() *memory.Store {
	return memory.New(memory.Options{
		Folder: c.places.Memories, Sources: c.memorySources, Switches: memorySwitches{c.kept},
		Changed: func() { c.Events.Publish(event.Event{Topic: event.Memories}) },
	})
}

// memorySources gives the extensions that ship memories. Those of one whose code may not run are not used either.
func (c *Core) memorySources(ctx context.Context) ([]memory.Source, error) {
	copies, err := c.usable(ctx)
	if err != nil {
		return nil, err
	}
	var sources []memory.Source
	for n := range copies {
		if ext := &copies[n]; len(ext.Memories) > 0 {
			ref := ext.Ref()
			sources = append(sources, memory.Source{Key: ref.Key(), Name: ext.DisplayName, Root: ext.Root, Memories: ext.Memories,
				Check: func(ctx context.Context) error { return c.installer.Verify(ctx, ref) }})
		}
	}
	return sources, nil
}

// Memories lists all memories, the person's and those of extensions.
func (c *Core) Memories(ctx context.Context) (memory.List, error) { return c.memories.List(ctx) }

// Memory gives one memory's text.
func (c *Core) Memory(ctx context.Context, id string) (memory.Text, error) {
	return c.memories.Text(ctx, id)
}

// SaveMemory keeps a new memory, or a change of one.
func (c *Core) SaveMemory(ctx context.Context, d memory.Draft) (memory.Item, error) {
	return c.memories.Save(ctx, d)
}

// RemoveMemory takes one away; undo is for RestoreMemory, and good for a day.
func (c *Core) RemoveMemory(ctx context.Context, id string) (undo string, err error) {
	return c.memories.Remove(ctx, id)
}

// RestoreMemory undoes RemoveMemory.
func (c *Core) RestoreMemory(ctx context.Context, undo string) (memory.Item, error) {
	return c.memories.Restore(ctx, undo)
}

// SetMemoryEnabled switches one memory on or off.
func (c *Core) SetMemoryEnabled(ctx context.Context, id string, enabled bool) (memory.Item, error) {
	return c.memories.SetEnabled(ctx, id, enabled)
}

// MemoryFile gives the text of a file that a skill bundles.
func (c *Core) MemoryFile(ctx context.Context, id, name string) (string, error) {
	return c.memories.FileOf(ctx, id, name)
}

// MemoriesFolder is where the person's memories lie.
func (c *Core) MemoriesFolder() (string, error) { return c.memories.Folder() }

// memorySwitches keep the switches of memories in one value: there are only those that were touched.
type memorySwitches struct{ kept kept }

const memorySwitchesKey = "memories"

func (m memorySwitches) Switched(ctx context.Context) (map[string]bool, error) {
	on := map[string]bool{}
	err := m.kept.get(ctx, memorySwitchesKey, &on)
	return on, err
}

func (m memorySwitches) Switch(ctx context.Context, id string, enabled bool) error {
	return m.change(ctx, func(on map[string]bool) { on[id] = enabled })
}

func (m memorySwitches) Forget(ctx context.Context, id string) error {
	return m.change(ctx, func(on map[string]bool) { delete(on, id) })
}

// forget drops the switches of an extension's memories.
func (m memorySwitches) forget(ctx context.Context, ref extension.Ref) error {
	return m.change(ctx, func(on map[string]bool) {
		maps.DeleteFunc(on, func(id string, _ bool) bool { return strings.HasPrefix(id, ref.Key()+"/") })
	})
}

// change reads and writes within one transaction: another process may switch at the same time.
func (m memorySwitches) change(ctx context.Context, do func(map[string]bool)) error {
	err := m.kept.db.Write(ctx, func(tx *sql.Tx) error {
		on := map[string]bool{}
		var value []byte
		err := tx.QueryRowContext(ctx, `SELECT value FROM settings WHERE key=?`, memorySwitchesKey).Scan(&value)
		if err == nil {
			err = json.Unmarshal(value, &on)
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		before := maps.Clone(on)
		if do(on); maps.Equal(before, on) {
			return nil
		}
		if value, err = json.Marshal(on); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO settings(key,value) VALUES(?,?) ON CONFLICT(key) DO UPDATE SET value=excluded.value`, memorySwitchesKey, value)
		return err
	})
	if err != nil {
		return fmt.Errorf("keep which memories are on: %w", err)
	}
	return nil
}

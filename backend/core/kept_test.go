package core

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/memory"
	"portico/backend/session"
)

// gives runs a tool in a session of its own and gives its result.
func gives(t *testing.T, c *Core, address, args string) string {
	t.Helper()
	in := newSession(t, c)
	if _, err := c.RunTool(t.Context(), in.ID, address, json.RawMessage(args)); err != nil {
		t.Fatal(err)
	}
	entries := settled(t, c, in.ID, nil)
	last := entries[len(entries)-1]
	if last.Call == nil || last.State != session.Done {
		t.Fatalf("%s: got %s %+v", address, kinds(entries), last.Call)
	}
	return string(last.Call.Result)
}

// shipped gives the memories of extensions.
func shipped(t *testing.T, c *Core) []memory.Item {
	t.Helper()
	list, err := c.Memories(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var items []memory.Item
	for _, item := range list.Items {
		if item.Owner != "" {
			items = append(items, item)
		}
	}
	return items
}

// loca-extensions.md, The manifest: tools may be empty.
func TestAnExtensionOfMemoriesAloneNeedsNoModule(t *testing.T) {
	c := open(t, t.TempDir())
	for name, more := range map[string]map[string]string{
		"lore-alone": {}, "lore-with-imports": {"deno.json": `{"imports":{"@/":"./lib/"}}`}, "lore-published": {"package.json": `{"name":"lore-published","version":"1.2.3"}`},
	} {
		files := map[string]string{"note.md": "Owls fly at night.", "loca.json": `{"name":"` + name + `","displayName":"Lore","description":"D","memories":[{"kind":"knowledge","path":"note.md"}]}`}
		for file, text := range more {
			files[file] = text
		}
		v := installedFrom(t, c, files)
		items := shipped(t, c)
		if v.Problem != nil || len(items) != 1 || items[0].Title != "note" || !items[0].ReadOnly || items[0].Enabled || items[0].Kind != capability.Knowledge {
			t.Errorf("%s: got %v %+v", name, v.Problem, items)
		}
		if err := c.Remove(t.Context(), v.Ref()); err != nil {
			t.Fatal(err)
		}
		if items := shipped(t, c); len(items) > 0 {
			t.Errorf("%s: removed, and still there: %+v", name, items)
		}
	}
}

func TestAnUpdateKeepsWhatAnExtensionKeptAndRemovingDropsIt(t *testing.T) {
	data := t.TempDir()
	c := open(t, data)
	version := func(note string) ExtensionView {
		return installedFrom(t, c, map[string]string{
			"loca.json": `{"name":"keeper","displayName":"Keeper","description":"Keeps.","database":true,"memories":[{"kind":"knowledge","path":"note.md"}],
				"tools":[{"name":"keep","description":"Keeps a word.","parameters":{"type":"object"},"function":"keep"},{"name":"kept","description":"Lists them.","parameters":{"type":"object"},"function":"kept"}]}`,
			"index.ts": `export async function keep({ word }, ctx) {
				await ctx.db.execute("CREATE TABLE IF NOT EXISTS words (word TEXT)");
				return (await ctx.db.execute("INSERT INTO words VALUES (?)", [word])).changes;
			}
			export const kept = async (_, ctx) => (await ctx.db.query("SELECT word FROM words")).map((row) => row.word);`,
			"note.md": note,
		})
	}
	v := version("One.")
	if got := gives(t, c, extension.Address("keeper", "keep"), `{"word":"owl"}`); got != "1" {
		t.Fatalf("got %s", got)
	}
	if _, err := c.SetMemoryEnabled(t.Context(), shipped(t, c)[0].ID, true); err != nil {
		t.Fatal(err)
	}
	version("Two.")
	if got := gives(t, c, extension.Address("keeper", "kept"), `{}`); got != `["owl"]` { // a sibling shares the database
		t.Errorf("after an update the database has %s", got)
	}
	items := shipped(t, c)
	if len(items) != 1 || !items[0].Enabled {
		t.Errorf("after an update the memories are %+v", items)
	}
	if text, err := c.Memory(t.Context(), items[0].ID); err != nil || text.Content != "Two." {
		t.Errorf("got %+v %v", text, err)
	}
	folder := filepath.Join(data, "extension-data", v.Ref().Key())
	if _, err := os.Stat(filepath.Join(folder, "data.sqlite")); err != nil {
		t.Fatalf("the test looks at the wrong place: %v", err)
	}
	if err := c.Remove(t.Context(), v.Ref()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("removed, and its data is there: %v", err)
	}
	version("Three.")
	if items := shipped(t, c); len(items) != 1 || items[0].Enabled {
		t.Errorf("installed anew, the memories are %+v", items)
	}
	in := newSession(t, c)
	if _, err := c.RunTool(t.Context(), in.ID, extension.Address("keeper", "kept"), json.RawMessage(`{}`)); err != nil {
		t.Fatal(err)
	}
	entries := settled(t, c, in.ID, nil)
	if last := entries[len(entries)-1]; last.Call == nil || last.Call.Error == nil || !strings.Contains(last.Call.Error.What, "no such table") {
		t.Errorf("installed anew, it still has %s %+v", kinds(entries), last.Call)
	}
}

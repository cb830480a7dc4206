package core

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/backend/extension"
)

func TestAToolIsToldTheLanguageThatThePersonChose(t *testing.T) {
	source := t.TempDir()
	for name, text := range map[string]string{
		"loca.json": `{"name":"telling","displayName":"Telling","description":"D","tools":[{"name":"t","description":"d","parameters":{"type":"object"},"function":"t"}]}`,
		"index.ts":  "export const t = async (_, ctx) => ctx.getChatContext().locale;",
	} {
		if err := os.WriteFile(filepath.Join(source, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := open(t, t.TempDir())
	if _, err := c.Install(t.Context(), InstallRequest{Source: source}); err != nil {
		t.Fatal(err)
	}
	for _, chosen := range []struct{ language, want string }{{"system", "en-GB"}, {"es", "es"}, {"en", "en-GB"}} {
		s := defaultSettings
		s.Language = chosen.language
		if _, err := c.SaveSettings(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		in := newSession(t, c)
		if _, err := c.RunTool(t.Context(), in.ID, extension.Address("telling", "t"), json.RawMessage(`{}`)); err != nil {
			t.Fatal(err)
		}
		entries := settled(t, c, in.ID, nil)
		if got := entries[len(entries)-1].Call; got == nil || strings.Trim(string(got.Result), `"`) != chosen.want {
			t.Errorf("%s: got %s %+v, want %s", chosen.language, kinds(entries), got, chosen.want)
		}
	}
}

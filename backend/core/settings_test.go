package core

import (
	"encoding/json"
	"strings"
	"testing"

	"portico/backend/extension"
	"portico/backend/runtime/deno"
)

func TestSettingsAreCheckedAndKept(t *testing.T) {
	data := t.TempDir()
	c := open(t, data)
	s, err := c.Settings(t.Context())
	if err != nil || s != defaultSettings {
		t.Fatalf("got %+v %v", s, err)
	}
	few, more, odd := deno.LeastLimits, deno.MostLimits, deno.StandardLimits
	few.Megabytes--
	more.Ahead++
	odd.CPUSeconds = 0
	fine := deno.StandardLimits
	for _, bad := range []Settings{
		{"pink", "en", 100, 5, fine}, {"dark", "fr", 100, 5, fine}, {"dark", "en", 99, 5, fine}, {"dark", "en", 201, 5, fine}, {"dark", "en", 100, 0, fine},
		{"dark", "en", 100, 101, fine}, {"dark", "en", 100, 5, few}, {"dark", "en", 100, 5, more}, {"dark", "en", 100, 5, odd}, {"dark", "en", 100, 5, deno.Limits{}},
	} {
		if _, err := c.SaveSettings(t.Context(), bad); err == nil {
			t.Errorf("%+v was kept", bad)
		}
	}
	want := Settings{"dark", "es", 150, 30, deno.LeastLimits}
	if _, err := c.SaveSettings(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if got, err := open(t, data).Settings(t.Context()); err != nil || got != want {
		t.Errorf("got %+v %v", got, err)
	}
}

func TestTheSystemsLocale(t *testing.T) {
	for value, want := range map[string]string{"es_ES.UTF-8": "es-ES", "de": "de", "C": "en", "POSIX": "en", "": "en", "C.UTF-8": "en", "ca_ES@valencia": "ca-ES", "pt_BR": "pt-BR"} {
		if got := systemLocale(func(name string) string {
			if name == "LANG" {
				return value
			}
			return ""
		}, func() string { return "" }); got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
	none := func(string) string { return "" }
	if got := systemLocale(none, func() string { return "es-ES" }); got != "es-ES" {
		t.Errorf("an app that is started from the desktop: got %q", got)
	}
	if got := systemLocale(func(string) string { return "de_DE.UTF-8" }, func() string { return "es-ES" }); got != "de-DE" {
		t.Errorf("the terminal's locale does not come first: got %q", got)
	}
}

func TestTheMemoryOfAToolIsWhatSettingsSayNowAndAfterARestart(t *testing.T) {
	data := t.TempDir()
	c := open(t, data)
	v := installed(t, c, "crash")
	says := func(c *Core, megabytes string) {
		t.Helper()
		in := newSession(t, c)
		if _, err := c.RunTool(t.Context(), in.ID, extension.Address(v.ID, "exhaust_heap"), json.RawMessage(`{}`)); err != nil {
			t.Fatal(err)
		}
		entries := settled(t, c, in.ID, nil)
		last := entries[len(entries)-1]
		if last.Call == nil || last.Call.Error == nil || !strings.Contains(last.Call.Error.What, "needed more memory than the "+megabytes+" MB") {
			t.Errorf("got %s %+v, want %s MB", kinds(entries), last.Call, megabytes)
		}
	}
	s := defaultSettings
	s.Workers.Megabytes = 96
	if _, err := c.SaveSettings(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	says(c, "96")
	says(open(t, data), "96")
}

package core

import (
	"testing"
)

func TestSettingsAreCheckedAndKept(t *testing.T) {
	data := t.TempDir()
	c := open(t, data)
	s, err := c.Settings(t.Context())
	if err != nil || s != defaultSettings {
		t.Fatalf("got %+v %v", s, err)
	}
	for _, bad := range []Settings{{"pink", "en", 100, 5}, {"dark", "fr", 100, 5}, {"dark", "en", 99, 5}, {"dark", "en", 201, 5}, {"dark", "en", 100, 0}, {"dark", "en", 100, 101}} {
		if _, err := c.SaveSettings(t.Context(), bad); err == nil {
			t.Errorf("%+v was kept", bad)
		}
	}
	want := Settings{"dark", "es", 150, 30}
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

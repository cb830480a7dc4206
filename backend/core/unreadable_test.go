package core

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"portico/backend/capability"
	"portico/backend/extension"
)

// An extension whose files can't be read shows no tools; who asks for one is told why, not that it never existed.
func TestWhatCannotBeReadSaysWhyInsteadOfHavingNoTools(t *testing.T) {
	for code, spoil := range map[string]func(root string) error{
		"extension.gone":  os.RemoveAll,
		"extension.drift": func(root string) error { return os.Remove(filepath.Join(root, "loca.json")) },
		"extension.drift ": func(root string) error { // the folder became a link
			return errors.Join(os.Rename(root, root+"-away"), os.Symlink(root+"-away", root))
		},
	} {
		c := open(t, t.TempDir())
		v := installed(t, c, "wordcount", "word_count")
		if err := spoil(v.Root); err != nil {
			t.Fatal(err)
		}
		_, runErr := c.RunDirect(t.Context(), Direct{Ref: v.Ref(), Tool: "word_count", Args: []byte(`{"text":"x"}`),
			Host: func(Beside) capability.Host { t.Error("it was started"); return nil }})
		_, switchErr := c.SetToolEnabled(t.Context(), v.Ref(), "word_count", true)
		for name, err := range map[string]error{"run": runErr, "switch": switchErr} {
			var p *extension.Problem
			if !errors.As(err, &p) || p.Code != code && p.Code+" " != code {
				t.Errorf("%s, %s: got %v", code, name, err)
			}
		}
	}
}

package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"portico/app/cli"
)

// hostile is a text that would clear the screen, colour it, name the window, turn text around, hide some, and begin a
// line that looks like Portico's own.
const hostile = "nice\x1b[2J\x1b[1;1H\x1b]0;t\x07\u009b31m\u202e\u2066\u2028\U000e0041\x7f\b\rover\nportico: fake"

// hostileExtension writes an extension whose every text is hostile.
func hostileExtension(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	manifest, err := json.Marshal(map[string]any{
		"name": "hostile", "displayName": hostile, "description": hostile, "license": hostile,
		"tools": []any{map[string]any{
			"name": "speak", "description": hostile, "parameters": map[string]any{"type": "object"}, "function": "speak", "triggers": []string{hostile},
			"permissions": map[string]any{
				"read": []any{map[string]any{"path": "$home/portico: fake", "reason": hostile, "optional": true}},
				"run":  []any{map[string]any{"binary": "portico: fake", "reason": hostile, "optional": true}},
			},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	code := `const s = ` + string(text) + `;
export async function speak(args, ctx) {
  ctx.log("info", s); ctx.setProgress(0.5, s, s); console.log(s);
  ctx.display.markdown(s); ctx.display.table([s], [[s]]); ctx.display.diff(s, s, s);
  if (args.ask) return await ctx.askUser([{ question: s, options: [{ label: s, value: s }] }]);
  if (args.fail) throw new Error(s);
  return { [s]: s };
}`
	for name, data := range map[string][]byte{"loca.json": manifest, "index.js": []byte(code), "deno.json": []byte(`{"exports":"./index.js"}`)} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestWhatStrangersWroteStaysTextOnATerminal(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PORTICO_HOME", t.TempDir())
	t.Setenv("PATH", filepath.Join(root, "build", "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	folder := hostileExtension(t)
	for _, c := range []struct {
		args  []string
		typed string // what a person types; empty: nobody is there
		code  int
	}{
		{args: []string{"check", folder}},
		{args: []string{"check", "--json", folder}},
		{args: []string{"extension", "add", folder}},
		{args: []string{"extension", "list"}},
		{args: []string{"extension", "list", "--json"}},
		{args: []string{"extension", "info", "hostile"}},
		{args: []string{"extension", "info", "hostile", "--json"}},
		{args: []string{"run", "hostile/speak"}},
		{args: []string{"run", "hostile/speak"}, typed: "n\nn\n"},
		{args: []string{"run", "hostile/speak", "--args", `{"fail":true}`}, code: 1},
		{args: []string{"run", "hostile/speak", "--args", `{"ask":true}`}, code: 1},
		{args: []string{"run", "hostile/speak", "--args", `{"ask":true}`}, typed: "n\nn\n1\n"},
		{args: []string{"run", "hostile/speak", "--allow", hostile}, code: 2},
		{args: []string{"chat", hostile}},
		{args: []string{"chat", "--json", "nice"}},
		{args: []string{"extension", "enable", "hostile"}},
		{args: []string{"extension", "info", hostile}, code: 1},
		{args: []string{hostile}, code: 2},
		{args: []string{"extension", "remove", "hostile"}},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			var out, errs bytes.Buffer
			if code := cli.Main(c.args, cli.Terminal{In: strings.NewReader(c.typed), Out: &out, Err: &errs, Interactive: c.typed != "", Version: "test"}); code != c.code {
				t.Errorf("exits with %d\n%s%s", code, &out, &errs)
			}
			for name, text := range map[string]string{"output": out.String(), "errors": errs.String()} {
				for _, r := range text {
					if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Cf, r) || r == 0x2028 {
						t.Errorf("the %s hold %U: %q", name, r, text)
						break
					}
				}
				for line := range strings.Lines(text) {
					if strings.HasPrefix(line, "portico: fake") {
						t.Errorf("the %s hold a line that looks like Portico's: %q", name, text)
					}
				}
			}
			if slices.Contains(c.args, "--json") || c.code == 0 && c.args[0] == "run" {
				for decoder := json.NewDecoder(&out); decoder.More(); {
					var value any
					if err := decoder.Decode(&value); err != nil {
						t.Fatalf("no JSON: %v", err)
					}
					if c.args[0] == "run" && len(c.args) == 2 && value.(map[string]any)[hostile] != hostile {
						t.Errorf("the result became %q", value)
					}
				}
			}
		})
	}
}

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestAnAnswerThatCouldNotBeWrittenIsAFailure(t *testing.T) {
	t.Setenv("PORTICO_HOME", t.TempDir())
	for _, args := range []string{"extension list", "extension list --json", "chat hello", "chat hello --json", "doctor", "--version"} {
		var errs bytes.Buffer
		code := cli.Main(strings.Fields(args), cli.Terminal{In: strings.NewReader(""), Out: fullDisk{}, Err: &errs, Version: "test"})
		if code != 1 || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%s: exits with %d, %s", args, code, &errs)
		}
	}
}

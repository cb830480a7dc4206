package deno

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"portico/backend/capability"
)

func TestDenoIsLookedForWhereNobodyElsePutsIt(t *testing.T) {
	name := "deno"
	if runtime.GOOS == "windows" {
		name = "deno.exe"
	}
	place := func(parts ...string) string {
		path := filepath.Join(parts...)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	onPath := func(path string, err error) func(string) (string, error) {
		return func(string) (string, error) { return path, err }
	}
	says := func(version string) func(string) (string, error) {
		return func(string) (string, error) { return version, nil }
	}
	installed, bare, checkout, path := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	place(checkout, "go.mod")
	place(checkout, "backend", "x", "y.go")
	beside, built, other := place(installed, name), place(checkout, "build", "bin", name), place(path, name)
	for what, c := range map[string]struct {
		executable, working string
		lookPath            func(string) (string, error)
		version, want       string
	}{
		"beside the executable":                 {filepath.Join(installed, "portico"), checkout, onPath(other, nil), Version, beside},
		"a test, in its checkout":               {filepath.Join(bare, "deno.test"), filepath.Join(checkout, "backend", "x"), onPath(other, nil), Version, built},
		"the app, started in a stranger's code": {filepath.Join(bare, "portico"), filepath.Join(checkout, "backend", "x"), onPath("", exec.ErrNotFound), Version, ""},
		"on the PATH":                           {filepath.Join(bare, "portico"), bare, onPath(other, nil), Version, other},
		"another version on the PATH":           {filepath.Join(bare, "portico"), bare, onPath(other, nil), "1.0.0", ""},
		"in the current folder":                 {filepath.Join(bare, "portico"), bare, onPath("", exec.ErrDot), Version, ""},
		"nowhere":                               {filepath.Join(bare, "portico"), bare, onPath("", exec.ErrNotFound), Version, ""},
	} {
		got, err := find(c.executable, c.working, c.lookPath, says(c.version))
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: got %s, %v, want %s", what, got, err, c.want)
		}
	}
	if _, err := find(filepath.Join(bare, "portico"), bare, onPath(other, nil), func(string) (string, error) { return "", errors.New("it does not run") }); err == nil {
		t.Error("one that does not run is taken")
	}
}

func TestAClockPausesAndGoesOnWithWhatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c clock
		c.start(10 * time.Second)
		time.Sleep(6 * time.Second)
		c.pause()
		c.pause()
		time.Sleep(time.Hour)
		if len(c.over) != 0 {
			t.Error("it runs while it is paused")
		}
		c.resume()
		c.resume()
		began := time.Now()
		<-c.over
		if took := time.Since(began); took != 4*time.Second {
			t.Errorf("it had %v left, want 4s", took)
		}
		c.stop()
		var none clock
		none.start(0)
		none.pause()
		none.resume()
		time.Sleep(time.Hour)
		if len(none.over) != 0 {
			t.Error("no limit runs out")
		}
	})
}

func TestProgressIsPassedOnAtMostThirtyTimesASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var passed []float64
		c := coalescer{pass: func(p capability.Progress) { passed = append(passed, p.Fraction) }}
		for n := range 1000 {
			select {
			case <-c.due():
				c.flush()
			default:
			}
			c.add(capability.Progress{Fraction: float64(n)})
			time.Sleep(time.Millisecond)
		}
		c.flush()
		if len(passed) > 32 || passed[0] != 0 || passed[len(passed)-1] != 999 {
			t.Errorf("got %d: %v", len(passed), passed)
		}
	})
}

func TestAFrameIsBelievedOnlyInItsShape(t *testing.T) {
	for text, want := range map[string]bool{
		`{"type":"ready"}`: true, `{"type":"result","result":{"a":[1]}}`: true, `{"type":"log","level":"info","message":"x","more":1}`: true,
		`{"type":"permission_prompt"}`: false, `{"type":"worker_exited"}`: false, `{}`: false, `[]`: false, `null`: false, ``: false, `{"type":"result","result":}`: false, `{"type":"result"} 1`: false,
		`{"type":"progress","fraction":"much"}`: false, `{"type":"ask","request":"1"}`: false, `{"type":"ready"} {"type":"ready"}`: false,
	} {
		if _, ok := decodeFrame([]byte(text), false); ok != want {
			t.Errorf("%s: got %v", text, ok)
		}
	}
	if f, ok := decodeFrame(nil, true); !ok || f.Type != "too-big" {
		t.Errorf("a frame that is too long: got %+v", f)
	}
}

func FuzzFrames(f *testing.F) {
	for _, seed := range []string{`{"type":"display","display":{"kind":"table","columns":["a"],"rows":[[{"b":1}]]}}`, `{"type":"ask","request":1,"questions":[{"question":"?"}]}`, `{"type":"progress","fraction":1e999}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		frame, ok := decodeFrame(data, false)
		if !ok {
			return
		}
		if p := frame.progress(); !(p.Fraction >= 0 && p.Fraction <= 1) || units(p.Label) > maxShortText {
			t.Errorf("progress is out of bounds: %+v", p)
		}
		if display, show, warning := checkDisplay(frame.Display); show {
			if _, err := json.Marshal(display); err != nil || units(display.Markdown) > maxMarkdown || len(display.Rows) > maxRows {
				t.Errorf("a display is out of bounds: %v", err)
			}
		} else if warning == "" {
			t.Error("a display is dropped without a word")
		}
		checkQuestions(frame.Questions)
	})
}

func TestLinesAreReadWhateverTheirLength(t *testing.T) {
	long := strings.Repeat("x", 100)
	from := bufio.NewReaderSize(strings.NewReader("one\r\n\n"+long+"\n"+long+"\nlast"), 16)
	for _, want := range []struct {
		text    string
		tooLong bool
	}{{"one", false}, {"", false}, {long[:48], true}, {long[:48], true}, {"last", false}} {
		line, tooLong, _ := readLine(from, 50)
		if string(line) != want.text || tooLong != want.tooLong {
			t.Errorf("got %q, %v, want %q, %v", line, tooLong, want.text, want.tooLong)
		}
	}
}

func TestTextsAreCountedAndCutAsJavaScriptDoes(t *testing.T) {
	for _, c := range []struct {
		text string
		max  int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc"}, {"éé", 1, "é"}, {"a😀", 2, "a"}, {"a😀", 3, "a😀"}, {"😀", 1, ""}} {
		if got := cut(c.text, c.max); got != c.want || units(got) > c.max {
			t.Errorf("%q cut at %d: got %q, want %q", c.text, c.max, got, c.want)
		}
	}
}

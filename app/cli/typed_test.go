package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"portico/app/cli"
)

// keyboard gives what was typed, and can forget what nobody read yet, as a terminal's driver does.
type keyboard struct {
	mu    sync.Mutex
	typed bytes.Buffer
	more  chan struct{}
}

func (k *keyboard) press(text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.typed.WriteString(text)
	select {
	case k.more <- struct{}{}:
	default:
	}
}

func (k *keyboard) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.typed.Reset()
}

func (k *keyboard) Read(into []byte) (int, error) {
	for {
		k.mu.Lock()
		n, _ := k.typed.Read(into)
		k.mu.Unlock()
		if n > 0 {
			return n, nil
		}
		<-k.more
	}
}

// screen calls back when a prompt appears.
type screen struct {
	mu     sync.Mutex
	text   bytes.Buffer
	prompt func()
}

func (s *screen) Write(data []byte) (int, error) {
	s.mu.Lock()
	s.text.Write(data)
	s.mu.Unlock()
	if bytes.Contains(data, []byte("[y/N]")) {
		s.prompt()
	}
	return len(data), nil
}

func TestWhatWasTypedBeforeAPermissionWasAskedForAllowsNothing(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PORTICO_HOME", t.TempDir())
	t.Setenv("PATH", filepath.Join(root, "build", "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	folder := hostileExtension(t)
	for _, c := range []struct {
		before, then string
		allowed      bool
	}{{"y\ny\ny\ny\n", "n\n", false}, {"y\ny\n", "n\ny\n", false}, {"n\nn\n", "y\n", true}} {
		if code := cli.Main([]string{"extension", "add", folder}, cli.Terminal{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, Version: "test"}); code != 0 {
			t.Fatal("not installed")
		}
		keys := &keyboard{more: make(chan struct{}, 1)}
		shown := &screen{prompt: func() { keys.press(c.then) }}
		keys.press(c.before)
		cli.Main([]string{"run", "hostile/speak"}, cli.Terminal{In: keys, Out: &bytes.Buffer{}, Err: shown, Interactive: true, Forget: keys.forget, Version: "test"})
		// A program that does not exist is not given even when it was allowed, and then the log says so.
		if got := strings.Contains(shown.text.String(), "is not given"); got != c.allowed {
			t.Errorf("typed %q, then %q: allowed %v\n%s", c.before, c.then, got, shown.text.String())
		}
	}
}

package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"portico/app/cli"
)

// TestMain lets the test binary be `portico` for the scripts: each call is a process of its own, as a person's is.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"portico": func() {
			os.Exit(cli.Main(os.Args[1:], cli.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Version: "test"}))
		},
	})
}

func TestTheCommandLine(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("PORTICO_HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("EXAMPLES", filepath.Join(root, "testdata", "loca"))
			// An installed Portico has its Deno beside it; the test binary stands in a folder of its own.
			env.Setenv("PATH", filepath.Join(root, "build", "bin")+string(os.PathListSeparator)+env.Getenv("PATH"))
			return nil
		},
	})
}

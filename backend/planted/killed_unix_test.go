//go:build unix

package planted

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// dieAt plants 1.1.0, and is killed at the step.
func dieAt(t *testing.T, step string) {
	die := func() error { return syscall.Kill(os.Getpid(), syscall.SIGKILL) }
	g := garden(os.Getenv("PORTICO_TEST_DATA"))
	last, looked := g.Last, 0
	g.Last = func(ctx context.Context) (string, error) {
		if looked++; looked == 2 && step == "in its turn" {
			return "", die()
		}
		return last(ctx)
	}
	remember := g.Remember
	g.Remember = func(ctx context.Context, version string) error {
		if step == "after the install" {
			return die()
		}
		if err := remember(ctx, version); err != nil {
			return err
		}
		return die()
	}
	t.Fatalf("the process outlived its end: %v", g.Plant(t.Context(), archive(t, "1.1.0")))
}

func TestAKilledStartIsMendedByTheNext(t *testing.T) {
	if step := os.Getenv("PORTICO_TEST_DIE"); step != "" {
		dieAt(t, step)
	}
	for _, step := range []string{"in its turn", "after the install", "at the end"} {
		for _, before := range []string{"", "1.0.0"} {
			t.Run(fmt.Sprintf("%s, over %q", step, before), func(t *testing.T) {
				g := garden(t.TempDir())
				if before != "" {
					planting(t, g, archive(t, before))
				}
				killed := exec.Command(os.Args[0], "-test.run", "^TestAKilledStartIsMendedByTheNext$")
				killed.Env = append(os.Environ(), "PORTICO_TEST_DIE="+step, "PORTICO_TEST_DATA="+g.Data)
				if out, err := killed.CombinedOutput(); !strings.Contains(fmt.Sprint(err), "killed") {
					t.Fatalf("the process was not killed: %v\n%s", err, out)
				}
				if err := g.Installer.Recover(t.Context()); err != nil {
					t.Fatal(err)
				}
				planting(t, g, archive(t, "1.1.0"))
				expectVersion(t, g, "1.1.0")
				if err := g.Installer.Remove(t.Context(), copied(t, g).Ref()); err != nil {
					t.Fatal(err)
				}
				planting(t, g, archive(t, "1.1.0"))
				expectVersion(t, g, "")
			})
		}
	}
}

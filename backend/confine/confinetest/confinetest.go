// Package confinetest gives tests the launcher as it stands in the checkout, so that none runs against an older one or
// needs the build driver first. It is for tests alone.
package confinetest

import (
	"fmt"
	"os"
	"testing"
)

// Main is for TestMain: it runs the tests with the launcher of this checkout, then the check (goleak's, for one), and exits.
func Main(m *testing.M, check func() error) {
	clean, err := use()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if code == 0 && check != nil {
		if err := check(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	clean()
	os.Exit(code)
}

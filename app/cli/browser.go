//go:build browser

package cli

import (
	"context"
	"fmt"
	"net"
	"sync"

	"github.com/spf13/cobra"

	"portico/app/browser"
	"portico/app/opener"
	"portico/backend/core"
)

func init() { development = append(development, newBrowser) }

// newBrowser serves the window's page to a browser on this computer, for development and end-to-end tests.
func newBrowser(t Terminal) *cobra.Command {
	var address string
	c := &cobra.Command{Use: "browser", Short: "Serve the window to a browser on this computer (development builds only)", Args: exactly(), RunE: func(c *cobra.Command, _ []string) error {
		host, _, err := net.SplitHostPort(address)
		if err != nil || !net.ParseIP(host).IsLoopback() {
			return wrongUsage("--addr must be a loopback address with a port, such as 127.0.0.1:0")
		}
		t.Interactive = true // the page answers
		return withCore(c.Context(), t, func(k *core.Core) error {
			listener, err := net.Listen("tcp", address)
			if err != nil {
				return fmt.Errorf("listen on %s: %w", address, err)
			}
			keeping, stop := context.WithCancel(c.Context())
			var schedules sync.WaitGroup
			schedules.Go(func() { k.KeepSchedules(keeping) })
			defer schedules.Wait()
			defer stop()
			return browser.Serve(c.Context(), k, t.Assets, page{}, listener, func(address string) { fmt.Fprintln(t.Out, address) })
		})
	}}
	c.Flags().StringVar(&address, "addr", "127.0.0.1:0", "the loopback address to listen on")
	return c
}

// page is the window that a browser page stands in for: no native dialogs, and it shows itself.
type page struct{}

func (page) ChooseFolder(context.Context, string) (string, error) { return "", nil }
func (page) OpenURL(address string) error                         { return opener.URL(address) }
func (page) OpenPath(path string) error                           { return opener.Path(path) }
func (page) Ready()                                               {}
func (page) Native() bool                                         { return false }

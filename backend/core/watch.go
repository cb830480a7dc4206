package core

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"portico/backend/install"
)

// lockQuiet is how long the lock must rest before it is read: one install writes several times.
const lockQuiet = 100 * time.Millisecond

// watchLocks follows the agent scope's lock until ctx ends: by it, installs of another process (the command line beside the
// app) are noticed. The folder is watched, not the file: an atomic save replaces the file, and a watch on it would be lost
// with the old one.
func (c *Core) watchLocks(ctx context.Context) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch for installs: %w", err)
	}
	if err := watcher.Add(c.places.Extensions); err != nil {
		watcher.Close()
		return fmt.Errorf("watch %s for installs: %w", c.places.Extensions, err)
	}
	c.running.Go(func() {
		defer watcher.Close()
		quiet := time.NewTimer(time.Hour)
		defer quiet.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case event, ok := <-watcher.Events:
				if !ok {
					return
				}
				if filepath.Base(event.Name) == install.LockFile {
					quiet.Reset(lockQuiet)
				}
			case <-watcher.Errors: // an overflow: whatever was missed, read again
				quiet.Reset(lockQuiet)
			case <-quiet.C:
				c.settle(ctx)
			}
		}
	})
	return nil
}

// settle brings what runs in step with what is installed, after another process changed it.
func (c *Core) settle(ctx context.Context) {
	copies, err := c.installer.List(ctx)
	if err == nil {
		// An instance that won't stop is seen in its health; there is nothing more to do with the error here.
		_ = c.instances.settle(ctx, copies)
	}
	c.extensionsChanged()
}

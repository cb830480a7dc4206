package install

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// syncPackages makes packages durable. They are thousands of small files that another program wrote: one flush of their file
// system takes a fraction of one for each.
func syncPackages(folder string) error {
	opened, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer opened.Close()
	if err := unix.Syncfs(int(opened.Fd())); err != nil {
		return fmt.Errorf("make %s durable: %w", folder, err)
	}
	return nil
}

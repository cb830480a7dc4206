package window

import (
	"context"
	"os/exec"
	"strings"
)

// systemIsDark reads the appearance; the key is there in dark mode only.
func systemIsDark() bool {
	said, err := exec.Command("defaults", "read", "-g", "AppleInterfaceStyle").Output()
	return err == nil && strings.TrimSpace(string(said)) == "Dark"
}

// watchSystemTheme: the web view follows the system by itself there.
func watchSystemTheme(context.Context, func()) {}

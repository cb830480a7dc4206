package core

import (
	"context"
	"strings"
)

// desktopLocale is the language that the person chose in System Settings: an app that is started from the Finder has no
// LANG.
func desktopLocale() string {
	said, err := run(context.Background(), "/usr/bin/defaults", "read", "-g", "AppleLocale") // "es_ES", "zh-Hans_CN@calendar=…"
	if err != nil {
		return ""
	}
	name, _, _ := strings.Cut(firstLine(said), "@")
	return strings.ReplaceAll(name, "_", "-")
}

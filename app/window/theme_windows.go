package window

import (
	"context"

	"golang.org/x/sys/windows/registry"
)

func systemIsDark() bool {
	key, err := registry.OpenKey(registry.CURRENT_USER, `Software\Microsoft\Windows\CurrentVersion\Themes\Personalize`, registry.QUERY_VALUE)
	if err != nil {
		return false
	}
	defer key.Close()
	light, _, err := key.GetIntegerValue("AppsUseLightTheme")
	return err == nil && light == 0
}

// watchSystemTheme: the web view follows the system by itself there.
func watchSystemTheme(context.Context, func()) {}

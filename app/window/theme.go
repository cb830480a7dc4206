package window

import (
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/windows"
)

// background is the colour behind the page, that of its own background (--bg of the tokens), so that nothing flashes
// white while the page draws.
func background(dark bool) *options.RGBA {
	if dark {
		return options.NewRGB(0x19, 0x18, 0x17)
	}
	return options.NewRGB(0xfb, 0xfa, 0xf8)
}

// isDark is whether a choice of theme means dark on this system now.
func isDark(theme string) bool {
	switch theme {
	case "dark":
		return true
	case "light":
		return false
	}
	return systemIsDark()
}

func windowsTheme(theme string) windows.Theme {
	switch theme {
	case "dark":
		return windows.Dark
	case "light":
		return windows.Light
	}
	return windows.SystemDefault
}

package window

import (
	"context"
	"log/slog"

	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/windows"
	"github.com/wailsapp/wails/v2/pkg/runtime"
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

// restyle has style look again; it does not wait for it.
func (w *Window) restyle() {
	select {
	case w.styles <- struct{}{}:
	default: // it will look anyway
	}
}

// style keeps what the system draws in step with the settings and the desktop until ctx ends. It is apart from the
// events, which must not wait for a desktop that answers slowly.
func (w *Window) style(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.styles:
			w.applySettings(ctx)
		}
	}
}

// applySettings brings what the system draws in step with the settings: its colours and the menu's language.
func (w *Window) applySettings(ctx context.Context) {
	settings, err := w.core.Settings(ctx)
	if err != nil {
		slog.Warn("the settings could not be read for the window", "error", err)
		return
	}
	dark := isDark(settings.Theme)
	w.native.setDark(w.ctx, dark)
	colour := background(dark)
	runtime.WindowSetBackgroundColour(w.ctx, colour.R, colour.G, colour.B, colour.A)
	language := languageOf(settings.Language, w.core.About(ctx).Locale)
	if language != w.language {
		w.language = language
		w.native.relabel(w.ctx, w.menu(language), labels(w.bar(), language))
	}
}

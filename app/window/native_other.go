//go:build !linux || !production

package window

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/wailsapp/wails/v2/pkg/menu"
	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// native is the system's side of the window where Wails' own calls are all there is: on macOS and Windows, and in
// builds without a window.
type native struct{}

func (native) prepare(hooks, bool) error { return nil }

// setDark: Wails' theme option and the web view follow the system there.
func (native) setDark(context.Context, bool) {}

// place puts the window where it was. Wails names the screens' sizes but not where they are, and opens the window on
// the main one: positions are kept on that.
func (native) place(ctx context.Context, keeper *boundsKeeper) {
	screens, err := runtime.ScreenGetAll(ctx)
	if err != nil {
		return
	}
	var current []Rect
	for _, s := range screens {
		if s.IsCurrent {
			current = []Rect{{Width: s.Size.Width, Height: s.Size.Height}}
		}
	}
	b := keeper.fit(current)
	runtime.WindowSetSize(ctx, b.Width, b.Height)
}

func (native) show(ctx context.Context, b Bounds) {
	if b.Placed && !b.Maximised {
		runtime.WindowSetPosition(ctx, b.X, b.Y)
	}
	runtime.WindowShow(ctx)
}

func (native) seen(ctx context.Context) (Bounds, bool) {
	if ctx == nil || runtime.WindowIsMinimised(ctx) {
		return Bounds{}, false
	}
	b := Bounds{Maximised: runtime.WindowIsMaximised(ctx) || runtime.WindowIsFullscreen(ctx), Placed: true}
	b.X, b.Y = runtime.WindowGetPosition(ctx)
	b.Width, b.Height = runtime.WindowGetSize(ctx)
	return b, true
}

// edit runs an editing command on what has the focus in the page. Pasting by script is refused there, so the text is
// taken from the clipboard here and typed.
func (native) edit(ctx context.Context, command string) {
	if command != "Paste" {
		runtime.WindowExecJS(ctx, "document.execCommand("+strconv.Quote(command)+")")
		return
	}
	text, err := runtime.ClipboardGetText(ctx)
	if err != nil || text == "" {
		return
	}
	if quoted, err := json.Marshal(text); err == nil {
		runtime.WindowExecJS(ctx, "document.execCommand('insertText', false, "+string(quoted)+")")
	}
}

func (native) relabel(ctx context.Context, renamed *menu.Menu, _ []string) {
	runtime.MenuSetApplicationMenu(ctx, renamed)
	runtime.MenuUpdateApplicationMenu(ctx)
}

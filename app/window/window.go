// Package window is Portico's native window: the frontend in the system's web view, a native menu, and the bounds it had last
// time. It carries the API to the page (one bound method, one event) and does for it what a browser cannot: native
// dialogs, dropped files as paths, links in the person's browser.
//
// It promises that the window is shown with its first frame and not before, that nothing takes the page's place in it
// (a dropped file, a link), and that events arrive in order, at most one batch a frame. It leaves everything that
// Portico does to the core, which outlives it.
//
// The page finds it as window.go.window.Bridge.Call(method, request), which gives the JSON of app.Answer, and hears
// window.runtime.EventsOn("portico", (events) => …) with a list of event.Event.
package window

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	goruntime "runtime"
	"sync"
	"time"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/options/mac"
	"github.com/wailsapp/wails/v2/pkg/options/windows"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"portico/app"
	"portico/backend/core"
	"portico/backend/event"
)

const (
	// showAnyway is when the window is shown though the page did not say that it is ready: a broken page must be seen.
	showAnyway = 5 * time.Second
	// boundsFile is where the window's place is kept, in the data folder.
	boundsFile = "window.json"
)

// Window is the one window of the app.
type Window struct {
	anyway *time.Timer // shows the window of a page that says nothing
	core   *core.Core
	native native
	bounds *boundsKeeper

	moved settling

	show   sync.Once
	dialog sync.Mutex // one native dialog at a time

	ctx      context.Context // of Wails' runtime; there once started is closed
	started  chan struct{}
	bridge   *Bridge
	language string        // of the menu
	styles   chan struct{} // holds a token while the settings or the desktop changed
}

// Run opens the window and returns when it was closed. It must be called by the main goroutine, before anything else
// uses the system's toolkit. The icon is a PNG.
func Run(ctx context.Context, c *core.Core, assets fs.FS, icon []byte) error {
	settings, err := c.Settings(ctx)
	if err != nil {
		return err
	}
	about := c.About(ctx)
	running, stop := context.WithCancel(ctx)
	defer stop()
	w := &Window{core: c, bounds: newBoundsKeeper(filepath.Join(about.Data, boundsFile)), started: make(chan struct{}), styles: make(chan struct{}, 1)}
	w.bridge = &Bridge{api: app.New(c, w), ctx: running, started: w.started}
	// The toolkit draws its own parts (menu, title, scroll bars) light or dark too, and tells the page.
	dark := isDark(settings.Theme)
	if err := w.native.prepare(hooks{changed: w.boundsChanged, link: w.openFromPage}, dark); err != nil {
		return err
	}
	bounds := w.bounds.load()
	w.language = languageOf(settings.Language, about.Locale)

	var pumping sync.WaitGroup
	err = wails.Run(&options.App{
		Title: "Portico", Width: bounds.Width, Height: bounds.Height, MinWidth: minWidth, MinHeight: minHeight,
		StartHidden: true, WindowStartState: startState(bounds), BackgroundColour: background(dark),
		AssetServer: &assetserver.Options{Assets: assets, Middleware: guardPage},
		Menu:        w.menu(w.language),
		Bind:        []any{w.bridge},
		// The menu of the web view is kept for text alone (copy, paste); Wails' own script hides it everywhere else.
		EnableDefaultContextMenu: true,
		// A dropped file arrives as a path. Only on macOS may the web view's own dropping be switched off for that:
		// WebView2 and WebKitGTK would then hear of no drop at all. There the page script and the native guard hold.
		DragAndDrop: &options.DragAndDrop{EnableFileDrop: true, DisableWebViewDrop: goruntime.GOOS == "darwin"},
		Linux:       &linux.Options{Icon: icon, ProgramName: "portico", WebviewGpuPolicy: linux.WebviewGpuPolicyNever},
		Mac:         &mac.Options{About: &mac.AboutInfo{Title: "Portico", Message: about.Version, Icon: icon}},
		Windows:     &windows.Options{Theme: windowsTheme(settings.Theme)},
		OnStartup: func(windowContext context.Context) {
			w.ctx = windowContext
			close(w.started)
			w.native.place(windowContext, w.bounds)
			runtime.OnFileDrop(windowContext, w.dropped)
			pumping.Go(func() { w.pump(running) })
			pumping.Go(func() { w.style(running) })
			pumping.Go(func() { c.KeepSchedules(running) })
			pumping.Go(func() { watchSystemTheme(running, w.restyle) })
			w.anyway = time.AfterFunc(showAnyway, w.Ready)
		},
		OnDomReady:    func(windowContext context.Context) { runtime.WindowExecJS(windowContext, pageScript) },
		OnBeforeClose: func(context.Context) bool { w.saveBounds(); return false },
	})
	stop()
	if w.anyway != nil { // it never got that far where the window could not be opened
		w.anyway.Stop()
	}
	w.moved.stop()
	pumping.Wait()
	if err != nil {
		return fmt.Errorf("open the window: %w", err)
	}
	return nil
}

func startState(b Bounds) options.WindowStartState {
	if b.Maximised {
		return options.Maximised
	}
	return options.Normal
}

// Ready shows the window: the first frame is drawn.
func (w *Window) Ready() {
	w.show.Do(func() {
		<-w.started
		w.native.show(w.ctx, w.bounds.now())
	})
}

// Native says that this is no browser.
func (*Window) Native() bool { return true }

// dropped tells the page which files were dropped.
func (w *Window) dropped(_, _ int, paths []string) {
	if paths = absolute(paths); len(paths) > 0 {
		w.core.Events.Publish(event.Event{Topic: event.Drop, Payload: event.Dropped{Paths: paths}})
	}
}

// absolute keeps whole paths: a drop of a web address or of text has none.
func absolute(paths []string) []string {
	var kept []string
	for _, path := range paths {
		if filepath.IsAbs(path) {
			kept = append(kept, path)
		}
	}
	return kept
}

// act tells the page that an item of the menu was chosen.
func (w *Window) act(action string) {
	w.core.Events.Publish(event.Event{Topic: event.Menu, Payload: event.MenuAction{Action: action}})
}

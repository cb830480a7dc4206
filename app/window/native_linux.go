//go:build production

package window

/*
#cgo pkg-config: gtk+-3.0
#cgo !webkit2_41 pkg-config: webkit2gtk-4.0
#cgo webkit2_41 pkg-config: webkit2gtk-4.1
#include <stdlib.h>
#include "native_linux.h"
*/
import "C"

import (
	"context"
	"os"
	"runtime"
	"runtime/cgo"
	"slices"
	"time"
	"unsafe"

	"github.com/wailsapp/wails/v2/pkg/menu"

	"portico/backend/extension"
)

const (
	// mainLimit is how long GTK's thread may take to come to what is asked of it; it has ended when it does not.
	mainLimit   = 2 * time.Second
	maxMonitors = 16
)

// told is what the window's signals reach; there is one window in a process, and GTK's callbacks carry no Go value.
var told hooks

// native is GTK's side of the window, as far as Wails does not give it.
type native struct{}

func (native) prepare(h hooks, dark bool) error {
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return noDisplay()
	}
	told = h
	runtime.LockOSThread() // GTK belongs to the thread that starts it, and Wails goes on from here
	// Wails chooses X11 where the session names no other; it must be chosen before GTK starts.
	if os.Getenv("GDK_BACKEND") == "" && slices.Contains([]string{"", "unspecified", "x11"}, os.Getenv("XDG_SESSION_TYPE")) && os.Getenv("DISPLAY") != "" {
		if err := os.Setenv("GDK_BACKEND", "x11"); err != nil {
			return err
		}
	}
	if C.portico_prepare() == 0 {
		return noDisplay()
	}
	setDark(dark)
	return nil
}

func noDisplay() error {
	return extension.NewProblem("window.no-display", "Portico can't open its window: no screen is reachable from here (DISPLAY {display}).",
		"Start it in a desktop session. The command line works without a screen: `portico --help`.", "display", shownEnv("DISPLAY"))
}

func shownEnv(name string) string {
	if value := os.Getenv(name); value != "" {
		return "is " + value
	}
	return "is not set"
}

// onMain has GTK's thread do something and waits for it. It says whether it was done.
func onMain(ctx context.Context, do func()) bool {
	done := make(chan struct{})
	handle := cgo.NewHandle(func() { do(); close(done) })
	C.portico_later(C.uintptr_t(handle))
	limit := time.NewTimer(mainLimit)
	defer limit.Stop()
	select {
	case <-done:
		return true
	case <-limit.C:
	case <-ctx.Done():
	}
	return false
}

//export porticoRun
func porticoRun(handle C.uintptr_t) {
	h := cgo.Handle(handle)
	do := h.Value().(func())
	h.Delete()
	do()
}

//export porticoChanged
func porticoChanged() { told.changed() }

//export porticoLink
func porticoLink(address *C.char) {
	link := C.GoString(address)
	go told.link(link) // starting a program must not hold up GTK's thread
}

// setDark makes GTK draw dark, which the page sees as prefers-color-scheme.
func (native) setDark(ctx context.Context, dark bool) { onMain(ctx, func() { setDark(dark) }) }

func setDark(dark bool) {
	value := C.int(0)
	if dark {
		value = 1
	}
	C.portico_set_dark(value)
}

// place gives the window, still unseen, its size, as far as the screens of now allow.
func (native) place(ctx context.Context, keeper *boundsKeeper) {
	onMain(ctx, func() {
		var found [maxMonitors]C.PorticoRect
		screens := make([]Rect, C.portico_monitors(&found[0], maxMonitors))
		for i := range screens {
			screens[i] = Rect{int(found[i].x), int(found[i].y), int(found[i].width), int(found[i].height)}
		}
		b := keeper.fit(screens)
		C.portico_size(C.int(b.Width), C.int(b.Height))
	})
}

// show shows the window where it was. Its place is given only now: Wails centres the window in between.
func (native) show(ctx context.Context, b Bounds) {
	onMain(ctx, func() {
		placed := C.int(0)
		if b.Placed {
			placed = 1
		}
		C.portico_show(placed, C.int(b.X), C.int(b.Y), minWidth, minHeight)
	})
}

// seen gives where the window is; not while it is hidden or an icon.
func (native) seen(ctx context.Context) (b Bounds, ok bool) {
	done := onMain(ctx, func() {
		var at C.PorticoRect
		var maximised C.int
		ok = C.portico_seen(&at, &maximised) != 0
		b = Bounds{int(at.x), int(at.y), int(at.width), int(at.height), maximised != 0, true}
	})
	return b, ok && done
}

// edit runs an editing command ("Copy") on what has the focus in the page.
func (native) edit(ctx context.Context, command string) {
	onMain(ctx, func() {
		name := C.CString(command)
		defer C.free(unsafe.Pointer(name))
		C.portico_edit(name)
	})
}

// relabel renames the menu in place: Wails would make a second one and never show it.
func (native) relabel(ctx context.Context, _ *menu.Menu, labels []string) {
	onMain(ctx, func() {
		texts := make([]*C.char, len(labels))
		for i, label := range labels {
			texts[i] = C.CString(label)
			defer C.free(unsafe.Pointer(texts[i]))
		}
		C.portico_relabel(unsafe.SliceData(texts), C.int(len(texts)))
	})
}

package window

import (
	"context"
	"errors"
	"time"

	"github.com/godbus/dbus/v5"
)

// portalLimit bounds the question: a desktop without a portal must not hold up the window.
const portalLimit = 300 * time.Millisecond

// The desktop's settings portal. Its color-scheme is 1 for dark (XDG Desktop Portal, Settings).
const (
	portalName     = "org.freedesktop.portal.Desktop"
	portalPath     = "/org/freedesktop/portal/desktop"
	portalSettings = "org.freedesktop.portal.Settings"
	appearance     = "org.freedesktop.appearance"
	colourScheme   = "color-scheme"
	schemeDark     = 1
)

// systemIsDark asks the portal. GTK 3 does not know that setting, so without asking, a dark desktop would get a light
// window.
func systemIsDark() bool {
	ctx, cancel := context.WithTimeout(context.Background(), portalLimit)
	defer cancel()
	bus, err := sessionBus(ctx)
	if err != nil {
		return false
	}
	defer bus.Close()
	var value dbus.Variant
	if err := bus.Object(portalName, portalPath).CallWithContext(ctx, portalSettings+".Read", dbus.FlagNoAutoStart, appearance, colourScheme).Store(&value); err != nil {
		return false
	}
	inner, nested := value.Value().(dbus.Variant) // Read wraps its answer twice
	if nested {
		value = inner
	}
	scheme, ok := value.Value().(uint32)
	return ok && scheme == schemeDark
}

// watchSystemTheme calls when the desktop was switched between light and dark, until ctx ends.
func watchSystemTheme(ctx context.Context, changed func()) {
	bus, err := sessionBus(ctx)
	if err != nil {
		return
	}
	defer bus.Close()
	err = bus.AddMatchSignalContext(ctx, dbus.WithMatchObjectPath(portalPath), dbus.WithMatchInterface(portalSettings), dbus.WithMatchMember("SettingChanged"), dbus.WithMatchArg(0, appearance))
	if err != nil {
		return
	}
	signals := make(chan *dbus.Signal, 4) // godbus drops what does not fit; the last one is asked for again anyway
	bus.Signal(signals)
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-signals:
			if !open {
				return
			}
			changed()
		}
	}
}

// sessionBus connects to the bus that is there. Without one, godbus would start one with dbus-launch: a quarter of a second
// for a bus that nobody else is on.
func sessionBus(ctx context.Context) (*dbus.Conn, error) {
	bus, err := dbus.SessionBusPrivateNoAutoStartup(dbus.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(bus.Auth(nil), bus.Hello()); err != nil {
		return nil, errors.Join(err, bus.Close())
	}
	return bus, nil
}

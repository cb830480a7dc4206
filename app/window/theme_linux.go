package window

import (
	"context"
	"time"

	"github.com/godbus/dbus/v5"
)

// portalLimit bounds the question: a desktop without a portal must not hold up the window.
const portalLimit = 300 * time.Millisecond

// systemIsDark asks the desktop's settings portal (org.freedesktop.appearance color-scheme: 1 is dark). GTK 3 does not
// know that setting, so without asking, a dark desktop would get a light window.
func systemIsDark() bool {
	ctx, cancel := context.WithTimeout(context.Background(), portalLimit)
	defer cancel()
	bus, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return false
	}
	defer bus.Close()
	portal := bus.Object("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop")
	var value dbus.Variant
	if err := portal.CallWithContext(ctx, "org.freedesktop.portal.Settings.Read", dbus.FlagNoAutoStart, "org.freedesktop.appearance", "color-scheme").Store(&value); err != nil {
		return false
	}
	inner, nested := value.Value().(dbus.Variant) // Read wraps its answer twice
	if nested {
		value = inner
	}
	scheme, ok := value.Value().(uint32)
	return ok && scheme == 1
}

package core

import (
	"context"
	"errors"
	"os/exec"
	"strings"

	"github.com/godbus/dbus/v5"
)

// webviewCheck looks for the library that draws the window.
func webviewCheck(ctx context.Context) Check {
	check := Check{Name: "webview", Detail: "WebKitGTK 4.1 not found", Next: "Install it: on Debian and Ubuntu `sudo apt install libwebkit2gtk-4.1-0`."}
	ldconfig, err := exec.LookPath("ldconfig")
	if err != nil {
		ldconfig = "/sbin/ldconfig"
	}
	if said, err := run(ctx, ldconfig, "-p"); err == nil && strings.Contains(said, "libwebkit2gtk-4.1.so.0") {
		check.OK, check.Detail, check.Next = true, "WebKitGTK 4.1", ""
	}
	return check
}

// keyringCheck asks the session bus whether a Secret Service answers; it opens and unlocks nothing.
func keyringCheck(ctx context.Context) Check {
	check := Check{Name: "keyring", Detail: "no session bus", Next: "Secrets can't be kept by the system here. Start Portico in a desktop session with a keyring."}
	ctx, cancel := context.WithTimeout(ctx, doctorLimit)
	defer cancel()
	bus, err := dbus.SessionBusPrivateNoAutoStartup(dbus.WithContext(ctx)) // no bus is started only to look at it
	if err != nil {
		return check
	}
	defer bus.Close()
	if err := errors.Join(bus.Auth(nil), bus.Hello()); err != nil {
		return check
	}
	var owned bool
	var activatable []string
	const secrets = "org.freedesktop.secrets"
	if err := bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, secrets).Store(&owned); err != nil {
		check.Detail = "the session bus does not answer"
		return check
	}
	if !owned {
		if err := bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.ListActivatableNames", 0).Store(&activatable); err == nil {
			for _, name := range activatable {
				owned = owned || name == secrets
			}
		}
	}
	if owned {
		check.OK, check.Detail, check.Next = true, "Secret Service", ""
	} else {
		check.Detail = "no Secret Service on the session bus"
	}
	return check
}

package vault

import (
	"context"
	"fmt"
	"slices"

	"github.com/godbus/dbus/v5"
)

// The Secret Service (specifications.freedesktop.org, secret-service 0.2).
const (
	secrets     = "org.freedesktop.secrets"
	secretsPath = dbus.ObjectPath("/org/freedesktop/secrets")
	serviceType = "org.freedesktop.Secret.Service"
	collection  = "org.freedesktop.Secret.Collection"
	promptType  = "org.freedesktop.Secret.Prompt"
	loginPath   = dbus.ObjectPath("/org/freedesktop/secrets/collection/login")
	noPath      = dbus.ObjectPath("/")
	properties  = "org.freedesktop.DBus.Properties.Get"
)

// look says whether the Secret Service is there, answers, and has its collection unlocked. It has a connection of its own,
// which ends with the context whatever the other side does: the library's calls are made only after this one went well.
func look(ctx context.Context) error {
	return onBus(ctx, func(bus *dbus.Conn) error {
		path, err := ours(ctx, bus)
		if err != nil {
			return err
		}
		var locked dbus.Variant
		if err := bus.Object(secrets, path).CallWithContext(ctx, properties, 0, collection, "Locked").Store(&locked); err != nil {
			return fmt.Errorf("ask whether the keyring is locked: %w", err)
		}
		if is, _ := locked.Value().(bool); is {
			return errLocked
		}
		return nil
	})
}

// unlock lets the service ask the person, in a dialog of its own. It goes away with the context.
func unlock(ctx context.Context) error {
	return onBus(ctx, func(bus *dbus.Conn) error {
		path, err := ours(ctx, bus)
		if err != nil {
			return err
		}
		var unlocked []dbus.ObjectPath
		var prompt dbus.ObjectPath
		if err := bus.Object(secrets, secretsPath).CallWithContext(ctx, serviceType+".Unlock", 0, []dbus.ObjectPath{path}).Store(&unlocked, &prompt); err != nil {
			return fmt.Errorf("unlock the keyring: %w", err)
		}
		if prompt == noPath {
			if len(unlocked) == 0 {
				return errDismissed
			}
			return nil
		}
		if err := bus.AddMatchSignalContext(ctx, dbus.WithMatchObjectPath(prompt), dbus.WithMatchInterface(promptType)); err != nil {
			return fmt.Errorf("wait for the keyring's dialog: %w", err)
		}
		signals := make(chan *dbus.Signal, 8) // the dialog ends once; the rest is a stranger's
		bus.Signal(signals)
		if err := bus.Object(secrets, prompt).CallWithContext(ctx, promptType+".Prompt", 0, "").Err; err != nil {
			return fmt.Errorf("show the keyring's dialog: %w", err)
		}
		for {
			select {
			case <-ctx.Done():
				return errDismissed
			case signal, open := <-signals:
				if !open {
					return errDismissed
				}
				if signal.Path != prompt || signal.Name != promptType+".Completed" || len(signal.Body) == 0 {
					continue
				}
				if dismissed, _ := signal.Body[0].(bool); dismissed {
					return errDismissed
				}
				return nil
			}
		}
	})
}

// onBus does something with a connection of its own. Where no session bus runs, none is started.
func onBus(ctx context.Context, do func(*dbus.Conn) error) error {
	bus, err := dbus.SessionBusPrivateNoAutoStartup(dbus.WithContext(ctx))
	if err != nil {
		return fmt.Errorf("%w: %w", errNoKeyring, err)
	}
	defer bus.Close()
	if err := bus.Auth(nil); err != nil {
		return late(ctx, fmt.Errorf("%w: %w", errNoKeyring, err))
	}
	if err := bus.Hello(); err != nil {
		return late(ctx, fmt.Errorf("%w: %w", errNoKeyring, err))
	}
	return late(ctx, do(bus))
}

// late gives the context's own error where that is why something failed.
func late(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// ours gives the collection that the library uses: the one of the login, else the default one.
func ours(ctx context.Context, bus *dbus.Conn) (dbus.ObjectPath, error) {
	var owned bool
	if err := bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, secrets).Store(&owned); err != nil {
		return "", fmt.Errorf("look for the keyring: %w", err)
	}
	if !owned {
		var startable []string
		if err := bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.ListActivatableNames", 0).Store(&startable); err != nil {
			return "", fmt.Errorf("look for the keyring: %w", err)
		}
		if !slices.Contains(startable, secrets) {
			return "", errNoKeyring
		}
	}
	service := bus.Object(secrets, secretsPath)
	var has dbus.Variant
	if err := service.CallWithContext(ctx, properties, 0, serviceType, "Collections").Store(&has); err != nil {
		if !owned && ctx.Err() == nil {
			return "", fmt.Errorf("%w: %w", errNoKeyring, err) // it could not be started
		}
		return "", fmt.Errorf("ask the keyring what it has: %w", err)
	}
	if paths, _ := has.Value().([]dbus.ObjectPath); slices.Contains(paths, loginPath) {
		return loginPath, nil
	}
	var path dbus.ObjectPath
	if err := service.CallWithContext(ctx, serviceType+".ReadAlias", 0, "default").Store(&path); err != nil {
		return "", fmt.Errorf("ask the keyring what it has: %w", err)
	}
	if path == noPath || path == "" {
		return "", fmt.Errorf("%w: the Secret Service has no collection for new secrets", errNoKeyring)
	}
	return path, nil
}

//go:build unix && !darwin

package notify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"mcp-askuser/ui"
	"mcp-askuser/ui/words"
)

// desktopLimit is how long the desktop may take to accept a notification.
const desktopLimit = 2 * time.Second

// The desktop's notification service (Desktop Notifications Specification 1.2).
const (
	busName   = "org.freedesktop.Notifications"
	busPath   = dbus.ObjectPath("/org/freedesktop/Notifications")
	busNotify = busName + ".Notify"
	busClick  = busName + ".ActionInvoked"
	busClosed = busName + ".NotificationClosed"
	onClick   = "default" // the action of a click on the notification itself
)

// desktop returns the channel to this desktop, nil without one. It does not start a session
// bus: that can hang.
func desktop(getenv func(string) string, click func(pid int) error) channel {
	address := getenv("DBUS_SESSION_BUS_ADDRESS")
	if runtime := getenv("XDG_RUNTIME_DIR"); address == "" && filepath.IsAbs(runtime) {
		bus := filepath.Join(runtime, "bus")
		if info, err := os.Stat(bus); err == nil && info.Mode()&os.ModeSocket != 0 {
			address = "unix:path=" + dbus.EscapeBusAddressValue(bus)
		}
	}
	if address == "" || ui.Desktop(getenv, runtime.GOOS) != nil {
		return nil
	}
	return func(ctx context.Context, e *notice) error { return notifyBus(ctx, address, e, click) }
}

// notifyBus sends one notification, and waits for a click on it until ctx ends or the user
// closes it. The bus library has no time limit for its handshake, but closes the connection
// when its context ends.
func notifyBus(ctx context.Context, address string, e *notice, click func(pid int) error) error {
	connection, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	limit := time.AfterFunc(desktopLimit, end)
	bus, err := dbus.Connect(address, dbus.WithContext(connection))
	if connection.Err() != nil {
		return fmt.Errorf("the session bus does not respond within %s", desktopLimit)
	}
	if err != nil {
		return fmt.Errorf("connect to the session bus: %w", err)
	}
	defer func() { _ = bus.Close() }()
	actions, signals := []string{}, make(chan *dbus.Signal, 16)
	if click != nil && e.pid != 0 {
		actions = []string{onClick, words.T("Go to the agent")}
		bus.Signal(signals)
		err = bus.AddMatchSignalContext(connection, dbus.WithMatchObjectPath(busPath), dbus.WithMatchInterface(busName))
	}
	id := uint32(0)
	if err == nil {
		err = bus.Object(busName, busPath).CallWithContext(connection, busNotify, 0,
			"mcp-askuser", id, "dialog-question", title(e), escapeMarkup(body(e)),
			actions, map[string]dbus.Variant{"category": dbus.MakeVariant("im.received")}, int32(-1)).Store(&id)
	}
	if err != nil {
		return fmt.Errorf("the notification service: %w", err)
	}
	if len(actions) == 0 || !limit.Stop() {
		return nil
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case signal, open := <-signals:
			if !open {
				return nil
			}
			if len(signal.Body) != 2 || signal.Body[0] != id {
				continue // of another notification
			}
			if signal.Name == busClosed {
				return nil
			}
			if signal.Name == busClick && signal.Body[1] == onClick {
				err = click(e.pid)
				if err != nil {
					return fmt.Errorf("go to the agent: %w", err)
				}
				return nil
			}
		}
	}
}

// escapeMarkup escapes s for a service that interprets markup in the body.
func escapeMarkup(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

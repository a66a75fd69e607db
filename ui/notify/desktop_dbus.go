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
)

// desktopLimit is how long the desktop may take to accept a notification.
const desktopLimit = 2 * time.Second

// The desktop's notification service (Desktop Notifications Specification 1.2).
const (
	busName   = "org.freedesktop.Notifications"
	busPath   = dbus.ObjectPath("/org/freedesktop/Notifications")
	busNotify = "org.freedesktop.Notifications.Notify"
)

// desktop returns the function that notifies this desktop, nil without one. It does
// not start a session bus: that can hang.
func desktop(getenv func(string) string) func(context.Context, *notice) error {
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
	return func(ctx context.Context, e *notice) error { return notifyBus(ctx, address, e) }
}

// notifyBus sends one notification. The bus library has no time limit for its
// handshake, but closes the connection when its context ends.
func notifyBus(ctx context.Context, address string, e *notice) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), desktopLimit)
	defer cancel()
	bus, err := dbus.Connect(address, dbus.WithContext(ctx))
	if ctx.Err() != nil {
		return fmt.Errorf("the session bus does not respond within %s", desktopLimit)
	}
	if err != nil {
		return fmt.Errorf("connect to the session bus: %w", err)
	}
	defer func() { _ = bus.Close() }()
	var id uint32
	err = bus.Object(busName, busPath).CallWithContext(ctx, busNotify, 0,
		"mcp-askuser", uint32(0), "dialog-question", title(e), escapeMarkup(body(e)),
		[]string{}, map[string]dbus.Variant{"category": dbus.MakeVariant("im.received")}, int32(-1)).Store(&id)
	if err != nil {
		return fmt.Errorf("the notification service: %w", err)
	}
	return nil
}

// escapeMarkup escapes s for a service that interprets markup in the body.
func escapeMarkup(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

package notify

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"time"

	"mcp-askuser/ui"
)

// desktopLimit is how long the desktop may take to accept a notification.
const desktopLimit = 2 * time.Second

// script shows its two arguments; they are never part of it.
const script = `on run argv
display notification (item 2 of argv) with title (item 1 of argv)
end run`

// desktop returns the channel to this desktop, nil without one. Its notifications take no click.
func desktop(getenv func(string) string, _ func(pid int) error) channel {
	if ui.Desktop(getenv, runtime.GOOS) != nil {
		return nil
	}
	return func(ctx context.Context, e *notice) error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), desktopLimit)
		defer cancel()
		if err := exec.CommandContext(ctx, "osascript", "-e", script, "--", title(e), body(e)).Run(); err != nil {
			return fmt.Errorf("osascript: %w", err)
		}
		return nil
	}
}

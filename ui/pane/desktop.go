//go:build unix

package pane

import (
	"context"
	"os/exec"
	"runtime"
	"slices"

	"mcp-askuser/ui"
)

// desktop is a desktop with a terminal emulator.
type desktop struct {
	emulator []string // and the arguments before the command
	env      []string // that it needs, NAME=value
}

// findDesktop returns the desktop that a process runs on, nil for none, or for one whose
// windows need no display.
func findDesktop(getenv func(string) string) *desktop {
	if getenv("DISPLAY")+getenv("WAYLAND_DISPLAY") == "" || ui.Desktop(getenv, runtime.GOOS) != nil {
		return nil
	}
	for _, e := range emulators() {
		if _, err := exec.LookPath(e[0]); err == nil {
			return &desktop{e, environ(getenv, "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")}
		}
	}
	return nil
}

// emulators are terminal emulators and the arguments before the command to run:
// the user's own choice first, then those of desktops, then the rest.
func emulators() [][]string {
	return [][]string{
		{"xdg-terminal-exec"}, {"x-terminal-emulator", "-e"},
		{"gnome-terminal", "--"}, {"ptyxis", "--"}, {"konsole", "-e"}, {"xfce4-terminal", "-x"},
		{"foot"}, {"alacritty", "-e"}, {"kitty"}, {"ghostty", "-e"}, {"wezterm", "start", "--"}, {"xterm", "-e"},
	}
}

// open opens a window in which argv runs. The emulator's command may run for as
// long as the window is open, or exit at once.
func (d *desktop) open(ctx context.Context, argv []string) (*pane, error) {
	line, err := newLifeline()
	if err != nil {
		return nil, ui.Unavailablef("%v", err)
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	p := &pane{program: "desktop", lifeline: line, stop: stop}
	cmd := newCommand(running, slices.Concat(d.emulator, line.command(argv, false)), d.env)
	failed := make(chan error, 1)
	go func() {
		if _, err := outputOf(cmd); err != nil {
			failed <- err
		}
	}()
	return p.start(ctx, failed)
}

//go:build unix

package pane

import "os/exec"

// desktop opens a new window of a terminal emulator. A remote shell's display
// is not where its human's terminals are.
func desktop() *kind {
	return &kind{
		name: "desktop",
		inside: func(getenv func(string) string) (place, bool) {
			set := func(name string) bool { return getenv(name) != "" }
			if !set("DISPLAY") && !set("WAYLAND_DISPLAY") || set("SSH_CONNECTION") || set("SSH_CLIENT") || set("SSH_TTY") {
				return place{}, false
			}
			for _, e := range emulators() {
				if _, err := exec.LookPath(e[0]); err == nil {
					return place{
						server: e,
						env:    keep(getenv, "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"),
					}, true
				}
			}
			return place{}, false
		},
		open: func(_ place, _ view, argv []string) []string { return argv },
	}
}

// emulators are terminal emulators and what precedes the command to run in
// them: the user's own choice first, then the desktops', then the rest.
func emulators() [][]string {
	return [][]string{
		{"xdg-terminal-exec"}, {"x-terminal-emulator", "-e"},
		{"gnome-terminal", "--"}, {"ptyxis", "--"}, {"konsole", "-e"}, {"xfce4-terminal", "-x"},
		{"foot"}, {"alacritty", "-e"}, {programKitty}, {"ghostty", "-e"}, {programWezTerm, "start", "--"}, {"xterm", "-e"},
	}
}

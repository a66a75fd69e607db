package web

import (
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"mcp-askuser/ui"
)

// displayTime is how long a display may take to answer.
const displayTime = 2 * time.Second

// Desktop is [ui.Desktop] on this system, and tries the display: a browser that finds none reports
// nothing.
func Desktop(getenv func(string) string) error { return desktop(getenv, runtime.GOOS) }

func desktop(getenv func(string) string, goos string) error {
	err := ui.Desktop(getenv, goos)
	if err == nil && goos != "darwin" && goos != "windows" && getenv("WSL_DISTRO_NAME") == "" && !displayed(getenv) {
		return ui.ErrNoDisplay
	}
	return err
}

// displayed reports whether the display that the environment names answers: a
// session that has ended leaves its name behind.
func displayed(getenv func(string) string) bool {
	answers := func(network, address string) bool {
		conn, err := net.DialTimeout(network, address, displayTime) //nolint:noctx // it has a time limit
		return err == nil && conn.Close() == nil
	}
	wayland := getenv("WAYLAND_DISPLAY")
	if wayland != "" && !filepath.IsAbs(wayland) {
		wayland = filepath.Join(getenv("XDG_RUNTIME_DIR"), wayland)
	}
	if wayland != "" && answers("unix", wayland) {
		return true
	}
	host, number, _ := strings.Cut(getenv("DISPLAY"), ":")
	number, _, _ = strings.Cut(number, ".")
	n, err := strconv.Atoi(number)
	if err != nil {
		return false
	}
	if host != "" && host != "unix" {
		return answers("tcp", net.JoinHostPort(host, strconv.Itoa(6000+n)))
	}
	socket := fmt.Sprintf("/tmp/.X11-unix/X%d", n)
	return answers("unix", socket) || answers("unix", "@"+socket)
}

// OpenBrowser opens the address in the user's browser, without waiting for it.
// The libraries for this lend the browser our standard output, which belongs
// to the protocol, or wait until it has ended.
func OpenBrowser(address string) error {
	path, args, err := opener(runtime.GOOS, exec.LookPath)
	if err != nil {
		return err
	}
	// No shell, and nothing of ours but the address: its streams are the
	// null device.
	cmd := exec.Command(path, append(args, address)...) //nolint:gosec,noctx // what opener found; it outlives this process
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("open the browser: %w", err)
	}
	go func() { _ = cmd.Wait() }() // reaps it; its output is discarded
	return nil
}

// opener returns the system's own way to open an address.
func opener(goos string, look func(string) (string, error)) (path string, args []string, err error) {
	var names []string
	switch goos {
	case "windows":
		names, args = []string{"rundll32"}, []string{"url.dll,FileProtocolHandler"}
	case "darwin":
		names = []string{"open"}
	default:
		names = []string{"xdg-open", "wslview", "x-www-browser"}
	}
	for _, name := range names {
		if path, err = look(name); err == nil {
			return path, args, nil
		}
	}
	return "", nil, fmt.Errorf("open the browser: %w", err)
}

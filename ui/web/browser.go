package web

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
)

// Why no browser is opened.
var (
	ErrRemote    = errors.New("this is a remote shell")
	ErrCI        = errors.New("this is a CI job")
	ErrNoDisplay = errors.New("this is no desktop session")
)

// Desktop reports whether the process runs in a desktop session that its user
// sits in front of: nil, or why not. It judges by environment variables, as
// the hosts pass them on (FACTS 1).
func Desktop(getenv func(string) string) error { return desktop(getenv, runtime.GOOS) }

func desktop(getenv func(string) string, goos string) error {
	for _, name := range []string{"SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"} {
		if getenv(name) != "" {
			return ErrRemote
		}
	}
	if ci := getenv("CI"); ci != "" && ci != "false" && ci != "0" {
		return ErrCI
	}
	if goos == "darwin" || goos == "windows" {
		return nil
	}
	for _, name := range []string{"DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"} {
		if getenv(name) != "" {
			return nil
		}
	}
	return ErrNoDisplay
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
	cmd := exec.Command(path, append(args, address)...)
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("open the browser: %w", err)
	}
	go func() { _ = cmd.Wait() }() // reaps it; what it says is nobody's business
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

package web

import (
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"mcp-askuser/ui/words"
)

// displayTime is how long a display may take to answer.
const displayTime = 2 * time.Second

// Why no browser is opened.
var (
	ErrRemote    = errors.New(words.Mark("this is a remote shell"))
	ErrCI        = errors.New(words.Mark("this is a CI job"))
	ErrNoDisplay = errors.New(words.Mark("this is no desktop session"))
)

// Desktop reports whether the process runs in a desktop session that its user
// sits in front of: nil, or why not. It judges by environment variables, as
// the hosts pass them on (FACTS 1).
func Desktop(getenv func(string) string) error {
	if err := desktop(getenv, runtime.GOOS); err != nil || runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return err
	}
	return displayed(getenv)
}

// displayed reports whether the display that the environment names answers: a
// session that has ended leaves its name behind.
func displayed(getenv func(string) string) error {
	if getenv("WSL_DISTRO_NAME") != "" {
		return nil
	}
	var places [][2]string // network and address
	if name := getenv("WAYLAND_DISPLAY"); name != "" {
		places = append(places, [2]string{"unix", filepath.Join(getenv("XDG_RUNTIME_DIR"), name)})
	}
	if host, number, ok := strings.Cut(getenv("DISPLAY"), ":"); ok {
		number, _, _ = strings.Cut(number, ".")
		n, err := strconv.Atoi(number)
		switch {
		case err != nil:
		case host == "" || host == "unix":
			socket := fmt.Sprintf("/tmp/.X11-unix/X%d", n)
			places = append(places, [2]string{"unix", socket}, [2]string{"unix", "@" + socket})
		default:
			places = append(places, [2]string{"tcp", net.JoinHostPort(host, strconv.Itoa(6000+n))})
		}
	}
	for _, place := range places {
		if conn, err := net.DialTimeout(place[0], place[1], displayTime); err == nil { //nolint:noctx // it has a time limit
			return conn.Close()
		}
	}
	return ErrNoDisplay
}

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
	cmd := exec.Command(path, append(args, address)...) //nolint:gosec,noctx // what opener found; it goes on when we have ended
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

package web

import (
	"fmt"
	"os/exec"
	"runtime"
)

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
	args = append(args, address)
	cmd := exec.Command(path, args...) //nolint:gosec,noctx // what opener found; it outlives this process
	detach(cmd)
	err = cmd.Start()
	if err != nil {
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
		path, err = look(name)
		if err == nil {
			return path, args, nil
		}
	}
	return "", nil, fmt.Errorf("open the browser: %w", err)
}

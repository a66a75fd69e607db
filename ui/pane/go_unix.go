//go:build unix

package pane

import (
	"slices"
	"strings"

	"mcp-askuser/ui"
)

// Go shows the pane of a process in the client of tmux whose keyboard was used last. The error
// wraps ui.ErrUnavailable.
func Go(pid int) error {
	t, err := find(func(yield func(process) bool) { from(pid, yield) })
	if err != nil {
		return err
	}
	clients, err := t.run("list-clients", "-F", "#{client_control_mode} #{client_activity} #{client_name}")
	if err != nil {
		return ui.Unavailablef("tmux: %v", err)
	}
	attached := slices.DeleteFunc(strings.Split(clients, "\n"), func(line string) bool {
		return !strings.HasPrefix(line, "0 ") // a program
	})
	if len(attached) == 0 {
		return errNoClient
	}
	client := strings.SplitN(slices.Max(attached), " ", 3)[2] // the times have as many digits each
	_, err = t.run("switch-client", "-c", client, "-t", t.pane)
	if err != nil {
		return ui.Unavailablef("tmux: %v", err)
	}
	return nil
}

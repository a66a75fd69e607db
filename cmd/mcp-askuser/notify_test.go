//go:build linux

package main

import (
	"bufio"
	"os/exec"
	"testing"

	"github.com/godbus/dbus/v5"

	"mcp-askuser/internal/fatal"
)

// notifications is the service of a desktop whose user neither closes a notification nor clicks on it.
type notifications chan []string // the actions of each

func (n notifications) Notify(
	_ string, _ uint32, _, _, _ string, actions []string, _ map[string]dbus.Variant, _ int32,
) (uint32, *dbus.Error) {
	n <- actions
	return 1, nil
}

// A command that does not wait does not wait for a click on its notification either.
func TestNoWaitOnADesktop(t *testing.T) {
	t.Parallel()
	daemon := exec.Command("dbus-daemon", "--session", "--nofork", "--print-address", "--address=unix:dir="+t.TempDir())
	out, err := daemon.StdoutPipe()
	fatal.If(t, err)
	if daemon.Start() != nil {
		t.Skip("needs dbus-daemon")
	}
	t.Cleanup(func() { _, _ = daemon.Process.Kill(), daemon.Wait() })
	lines := bufio.NewScanner(out)
	lines.Scan()
	bus, err := dbus.Connect(lines.Text())
	fatal.If(t, err)
	t.Cleanup(func() { _ = bus.Close() })
	shown := make(notifications, 1)
	const name = "org.freedesktop.Notifications"
	fatal.If(t, bus.Export(shown, "/org/freedesktop/Notifications", name))
	_, err = bus.RequestName(name, dbus.NameFlagDoNotQueue)
	fatal.If(t, err)

	cmd := program(t, t.TempDir(), "ask", "--no-wait", "Which?", "A", "B")
	cmd.Env = append(cmd.Env, "DISPLAY=:0", "DBUS_SESSION_BUS_ADDRESS="+lines.Text(), "SSH_CONNECTION=", "SSH_TTY=",
		"SSH_CLIENT=")
	_, err = cmd.Output()
	if got := exitStatus(err); got != exitPending {
		t.Errorf("exit status %d", got)
	}
	if actions := <-shown; len(actions) > 0 {
		t.Errorf("the notification takes %q", actions)
	}
}

//go:build unix && !darwin

package notify

import (
	"bytes"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/godbus/dbus/v5"

	"mcp-askuser/internal/fatal"
)

// session starts a session bus of the test's own and returns its address.
func session(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		t.Skip("needs dbus-daemon")
	}
	path := filepath.Join(t.TempDir(), "bus")
	r, w, err := os.Pipe()
	fatal.If(t, err)
	defer func() { _ = r.Close() }()
	cmd := exec.Command("dbus-daemon", "--session", "--nofork", "--address=unix:path="+path, "--print-address=3")
	cmd.ExtraFiles = []*os.File{w}
	fatal.If(t, cmd.Start())
	_ = w.Close()
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	if _, err := r.Read(make([]byte, 256)); err != nil {
		t.Fatalf("dbus-daemon does not say its address: %v", err)
	}
	return path
}

// service is a desktop's notification service. Its user clicks on the notification of another program,
// and then clicks on ours, or closes it.
type service struct {
	bus    *dbus.Conn
	got    chan [4]string
	with   chan []string // the actions
	closes atomic.Bool
}

// serve puts a service on the bus.
func serve(t *testing.T, path string) *service {
	t.Helper()
	bus, err := dbus.Connect("unix:path=" + path)
	fatal.If(t, err)
	t.Cleanup(func() { _ = bus.Close() })
	s := &service{bus: bus, got: make(chan [4]string, 1), with: make(chan []string, 1)}
	fatal.If(t, bus.Export(s, busPath, busName))
	if reply, err := bus.RequestName(busName, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatal(reply, err)
	}
	return s
}

// Notify is called over the bus.
func (s *service) Notify(app string, _ uint32, icon, title, body string, actions []string, _ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	s.got <- [4]string{app, icon, title, body}
	s.with <- actions
	go func() {
		_ = s.bus.Emit(busPath, busClick, uint32(0), onClick)
		if s.closes.Load() {
			_ = s.bus.Emit(busPath, busClosed, uint32(1), uint32(2))
		} else {
			_ = s.bus.Emit(busPath, busClick, uint32(1), onClick)
		}
	}()
	return 1, nil
}

// A desktop shows the question as text, and a click shows the agent's terminal, where one is on this machine.
func TestDesktop(t *testing.T) {
	t.Parallel()
	path := session(t)
	shown := make(chan int, 2)
	send := desktop(variables("DISPLAY=:0", "DBUS_SESSION_BUS_ADDRESS=unix:path="+path), func(pid int) error { shown <- pid; return nil })
	e := newNotice(record("claude", "<b>a & b</b>\x1b"), 0)
	if err := send(t.Context(), e); err == nil || !strings.Contains(err.Error(), "the notification service: ") {
		t.Errorf("without a service: %v", err)
	}

	s := serve(t, path)
	want := [4]string{"mcp-askuser", "dialog-question", "Question from claude in shop", "&lt;b&gt;a &amp; b&lt;/b&gt;␛"}
	for _, tt := range []struct {
		name               string
		pid                int
		closes             bool
		actions, terminals int
	}{
		{"clicked", 4711, false, 2, 1}, {"closed", 4711, true, 2, 0}, {"of another machine", 0, true, 0, 0},
	} {
		e.pid = tt.pid
		s.closes.Store(tt.closes)
		err := send(t.Context(), e)
		if got, with := <-s.got, <-s.with; err != nil || got != want || len(with) != tt.actions || len(shown) != tt.terminals {
			t.Errorf("%s: %v; the service got %q with %q, and %d terminals are shown", tt.name, err, got, with, len(shown))
		}
		for range tt.terminals {
			if pid := <-shown; pid != tt.pid {
				t.Errorf("%s: shown is the terminal of %d", tt.name, pid)
			}
		}
	}
}

// A desktop that is broken costs a log line and two seconds of a goroutine.
func TestDesktopIsBroken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bus")
	l, err := net.Listen("unix", path)
	fatal.If(t, err)
	t.Cleanup(func() { _ = l.Close() }) // accepts, and says nothing
	for _, tt := range []struct{ address, want string }{
		{"unix:path=" + path, "does not respond"},
		{"rubbish", "connect to the session bus: "},
	} {
		err := desktop(variables("DISPLAY=:0", "DBUS_SESSION_BUS_ADDRESS="+tt.address), nil)(t.Context(), newNotice(record("claude", "x"), 0))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.address, err, tt.want)
		}
	}
}

func TestWhereADesktopIs(t *testing.T) {
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, "bus"))
	fatal.If(t, err)
	t.Cleanup(func() { _ = l.Close() })
	for _, tt := range []struct {
		env  []string
		want bool
	}{
		{nil, false},
		{[]string{"DISPLAY=:0"}, false},
		{[]string{"DBUS_SESSION_BUS_ADDRESS=unix:path=/x"}, false},
		{[]string{"DBUS_SESSION_BUS_ADDRESS=unix:path=/x", "DISPLAY=:0"}, true},
		{[]string{"DBUS_SESSION_BUS_ADDRESS=unix:path=/x", "DISPLAY=:10", "SSH_CONNECTION=x"}, false},
		{[]string{"XDG_RUNTIME_DIR=" + dir, "WAYLAND_DISPLAY=wayland-0"}, true},
		{[]string{"XDG_RUNTIME_DIR=/nonexistent", "WAYLAND_DISPLAY=wayland-0"}, false},
		{[]string{"XDG_RUNTIME_DIR=relative", "WAYLAND_DISPLAY=wayland-0"}, false},
	} {
		if got := desktop(variables(tt.env...), nil) != nil; got != tt.want {
			t.Errorf("%q: %v, want %v", tt.env, got, tt.want)
		}
	}
}

// What fails in one way is logged and leaves the others alone.
func TestFailureIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	argv, times := rings(t)
	Options{
		Command: argv, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Getenv: variables("DISPLAY=:0", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent/bus"),
	}.Notify(t.Context(), record("claude", "Which?"))
	if times() != 1 {
		t.Errorf("the command ran %d times", times())
	}
	if got := log.String(); !strings.Contains(got, "id=01JD0000000000000000000000 channel=desktop") || !strings.Contains(got, "the session bus") || strings.Count(got, "\n") != 1 {
		t.Errorf("the log says %s", got)
	}
}

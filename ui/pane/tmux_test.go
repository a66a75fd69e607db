//go:build unix

package pane

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/ui"
)

// server is a tmux server of the test's own, with one session whose pane %0 is
// the asker's: it runs cat, which echoes what gets the keys.
type server struct {
	*rig
	socket string
}

func newServer(t testing.TB) *server {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("needs tmux")
	}
	dir, err := os.MkdirTemp("", "tmux") // short: a socket's path has little room
	fatal.If(t, err)
	s := &server{rig: newRig(t), socket: filepath.Join(dir, "s")}
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", s.socket, "kill-server").Run()
		_ = os.RemoveAll(dir)
	})
	s.tmux("-f", os.DevNull, "new-session", "-d", "-x", "80", "-y", "30", "printf 'host ready. '; exec cat")
	ready := func() bool { return strings.Contains(s.tmux("capture-pane", "-p"), "host ready.") }
	if !waittest.Until(time.Minute, ready) { // the pane's process has its environment then
		t.Fatal("the host does not begin")
	}
	return s
}

func (s *server) tmux(args ...string) string {
	s.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", s.socket}, args...)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (s *server) attach(rows int) *termtest.Terminal {
	s.t.Helper()
	cmd := exec.Command("tmux", "-S", s.socket, "attach")
	cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	x := termtest.Start(s.t, cmd, 80, rows)
	x.WaitFor("host ready.")
	return x
}

func (s *server) inside() ui.Surface {
	return s.surface("TMUX="+s.socket+",1,0", "TMUX_PANE=%0")
}

func (s *server) panes() string {
	s.t.Helper()
	return s.tmux("list-panes", "-s", "-F", "#{pane_id}")
}

// The question ends, or its asker leaves: the pane goes, also with a process in it that does not go by itself.
func TestTmuxHungProcess(t *testing.T) {
	bye := errors.New("bye")
	for name, want := range map[string]struct {
		err   error
		state string
	}{"answered elsewhere": {nil, "answered a"}, "the asker leaves": {bye, "pending"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			x := s.attach(30)
			hung := s.inside().(*surface)
			hung.self = filepath.Join(t.TempDir(), "hangs;")
			const script = "#!/bin/sh\ntrap '' HUP TERM\necho \"hung on $2\"\nexec cat\n"
			fatal.If(t, os.WriteFile(hung.self, []byte(script), 0o700))
			ctx, leave := context.WithCancelCause(t.Context())
			defer leave(nil)
			shown := s.show(ctx, hung, s.rec)
			x.WaitFor("hung on " + s.rec.ID)
			if want.err != nil {
				leave(bye)
			} else {
				_, err := s.desk.Reply(ctx, s.rec.ID, reply("a"), desk.Evidence{Surface: "web", How: desk.HowPage})
				fatal.If(t, err)
			}
			s.wants(shown, want.err, want.state)
			if got := s.panes(); got != "%0" {
				t.Errorf("panes %q are left", got)
			}
		})
	}
}

// A closed pane, a killed process and a Ctrl+C are no answers, and their pane goes, also where the user
// has told tmux to keep such panes. The user's own terminal is as before.
func TestTmuxPaneGoesAway(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	x := s.attach(30)
	const modes = "#{alternate_on} #{mouse_any_flag} #{cursor_flag}"
	before := s.tmux("display-message", "-p", "-t", "%0", modes)
	killed := func(pane string) {
		pid, err := strconv.Atoi(s.tmux("display-message", "-p", "-t", pane, "#{pane_pid}"))
		if err != nil || syscall.Kill(pid, syscall.SIGKILL) != nil {
			t.Errorf("the process in %s, %d: %v", pane, pid, err)
		}
	}
	for i, end := range []func(pane string){
		func(pane string) { s.tmux("kill-pane", "-t", pane) },
		func(pane string) {
			s.tmux("set-option", "-g", "remain-on-exit", "on", ";", "send-keys", "-t", pane, "C-c")
		},
		killed,
		func(string) { s.tmux("kill-server") },
	} {
		pane := "%" + strconv.Itoa(i+1)
		shown := s.show(t.Context(), s.inside(), s.rec)
		x.WaitFor("Which one?>")
		end(pane)
		s.wants(shown, ui.ErrUnavailable, "pending")
		if i == 3 { // the server is gone
			return
		}
		if got := s.panes(); got != "%0" {
			t.Errorf("panes %q are left", got)
		}
		if after := s.tmux("display-message", "-p", "-t", "%0", modes); after != before {
			t.Errorf("the user's pane was %q and is %q", before, after)
		}
		x.Until("the pane to be gone", func() bool { return !strings.Contains(x.Screen(), "Which one?>") })
	}
}

// The panes of a tmux server that was started anew are the user's own, whatever their numbers.
func TestTmuxStartedAnew(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	x := s.attach(30)
	ctx, leave := context.WithCancel(t.Context())
	shown := s.show(ctx, s.inside(), s.rec)
	x.WaitFor("Which one?>")
	s.tmux("kill-server")
	again := []string{"-S", s.socket, "-f", os.DevNull, "new-session", "-d", "cat", ";", "split-window", "cat"}
	started := func() bool { return exec.Command("tmux", again...).Run() == nil }
	waittest.Until(time.Minute, started) // once the former one has ended
	leave()
	<-shown
	if got := s.panes(); got != "%0\n%1" {
		t.Errorf("of %%0 and %%1, %q are left", got)
	}
}

// Where a split would be too small, or would end a zoom, a window is opened,
// and the user comes back to the one they were in.
func TestTmuxWindow(t *testing.T) {
	for _, tt := range []struct {
		name string
		rows int
		do   []string
		pane string
		zoom string
	}{
		{"low", 20, nil, "%2", "0"},
		{"zoomed", 40, []string{"split-window", "-d", "-t", "%0", "cat", ";", "resize-pane", "-Z", "-t", "%0"}, "%3", "1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			x := s.attach(tt.rows)
			s.tmux("new-window", "-d", "-t", ":3", "cat")
			if tt.do != nil {
				s.tmux(tt.do...)
			}
			shown := s.show(t.Context(), s.inside(), s.rec)
			x.WaitFor("Which one?>")
			x.WaitFor("1:question*")
			s.focused(x, tt.pane)
			x.Type("a\r")
			s.wants(shown, nil, "answered a")
			x.WaitFor("host ready.")
			if got := s.tmux("display-message", "-p", "#{pane_id} #{window_zoomed_flag}"); got != "%0 "+tt.zoom {
				t.Errorf("the human is back at %s", got)
			}
			if got := s.tmux("list-windows", "-F", "#{window_index}"); got != "0\n3" {
				t.Errorf("the windows are %q", got)
			}
		})
	}
}

// Keys that the user types elsewhere stay theirs, and a bell tells them; the pane has the focus
// when they come back.
func TestTmuxHumanLooksElsewhere(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	x := s.attach(30)
	s.tmux("new-window", "-n", "editor", "printf 'editor ready. '; exec cat")
	x.WaitFor("editor ready.")
	shown := s.show(t.Context(), s.inside(), s.rec)
	x.WaitFor("0:cat!") // tmux's mark for a bell
	x.Type("b\r")
	x.WaitFor("b\nb")
	if got := s.state(); got != "pending" {
		t.Fatalf("the question is %s", got)
	}
	s.tmux("select-window", "-t", ":0") // by keys, tmux may take the two for a paste
	x.WaitFor("host ready.")
	x.WaitFor("Which one?>")
	s.focused(x, "%2")
	x.Type("a\r")
	s.wants(shown, nil, "answered a")
}

func TestHostileID(t *testing.T) {
	s := alone(variables())
	for _, id := range []string{"", "x; touch y", "-h"} {
		if err := s.Show(t.Context(), desk.Record{ID: id}, nil); !errors.Is(err, ui.ErrUnavailable) || !strings.Contains(err.Error(), "no question's id") {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// focused waits until the pane has the focus, as the user would who waits for
// it.
func (s *server) focused(x *termtest.Terminal, pane string) {
	s.t.Helper()
	x.Until("the focus of "+pane, func() bool { return s.tmux("list-clients", "-F", "#{pane_id}") == pane })
}

// A question asked while no client was attached to tmux appears once a client attaches, unless the
// question has ended.
func TestTmuxAttachedLater(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	ctx, withdraw := context.WithCancel(t.Context())
	surface := s.inside()
	defer withdraw()
	refused := func(ctx context.Context) {
		t.Helper()
		err := surface.Show(ctx, s.rec, nil)
		if !errors.Is(err, ui.ErrUnavailable) || err.Error() != "no client is attached to tmux" {
			t.Errorf("Show returned %v", err)
		}
	}
	refused(ctx)
	withdraw()
	refused(t.Context())
	if got := s.panes(); got != "%0" {
		t.Errorf("panes %q were opened", got)
	}
	x := s.attach(30)
	x.WaitFor("Which one?>")
	if got := s.panes(); got != "%0\n%1" {
		t.Errorf("the panes are %q", got)
	}
	s.focused(x, "%1")
	x.Type("a\r")
	x.Until("the answer", func() bool { return s.state() == "answered a" })
}

// A question that several calls wanted to show while no client was attached appears once: the user who
// closes its pane gets the next question.
func TestTmuxAttachedLaterOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	surface := s.inside()
	for range 3 {
		err := surface.Show(t.Context(), s.rec, nil)
		if !errors.Is(err, ui.ErrUnavailable) {
			t.Errorf("Show returned %v", err)
		}
	}
	x := s.attach(30)
	x.WaitFor("Which one?>")
	s.tmux("kill-pane", "-t", "%1")
	x.Until("the pane to be gone", func() bool { return !strings.Contains(x.Screen(), "Which one?>") })
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	shown := s.show(ctx, surface, s.ask("Which two?"))
	x.Until("a pane", func() bool { return strings.Contains(x.Screen(), "?>") })
	if !strings.Contains(x.Screen(), "Which two?>") {
		t.Error("the question appears again")
	}
	leave()
	<-shown
}

// The asker is killed: the pane takes the answer.
func TestTmuxAskerKilled(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	x := s.attach(30)
	asker := exec.Command(os.Args[0], "ask", s.rec.ID, s.socket)
	asker.Env = append(os.Environ(), "MCP_ASKUSER_DIR="+s.dir)
	fatal.If(t, asker.Start())
	x.WaitFor("Which one?>")
	fatal.If(t, errors.Join(asker.Process.Kill(), ignore(asker.Wait())))
	s.tmux("send-keys", "-t", "%1", "b", "Enter")
	x.Until("the answer", func() bool { return s.state() == "answered b" })
	if rec, _ := s.desk.Get(t.Context(), s.rec.ID); rec.Outcome.Surface != "pane" {
		t.Errorf("answered on %q", rec.Outcome.Surface)
	}
}

func ignore(error) error { return nil }

//go:build unix

package pane

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"mcp-askuser/internal/termtest"
	"mcp-askuser/ui"
)

// focused waits until the pane has the focus, as the user would who waits for
// it.
func (s *server) focused(x *termtest.Terminal, pane string) {
	s.t.Helper()
	x.Until("the focus of "+pane, func() bool { return s.tmux("list-clients", "-F", "#{pane_id}") == pane })
}

// Somebody types a sentence to the agent while the pane opens: the agent gets
// every key of it and the pane none. The pane says how to get there, and takes
// the focus when they pause.
func TestTmuxWhileTyping(t *testing.T) {
	for name, rows := range map[string]int{"beside": 30, "in a window": 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			x := s.attach(rows)
			record := filepath.Join(t.TempDir(), "keys")
			s.tmux("respawn-pane", "-k", "-t", "%0", "stty raw -echo; printf 'agent ready. '; exec cat >'"+record+"'")
			x.WaitFor("agent ready.")

			const sentence = "make it a bit faster please, and then: b\r"
			shown := make(<-chan error)
			for i, key := range sentence {
				if i == 7 {
					shown = s.show(t.Context(), s.inside(), s.rec)
				}
				x.Play([]termtest.Blow{{Keys: string(key)}, {After: 200 * time.Millisecond}}) // how people type
			}
			s.focused(x, "%1")
			if got, _ := os.ReadFile(record); string(got) != sentence {
				t.Errorf("the agent got %q", got)
			}
			if got := s.tmux("capture-pane", "-p", "-t", "%1"); got != "Which one?>" {
				t.Errorf("the pane shows %q", got)
			}
			if got := s.state(); got != "pending" {
				t.Fatalf("the question is %s", got)
			}
			x.Type("a\r")
			s.wants(shown, nil, "answered a")
			s.focused(x, "%0")
		})
	}
}

// A question that was asked while nobody was attached comes to whoever
// attaches, unless it has ended.
func TestTmuxAttachedLater(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	ctx, withdraw := context.WithCancel(t.Context())
	surface := s.inside()
	defer withdraw()
	s.refuses(ctx, surface, "no client is attached to tmux")
	withdraw()
	s.refuses(t.Context(), surface, "no client is attached to tmux")
	x := s.attach(30)
	x.WaitFor("Which one?>")
	if got := s.panes(); got != "%0\n%1" {
		t.Errorf("the panes are %q", got)
	}
	s.focused(x, "%1")
	x.Type("a\r")
	x.Until("the answer", func() bool { return s.state() == "answered a" })
}

// The process in the pane is killed with no way to restore its terminal: the pane
// goes with it, also where the user has told tmux to keep such panes, and their
// own terminal is as before.
func TestTmuxProcessKilled(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.tmux("set-option", "-g", "remain-on-exit", "on")
	x := s.attach(30)
	shown := s.show(t.Context(), s.inside(), s.rec)
	x.WaitFor("Which one?>")
	before := s.tmux("display-message", "-p", "-t", "%0", "#{alternate_on} #{mouse_any_flag} #{cursor_flag}")
	pid, err := strconv.Atoi(s.tmux("display-message", "-p", "-t", "%1", "#{pane_pid}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.wants(shown, ui.ErrUnavailable, "pending")
	if got := s.panes(); got != "%0" {
		t.Errorf("the panes are %q", got)
	}
	if after := s.tmux("display-message", "-p", "-t", "%0", "#{alternate_on} #{mouse_any_flag} #{cursor_flag}"); after != before {
		t.Errorf("the human's pane was %q and is %q", before, after)
	}
}

// The asker is killed: the pane takes the answer.
func TestTmuxAskerKilled(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	x := s.attach(30)
	asker := exec.Command(os.Args[0], "ask", s.rec.ID, s.socket)
	asker.Env = append(os.Environ(), "MCP_ASKUSER_DIR="+s.dir)
	if err := asker.Start(); err != nil {
		t.Fatal(err)
	}
	x.WaitFor("Which one?>")
	if err := errors.Join(asker.Process.Kill(), ignore(asker.Wait())); err != nil {
		t.Fatal(err)
	}
	s.tmux("send-keys", "-t", "%1", "b", "Enter")
	x.Until("the answer", func() bool { return s.state() == "answered b" })
	if rec, _ := s.desk.Get(t.Context(), s.rec.ID); rec.Outcome.Surface != "pane" {
		t.Errorf("answered on %q", rec.Outcome.Surface)
	}
}

func ignore(error) error { return nil }

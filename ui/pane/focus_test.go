//go:build unix

package pane

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"

	"mcp-askuser/internal/termtest"
)

// focused waits until the pane has the focus, as the user would who waits for
// it.
func (s *server) focused(x *termtest.Terminal, pane string) {
	s.t.Helper()
	x.Until("the focus of "+pane, func() bool { return s.tmux("list-clients", "-F", "#{pane_id}") == pane })
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

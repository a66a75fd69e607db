package pane

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// Go shows the pane of a process in the user's client, also where that shows another session;
// without a client, and outside of tmux, it says so.
func TestGo(t *testing.T) {
	s := newServer(t)
	pid, err := strconv.Atoi(s.tmux("display-message", "-p", "-t", "%0", "#{pane_pid}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := Go(pid); err == nil || !strings.Contains(err.Error(), "no client is attached") {
		t.Errorf("without a client: %v", err)
	}
	x := s.attach(30)
	s.tmux("new-session", "-d", "-s", "other", "printf 'other ready. '; exec cat")
	s.tmux("switch-client", "-c", s.tmux("list-clients", "-F", "#{client_name}"), "-t", "other")
	x.WaitFor("other ready.")
	if err := Go(pid); err != nil {
		t.Fatal(err)
	}
	x.WaitFor("host ready.")
	if got := s.tmux("list-clients", "-F", "#{client_session}"); got == "other" {
		t.Errorf("the client shows %s", got)
	}
	if err := Go(1); err == nil || !strings.Contains(err.Error(), "not inside tmux") {
		t.Errorf("process 1: %v", err)
	}
	if os.Getenv("TMUX") == "" {
		if err := Go(os.Getpid()); err == nil {
			t.Error("outside of tmux nothing is missing")
		}
	}
}

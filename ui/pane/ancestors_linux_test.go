package pane

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"mcp-askuser/internal/fatal"
)

// A host that passes nothing on hides its multiplexer from us, but not from
// one who looks.
func TestAncestors(t *testing.T) {
	const name = "PANE_TEST_ANCESTOR"
	if os.Getenv("PANE_TEST_CHILD") != "" {
		for p := range func(yield func(process) bool) { from(os.Getppid(), yield) } {
			if value := p.getenv(name); value != "" {
				t.Log("found " + value)
				return
			}
		}
		return
	}
	// The shell stands between: its own name has brackets and blanks in it.
	script := `cp /bin/sh "$1/a) b (c" && exec env ` + name + `='nearest=one' "$1/a) b (c" -c 'env -i PANE_TEST_CHILD=1 "$1" -test.run=^TestAncestors$ -test.v; exit $?' sh "$2"`
	cmd := exec.Command("sh", "-c", script, "sh", t.TempDir(), os.Args[0])
	cmd.Env = append(os.Environ(), name+"=farther")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "found nearest=one") {
		t.Errorf("%v: %s", err, out)
	}
}

// A daemon has the environment of the screen that it was started on, and serves
// others: what it passes on to nobody proves no place.
func TestDaemon(t *testing.T) {
	if os.Getenv("PANE_TEST_CHILD") != "" {
		_, err := New(os.Getenv).(*surface).find()
		t.Logf("found %v", err)
		return
	}
	socket := filepath.Join(t.TempDir(), "codex")
	if err := os.Symlink("/bin/sh", socket); err != nil { // any file of ours, and a name for the shell
		t.Fatal(err)
	}
	const script = `env -i PANE_TEST_CHILD=1 "$1" -test.run=^TestDaemon$ -test.v; exit $?`
	for _, tt := range []struct {
		name    string
		argv    []string
		session bool
		want    string
	}{
		{"a session without a terminal", []string{"/bin/sh", "-c", script, "sh", os.Args[0]}, true, "found only a daemon above is inside tmux"},
		{"by its name", []string{socket, "-c", script, "app-server", os.Args[0]}, false, "found only a daemon above is inside tmux"},
		{"no daemon", []string{"/bin/sh", "-c", script, "sh", os.Args[0]}, false, "found <nil>"},
	} {
		cmd := exec.Command(tt.argv[0], tt.argv[1:]...)
		cmd.Env = append(os.Environ(), "TMUX="+socket+",1,0", "TMUX_PANE=%1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: tt.session}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), tt.want) {
			t.Errorf("%s: %v: %s", tt.name, err, out)
		}
	}
}

// Go shows the pane of a process in the user's client, also where that shows another session;
// without a client, and outside of tmux, it says so.
func TestGo(t *testing.T) {
	s := newServer(t)
	pid, err := strconv.Atoi(s.tmux("display-message", "-p", "-t", "%0", "#{pane_pid}"))
	fatal.If(t, err)
	if err := Go(pid); err == nil || !strings.Contains(err.Error(), "no client is attached") {
		t.Errorf("without a client: %v", err)
	}
	x := s.attach(30)
	s.tmux("new-session", "-d", "-s", "other", "printf 'other ready. '; exec cat")
	s.tmux("switch-client", "-c", s.tmux("list-clients", "-F", "#{client_name}"), "-t", "other")
	x.WaitFor("other ready.")
	fatal.If(t, Go(pid))
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

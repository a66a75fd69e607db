//go:build unix

package pane

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"mcp-askuser/internal/termtest"
)

func started(t *testing.T) (*lifeline, *exec.Cmd) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	l, err := newLifeline()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	argv := l.command([]string{"COLOUR=red and; blue", separator, "/bin/sh", "-c", `[ "$COLOUR" = "red and; blue" ] && exec cat`}, false)
	cmd := exec.Command(argv[0], argv[1:]...)
	if _, err := cmd.StdinPipe(); err != nil { // cat stays
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	within(t, l.started, "the start")
	return l, cmd
}

func within(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(termtest.Deadline):
		t.Fatalf("%s was not noticed", what)
	}
}

func TestLifeline(t *testing.T) {
	l, cmd := started(t)
	if l.process == nil || l.process.Pid != cmd.Process.Pid {
		t.Errorf("the process is %v, want %d", l.process, cmd.Process.Pid)
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("%v is left while the process runs", left)
	}
	select {
	case <-l.gone:
		t.Fatal("the process is said to be gone")
	default:
	}
	if err := cmd.Process.Kill(); err != nil { // no way to say good-bye
		t.Fatal(err)
	}
	within(t, l.gone, "the end")
}

// A process that comes after we have stopped waiting ends by itself.
func TestLifelineTooLate(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	l, err := newLifeline()
	if err != nil {
		t.Fatal(err)
	}
	argv := l.command([]string{separator, "/bin/echo", "too late"}, false)
	l.close()
	if out, err := exec.Command(argv[0], argv[1:]...).Output(); err == nil || len(out) > 0 {
		t.Errorf("it ran: %q", out)
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

func TestLifelineWithoutDirectory(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	if l, err := newLifeline(); err == nil {
		l.close()
		t.Error("a pipe was made nowhere")
	}
}

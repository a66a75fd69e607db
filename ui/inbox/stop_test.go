//go:build unix

package inbox

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"mcp-askuser/internal/termtest"
)

// Ctrl+Z does not stop an inbox that no shell has started: the inbox continues.
func TestNoShellToStopFor(t *testing.T) {
	d, dir := newDesk(t)
	x := start(t, d, dir, 80, 24)
	x.WaitFor("Nothing waits for you.")
	x.Type("\x1a")
	ask(t, d, database())
	x.WaitFor("Which database")
	x.Type("q")
	x.left(0)
}

// An inbox that was stopped by another process and continued takes its terminal again, whatever the
// shell has made of it meanwhile.
func TestStoppedAndContinued(t *testing.T) {
	d, dir := newDesk(t)
	ask(t, d, database())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c",
		`set -m; before=$(stty -g); "$SHOW"; stty "$before"; printf '\033[?1049l\033[2J\033[Hstopped\n'; read -r line; fg`)
	cmd.Env = []string{"TERM=xterm-256color", "PATH=" + os.Getenv("PATH"), "SHOW=" + self, "INBOX_DIR=" + dir,
		"GORACE=atexit_sleep_ms=0"}
	x := &run{t: t, desk: d, dir: dir, Terminal: termtest.Start(t, cmd, 80, 24)}
	x.WaitFor("Which database")
	err = syscall.Kill(-x.Foreground(), syscall.SIGSTOP)
	if err != nil {
		t.Fatal(err)
	}
	x.WaitFor("stopped")
	x.Type("\r")
	x.WaitFor("Which database")
	x.Type("q")
	x.left(0)
}

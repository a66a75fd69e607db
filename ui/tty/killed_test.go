//go:build unix

package tty

import (
	"os"
	"syscall"
	"testing"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
)

// The host is killed while a form is open, and its shell has the terminal again before the form
// can end: the shell gets its screen and its cursor back. The settings are its own.
func TestHostKilled(t *testing.T) {
	t.Parallel()
	x := start(t, 80, 24, "single", `set -m; before=$(stty -g); sh -c '"$SHOW" & wait'; stty "$before"; `+
		`echo taken; read -r line; echo "got $line"`)
	x.WaitFor(question1)
	group := x.Foreground()
	fatal.If(t, syscall.Kill(group, syscall.SIGKILL))
	x.Expect("taken")
	fatal.If(t, syscall.Kill(-group, syscall.SIGUSR1))
	if !waittest.Until(waittest.Patience, func() bool { _, err := os.Stat(x.report); return err == nil }) {
		t.Fatal("the form does not end")
	}
	x.Type("hello\r")
	x.Expect("got hello")
	if x.FullScreen() {
		t.Errorf("the shell is left on the form's screen:\n%s", x.Screen())
	}
	x.end()
}

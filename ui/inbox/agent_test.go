package inbox

import (
	"os"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/ui"
)

// TestGo: g shows the terminal of the agent that asks, and says why where it cannot.
func TestGo(t *testing.T) {
	r := newRig(t, 80, 24)
	r.ask(desk.Asker{Client: "codex", Directory: "/home/ada/shop", Via: "mcp", PID: os.Getpid()}, "s", name())
	shown := make(chan int, 1)
	r.m.goTo = func(pid int) error { shown <- pid; return nil }
	r.open().keys("g")
	if pid := <-shown; pid != os.Getpid() {
		t.Errorf("shown is %d", pid)
	}
	r.m.goTo = func(int) error { return ui.Unavailablef("not inside tmux") }
	r.keys("g").see("The agent's terminal cannot be shown: not inside tmux")
	if r.m.answer != nil {
		t.Error("a form is open")
	}
}

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
	var shown []int
	r.m.goTo = func(pid int) error {
		shown = append(shown, pid)
		if len(shown) > 1 {
			return ui.Unavailablef("not inside tmux")
		}
		return nil
	}
	r.open().keys("g").until("the agent's terminal", func() bool { return len(shown) == 1 })
	r.keys("g").see("The agent's terminal cannot be shown: not inside tmux")
	if shown[0] != os.Getpid() || r.m.answer != nil {
		t.Errorf("shown are %v", shown)
	}
}

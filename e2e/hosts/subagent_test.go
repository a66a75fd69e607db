//go:build hosts && unix

package hosts

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// subagent is the call that starts one.
var subagent = toolCall{"Agent", json.RawMessage(`{"description":"ask","prompt":"` + subagentPrompt + `","subagent_type":"general-purpose"}`)}

// TestSubagent has a subagent ask: our form works as the agent's, and Claude Code's own tool
// is not offered to it. A permission that it needs is asked for in an editor's own form and
// here.
func TestSubagent(t *testing.T) {
	t.Run("our form", func(t *testing.T) {
		m := newModel(t)
		p := &person{t: t, host: claude(t, m)}
		p.ready()
		m.calls <- subagent
		m.sub.calls <- own
		if got := m.sub.given(t); !strings.Contains(got, "not available inside subagents") {
			t.Errorf("its own question: %s", got)
		}
		m.sub.calls <- ours
		p.expect("requests your input")
		p.pause(1500 * time.Millisecond)
		p.answer([]string{"Right", "Down", "Enter", "Enter"})
		if got := m.sub.given(t); !strings.Contains(got, oursAnswered) {
			t.Errorf("given %s", got)
		}
	})
	t.Run("a permission, in an editor", func(t *testing.T) {
		m, dir := newModel(t), t.TempDir()
		_, env := claudeEnv(t, m, "", "--questions", "--permissions")
		e := edit(t, claudeACP(t), env, true)
		m.calls <- subagent
		m.sub.calls <- toolCall{"Bash", json.RawMessage(`{"command":"touch ` + dir + `/made","description":"Make a file"}`)}
		asked := within(t, e.permissions)
		onDesk(t, env, "Allow Claude Code to use Bash?")
		p := &person{t: t, host: start(t, m, dir, env, program(t), "answer")}
		p.expect("Allow Claude Code to use Bash?")
		p.pause(time.Second)
		p.press("y")
		p.pause(time.Second)
		p.press("Enter")
		select {
		case <-asked.closed:
		case <-time.After(10 * time.Second):
			t.Error("the editor still asks")
		}
		_ = m.sub.given(t)
		existing(t, dir+"/made")
	})
}

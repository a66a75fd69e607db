//go:build hosts && unix

package hosts

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/waittest"
)

// TestBackground has a session of `claude --bg` ask: ours as a form, and Claude Code's own
// dialog. Both are answered in `claude attach`, or here, without it.
func TestBackground(t *testing.T) {
	for name, tc := range map[string]struct {
		call toolCall
		form string
		keys []string // in claude attach; none answers here
		want string
	}{
		"our form":               {ours, "requests your input", []string{"Right", "Down", "Enter", "Enter"}, oursAnswered},
		"our form, here":         {ours, "", nil, oursAnswered},
		"its own question":       {own, "Type something", []string{"2"}, ownAnswered},
		"its own question, here": {own, "", nil, ownAnswered},
	} {
		t.Run(name, func(t *testing.T) {
			m, dir := newModel(t), t.TempDir()
			home, env := claudeEnv(t, m, dir, "--questions")
			claude := bin(t, "claude")
			t.Cleanup(func() { // before its home is removed
				cmd := exec.Command(claude, "daemon", "stop", "--any")
				cmd.Env = env
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
				waittest.Until(5*time.Second, func() bool { return os.RemoveAll(home) == nil }) // its processes still write
			})
			run(t, dir, env, claude, "--bg", "go")
			var sessions []struct {
				ID         string
				WaitingFor string
			}
			waits := func() bool {
				sessions = nil
				return json.Unmarshal([]byte(run(t, dir, env, claude, "agents", "--json")), &sessions) == nil && len(sessions) == 1 && sessions[0].WaitingFor != ""
			}
			m.calls <- toolCall{"Nothing", json.RawMessage(`{}`)} // the session begins before our server has started
			m.given(t)
			waittest.Pass(t.Context(), 2*time.Second)
			m.calls <- tc.call
			begin := time.Now()
			onDesk(t, env, "Which database?")
			t.Log("on the desk after", time.Since(begin))
			if !waittest.Until(30*time.Second, waits) {
				t.Fatalf("no session waits: %v", sessions)
			}
			t.Log("claude agents:", sessions[0].WaitingFor)
			if len(tc.keys) == 0 {
				answerHere(t, env)
			} else {
				p := &person{t: t, host: start(t, m, dir, env, claude, "attach", sessions[0].ID)}
				p.expect(tc.form)
				p.pause(time.Second)
				p.answer(tc.keys)
			}
			if got := m.given(t); !strings.Contains(got, tc.want) {
				t.Errorf("given %s", got)
			}
			if !waittest.Until(30*time.Second, func() bool { return !waits() }) {
				t.Error("the session still waits for its user")
			}
		})
	}
}

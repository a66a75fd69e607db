//go:build hosts && unix

package hosts

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/waittest"
)

// TestSignAtAddress: Claude Code offers the page for a confirmation that must be signed, and
// closes its dialog once the question has ended there. Where its user declines, and in
// Codex, which opens https addresses only, the model passes on where to sign.
func TestSignAtAddress(t *testing.T) {
	const elsewhere = "They must sign the answer"
	for _, tt := range []struct {
		name  string
		start func(*testing.T, *model) *host
		keys  []string // in the dialog; nil: there is none
		want  string   // that the model is given
	}{
		{"claude accepts", claude, []string{"Enter"}, `"status":"cancelled"`},
		{"claude declines", claude, []string{"Right", "Enter"}, elsewhere},
		{"codex", codex, nil, elsewhere},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t)
			m.env["ASK_SURFACE"], m.env["ASK_PROVE"] = "elicit,web", "confirm"
			p := &person{t: t, host: tt.start(t, m)}
			p.ready()
			p.calls <- toolCall{"confirm_action", json.RawMessage(`{"action":"Delete the build?"}`)}
			if tt.keys != nil {
				p.expect("wants to open a URL")
			}
			for _, key := range tt.keys {
				p.pause(250 * time.Millisecond)
				p.press(key)
			}
			if tt.want != elsewhere {
				p.expect("Waiting for the server to confirm completion")
				_, id, _ := strings.Cut(strings.Join(strings.Fields(strings.ReplaceAll(p.screen(), "│", "")), ""), "&id=")
				if out, err := exec.Command(program(t), "cancel", "--dir", p.desk, id[:26]).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			if got := p.given(); !strings.Contains(got, tt.want) {
				t.Errorf("the model is given %s", got)
			}
			if !waittest.Until(10*time.Second, func() bool { return !strings.Contains(p.screen(), "MCP server") }) {
				t.Errorf("the dialog stays:\n%s", p.screen())
			}
		})
	}
}

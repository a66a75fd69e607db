package mirror

import (
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// The model is told whose program it was that replied in the user's place, as it is of
// a question of its own.
func TestWhoseProgram(t *testing.T) {
	for _, r := range []question.Reply{{Dismissed: true}, {Discuss: true}} {
		rec := desk.Record{Outcome: &desk.Outcome{Status: desk.StatusOf(r), Reply: &r, Answerer: &desk.Answerer{Kind: desk.ProgramAnswerer, Agents: true}}}
		if got, want := refusal(rec), "by an agent's own process, not by the user themselves"; !strings.Contains(got, want) {
			t.Errorf("%q does not say %q", got, want)
		}
	}
}

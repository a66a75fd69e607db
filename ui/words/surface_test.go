package words

import (
	"testing"

	"mcp-askuser/desk"
)

// An outcome is a sentence in each language wherever it was given, and however it ended.
func TestOutcomesInEachLanguage(t *testing.T) {
	for _, tt := range []struct {
		outcome desk.Outcome
		zh, pt  string
	}{
		{
			desk.Outcome{Status: desk.Answered, Surface: "claude-code"},
			"问题已在 Claude Code 中回答。", "Já foi respondida em Claude Code.",
		},
		{desk.Outcome{Status: desk.Failed, Surface: "tty"}, "问题在终端中出错。", "Já foi encerrada por falha em um terminal."},
	} {
		for l, want := range map[Language]string{Chinese: tt.zh, Portuguese: tt.pt} {
			if got := l.T("Already %s.", l.Outcome(&tt.outcome)); got != want {
				t.Errorf("%s: %s, want %s", l, got, want)
			}
		}
	}
}

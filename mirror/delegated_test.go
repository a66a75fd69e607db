package mirror_test

import (
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// A question of Claude Code's own that the user leaves to it is answered in words that are no
// choice of the user's.
func TestDelegatedQuestion(t *testing.T) {
	b := start(t, t.TempDir(), request("s1", one))
	rec := opened(t, b.desk, 1)[0]
	reply := question.Reply{Answers: []question.Answer{{QuestionID: rec.Questions[0].ID, Delegated: true}}}
	if _, err := b.desk.Reply(t.Context(), rec.ID, reply, desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	want := `"answers":{"Which database?":"(no choice of the user's: they left this to you)"}`
	if got := b.printed(); !strings.Contains(got, want) {
		t.Errorf("printed %s", got)
	}
}

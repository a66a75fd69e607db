package mirror_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// A prompt of the user's begins a new count of rounds for Claude Code in that project, and
// prints nothing, which the model would read.
func TestPromptBeginsCount(t *testing.T) {
	dir := t.TempDir()
	ask := func(n int) error {
		d := desk.New(desktest.Store(t, dir), desk.Options{MaxRounds: 1})
		set := question.Set{Questions: []question.Question{{Text: fmt.Sprintf("Question %d?", n), Type: question.Text}}}
		rec, attendance, err := d.Submit(t.Context(), desk.Request{
			Set: set, Session: "mcp-1", Asker: desk.Asker{Client: "claude-code", Directory: "/home/ada/shop", Via: "mcp"},
		})
		if err != nil {
			return err
		}
		defer attendance.Release()
		_, err = d.Reply(t.Context(), rec.ID, question.Reply{Dismissed: true}, desk.Evidence{Surface: "web", How: desk.HowPage})
		return err
	}
	fatal.If(t, ask(1))
	if err := ask(2); !errors.As(err, new(*desk.RoundLimitError)) {
		t.Fatalf("a round too many: %v", err)
	}
	if out := start(t, dir, claude("UserPromptSubmit", "s1", `"prompt":"go on"`)).printed(); out != "" {
		t.Errorf("printed %q", out)
	}
	if err := ask(3); err != nil {
		t.Errorf("after a prompt: %v", err)
	}
}

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

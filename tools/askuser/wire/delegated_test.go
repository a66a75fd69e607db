package wire

import (
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// What the user left to the agent is in no answer, and the model reads that it is no choice of
// the user's.
func TestDelegatedResult(t *testing.T) {
	one, other := databaseQuestion(), databaseQuestion()
	other.ID, other.Text = "cache", "Which cache?"
	one.Options[0].Label += " (Recommended)"
	rec := ended(asked(one, other), desk.Outcome{Status: desk.Answered, Reply: &question.Reply{Answers: []question.Answer{
		{QuestionID: one.ID, Delegated: true}, {QuestionID: other.ID, Selected: []string{other.Options[1].ID}},
	}}})
	r := NewResult(rec)
	want := `The user left this to you, and chose nothing: "` + one.Text + `" (you recommended "` + one.Options[0].Label + `"). Decide it yourself`
	for _, text := range []string{r.Text, r.Message} {
		if !strings.Contains(text, want) {
			t.Errorf("the model reads %s", text)
		}
	}
	data, err := r.MarshalJSON()
	if err != nil || strings.Contains(string(data), `"`+one.Text+`":`) || !strings.Contains(string(data), `"Which cache?":"`) {
		t.Errorf("%s, %v", data, err)
	}
	text, err := Format(rec, "questions", time.Time{}, func(question.File) string { return "" })
	if err != nil || !strings.Contains(text, `"left_to_agent":["`+one.Text+`"]`) {
		t.Errorf("ask prints %s, %v", text, err)
	}
	alone := NewResult(ended(asked(one), desk.Outcome{Status: desk.Answered, Reply: &question.Reply{Answers: []question.Answer{{QuestionID: one.ID, Delegated: true}}}}))
	if strings.Contains(alone.Text, "User has answered") || strings.Contains(alone.Text, "with the user's answers in mind") || alone.Summary != "User left 1 question to the agent" {
		t.Errorf("%s: %s", alone.Summary, alone.Text)
	}
}

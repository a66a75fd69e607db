package wire

import (
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Nobody was there when the time was up: the user has left nothing open.
func TestTimeoutLeavesOpen(t *testing.T) {
	rec := ended(asked(databaseQuestion(), featuresQuestion()), desk.Outcome{Status: desk.Answered,
		Answerer: &desk.Answerer{How: desk.HowTimeout}, Reply: &question.Reply{
			Answers: []question.Answer{{QuestionID: "q1", Selected: []string{"mongodb"}, By: question.ByTimeout}}}})
	text := NewResult(rec).Text
	if strings.Contains(text, "Left open by the user") || !strings.Contains(text, "Left open: ") {
		t.Error(text)
	}
}

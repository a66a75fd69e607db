package wire

import (
	"strings"
	"testing"
	"time"

	"mcp-askuser/question"
)

// What the asker had brought along is marked in every format, also beside an answer of the user's
// (B1).
func TestFormatsMarkCollectedAnswers(t *testing.T) {
	collected := databaseQuestion()
	collected.Collected = &question.Answer{QuestionID: "q1", Selected: []string{"postgresql"}, By: question.ByCaller}
	rec := answeredBy(asked(collected, featuresQuestion()), "", question.Answer{QuestionID: "q2", Selected: []string{"c"}})
	for format, want := range map[string]string{
		"headers":   `"by_caller":["Database"]`,
		"questions": `"by_caller":["Which database?"]`,
		"indexes":   `"by_caller":["question-0"]`,
		"ids":       `"by_caller":["q1"]`,
	} {
		got, err := Format(rec, format, time.Time{}, noPath)
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %s, %v", format, got, err)
		}
	}
}

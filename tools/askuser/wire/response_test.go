package wire

import (
	"strings"
	"testing"

	"mcp-askuser/question"
)

// The answer to the only question is a string for one choice and a list for several (E6), and the
// answers of several questions have the same forms: a comma in a label makes nothing ambiguous (B5).
func TestAnswersHaveTheFormOfTheirQuestions(t *testing.T) {
	single := databaseQuestion()
	single.Options[1].FollowUps = nil
	sure := question.Question{ID: "q3", Text: "Sure?", Type: question.Boolean, Options: question.YesAndNo()}
	mongo := question.Answer{QuestionID: "q1", Selected: []string{"mongodb"}}
	features := question.Answer{QuestionID: "q2", Selected: []string{"a", "c"}}
	yes := question.Answer{QuestionID: "q3", Selected: []string{question.YesID}}
	for want, r := range map[string]*Result{
		`"answers":{"Which database?":"MongoDB"},"response":"MongoDB"`: NewResult(answeredBy(asked(single), "", mongo)),
		`"answers":{"Which database?":"MongoDB","Which <b>\"features\"</b>?":["A, B","C"],"Sure?":true}`: NewResult(
			answeredBy(asked(single, featuresQuestion(), sure), "", mongo, features, yes)),
	} {
		got, err := encode(r)
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
		}
	}
}

package wire

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/golden"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// What each status costs a model is a change of its own in every diff: the characters of
// the sentence and of the structured content, then both.
func TestCostIsGolden(t *testing.T) {
	day := time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	pending := func(qs ...question.Question) desk.Record {
		rec := asked(qs...)
		rec.ID, rec.Round = "01JD6Z0001AAAAAAAAAAAAAAAA", 1
		return rec
	}
	end := func(rec desk.Record, status desk.Status, surface, reason string) desk.Record {
		return ended(rec, desk.Outcome{Status: status, At: day, Surface: surface, Reason: reason})
	}
	replied := func(rec desk.Record, reply question.Reply) desk.Record {
		rec = ended(rec, desk.Outcome{Status: desk.StatusOf(reply), At: day, Took: 1500, Surface: "web", Reply: &reply})
		return by(desk.UserAnswerer, &desk.Answerer{How: desk.HowPage}, rec)
	}
	database, features := databaseQuestion(), featuresQuestion()
	database.Options[1].FollowUps = nil
	name := question.Question{ID: "q3", Text: "What is the new service called?", Header: "Name", Type: question.Text, Required: true}
	first := question.Answer{QuestionID: "q1", Selected: []string{"postgresql"}}
	three := []question.Answer{first, {QuestionID: "q2", Selected: []string{"a", "c"}, Note: "C first"}, {QuestionID: "q3", Custom: "orders"}}
	sure := pending(Confirm("Delete 23 files?", "", nil))
	program := func(rec desk.Record) desk.Record { return by(desk.ProgramAnswerer, nil, rec) }
	own := first
	own.By = question.ByProgram
	everything := "elicit: the client did not declare form elicitation; tty: this process has no controlling terminal; " +
		"pane: not inside a terminal multiplexer, and no desktop to open a window on; inbox: no inbox and no web page is open; web: this is no desktop session"
	awaited := func(rec desk.Record) *Result {
		r := NewResult(rec)
		r.ID = rec.ID
		return r
	}
	var out strings.Builder
	var sentences, all int
	for _, tc := range []struct {
		name   string
		result *Result
	}{
		{"answered: one", NewResult(replied(pending(database), question.Reply{Answers: []question.Answer{first}}))},
		{"answered: three, with notes", NewResult(replied(pending(database, features, name), question.Reply{Answers: three, Note: "Keep it small"}))},
		{"answered: by a program", NewResult(program(replied(pending(database), question.Reply{Answers: []question.Answer{own}})))},
		{"answered: yes to an action", NewResult(replied(sure, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{question.YesID}}}}))},
		{"answered: no to an action", NewResult(replied(sure, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{question.NoID}}}}))},
		{"discuss", NewResult(replied(pending(database, features), question.Reply{Discuss: true, Note: "Why a database?", Answers: three[:1]}))},
		{"dismissed: with a reason", NewResult(replied(pending(database), question.Reply{Dismissed: true, Reason: "Not now"}))},
		{"dismissed: by a program", NewResult(program(replied(pending(database), question.Reply{Dismissed: true, Reason: "Busy"})))},
		{"cancelled", NewResult(end(pending(database), desk.Cancelled, words.Shell, ""))},
		{"timeout", NewResult(end(pending(database), desk.Timeout, "", "2m0s"))},
		{"pending", NewResult(pending(database))},
		{"pending: asked without waiting", NewOpen("asked", map[string]string{"now": "now"}, pending(database))},
		{"pending: the form is shown later", NewOpen("asked", map[string]string{"later": "when"}, pending(database))},
		{"pending: two", NewOpen("pending", nil, pending(database), pending(database))},
		{"several: two ended, one open", Join([]*Result{
			awaited(replied(pending(database), question.Reply{Answers: []question.Answer{first}})),
			awaited(replied(pending(database), question.Reply{Dismissed: true, Reason: "Not now"})),
		}, []string{"01JD6Z0002AAAAAAAAAAAAAAAA"})},
		{"pending: shown to nobody", NewUntold("mcp-askuser inbox", "", pending(database))},
		{"unavailable", NewResult(end(pending(database), desk.Unavailable, "", everything))},
		{"failed", NewResult(end(pending(database), desk.Failed, "", "disk full"))},
	} {
		structured, err := encode(tc.result)
		if err != nil {
			t.Fatal(err)
		}
		sentence, costs := question.Count(tc.result.Text), question.Count(structured)
		fmt.Fprintf(&out, "%s: %d, %d\n%s\n%s\n\n", tc.name, sentence, costs, tc.result.Text, structured)
		sentences, all = sentences+sentence, all+costs
	}
	if 10*all > 18*sentences {
		t.Errorf("the structured contents have %d characters, more than 1.8 times the %d of the sentences", all, sentences)
	}
	golden.Check(t, "cost.txt", out.String())
}

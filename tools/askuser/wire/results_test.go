package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/golden"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// namedResult is a result that a model may read.
type namedResult struct {
	name   string
	result *Result
}

// results are those of every status, by every answerer.
func results() []namedResult {
	public := question.Question{ID: "q1", Text: "Is it public?", Type: question.Boolean, Options: question.YesAndNo()}
	name := question.Question{ID: "q3", Text: "What is the new service called?", Header: "Name", Type: question.Text}
	collected := databaseQuestion()
	collected.Collected = &question.Answer{QuestionID: "q1", Selected: []string{"postgresql"}, By: question.ByCaller}
	one, two := asked(databaseQuestion()), asked(databaseQuestion(), featuresQuestion())
	besideCollected := asked(collected, featuresQuestion())
	three, sure := asked(databaseQuestion(), featuresQuestion(), name), asked(Confirm("Delete 23 files?", "", nil))

	first := question.Answer{QuestionID: "q1", Selected: []string{"postgresql"}}
	features := question.Answer{QuestionID: "q2", Selected: []string{"a", "c"}}
	orders := question.Answer{QuestionID: "q3", Custom: "orders"}
	yes := question.Answer{QuestionID: "q1", Selected: []string{question.YesID}}
	no := question.Answer{QuestionID: "q1", Selected: []string{question.NoID}}
	with := func(a question.Answer, edit func(*question.Answer)) question.Answer { edit(&a); return a }
	own := with(first, func(a *question.Answer) { a.By = question.ByProgram })
	remarked := with(own, func(a *question.Answer) { a.Note = "for now" })
	byTimeout := with(first, func(a *question.Answer) { a.By = question.ByTimeout })
	sqlite := question.Answer{QuestionID: "q1", Custom: "SQLite"}
	mine := with(features, func(a *question.Answer) { a.Custom = "mine" })
	cFirst := with(features, func(a *question.Answer) { a.Note = "C first" })

	replied := func(rec desk.Record, r question.Reply) desk.Record {
		return ended(rec, desk.Outcome{Status: desk.StatusOf(r), Reply: &r})
	}
	dismissed := func(reason string) desk.Record { return replied(one, question.Reply{Dismissed: true, Reason: reason}) }
	end := func(status desk.Status, surface, reason string) desk.Record {
		return ended(one, desk.Outcome{Status: status, Surface: surface, Reason: reason})
	}
	program := func(rec desk.Record) desk.Record { return by(desk.ProgramAnswerer, nil, rec) }
	agents := by(desk.ProgramAnswerer, &desk.Answerer{Agents: true}, answeredBy(one, "", own))
	frontEnd := by(desk.UserAnswerer, &desk.Answerer{How: desk.HowFrontEnd, Name: "Slack"}, answeredBy(one, "", first))
	recommended := databaseQuestion()
	recommended.Options[0].Label += " (Recommended)"
	left, twoLeft := question.Answer{QuestionID: "q1", Delegated: true}, asked(recommended, featuresQuestion())
	again := answeredBy(one, "", first)
	again.Earlier = "01H"
	late := answeredBy(one, "", first)
	late.Outcome.At = time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	anHourAgo := NewResult(late)
	anHourAgo.Age(late, late.Outcome.At.Add(time.Hour))
	awaited := func(rec desk.Record) *Result {
		r := NewResult(rec)
		r.ID = rec.ID
		return r
	}

	tooMany := &desk.RoundLimitError{Limit: 10}
	return []namedResult{
		{"answered: one", NewResult(answeredBy(one, "", first))},
		{"answered: an hour ago", anHourAgo},
		{"answered: three, with notes", NewResult(answeredBy(three, "Keep it small", first, cFirst, orders))},
		{"answered: once more", NewResult(again)},
		{"answered: in own words", NewResult(answeredBy(two, "Keep it small", sqlite, mine))},
		{"answered: several choices", NewResult(answeredBy(asked(featuresQuestion()), "", features))},
		{"answered: left to the agent", NewResult(answeredBy(asked(recommended), "", left))},
		{"answered: one of two left to the agent", NewResult(answeredBy(twoLeft, "", left, features))},
		{"answered: one left open", NewResult(answeredBy(two, "", first))},
		{"answered: all left open", NewResult(answeredBy(asked(featuresQuestion()), ""))},
		{"answered: beside an answer of the caller's", NewResult(answeredBy(besideCollected, "", features))},
		{"answered: by a program", NewResult(program(answeredBy(two, "ok", remarked)))},
		{"answered: no by a program", NewResult(program(answeredBy(asked(public), "", with(no, func(a *question.Answer) {
			a.By = question.ByProgram
		}))))},
		{"answered: by the agent itself", NewResult(agents)},
		{"answered: by a front end", NewResult(frontEnd)},
		{"answered: by the timeout", NewResult(answeredBy(one, "", byTimeout))},
		{"answered: by the timeout, one left open", NewResult(by("", &desk.Answerer{How: desk.HowTimeout}, answeredBy(two, "", byTimeout)))},
		{"answered: yes to an action", NewResult(answeredBy(sure, "", yes))},
		{"answered: no to an action", NewResult(answeredBy(sure, "not those", no))},
		{"answered: no to a question that is no action", NewResult(answeredBy(asked(public), "", no))},
		{"answered: a yes with a passkey", NewResult(proven(question.PasskeyProof, answeredBy(sure, "", yes)))},
		{"answered: a no with a passkey", NewResult(proven(question.PasskeyProof, answeredBy(sure, "", no)))},
		{"answered: with a credential", NewResult(proven(question.CredentialProof, answeredBy(one, "", first)))},
		{"discuss", NewResult(replied(two, question.Reply{Discuss: true, Note: "Why?", Answers: []question.Answer{first}}))},
		{"discuss: with nothing", NewResult(replied(one, question.Reply{Discuss: true}))},
		{"discuss: by a program", NewResult(program(replied(one, question.Reply{Discuss: true, Note: "Why?"})))},
		{"dismissed", NewResult(dismissed(""))},
		{"dismissed: with a reason", NewResult(dismissed("Not now"))},
		{"dismissed: by a program", NewResult(program(dismissed("Busy")))},
		{"cancelled: by the client", NewResult(end(desk.Cancelled, "", "by the client"))},
		{"cancelled: by a command", NewResult(end(desk.Cancelled, words.Shell, ""))},
		{"timeout", NewResult(end(desk.Timeout, "", "1m30s"))},
		{"pending", NewResult(one)},
		{"pending: asked without waiting", NewOpen("asked", map[string]string{"now": "now"}, one)},
		{"pending: the form is shown later", NewOpen("asked", map[string]string{"later": "when"}, one)},
		{"pending: two", NewOpen("pending", nil, one, one)},
		{"several: two ended, one open", Join(
			[]*Result{awaited(answeredBy(one, "", first)), awaited(dismissed("Not now"))}, []string{"01K"},
		)},
		{"pending: shown to nobody", NewUntold("mcp-askuser inbox", one)},
		{"unavailable", NewResult(end(desk.Unavailable, "", "tty: no terminal; inbox: no inbox and no web page is open"))},
		{"unavailable: a round too many", NewResult(end(desk.Unavailable, "", tooMany.Error()))},
		{"failed", NewResult(end(desk.Failed, "", "disk full"))},
		{"refused", Refused(CodeValidation, "Validation failed\n- questions: is required")},
	}
}

// What a model reads of each result, and what it costs, is a change of its own in every diff: the
// characters of the sentence and of the structured content, whether the result is an error, then
// both. What a result of one record holds is what the output schema says.
func TestResultsAreGolden(t *testing.T) {
	var out strings.Builder
	var schema struct {
		Properties map[string]any
		Required   []string
	}
	fatal.If(t, json.Unmarshal(Schemas(question.DefaultLimits()).AskResult, &schema))
	sentences, all := 0, 0
	for _, x := range results() {
		structured, err := encode(x.result)
		if err != nil || x.result.Summary == "" {
			t.Fatalf("%s: %q, %v", x.name, x.result.Summary, err)
		}
		var members map[string]any
		fatal.If(t, json.Unmarshal([]byte(structured), &members))
		delete(members, "more")
		delete(members, "open")
		for name := range members {
			if schema.Properties[name] == nil {
				t.Errorf("%s: %s is not in the output schema", x.name, name)
			}
		}
		for _, name := range schema.Required {
			if members[name] == nil {
				t.Errorf("%s: %s is required and missing", x.name, name)
			}
		}
		kind := ""
		if x.result.IsError() {
			kind = ", an error"
		}
		sentence, costs := question.Count(x.result.Text), question.Count(structured)
		fmt.Fprintf(&out, "%s: %d, %d%s\n%s\n%s\n\n", x.name, sentence, costs, kind, x.result.Text, structured)
		sentences, all = sentences+sentence, all+costs
	}
	if 10*all > 18*sentences {
		t.Errorf("the structured contents have %d characters, more than 1.8 times the %d of the sentences", all, sentences)
	}
	golden.Check(t, "results.txt", out.String())
}

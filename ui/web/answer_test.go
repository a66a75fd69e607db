package web

import (
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

// What is no answer is refused with this status and code, says what is expected, and nothing is
// recorded. Which answers fit a question is shown in question.
func TestAnswerRefused(t *testing.T) {
	g := start(t)
	one := g.ask("s", single("db"))
	set := g.ask("s", several("features"), boolean("go"))
	other := g.ask("other", text("port"))
	id := func(body string) string { return `{"id":"` + one.ID + `",` + body + `}` }
	for name, tt := range map[string]struct {
		body   string
		status int
		code   string
		says   string // part of the message
	}{
		"unknown session": {`{"session_id":"none","question_id":"db","answer":"pg"}`, 404, api.SessionNotFound, "none"},
		"unknown question": {`{"session_id":"s","question_id":"none","answer":"pg"}`, 404, api.QuestionNotFound,
			"none"},
		"question of another session": {`{"session_id":"s","question_id":"port","answer":"80"}`, 404,
			api.QuestionNotFound, "port"},
		"unknown record": {`{"id":"` + nowhere + `","answers":{"db":"pg"}}`, 404, api.QuestionNotFound,
			"no question"},
		"unknown question of a record": {id(`"question_id":"none","answer":"pg"`), 404, api.QuestionNotFound, "none"},
		"outside the options": {id(`"question_id":"db","answer":"oracle"`), 400, api.InvalidAnswer,
			"must be one of: pg, lite"},
		"null": {`{"session_id":"s","question_id":"db","answer":null}`, 400, api.InvalidAnswer, "Send {"},
		"part of a set": {`{"id":"` + set.ID + `","answers":{"question-0":["pg"]}}`, 400, api.InvalidAnswer,
			"go: an answer is required"},
		"both forms": {id(`"question_id":"db","answer":"pg","answers":{"db":"pg"}`), 400, api.InvalidAnswer, "Send {"},
		"no session": {`{"question_id":"db","answer":"pg"}`, 400, api.InvalidAnswer, "session_id"},
		"wrong type": {`{"session_id":5}`, 400, api.InvalidAnswer, "session_id has the wrong type (number)."},
		"too large":  {id(`"answers":{"db":"pg"}`) + strings.Repeat(" ", maxBody), 413, api.TooLarge, "larger"},
	} {
		g.holds(name, string(g.task(tt.status, tt.code, tt.body).body), tt.says)
		for _, rec := range []string{one.ID, set.ID, other.ID} {
			g.pending(rec)
		}
	}
}

// The second of two answers gets 400 and sees the first.
func TestSecondAnswer(t *testing.T) {
	g := start(t)
	rec := g.ask("s", single("db"))
	body := `{"id":"` + rec.ID + `","answers":{"db":"lite"}}`
	g.task(200, "", body)
	for _, again := range [][2]string{
		{"/api/task/answer", body},
		{"/api/task/answer", `{"id":"` + rec.ID + `","answers":"nonsense"}`},
		{"/api/questions/" + rec.ID + "/dismiss", ""},
		{"/api/questions/" + rec.ID + "/files", "late"},
	} {
		a := g.want(400, api.AlreadyAnswered, "POST", again[0], again[1])
		first := decodeJSON[struct{ Error api.Problem }](t, a.body).Error.First
		if first == nil || first.Answers["question-0"] != "SQLite, embedded" || first.Surface != "web" ||
			first.At.IsZero() {
			t.Errorf("%s does not see the first answer: %s", again, a.body)
		}
	}
	if got := g.answersTo(rec.ID); got != "db=lite program" {
		t.Errorf("recorded %q", got)
	}
}

// A question is dismissed with a reason, and stays open where the request is not right, or cannot be
// carried out now.
func TestDismiss(t *testing.T) {
	g := start(t)
	rec := g.ask("", single("db"))
	path := "/api/questions/" + rec.ID
	g.want(400, api.InvalidRequest, "POST", path+"/dismiss", `{"reason":5}`)
	g.want(400, api.InvalidAnswer, "POST", path+"/dismiss", `{"reason":"`+strings.Repeat("x", question.MaxText+1)+`"}`)
	g.want(404, api.QuestionNotFound, "POST", "/api/questions/"+nowhere+"/dismiss", "")
	g.want(404, api.NoSuchPath, "PUT", "/api/questions", "{}")
	g.want(404, api.SessionNotFound, "GET", "/api/sessions/none", "")
	g.store.FailAnswers(desk.ErrUnreachable)
	g.want(503, api.NotSentYet, "POST", path+"/dismiss", "")
	g.task(503, api.NotSentYet, `{"id":"`+rec.ID+`","answers":{"db":"pg"}}`)
	g.store.FailAnswers(nil)
	g.pending(rec.ID)
	g.want(200, "", "POST", path+"/dismiss", `{"reason":"not now"}`)
	if r := g.reply(rec.ID); !r.Dismissed || r.Reason != "not now" || len(r.Answers) > 0 {
		t.Errorf("recorded %+v", r)
	}
}

package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// A program passes on that its user wants to discuss a set first, and words
// beside answers.
func TestDiscuss(t *testing.T) {
	g := start(t)
	for body, check := range map[string]func(desk.Record, *question.Reply) bool{
		`"discuss":true,"answers":{"db":"pg"},"note":"why?","notes":{"port":"which?"}`: func(rec desk.Record, r *question.Reply) bool {
			return rec.State == desk.Discuss && r.Note == "why?" && r.Answer("db").Selected[0] == "pg" && r.Answer("port").Note == "which?"
		},
		`"answers":{"question-0":"pg","port":"1"},"notes":{"question-0":"for now"}`: func(rec desk.Record, r *question.Reply) bool {
			return rec.State == desk.Answered && r.Answer("db").Note == "for now"
		},
	} {
		rec := g.ask("s", single("db"), text("port"))
		g.want(200, "", "POST", "/api/task/answer", `{"id":"`+rec.ID+`",`+body+`}`)
		ended, err := g.desk.Get(t.Context(), rec.ID)
		if err != nil || !check(ended, g.reply(rec.ID)) {
			t.Errorf("%s is recorded as %s, %+v, %v", body, ended.State, g.reply(rec.ID), err)
		}
	}
	rec := g.ask("s", single("db"), text("port"))
	for _, body := range []string{
		`"session_id":"s","question_id":"db","answer":"pg","discuss":true`, `"answers":{"db":"pg","port":"1"},"notes":{"x":"y"}`,
		`"discuss":true,"answers":{"db":"nothing of the kind"}`, `"discuss":"yes"`,
	} {
		g.want(400, "invalid_answer", "POST", "/api/task/answer", `{"id":"`+rec.ID+`",`+body+`}`)
		g.pending(rec.ID)
	}
}

// What was answered of a set so far goes along when the set is put back to be discussed,
// each answer with its giver; what a user is typing elsewhere does not.
func TestDiscussTakesAnswersAlong(t *testing.T) {
	g := start(t)
	v := g.visitor()
	db := single("db")
	db.Options[0].FollowUps = []question.Question{single("version")}
	rec := g.ask("s", db, several("features"), text("port"))
	one := func(id, response string) string {
		return `{"id":"` + rec.ID + `","question_id":"` + id + `","answer":"` + response + `"}`
	}
	g.want(200, "", "POST", "/api/task/answer", one("db", "pg"))
	if a := g.send(g.fromFrontEnd("/api/task/answer", one("features", "my"))); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	typing := question.Reply{Answers: []question.Answer{{QuestionID: "port", Custom: "80", By: question.ByUser}}}
	if err := g.desk.SaveDraft(t.Context(), rec.ID, typing); err != nil {
		t.Fatal(err)
	}
	form := url.Values{"id": {rec.ID}, "action": {"discuss"}, "note": {"why?"}, "q0": {"1"}}
	v.post("/answer", form)
	if got, want := g.answersTo(rec.ID), "db=lite user, features=my user"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A follow-up goes along only with the answer that brings it up.
func TestDiscussWithoutLooseFollowUps(t *testing.T) {
	g := start(t)
	rec := g.ask("s", branching()...)
	g.one(200, "", "db", `"pg"`)
	g.one(200, "", "version", `"lite"`)
	g.want(200, "", "POST", "/api/task/answer", `{"id":"`+rec.ID+`","discuss":true,"answers":{"db":"lite"}}`)
	if got := g.answersTo(rec.ID); got != "db=lite program" {
		t.Errorf("recorded %s", got)
	}
}

// What of a call cannot be asked is told to the one who asks.
func TestDropped(t *testing.T) {
	g := start(t)
	a := g.want(201, "", "POST", "/api/questions", `{"questions":[`+encode(t, single("db"))+`],"dropped":["questions[0]: no such option"]}`)
	got := decodeJSON[struct{ Dropped []string }](t, a.body).Dropped
	if len(got) != 1 || got[0] != "questions[0]: no such option" {
		t.Errorf("got %q in %s", got, a.body)
	}
}

// An ended question is put before the user again, by a program and from the
// page, and the former answer is filled in.
func TestReopen(t *testing.T) {
	g := start(t)
	v := g.visitor()
	rec := g.ask("s", text("port"))
	v.post("/answer", confirmed(rec.ID, "t0", "443"))
	v.sees("/history", `action="/reopen"`)
	status, there := v.post("/reopen", url.Values{"id": {rec.ID}})
	id, ok := strings.CutPrefix(there, "/?id=")
	if status != http.StatusSeeOther || !ok || id == rec.ID {
		t.Fatalf("%d to %s", status, there)
	}
	v.sees(there, ">443</textarea>", "The agent is not waiting; it will get your answer.")
	if _, again := v.post("/reopen", url.Values{"id": {rec.ID}}); again != there {
		t.Errorf("reopened twice: %s", again)
	}
	v.post("/answer", confirmed(id, "t0", "8443"))
	known := text("known")
	known.Collected = &question.Answer{QuestionID: "known", Custom: "x", By: question.ByCaller}
	told, err := g.desk.Note(t.Context(), desk.Request{Set: question.Set{Questions: []question.Question{known}}}, desk.Outcome{Status: desk.Answered, Reply: &question.Reply{}})
	if err != nil {
		t.Fatal(err)
	}
	if status, body := v.post("/reopen", url.Values{"id": {told.ID}}); status != 400 || !strings.Contains(body, "cannot be asked again") {
		t.Errorf("%d %s", status, body)
	}
}

// Who answered a question that its host had an answer to already is told so.
func TestOverruled(t *testing.T) {
	g := start(t)
	v := g.visitor()
	rec, attendance, err := g.desk.Mirror(t.Context(), desk.Request{Set: question.Set{Questions: []question.Question{boolean("go")}}, Asker: desk.Asker{Client: "claude-code"}})
	if err != nil {
		t.Fatal(err)
	}
	defer attendance.Release()
	l := g.listen()
	defer l.close()
	v.post("/answer", confirmed(rec.ID, "q0", "0"))
	no := question.Reply{Answers: []question.Answer{{QuestionID: "go", Selected: []string{question.NoID}}}}
	if _, err := g.desk.Settle(t.Context(), rec.ID, desk.Outcome{Status: desk.Answered, Surface: "claude-code", Reply: &no}); err != nil {
		t.Fatal(errors.Unwrap(err))
	}
	v.sees("/?id="+rec.ID, `data-notice="Not answered on the web page: it was answered in Claude Code first."`)
	for {
		ev, ok := l.next()
		if !ok {
			t.Fatal("nobody is told")
		}
		if strings.Contains(ev.data, `"later":"web"`) {
			return
		}
	}
}

// What was answered before in the same project is offered, and not taken.
func TestPageRemembers(t *testing.T) {
	g := start(t)
	v := g.visitor()
	rec := g.ask("s", single("db"))
	v.post("/answer", confirmed(rec.ID, "q0", "1"))
	if err := g.desk.Delivered(t.Context(), rec.ID); err != nil {
		t.Fatal(err)
	}
	rec = g.ask("t", single("db"))
	v.sees("/?id="+rec.ID, "You answered SQLite, embedded on ", `name="recall" value="0"`)
	if _, body := v.get("/?id=" + rec.ID); strings.Contains(body, " checked") {
		t.Errorf("something is chosen:\n%s", body)
	}
	status, body := v.post("/recall", url.Values{"id": {rec.ID}, "recall": {"0"}, "n0": {"as <before>"}})
	for _, want := range []string{`value="1" checked`, "as &lt;before&gt;", `name="recall"`} {
		if status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%d, without %q:\n%s", status, want, body)
		}
	}
	g.pending(rec.ID)
}

package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

// one answers one question of session s, and returns the sentence that comes
// back.
func (g *rig) one(status int, code, id, response string) string {
	g.t.Helper()
	a := g.want(status, code, "POST", "/api/task/answer", fmt.Sprintf(`{"session_id":"s","question_id":%q,"answer":%s}`, id, response))
	body := decodeJSON[struct {
		Message string
		Error   struct{ Message string }
	}](g.t, a.body)
	return body.Message + body.Error.Message
}

func (g *rig) says(got, want string) {
	g.t.Helper()
	if !strings.Contains(got, want) {
		g.t.Errorf("says %q, want %q", got, want)
	}
}

// answersTo are the answers recorded, in a readable form.
func (g *rig) answersTo(id string) string {
	g.t.Helper()
	var out []string
	for _, a := range g.reply(id).Answers {
		out = append(out, a.QuestionID+"="+strings.Join(a.Selected, "+")+a.Custom+" "+string(a.By))
	}
	return strings.Join(out, ", ")
}

// branching is a set with a follow-up, two more required questions and an
// optional one.
func branching() []question.Question {
	db := single("db")
	db.Options[0].FollowUps = []question.Question{single("version")}
	hint := text("hint")
	hint.Required = false
	return []question.Question{db, several("features"), boolean("go"), hint}
}

// A set is answered one question at a time: what is right is kept, the response
// says what is open, the last required answer commits the set.
func TestAnswerOneByOne(t *testing.T) {
	g := start(t)
	rec := g.ask("s", branching()...)
	g.says(g.one(200, "", "go", `true`), "2 questions of the set are still open: db, features.")
	g.says(g.one(200, "", "hint", `"as agreed"`), "2 questions of the set are still open: db, features.")
	g.says(g.one(400, api.InvalidAnswer, "features", `["Oracle"]`), `"Oracle" is none of the options`)
	g.says(g.one(200, "", "db", `"pg"`), "2 questions of the set are still open: version, features.")
	g.pending(rec.ID)
	g.says(g.one(200, "", "features", `["my","pg"]`), "1 question of the set is still open: version.")
	g.pending(rec.ID)
	g.says(g.one(200, "", "version", `"lite"`), "The answer is recorded; test-agent goes on.")
	const want = "db=pg program, version=lite program, features=pg+my program, go=true program, hint=as agreed program"
	if got := g.answersTo(rec.ID); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	g.one(400, api.AlreadyAnswered, "go", `false`)
}

// A follow-up is answered after the answer that brings it up, and not without.
func TestAnswerFollowUpAlone(t *testing.T) {
	g := start(t)
	rec := g.ask("s", branching()...)
	g.says(g.one(400, api.InvalidAnswer, "version", `"pg"`), "version: this question was not shown")
	g.one(200, "", "db", `"lite"`)
	g.says(g.one(400, api.InvalidAnswer, "version", `"pg"`), "version: this question was not shown")
	g.one(200, "", "go", `true`)
	g.says(g.one(200, "", "features", `["pg"]`), "goes on")
	if got := g.answersTo(rec.ID); strings.Contains(got, "version") {
		t.Errorf("recorded %s", got)
	}
}

// The second answer to a question is refused and sees the first, while its set
// is open as well.
func TestSecondAnswerToOne(t *testing.T) {
	g := start(t)
	rec := g.ask("s", branching()...)
	g.one(200, "", "db", `"pg"`)
	g.one(200, "", "version", `"lite"`)
	for id, first := range map[string]map[string]string{
		"db":      {"question-0": "PostgreSQL"},
		"version": {"version": "SQLite, embedded"},
	} {
		a := g.want(400, api.AlreadyAnswered, "POST", "/api/task/answer", `{"session_id":"s","question_id":"`+id+`","answer":"lite"}`)
		p := decodeJSON[struct{ Error api.Problem }](t, a.body).Error
		if p.First == nil || p.First.Status != desk.Answered || p.First.Surface != "web" || fmt.Sprint(p.First.Answers) != fmt.Sprint(first) {
			t.Errorf("does not see the first answer: %s", a.body)
		}
	}
	g.pending(rec.ID)
}

// A note goes with the answer that completes the set: nothing is lost in
// silence.
func TestNoteToOne(t *testing.T) {
	g := start(t)
	rec := g.ask("s", text("port"), boolean("go"))
	post := func(status int, code, id, response string) {
		t.Helper()
		g.want(status, code, "POST", "/api/task/answer", `{"id":"`+rec.ID+`","question_id":"`+id+`","answer":`+response+`,"note":"as agreed"}`)
	}
	post(400, api.InvalidAnswer, "port", `"80"`)
	g.one(200, "", "port", `"80"`)
	post(200, "", "go", `true`)
	if note := g.reply(rec.ID).Note; note != "as agreed" {
		t.Errorf("note %q", note)
	}
}

// What a user is typing in the page is neither sent by the answers of programs
// nor lost to them, and takes none of them away.
func TestAnswersBesideADraft(t *testing.T) {
	g := start(t)
	v := g.visitor()
	rec := g.ask("s", text("port"), text("host"), boolean("go"))
	draft := func(form url.Values) {
		t.Helper()
		form.Set("id", rec.ID)
		if status, body := v.post("/draft", form); status != http.StatusNoContent {
			t.Fatalf("%d %s", status, body)
		}
	}
	draft(url.Values{"t0": {"80"}, "note": {"not sent"}})
	g.says(g.one(200, "", "go", `true`), "2 questions of the set are still open: port, host.")
	v.sees("/", ">80</textarea>", ">not sent</textarea>", `value="0" checked`)
	draft(url.Values{"t0": {"8080"}, "t1": {"localhost"}})          // the form was there before the answer
	draft(url.Values{"t0": {"8080"}, "t1": {"local"}, "q2": {"1"}}) // another answer, not sent
	v.sees("/", ">8080</textarea>", ">local</textarea>", `value="0" checked`)
	g.says(g.one(200, "", "host", `"example.org"`), "1 question of the set is still open: port.")
	g.pending(rec.ID)
	g.says(g.one(200, "", "port", `"443"`), "goes on")
	if got := g.answersTo(rec.ID); got != "port=443 program, host=example.org program, go=true program" || g.reply(rec.ID).Note != "" {
		t.Errorf("recorded %s", got)
	}
}

// A user who sends the form sends all that is in it, whatever was kept before.
func TestPageSendsBesideKeptAnswers(t *testing.T) {
	g := start(t)
	v := g.visitor()
	rec := g.ask("s", text("port"), boolean("go"))
	g.one(200, "", "port", `"80"`)
	v.sees("/", ">80</textarea>")
	v.post("/answer", confirmed(rec.ID, "t0", "443", "q1", "0"))
	if got := g.answersTo(rec.ID); got != "port=443 user, go=true user" {
		t.Errorf("recorded %s", got)
	}
}

// Clients that answer different questions at once lose none of each other's
// answers; of two that answer the same one, one is told that it was late.
func TestAnswersAtOnce(t *testing.T) {
	g := start(t)
	ids := []string{"a", "b", "c", "d"}
	for range 5 {
		var questions []question.Question
		for _, id := range ids {
			questions = append(questions, text(id))
		}
		rec := g.ask("s", questions...)
		var mu sync.Mutex
		said := map[string]int{}
		var clients sync.WaitGroup
		for _, id := range slices.Concat(ids, ids) {
			clients.Go(func() {
				a := g.do("POST", "/api/task/answer", `{"id":"`+rec.ID+`","question_id":"`+id+`","answer":"`+id+`"}`)
				mu.Lock()
				defer mu.Unlock()
				said[fmt.Sprint(a.status, a.code())]++
				if strings.Contains(string(a.body), "recorded") {
					said["recorded"]++
				}
			})
		}
		clients.Wait()
		if said["200"] != 4 || said["400"+api.AlreadyAnswered] != 4 || said["recorded"] != 1 {
			t.Errorf("answered with %v", said)
		}
		if got := g.answersTo(rec.ID); got != "a=a program, b=b program, c=c program, d=d program" {
			t.Errorf("recorded %s", got)
		}
	}
}

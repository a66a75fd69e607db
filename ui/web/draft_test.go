package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

// branching is a set with a follow-up, two more required questions and an
// optional one.
func branching() []question.Question {
	db := single("db")
	db.Options[0].FollowUps = []question.Question{single("version")}
	hint := text("hint")
	hint.Required = false
	return []question.Question{db, several("features"), boolean("go"), hint}
}

// A set is answered one question at a time: what is right is kept, the response says what is open,
// the last required answer commits the set. A follow-up is answered after the answer that brings it
// up, a note goes with the last answer, and a second answer sees the first.
func TestAnswerOneByOne(t *testing.T) {
	const lastNote = `,"note":"as agreed"`
	type answer struct {
		id, response string
		code, says   string // of a refusal; what it, or the response, says
	}
	for name, tt := range map[string]struct {
		answers    []answer
		want, note string
	}{
		"in any order": {[]answer{
			{"go", `true`, "", "2 questions of the set are still open: db, features."},
			{"hint", `"as agreed"`, "", "2 questions of the set are still open: db, features."},
			{"features", `["Oracle"]`, api.InvalidAnswer, `\"Oracle\" is none of the options`},
			{"db", `"pg"`, "", "2 questions of the set are still open: version, features."},
			{"features", `["my","pg"]`, "", "1 question of the set is still open: version."},
			{"version", `"lite"`, "", "The answer is recorded."},
			{"go", `false`, api.AlreadyAnswered, `"status":"answered"`},
		}, "db=pg program, version=lite program, features=pg+my program, go=true program, hint=as agreed program", ""},
		"without the follow-up": {[]answer{
			{"version", `"pg"`, api.InvalidAnswer, "version: this question was not shown"},
			{"db", `"lite"`, "", "still open"},
			{"version", `"pg"`, api.InvalidAnswer, "version: this question was not shown"},
			{"go", `true` + lastNote, api.InvalidAnswer, "goes with the answer that completes the set"},
			{"go", `true`, "", "still open"},
			{"features", `["pg"]` + lastNote, "", "The answer is recorded."},
		}, "db=lite program, features=pg program, go=true program", "as agreed"},
		"twice": {[]answer{
			{"db", `"pg"`, "", "still open"},
			{"db", `"lite"`, api.AlreadyAnswered, `"answers":{"question-0":"PostgreSQL"}`},
			{"version", `"lite"`, "", "still open"},
			{"version", `"pg"`, api.AlreadyAnswered, `"answers":{"version":"SQLite, embedded"}`},
		}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := start(t)
			rec := g.ask("s", branching()...)
			for i, a := range tt.answers {
				status := http.StatusOK
				if a.code != "" {
					status = http.StatusBadRequest
				}
				body := fmt.Sprintf(`{"session_id":"s","question_id":%q,"answer":%s}`, a.id, a.response)
				g.holds(fmt.Sprint(i), string(g.task(status, a.code, body).body), a.says)
			}
			if tt.want == "" {
				g.pending(rec.ID)
			} else if got := g.answersTo(rec.ID); got != tt.want || g.reply(rec.ID).Note != tt.note {
				t.Errorf("got  %s, note %q\nwant %s", got, g.reply(rec.ID).Note, tt.want)
			}
		})
	}
}

// What a user is typing in the page is neither sent by the answers of programs nor lost to them, and
// takes none of them away. The page says what a program has filled in, and what the user has, here or in
// a front end. A user who sends the form sends all that is in it; a discussion takes along what was
// answered so far, and not what is typed elsewhere.
func TestAnswersBesideADraft(t *testing.T) {
	g, v := visited(t)
	rec := g.ask("s", text("port"), text("host"), boolean("go"))
	one := func(id, response, says string) {
		t.Helper()
		body := `{"session_id":"s","question_id":"` + id + `","answer":` + response + `}`
		g.holds(id, string(g.task(200, "", body).body), says)
	}
	draft := func(form url.Values) {
		t.Helper()
		form.Set("id", rec.ID)
		if status, body := v.post("/draft", form); status != http.StatusNoContent {
			t.Fatalf("%d %s", status, body)
		}
	}
	draft(url.Values{"t0": {"80"}, "note": {"not sent"}})
	one("go", `true`, "2 questions of the set are still open: port, host.")
	v.sees("/", ">80</textarea>", ">not sent</textarea>", `value="0" checked`)
	draft(url.Values{"t0": {"8080"}, "t1": {"localhost"}})          // the form was there before the answer
	draft(url.Values{"t0": {"8080"}, "t1": {"local"}, "q2": {"1"}}) // another answer, not sent
	v.sees("/", ">8080</textarea>", ">local</textarea>", `value="0" checked`)
	one("host", `"example.org"`, "1 question of the set is still open: port.")
	g.pending(rec.ID)
	one("port", `"443"`, "The answer is recorded.")
	const want = "port=443 program, host=example.org program, go=true program"
	if got := g.answersTo(rec.ID); got != want || g.reply(rec.ID).Note != "" {
		t.Errorf("recorded %s", got)
	}

	rec = g.ask("s", text("port"), boolean("go"))
	one("port", `"80"`, "still open")
	const mine, programs = "Your draft is back", "A program has filled in answers here."
	if _, page := v.get("/"); !strings.Contains(page, ">80</textarea>") || !strings.Contains(page, programs) ||
		strings.Contains(page, mine) {
		t.Errorf("the page does not say whose answer it has:\n%s", page)
	}
	v.post("/answer", confirmed(rec.ID, "t0", "443", "q1", "0"))
	if got := g.answersTo(rec.ID); got != "port=443 user, go=true user" {
		t.Errorf("recorded %s", got)
	}

	rec = g.ask("s", branching()...)
	one("db", `"pg"`, "still open")
	one("version", `"lite"`, "still open")
	draft(url.Values{"t4": {"typed elsewhere"}})
	g.task(200, "", `{"id":"`+rec.ID+`","discuss":true,"answers":{"db":"lite"},"notes":{"db":"x"},"note":"y"}`)
	got := g.reply(rec.ID)
	if g.answersTo(rec.ID) != "db=lite program" || !got.Discuss || got.Note != "y" || got.Answers[0].Note != "x" {
		t.Errorf("recorded %+v", got)
	}

	rec = g.ask("s", text("port"), boolean("go"))
	g.send(g.fromFrontEnd("POST", "/api/task/answer", `{"id":"`+rec.ID+`","question_id":"go","answer":true}`))
	v.sees("/?id="+rec.ID, mine)
}

// Clients that answer different questions at once lose none of each other's
// answers; of two that answer the same one, one is told that it was late.
func TestAnswersAtOnce(t *testing.T) {
	g := start(t)
	ids := []string{"a", "b", "c", "d"}
	for range 5 {
		rec := g.ask("s", text("a"), text("b"), text("c"), text("d"))
		var clients []<-chan response
		for _, id := range slices.Concat(ids, ids) {
			body := `{"id":"` + rec.ID + `","question_id":"` + id + `","answer":"` + id + `"}`
			clients = append(clients, g.later("POST", "/api/task/answer", body))
		}
		said := map[string]int{}
		for _, client := range clients {
			a := <-client
			said[fmt.Sprint(a.status, a.code())]++
			if strings.Contains(string(a.body), "recorded") {
				said["recorded"]++
			}
		}
		if said["200"] != 4 || said["400"+api.AlreadyAnswered] != 4 || said["recorded"] != 1 {
			t.Errorf("answered with %v", said)
		}
		if got := g.answersTo(rec.ID); got != "a=a program, b=b program, c=c program, d=d program" {
			t.Errorf("recorded %s", got)
		}
	}
}

// TestRefusedFormIsKept: the user may leave a form that was refused, also without the script.
func TestRefusedFormIsKept(t *testing.T) {
	g, v := visited(t)
	rec := g.ask("s", single("db"), text("port"))
	status, _ := v.post("/answer", url.Values{"id": {rec.ID}, "action": {"confirm"}, "t1": {"44"}})
	if status != http.StatusBadRequest {
		t.Fatalf("status %d", status)
	}
	v.sees("/?id="+rec.ID, ">44</textarea>")
}

// What is typed is kept, also what cannot be sent yet, and comes back; once the record has ended
// none is taken. What was typed into "Discuss first" or "Dismiss" goes with no answer.
func TestPageDraft(t *testing.T) {
	g, v := visited(t)
	rec := g.ask("s", single("db"), text("port"))
	form := url.Values{"id": {rec.ID}, "q0": {"other"}, "t1": {"44"}, "reason": {"not now"},
		"topic": {"what does it cost?"}}
	if status, body := v.post("/draft", form); status != http.StatusNoContent {
		t.Fatalf("%d %s", status, body)
	}
	g.pending(rec.ID)
	v.sees("/", ">44</textarea>", ">what does it cost?</textarea>", "data-back>Your draft is back")
	v.post("/answer", confirmed(rec.ID, "q0", "0", "t1", "443", "reason", "not now", "topic", "what does it cost?"))
	if r := g.reply(rec.ID); r.Dismissed || r.Reason != "" || r.Note != "" {
		t.Errorf("recorded %+v", r)
	}
	if status, _ := v.post("/draft", url.Values{"id": {rec.ID}, "t1": {"444"}}); status != http.StatusNoContent {
		t.Errorf("a late draft: status %d", status)
	}
	if r, _, err := g.desk.Draft(t.Context(), rec.ID); err == nil && r.Answer("port").Custom == "444" {
		t.Error("a draft of what has ended is taken")
	}
	rec = g.ask("s", single("db"), text("port"))
	form = url.Values{"id": {rec.ID}, "action": {"discuss"}, "q0": {"1"}, "n0": {"if it must be"}, "n1": {"which?"},
		"topic": {"why a port?"}}
	_, there := v.post("/answer", form)
	v.sees(there, "To be discussed. test-agent in project goes on with that.")
	r := g.reply(rec.ID)
	if db := r.Answer("db"); !r.Discuss || r.Note != "why a port?" || db.Note != "if it must be" ||
		r.Answer("port").Note != "which?" {
		t.Errorf("recorded %+v", r)
	}
	rec = g.ask("s", single("db"))
	_, there = v.post("/answer",
		url.Values{"id": {rec.ID}, "action": {"dismiss"}, "reason": {"not now"}, "q0": {"0"}, "also": {rec.ID}})
	if r := g.reply(rec.ID); !r.Dismissed || r.Reason != "not now" || len(r.Answers) > 0 ||
		g.record(rec.ID).State != desk.Dismissed {
		t.Errorf("recorded %+v", r)
	}
	v.sees(there, "Dismissed. test-agent in project goes on without an answer.")
}

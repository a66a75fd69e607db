package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

// POST /api/questions asks: every surface has the record, and the answer returns to the asker, which
// reads what of its call was dropped. An asker that has gone gets the answer when it asks again, and
// after that asks anew.
func TestAsk(t *testing.T) {
	t.Parallel()
	g := start(t)
	body := `{"session_id":"s","agent_id":"my-script","directory":"/srv/job","metadata":{"source":"cron"},` +
		`"dropped":["no such option"],"questions":[` + encode(t, single("db")) + `,` + encode(t, boolean("go")) + `]}`
	a := g.want(201, "", "POST", "/api/questions", body)
	rec := decodeJSON[api.Record](t, a.body)
	if a.header.Get("Location") != "/api/questions/"+rec.ID || strings.Join(rec.Dropped, "|") != "no such option" {
		t.Errorf("Location %q, dropped %q", a.header.Get("Location"), rec.Dropped)
	}
	want := desk.Asker{Client: "my-script", Directory: "/srv/job", Via: "http"}
	if rec.Asker != want || rec.SessionID != "s" || rec.Round != 1 || rec.State != desk.Pending ||
		rec.Metadata["source"] != "cron" {
		t.Errorf("asked as %+v", rec.Record)
	}
	if list := decodeJSON[[]api.Record](t, g.want(200, "", "GET", "/api/questions", "").body); len(list) != 1 ||
		list[0].ID != rec.ID {
		t.Errorf("pending: %v", list)
	}
	g.want(200, "", "GET", "/api/questions/"+rec.ID+"?wait=1", "") // which ends, and leaves the question
	g.pending(rec.ID)
	g.task(200, "", `{"id":"`+rec.ID+`","answers":{"db":"pg","go":false}}`)
	g.nothingAsked()
	head, err := g.client.Do(g.request("HEAD", "/api/questions/"+rec.ID+"?wait=1", "")) // which collects no answer
	fatal.If(t, err)
	fatal.If(t, head.Body.Close())
	got := decodeJSON[api.Record](t, g.want(200, "", "POST", "/api/questions?wait=1", body).body)
	if got.ID != rec.ID || got.State != desk.Answered || got.Answers["Which database (db)?"] != "PostgreSQL" ||
		got.Answers["Go on (go)?"] != "No" {
		t.Errorf("came back as %+v", got)
	}
	rec = decodeJSON[api.Record](t, g.want(201, "", "POST", "/api/questions", body).body)
	if rec.ID == got.ID || rec.Round != 2 {
		t.Errorf("asked once more: %s, round %d", rec.ID, rec.Round)
	}
	waiting := g.later("GET", "/api/questions/"+rec.ID+"?wait=60", "")
	g.task(200, "", `{"id":"`+rec.ID+`","answers":{"db":"lite","go":true}}`)
	if got := decodeJSON[api.Record](t, (<-waiting).body); got.State != desk.Answered {
		t.Errorf("the asker that waits reads %+v", got)
	}
}

func (g *rig) nothingAsked() {
	g.t.Helper()
	if list := g.want(200, "", "GET", "/api/questions", "").body; strings.TrimSpace(string(list)) != "[]" {
		g.t.Errorf("asked: %s", list)
	}
}

// What cannot be asked is refused, and says why.
func TestAskRefused(t *testing.T) {
	g := start(t)
	q := encode(t, single("db"))
	collected := strings.Replace(q, `"required"`, `"collected":{"question_id":"db","selected":["pg"]},"required"`, 1)
	for name, tt := range map[string]struct{ path, body, code, says string }{
		"no JSON":      {"", `{`, api.InvalidQuestion, "JSON"},
		"no questions": {"", `{"questions":[]}`, api.InvalidQuestion, "1 to 4"},
		"duplicate id": {"", `{"questions":[` + q + `,` + strings.Replace(q, "Which", "What", 1) + `]}`,
			api.InvalidQuestion, "the same id as questions[0].question_id"},
		"wait too long": {"?wait=601", `{"questions":[` + q + `]}`, api.InvalidRequest, "0 to 600"},
		"a list for a directory": {"", `{"directory":["/srv"],"questions":[` + q + `]}`, api.InvalidQuestion,
			"directory"},
		"answered already": {"", `{"questions":[` + collected + `]}`, api.InvalidQuestion, "nothing to ask"},
	} {
		g.holds(name, string(g.want(400, tt.code, "POST", "/api/questions"+tt.path, tt.body).body), tt.says)
		g.nothingAsked()
	}
}

// A question id that a caller gives is good once in a session, where it names the question to
// answer. Asking the very same again is no second use, and other sessions are others.
func TestAskDuplicateInSession(t *testing.T) {
	g := start(t)
	ask := func(status int, code, session, question string) {
		t.Helper()
		g.want(status, code, "POST", "/api/questions", `{"session_id":"`+session+`","questions":[`+question+`]}`)
	}
	ask(201, "", "s", encode(t, single("db")))
	ask(400, api.DuplicateID, "s", encode(t, text("db")))
	ask(201, "", "s", encode(t, single("db")))
	ask(201, "", "other", encode(t, text("db")))
}

// The round after the last is refused with a code of its own, until the user lifts the limit: on the
// page of the last round. The refused call is in the history.
func TestRoundLimit(t *testing.T) {
	t.Parallel()
	g := start(t, func(o *Options) { o.Desk = desk.New(newStore(t), desk.Options{MaxRounds: 1}) })
	v := g.visitor()
	body := func(id string) string { return `{"session_id":"s","questions":[` + encode(t, text(id)) + `]}` }
	last := decodeJSON[api.Record](t, g.want(201, "", "POST", "/api/questions", body("last")).body).ID
	v.sees("/?id="+last, `action="/lift"`)
	g.want(200, "", "POST", "/api/questions/"+last+"/dismiss", "")
	g.holds("the refusal",
		string(g.want(429, api.RoundLimit, "POST", "/api/questions", body("more")).body), "in a row is 1", "lift")
	g.nothingAsked()
	set := question.Set{Questions: []question.Question{text("more")}}
	if _, _, err := g.desk.Submit(t.Context(),
		desk.Request{Set: set, Session: "s", Asker: desk.Asker{Client: "codex", Via: "mcp"}}); err == nil {
		t.Error("the round of an MCP client was not refused")
	}
	v.sees("/history", "refused, because the limit of rounds in a row was reached")
	_, there := v.post("/lift", url.Values{"id": {last}})
	v.sees(there)
	g.want(201, "", "POST", "/api/questions", body("more"))
}

// The state and history of a session, which is its own and no other's.
func TestSession(t *testing.T) {
	g := start(t)
	const session = "a/b c?d"
	g.ask("other", single("x"))
	first := g.ask(session, single("db"), several("features"), boolean("go"), text("port"))
	g.task(200, "", `{"id":"`+first.ID+`","answers":{"db":"pg","features":["my","pg"],"go":true,"port":"80"}}`)
	second := g.ask(session, text("why"))
	g.want(200, "", "POST", "/api/questions/"+second.ID+"/dismiss", `{"reason":"later"}`)
	third, fourth := g.ask(session, single("third")), g.ask(session, single("fourth"))

	path := "/api/sessions/" + url.PathEscape(session)
	d := decodeJSON[dialog](t, g.want(200, "", "GET", path, "").body)
	if d.SessionID != session || d.CurrentRound != 3 || d.TotalRounds != 4 ||
		strings.Join(d.Pending, " ") != third.ID+" "+fourth.ID {
		t.Errorf("session %+v", d)
	}
	got := ""
	for _, x := range d.History {
		rec := map[string]string{first.ID: "first", second.ID: "second"}[x.ID]
		got += fmt.Sprintln(x.Round, rec, x.QuestionID, x.Status, x.Answer, x.Reason, len(x.Options))
	}
	const want = `1 first db answered PostgreSQL  2
1 first features answered [PostgreSQL MySQL]  3
1 first go answered true  2
1 first port answered 80  0
2 second why dismissed <nil> later 0
`
	if got != want {
		t.Errorf("history\n%s\nwant\n%s", got, want)
	}
	if shown := strings.Join(d.History[0].Options, "|"); shown != "PostgreSQL|SQLite, embedded" {
		t.Errorf("the options were %s", shown)
	}
	for _, id := range []string{third.ID, fourth.ID} {
		g.want(200, "", "POST", "/api/questions/"+id+"/dismiss", "")
	}
	d = decodeJSON[dialog](t, g.want(200, "", "GET", path, "").body)
	if d.CurrentRound != 4 || len(d.Pending) != 0 || len(d.History) != 7 {
		t.Errorf("at the end %+v", d)
	}
}

// Several questions of one session with the same id are answered in the order
// of asking; sessions do not answer for each other.
func TestSessionOrder(t *testing.T) {
	g := start(t)
	first, second, other := g.ask("s", single("q1")), g.ask("s", text("q1")), g.ask("other", single("q1"))
	g.task(200, "", `{"session_id":"s","question_id":"q1","answer":"pg"}`)
	g.reply(first.ID)
	g.pending(second.ID)
	g.task(200, "", `{"session_id":"s","question_id":"q1","answer":"because"}`)
	g.reply(second.ID)
	g.task(400, api.AlreadyAnswered, `{"session_id":"s","question_id":"q1","answer":"pg"}`)
	g.pending(other.ID)
}

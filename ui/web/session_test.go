package web

import (
	"net/url"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/ui/api"
)

// The state and history of a session, which is its own and no
// other's.
func TestSession(t *testing.T) {
	g := start(t)
	const session = "a/b c?d"
	g.ask("other", single("x"))
	first := g.ask(session, single("db"), several("features"), boolean("go"), text("port"))
	g.want(200, "", "POST", "/api/task/answer", `{"id":"`+first.ID+`","answers":{"db":"pg","features":["my","pg"],"go":true,"port":"80"}}`)
	second := g.ask(session, text("why"))
	g.want(200, "", "POST", "/api/questions/"+second.ID+"/dismiss", `{"reason":"later"}`)
	third := g.ask(session, single("third"))
	fourth := g.ask(session, single("fourth"))

	path := "/api/sessions/" + url.PathEscape(session)
	d := decodeJSON[dialog](t, g.want(200, "", "GET", path, "").body)
	if d.SessionID != session || d.CurrentRound != 3 || d.TotalRounds != 4 || strings.Join(d.Pending, " ") != third.ID+" "+fourth.ID {
		t.Errorf("session %+v", d)
	}
	var got []string
	for _, x := range d.History {
		got = append(got, encode(t, []any{x.Round, x.ID, x.QuestionID, x.Status, x.Answer, x.Reason, x.Options}))
	}
	all := []string{"PostgreSQL", "SQLite, embedded"}
	want := []string{
		encode(t, []any{1, first.ID, "db", "answered", "PostgreSQL", "", all}),
		encode(t, []any{1, first.ID, "features", "answered", []string{"PostgreSQL", "MySQL"}, "", append(all, "MySQL")}),
		encode(t, []any{1, first.ID, "go", "answered", true, "", []string{"Yes", "No"}}),
		encode(t, []any{1, first.ID, "port", "answered", "80", "", nil}),
		encode(t, []any{2, second.ID, "why", "dismissed", nil, "later", nil}),
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("history\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	for _, id := range []string{third.ID, fourth.ID} {
		g.want(200, "", "POST", "/api/questions/"+id+"/dismiss", "")
	}
	if d := decodeJSON[dialog](t, g.want(200, "", "GET", path, "").body); d.CurrentRound != 4 || len(d.Pending) != 0 || len(d.History) != 7 {
		t.Errorf("at the end %+v", d)
	}
}

// Several questions of one session with the same id are answered in the order
// of asking; sessions do not answer for each other.
func TestSessionOrder(t *testing.T) {
	g := start(t)
	first, second, other := g.ask("s", single("q1")), g.ask("s", text("q1")), g.ask("other", single("q1"))
	g.want(200, "", "POST", "/api/task/answer", `{"session_id":"s","question_id":"q1","answer":"pg"}`)
	g.reply(first.ID)
	g.pending(second.ID)
	g.want(200, "", "POST", "/api/task/answer", `{"session_id":"s","question_id":"q1","answer":"because"}`)
	g.reply(second.ID)
	g.pending(other.ID)
	g.want(400, api.AlreadyAnswered, "POST", "/api/task/answer", `{"session_id":"s","question_id":"q1","answer":"pg"}`)
	g.pending(other.ID)
}

// The round limit: 429 with a code of its own, until the user lifts it.
func TestRoundLimit(t *testing.T) {
	g := start(t)
	again := g.exhaust("s")
	if open, err := g.desk.Pending(t.Context()); err != nil || len(open) != 0 {
		t.Errorf("%d on the desk, %v", len(open), err)
	}
	if err := g.desk.Lift(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	g.want(201, "", "POST", "/api/questions", again)
}

// exhaust asks in a session up to the limit of rounds and once more, which is
// refused, and returns what that asked.
func (g *rig) exhaust(session string) (refused string) {
	g.t.Helper()
	for i := 1; ; i++ {
		body := `{"session_id":"` + session + `","questions":[` + encode(g.t, text(strings.Repeat("q", i))) + `]}`
		if i <= 10 {
			rec := decodeJSON[api.Record](g.t, g.want(201, "", "POST", "/api/questions", body).body)
			g.want(200, "", "POST", "/api/questions/"+rec.ID+"/dismiss", "")
			continue
		}
		a := g.want(429, "recursive_limit_exceeded", "POST", "/api/questions", body)
		if !strings.Contains(string(a.body), "lift") {
			g.t.Errorf("no way out: %s", a.body)
		}
		return body
	}
}

// A program that asks over HTTP is attended while it waits, detached when it
// has gone, and gets the answer that came meanwhile when it asks again.
func TestAskAgain(t *testing.T) {
	g := start(t)
	events := g.listen()
	defer events.close()
	body := `{"session_id":"s","questions":[` + encode(t, single("db")) + `]}`
	waiting := g.later("POST", "/api/questions?wait=1", body)
	ev := events.checked(api.RequestEvent)
	id := ev["id"].(string)
	if rec := g.get(id); !rec.Attended {
		t.Error("not attended while its asker waits")
	}
	<-waiting
	if rec := g.get(id); rec.Attended {
		t.Error("attended after its asker left")
	}
	g.want(200, "", "POST", "/api/task/answer", `{"session_id":"s","question_id":"db","answer":"pg"}`)
	again := decodeJSON[api.Record](t, g.want(200, "", "POST", "/api/questions?wait=1", body).body)
	if again.ID != id || again.State != desk.Answered {
		t.Errorf("asked again: %s %s, want the answer to %s", again.ID, again.State, id)
	}
	// Now it was fetched: asking once more is a new round.
	if once := decodeJSON[api.Record](t, g.want(201, "", "POST", "/api/questions", body).body); once.ID == id || once.Round != 2 {
		t.Errorf("once more: %s round %d", once.ID, once.Round)
	}
}

func (g *rig) get(id string) desk.Record {
	g.t.Helper()
	return decodeJSON[api.Record](g.t, g.want(200, "", "GET", "/api/questions/"+id, "").body).Record
}

// While a page is connected it counts as open for all processes of the user.
func TestPresence(t *testing.T) {
	g := start(t)
	is := func(want int) {
		t.Helper()
		if names, err := g.desk.Present(t.Context()); err != nil || len(names) != want {
			t.Errorf("present: %v, %v; want %d", names, err, want)
		}
	}
	is(0)
	l, m := g.listen(), g.listen()
	is(1)
	l.close()
	m.close()
	if !waittest.Until(patient, func() bool { names, err := g.desk.Present(t.Context()); return err == nil && len(names) == 0 }) {
		t.Error("the page is still present")
	}
}

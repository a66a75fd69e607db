package web

import (
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/ui/api"
)

// POST /api/questions asks: the record is there for everybody, and the
// answer comes back to who asked.
func TestAsk(t *testing.T) {
	g := start(t)
	body := `{"session_id":"s","agent_id":"my-script","directory":"/srv/job","metadata":{"source":"cron"},"questions":[` +
		encode(t, single("db")) + `,` + encode(t, boolean("go")) + `]}`
	a := g.want(201, "", "POST", "/api/questions", body)
	rec := decodeJSON[api.Record](t, a.body)
	if a.header.Get("Location") != "/api/questions/"+rec.ID {
		t.Errorf("Location %q", a.header.Get("Location"))
	}
	want := desk.Asker{Client: "my-script", Directory: "/srv/job", Via: "http"}
	if rec.Asker != want || rec.SessionID != "s" || rec.Round != 1 || rec.State != desk.Pending || rec.Metadata["source"] != "cron" {
		t.Errorf("asked as %+v", rec.Record)
	}
	if list := decodeJSON[[]api.Record](t, g.want(200, "", "GET", "/api/questions", "").body); len(list) != 1 || list[0].ID != rec.ID {
		t.Errorf("pending: %v", list)
	}

	events := g.listen()
	defer events.close()
	g.want(200, "", "GET", "/api/questions/"+rec.ID+"?wait=1", "") // which ends, and leaves the question
	g.pending(rec.ID)
	waiting := g.later("GET", "/api/questions/"+rec.ID+"?wait=60", "")
	g.want(200, "", "POST", "/api/task/answer", `{"id":"`+rec.ID+`","answers":{"db":"pg","go":false}}`)
	got := decodeJSON[api.Record](t, (<-waiting).body)
	if got.State != desk.Answered || got.Answers["Which database (db)?"] != "PostgreSQL" || got.Answers["Go on (go)?"] != "No" {
		t.Errorf("came back as %+v", got)
	}
	if list := g.want(200, "", "GET", "/api/questions", "").body; strings.TrimSpace(string(list)) != "[]" {
		t.Errorf("pending: %s", list)
	}
}

// A question with a timeout ends when its time is up, and never with an answer.
func TestAskTimeout(t *testing.T) {
	g := start(t)
	events := g.listen()
	defer events.close()
	body := `{"timeout_seconds":0.05,"questions":[` + encode(t, single("db")) + `]}`
	rec := decodeJSON[api.Record](t, g.want(201, "", "POST", "/api/questions", body).body)
	events.checked(api.RequestEvent)
	if got := events.checked(api.CancelEvent); got["id"] != rec.ID || got["status"] != "timeout" {
		t.Errorf("ended as %v", got)
	}
	a := g.want(400, api.AlreadyClosed, "POST", "/api/task/answer", `{"id":"`+rec.ID+`","answers":{"db":"pg"}}`)
	if first := decodeJSON[struct{ Error api.Problem }](t, a.body).Error.First; first == nil || first.Status != desk.Timeout {
		t.Errorf("late: %s", a.body)
	}
}

func TestAskRefused(t *testing.T) {
	g := start(t)
	q := encode(t, single("db"))
	tests := []struct{ name, path, body, code, says string }{
		{"no JSON", "", `{`, api.InvalidQuestion, "JSON"},
		{"no questions", "", `{"questions":[]}`, api.InvalidQuestion, "1 to 4"},
		{"duplicate id", "", `{"questions":[` + q + `,` + strings.Replace(q, "Which", "What", 1) + `]}`, api.InvalidQuestion, "the same id as questions[0].question_id"},
		{"wait too long", "?wait=601", `{"questions":[` + q + `]}`, api.InvalidRequest, "0 to 600"},
		{"a list for a directory", "", `{"directory":["/srv"],"questions":[` + q + `]}`, api.InvalidQuestion, "a JSON array is not what directory takes."},
		{"answered already", "", `{"questions":[` + strings.Replace(q, `"required"`, `"collected":{"question_id":"db","selected":["pg"]},"required"`, 1) + `]}`, api.InvalidQuestion, "nothing to ask"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := g.at(t)
			a := g.want(400, tt.code, "POST", "/api/questions"+tt.path, tt.body)
			if !strings.Contains(string(a.body), tt.says) {
				t.Errorf("does not say %q: %s", tt.says, a.body)
			}
			if list := g.want(200, "", "GET", "/api/questions", "").body; strings.TrimSpace(string(list)) != "[]" {
				t.Errorf("asked all the same: %s", list)
			}
		})
	}
}

// A question id that a caller gives is good once in a session, where it
// names the question to answer. Asking the very same again is no second use,
// and other sessions are others.
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
	ask(201, "", "s", encode(t, text("port")))
	ask(201, "", "", encode(t, text("port")))
	ask(201, "", "", encode(t, single("port")))
}

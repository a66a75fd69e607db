package web

import (
	"encoding/json"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

// Whatever is no answer is refused with this status and code, saying what is
// expected, and nothing recorded.
func TestAnswerRefused(t *testing.T) {
	g := start(t)
	one := g.ask("s", single("db"))
	set := g.ask("s", several("features"), boolean("go"))
	other := g.ask("other", text("port"))
	own := single("own")
	own.AllowCustom = true
	g.ask("own", own)
	tests := []struct {
		name   string
		body   string
		status int
		code   string
		says   string // part of the message
	}{
		{"unknown session", `{"session_id":"none","question_id":"db","answer":"pg"}`, 404, api.SessionNotFound, "none"},
		{"unknown question", `{"session_id":"s","question_id":"none","answer":"pg"}`, 404, api.QuestionNotFound, "none"},
		{"question of another session", `{"session_id":"s","question_id":"port","answer":"80"}`, 404, api.QuestionNotFound, "port"},
		{"unknown record", `{"id":"01J00000000000000000000000","answers":{"db":"pg"}}`, 404, api.QuestionNotFound, "no question"},
		{"unknown question of a record", `{"id":"` + one.ID + `","question_id":"none","answer":"pg"}`, 404, api.QuestionNotFound, "none"},
		{"outside the options of one with Other", `{"session_id":"own","question_id":"own","answer":"oracle"}`, 400, api.InvalidAnswer, `\"oracle\" is none of the options; must be one of: pg, lite; or {\"other\":`},
		{"null", `{"session_id":"s","question_id":"db","answer":null}`, 400, api.InvalidAnswer, "no answer"},
		{"too long a choice", `{"session_id":"s","question_id":"db","answer":"` + strings.Repeat("x", 257) + `"}`, 400, api.InvalidAnswer, "256"},
		{"part of a set", `{"id":"` + set.ID + `","answers":{"question-0":["pg"]}}`, 400, api.InvalidAnswer, "go: an answer is required"},
		{"no answers", `{"id":"` + one.ID + `"}`, 400, api.InvalidAnswer, "There is no answer"},
		{"both forms", `{"id":"` + one.ID + `","question_id":"db","answer":"pg","answers":{"db":"pg"}}`, 400, api.InvalidAnswer, "Both"},
		{"no session", `{"question_id":"db","answer":"pg"}`, 400, api.InvalidAnswer, "session_id"},
		{"nothing", ``, 400, api.InvalidAnswer, "question_id"},
		{"wrong type", `{"session_id":5,"question_id":"db","answer":"pg"}`, 400, api.InvalidAnswer, "a JSON number is not what session_id takes."},
		{"a list", `[]`, 400, api.InvalidAnswer, "The body is not the JSON object that this path takes: it is a JSON array."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := g.at(t)
			a := g.want(tt.status, tt.code, "POST", "/api/task/answer", tt.body)
			if !strings.Contains(string(a.body), tt.says) {
				t.Errorf("does not say %q: %s", tt.says, a.body)
			}
			for _, rec := range []string{one.ID, set.ID, other.ID} {
				g.pending(rec)
			}
		})
	}
}

// A whole set is answered by ids, by labels, by place or by responses, as question.ParseReply reads
// them.
func TestAnswerForms(t *testing.T) {
	want := []question.Answer{
		{QuestionID: "features", Selected: []string{"pg", "my"}, By: question.ByProgram},
		{QuestionID: "port", Custom: "<b>80</b>", By: question.ByProgram},
		{QuestionID: "go", Selected: []string{"true"}, By: question.ByProgram},
	}
	g := start(t)
	q := single("go")
	q.ID, q.Options = "go", []question.Option{{ID: "true", Label: "Yes, now"}, {ID: "false", Label: "No"}}
	for name, answers := range map[string]string{
		"ids":       `{"features":["pg","my"],"port":"<b>80</b>","go":"true"}`,
		"places":    `{"question-0":"PostgreSQL,MySQL","question-1":"<b>80</b>","question-2":"Yes, now"}`,
		"responses": `[{"question_id":"features","response":["PostgreSQL","MySQL"]},{"question_id":"port","text":"<b>80</b>"},{"question_id":"go","selected":[{"id":"true"}]}]`,
	} {
		rec := g.ask("", several("features"), text("port"), q)
		g.want(200, "", "POST", "/api/task/answer", `{"id":"`+rec.ID+`","answers":`+answers+`,"note":"as agreed"}`)
		if got := g.reply(rec.ID); encode(t, got.Answers) != encode(t, want) || got.Note != "as agreed" {
			t.Errorf("%s: got  %s, %q\nwant %s", name, encode(t, got.Answers), got.Note, encode(t, want))
		}
	}
}

// A text of the user's own is marked.
func TestAnswerInOwnWords(t *testing.T) {
	g := start(t)
	q := single("db")
	q.AllowCustom = true
	rec := g.ask("s", q)
	g.want(200, "", "POST", "/api/task/answer", `{"id":"`+rec.ID+`","answers":{"db":{"other":"CockroachDB"}}}`)
	if got := g.reply(rec.ID).Answers[0]; got.Custom != "CockroachDB" || len(got.Selected) > 0 {
		t.Errorf("got %+v", got)
	}
}

// The second of two answers gets 400 and sees the first.
func TestSecondAnswer(t *testing.T) {
	g := start(t)
	rec := g.ask("s", single("db"))
	body := `{"id":"` + rec.ID + `","answers":{"db":"lite"}}`
	g.want(200, "", "POST", "/api/task/answer", body)
	for _, again := range []string{body, `{"id":"` + rec.ID + `","answers":{"db":"pg"}}`, `{"id":"` + rec.ID + `","answers":"nonsense"}`} {
		g.sees(g.want(400, api.AlreadyAnswered, "POST", "/api/task/answer", again))
	}
	g.sees(g.want(400, api.AlreadyAnswered, "POST", "/api/questions/"+rec.ID+"/dismiss", ""))
	g.sees(g.want(400, api.AlreadyAnswered, "POST", "/api/questions/"+rec.ID+"/cancel", ""))
	if got := g.reply(rec.ID).Answers[0].Selected[0]; got != "lite" {
		t.Errorf("recorded %q", got)
	}
}

func (g *rig) sees(a response) {
	g.t.Helper()
	p := decodeJSON[struct{ Error api.Problem }](g.t, a.body).Error
	if p.First == nil || p.First.Answers["question-0"] != "SQLite, embedded" || p.First.Surface != "web" || p.First.At.IsZero() {
		g.t.Errorf("does not see the first answer: %s", a.body)
	}
}

func TestDismiss(t *testing.T) {
	g := start(t)
	rec := g.ask("", single("db"))
	g.want(400, api.InvalidRequest, "POST", "/api/questions/"+rec.ID+"/dismiss", `{"reason":5}`)
	g.want(400, api.InvalidAnswer, "POST", "/api/questions/"+rec.ID+"/dismiss", `{"reason":"`+strings.Repeat("x", 10_001)+`"}`)
	g.want(400, api.InvalidRequest, "POST", "/api/questions/"+rec.ID+"/cancel", `{"reason":"`+strings.Repeat("x", 10_001)+`"}`)
	g.pending(rec.ID)
	for _, end := range []string{"dismiss", "cancel"} {
		g.want(404, api.QuestionNotFound, "POST", "/api/questions/01J00000000000000000000000/"+end, "")
		g.want(413, api.TooLarge, "POST", "/api/questions/"+rec.ID+"/"+end, `{"reason":"`+strings.Repeat("x", maxBody)+`"}`)
	}
	g.want(200, "", "POST", "/api/questions/"+rec.ID+"/dismiss", `{"reason":"not now"}`)
	if r := g.reply(rec.ID); !r.Dismissed || r.Reason != "not now" || len(r.Answers) > 0 {
		t.Errorf("recorded %+v", r)
	}
}

// Whatever bytes come in, the door answers with a status and code of its own,
// and records an answer exactly when it says so.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"session_id":"s","question_id":"db","answer":"pg"}`,
		`{"id":"ID","answers":{"question-0":"PostgreSQL"}}`,
		`{"id":"ID","answers":[{"question_id":"db","selected":["pg"],"text":""}]}`,
		`{"id":"ID","answers":{"db":"SQLite, embedded"},"note":"\u202e"}`,
		`{"id":"ID","answer":{},"answers":null}`, `[`, `null`, `"x"`, `{"session_id":null}`,
	} {
		f.Add(seed)
	}
	d := desk.New(newStore(f), desk.Options{}) // without a limit of rounds
	server, err := New(Options{Desk: d, Token: token})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		g := &rig{t: t, desk: d, server: server}
		rec := g.ask("s", single("db"))
		status, out := direct(g, strings.ReplaceAll(body, "ID", rec.ID))
		if !json.Valid(out) {
			t.Fatalf("no JSON: %s", out)
		}
		now, err := d.Get(t.Context(), rec.ID)
		if err != nil {
			t.Fatal(err)
		}
		open, err := d.Pending(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case status >= 500:
			t.Fatalf("%d %s", status, out)
		case status == 200 && len(open) > 0, status != 200 && now.Outcome != nil:
			t.Fatalf("said %d, and the record is %s", status, now.State)
		case now.Outcome != nil:
			if _, err := now.Check(*now.Outcome.Reply); err != nil {
				t.Fatalf("recorded what does not hold: %v", err)
			}
		default:
			if _, err := d.Reply(t.Context(), rec.ID, question.Reply{Dismissed: true}, desk.Evidence{Surface: "test", How: desk.HowPage}); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Delivered(t.Context(), rec.ID); err != nil { // else the next one has to read it too
			t.Fatal(err)
		}
	})
}

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
		{"record of another session", `{"session_id":"s","id":"` + other.ID + `","answers":{"port":"80"}}`, 404, api.QuestionNotFound, other.ID},
		{"record with an unknown session", `{"session_id":"none","id":"` + other.ID + `","answers":{"port":"80"}}`, 404, api.SessionNotFound, "none"},
		{"unknown record", `{"id":"01J00000000000000000000000","answers":{"db":"pg"}}`, 404, api.QuestionNotFound, "no question"},
		{"record id that is none", `{"id":"../../etc/passwd","answers":{"db":"pg"}}`, 404, api.QuestionNotFound, "no question"},
		{"unknown question of a record", `{"id":"` + one.ID + `","question_id":"none","answer":"pg"}`, 404, api.QuestionNotFound, "none"},
		{"outside the options", `{"session_id":"s","question_id":"db","answer":"oracle"}`, 400, api.InvalidAnswer, "pg, lite"},
		{"outside the options of one with Other", `{"session_id":"own","question_id":"own","answer":"oracle"}`, 400, api.InvalidAnswer, `\"oracle\" is none of the options; must be one of: pg, lite; or {\"other\":`},
		{"an agent with several", `{"agentId":"test-agent","answers":{"db":"pg"}}`, 400, api.InvalidAnswer, "4 open questions; name one by its id: " + one.ID},
		{"an agent with none", `{"agentId":"goose","answers":{"db":"pg"}}`, 404, api.QuestionNotFound, "goose"},
		{"two choices of one", `{"session_id":"s","question_id":"db","answer":["pg","lite"]}`, 400, api.InvalidAnswer, "takes one choice"},
		{"number", `{"session_id":"s","question_id":"db","answer":7}`, 400, api.InvalidAnswer, "one of: pg, lite"},
		{"object", `{"session_id":"s","question_id":"db","answer":{"id":"pg"}}`, 400, api.InvalidAnswer, "one of: pg, lite"},
		{"null", `{"session_id":"s","question_id":"db","answer":null}`, 400, api.InvalidAnswer, "no answer"},
		{"empty", `{"session_id":"s","question_id":"db","answer":""}`, 400, api.InvalidAnswer, "required"},
		{"number for text", `{"session_id":"other","question_id":"port","answer":80}`, 400, api.InvalidAnswer, "a string"},
		{"too long a choice", `{"session_id":"s","question_id":"db","answer":"` + strings.Repeat("x", 257) + `"}`, 400, api.InvalidAnswer, "256"},
		{"too long a text", `{"session_id":"other","question_id":"port","answer":"` + strings.Repeat("x", 10_001) + `"}`, 400, api.InvalidAnswer, "10000"},
		{"string for boolean", `{"session_id":"s","question_id":"go","answer":"perhaps"}`, 400, api.InvalidAnswer, "true or false"},
		{"part of a set", `{"id":"` + set.ID + `","answers":{"question-0":["pg"]}}`, 400, api.InvalidAnswer, "go: an answer is required"},
		{"mixed with other text", `{"id":"` + set.ID + `","answers":{"question-0":"MySQL,Oracle","go":true}}`, 400, api.InvalidAnswer, "JSON array of any of: pg, "},
		{"index beyond", `{"id":"` + set.ID + `","answers":{"question-2":["pg"]}}`, 400, api.InvalidAnswer, "question-2"},
		{"answered twice", `{"id":"` + one.ID + `","answers":{"db":"pg","question-0":"lite"}}`, 400, api.InvalidAnswer, "answered twice"},
		{"no answers", `{"id":"` + one.ID + `"}`, 400, api.InvalidAnswer, "There is no answer"},
		{"both forms", `{"id":"` + one.ID + `","question_id":"db","answer":"pg","answers":{"db":"pg"}}`, 400, api.InvalidAnswer, "Both"},
		{"no session", `{"question_id":"db","answer":"pg"}`, 400, api.InvalidAnswer, "session_id"},
		{"no question", `{"session_id":"s","answer":"pg"}`, 400, api.InvalidAnswer, "question_id"},
		{"nothing", ``, 400, api.InvalidAnswer, "question_id"},
		{"array", `[]`, 400, api.InvalidAnswer, "JSON object"},
		{"broken", `{"session_id":`, 400, api.InvalidAnswer, "JSON object"},
		{"two bodies", `{"session_id":"s","question_id":"db","answer":"pg"}{}`, 400, api.InvalidAnswer, "JSON object"},
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

// Every form in which an answer may be written, through the door.
func TestAnswerForms(t *testing.T) {
	ask := []question.Question{single("db"), several("features"), text("port"), boolean("go")}
	want := []question.Answer{
		{QuestionID: "db", Selected: []string{"lite"}, By: question.ByProgram},
		{QuestionID: "features", Selected: []string{"pg", "my"}, By: question.ByProgram},
		{QuestionID: "port", Custom: "<b>80</b>", By: question.ByProgram},
		{QuestionID: "go", Selected: []string{"true"}, By: question.ByProgram},
	}
	tests := map[string]string{
		"ids":     `{"db":"lite","features":["pg","my"],"port":"<b>80</b>","go":true}`,
		"labels":  `{"db":"SQLite, embedded","features":["MySQL","PostgreSQL"],"port":"<b>80</b>","go":"Yes"}`,
		"indexes": `{"question-0":"SQLite, embedded","question-1":"PostgreSQL,MySQL","question-2":"<b>80</b>","question-3":"yes"}`,
		"texts":   `{"Which database (db)?":"lite","Which features (features)?":"pg, my","Which port (port)?":"<b>80</b>","Go on (go)?":true}`,
		"responses": `[{"question_id":"db","selected":[{"id":"lite"}]},{"question_id":"features","response":["PostgreSQL","MySQL"]},
			{"question_id":"port","text":"<b>80</b>"},{"question_id":"go","response":true}]`,
	}
	g := start(t)
	for name, answers := range tests {
		t.Run(name, func(t *testing.T) {
			g := g.at(t)
			rec := g.ask("", ask...)
			g.want(200, "", "POST", "/api/task/answer", `{"id":"`+rec.ID+`","answers":`+answers+`,"note":"as agreed"}`)
			got := g.reply(rec.ID)
			if encode(t, got.Answers) != encode(t, want) {
				t.Errorf("got  %s\nwant %s", encode(t, got.Answers), encode(t, want))
			}
			if got.Note != "as agreed" {
				t.Errorf("note %q", got.Note)
			}
		})
	}
}

// The agent's id is enough where only one of its questions is open, and a text of the
// user's own is marked.
func TestAnswerOfAgent(t *testing.T) {
	g := start(t)
	q := single("db")
	q.AllowCustom = true
	rec := g.ask("s", q)
	g.want(200, "", "POST", "/api/task/answer", `{"agentId":"test-agent","answers":{"db":{"other":"CockroachDB"}}}`)
	if got := g.reply(rec.ID).Answers[0]; got.Custom != "CockroachDB" || len(got.Selected) > 0 {
		t.Errorf("got %+v", got)
	}
}

// A label may contain a comma: what can be read in two ways is refused.
func TestAnswerNeverSplitByGuess(t *testing.T) {
	g := start(t)
	q := several("f")
	q.Options = []question.Option{{ID: "a", Label: "Fast"}, {ID: "b", Label: "Safe"}, {ID: "ab", Label: "Fast, Safe"}}
	rec := g.ask("", q)
	a := g.want(400, api.InvalidAnswer, "POST", "/api/task/answer", `{"id":"`+rec.ID+`","answers":{"question-0":"Fast, Safe"}}`)
	if !strings.Contains(string(a.body), "JSON array") {
		t.Errorf("does not say what to do: %s", a.body)
	}
	g.pending(rec.ID)
	g.want(200, "", "POST", "/api/task/answer", `{"id":"`+rec.ID+`","answers":{"question-0":["Fast, Safe"]}}`)
	if got := g.reply(rec.ID).Answers[0].Selected; len(got) != 1 || got[0] != "ab" {
		t.Errorf("got %v", got)
	}
}

// Follow-ups are answered with the option that brings them up, and only then.
func TestAnswerFollowUps(t *testing.T) {
	g := start(t)
	deep := single("l0")
	for _, id := range []string{"l1", "l2", "l3"} {
		q := single(id)
		q.Options[0].FollowUps = []question.Question{deep}
		deep = q
	}
	rec := g.ask("s", deep)
	post := func(status int, code, answers string) {
		t.Helper()
		g.want(status, code, "POST", "/api/task/answer", `{"id":"`+rec.ID+`","answers":`+answers+`}`)
	}
	post(400, api.InvalidAnswer, `{"l3":"pg"}`)
	post(400, api.InvalidAnswer, `{"l3":"lite","l2":"pg"}`)
	post(400, api.InvalidAnswer, `{"l3":"pg","l2":"pg","l1":"pg"}`)
	g.pending(rec.ID)
	post(200, "", `{"l3":"pg","l2":"pg","l1":"pg","l0":"lite"}`)
	if n := len(g.reply(rec.ID).Answers); n != 4 {
		t.Errorf("%d answers", n)
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

// Of many answers at once one is recorded; every other sender is told.
func TestManyAnswersAtOnce(t *testing.T) {
	g := start(t)
	for range 5 {
		rec := g.ask("s", single("db"))
		body := `{"id":"` + rec.ID + `","answers":{"db":"pg"}}`
		results := make([]<-chan response, 16)
		for i := range results {
			results[i] = g.later("POST", "/api/task/answer", body)
		}
		won := 0
		for _, c := range results {
			switch a := <-c; {
			case a.status == 200:
				won++
			case a.code() != api.AlreadyAnswered:
				t.Errorf("%d %s", a.status, a.body)
			}
		}
		if won != 1 {
			t.Errorf("%d were told that they had won", won)
		}
	}
}

func TestDismiss(t *testing.T) {
	g := start(t)
	rec := g.ask("", single("db"))
	g.want(400, api.InvalidRequest, "POST", "/api/questions/"+rec.ID+"/dismiss", `{"reason":5}`)
	g.want(400, api.InvalidAnswer, "POST", "/api/questions/"+rec.ID+"/dismiss", `{"reason":"`+strings.Repeat("x", 10_001)+`"}`)
	g.want(400, api.InvalidRequest, "POST", "/api/questions/"+rec.ID+"/cancel", `{"reason":"`+strings.Repeat("x", 10_001)+`"}`)
	g.pending(rec.ID)
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

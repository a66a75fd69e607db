package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
	"mcp-askuser/ui/words"
)

// A form of the page is the user's word, whatever else comes is a program's.
func TestWhoseWord(t *testing.T) {
	g := start(t)
	v := g.visitor()
	bearer := func(path, body string) func(string) *http.Request {
		return func(id string) *http.Request {
			r := g.request(http.MethodPost, path, strings.ReplaceAll(body, "ID", id))
			if path == "/answer" {
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			}
			return r
		}
	}
	whole, one := `{"id":"ID","answers":{"db":"pg"}}`, `{"id":"ID","question_id":"db","answer":"pg"}`
	for name, tt := range map[string]struct {
		send func(id string) *http.Request
		want question.By
	}{
		"the page's form": {func(id string) *http.Request {
			form := confirmed(id, "q0", "0")
			r := v.form("/answer", form)
			r.Header.Del("Authorization")
			r.AddCookie(v.cookie)
			return r
		}, question.ByUser},
		"the page's form with a token": {bearer("/answer", "id=ID&action=confirm&q0=0"), question.ByProgram},
		"a whole set":                  {bearer("/api/task/answer", whole), question.ByProgram},
		"one question":                 {bearer("/api/task/answer", one), question.ByProgram},
		"the API with a cookie": {func(id string) *http.Request {
			r := bearer("/api/task/answer", whole)(id)
			r.Header.Del("Authorization")
			r.Header.Set("Origin", "http://"+r.Host)
			r.AddCookie(v.cookie)
			return r
		}, question.ByProgram},
	} {
		t.Run(name, func(t *testing.T) {
			g := g.at(t)
			rec := g.ask("", single("db"))
			if a := g.send(tt.send(rec.ID)); a.status >= http.StatusBadRequest {
				t.Fatalf("%d %s", a.status, a.body)
			}
			if r := g.reply(rec.ID); r.Answers[0].By != tt.want {
				t.Errorf("by %q, want %q", r.Answers[0].By, tt.want)
			}
		})
	}

	// What a program has answered of a set stays its word when the rest comes.
	t.Run("one after the other", func(t *testing.T) {
		g := g.at(t)
		rec := g.ask("", single("db"), text("port"))
		g.want(200, "", "POST", "/api/task/answer", `{"id":"`+rec.ID+`","question_id":"db","answer":"pg"}`)
		g.want(200, "", "POST", "/api/task/answer", `{"id":"`+rec.ID+`","question_id":"port","answer":"80"}`)
		for _, a := range g.reply(rec.ID).Answers {
			if a.By != question.ByProgram {
				t.Errorf("%s by %q", a.QuestionID, a.By)
			}
		}
	})
}

// The user answers through a front end that they have enrolled, also one question
// after the other. With a program's answer among them the set is a program's.
func TestFrontEnd(t *testing.T) {
	g := start(t)
	one := func(rec desk.Record, id, response string) *http.Request {
		return g.fromFrontEnd("/api/task/answer", `{"id":"`+rec.ID+`","question_id":"`+id+`","answer":"`+response+`"}`)
	}
	ends := func(rec desk.Record, kind desk.AnswererKind, requests ...*http.Request) *desk.Outcome {
		t.Helper()
		for _, r := range requests {
			if a := g.send(r); a.status != http.StatusOK {
				t.Fatalf("%d %s", a.status, a.body)
			}
		}
		now, err := g.desk.Get(t.Context(), rec.ID)
		if err != nil || now.Outcome == nil || now.Outcome.Answerer.Kind != kind {
			t.Fatalf("%+v, %v", now.Outcome, err)
		}
		return now.Outcome
	}
	confirmation := g.ask("", boolean("go"))
	yes := ends(confirmation, desk.UserAnswerer, g.fromFrontEnd("/api/task/answer", `{"id":"`+confirmation.ID+`","answers":{"go":true}}`))
	if got := words.English.Outcome(yes); yes.Answerer.Name != "panel" || got != "answered through panel" {
		t.Errorf("%+v: %s", yes.Answerer, got)
	}
	set := g.ask("", single("db"), text("port"))
	if o := ends(set, desk.UserAnswerer, one(set, "db", "pg"), one(set, "port", "80")); o.Reply.Answers[0].By != question.ByUser {
		t.Errorf("kept by %q", o.Reply.Answers[0].By)
	}
	mixed := g.ask("", single("db"), text("port"))
	g.want(http.StatusOK, "", "POST", "/api/task/answer", `{"id":"`+mixed.ID+`","question_id":"db","answer":"pg"}`)
	if o := ends(mixed, desk.ProgramAnswerer, one(mixed, "port", "80")); words.English.Outcome(o) != "answered by a program over HTTP" {
		t.Errorf("%s", words.English.Outcome(o))
	}
	if a := g.send(g.fromFrontEnd("/api/questions/"+g.ask("", single("db")).ID+"/dismiss", "")); a.status != http.StatusOK {
		t.Errorf("%d %s", a.status, a.body)
	}
	stranger := one(g.ask("", single("db")), "db", "pg")
	stranger.Header.Set("Authorization", "Bearer another")
	if a := g.send(stranger); a.status != http.StatusUnauthorized {
		t.Errorf("another token: %d", a.status)
	}
}

// An answer that must be signed is taken from nothing that cannot sign; the page says
// beforehand that it is signed.
func TestProofOverHTTP(t *testing.T) {
	g := start(t, func(o *Options) { o.Desk = desk.New(newStore(t), desk.Options{Prove: desk.ProveConfirm}) })
	rec := g.ask("", boolean("go"))
	response := `{"id":"` + rec.ID + `","answers":{"go":true}}`
	g.want(http.StatusForbidden, api.ProofRequired, "POST", "/api/task/answer", response)
	if a := g.send(g.fromFrontEnd("/api/task/answer", response)); a.status != http.StatusForbidden || !strings.Contains(string(a.body), api.ProofRequired) {
		t.Errorf("a front end: %d %s", a.status, a.body)
	}
	if now, err := g.desk.Get(t.Context(), rec.ID); err != nil || now.Outcome != nil {
		t.Errorf("%+v, %v", now.Outcome, err)
	}
	if _, page := g.visitor().get("/"); !strings.Contains(page, "Sending signs your answer with your passkey.") {
		t.Errorf("the page does not say that the answer is signed:\n%s", page)
	}
}

// A program's yes to a confirmation is refused, and the question stays open; the
// history and the page do not take a program for the user.
func TestProgramOverHTTP(t *testing.T) {
	g := start(t)
	rec := g.ask("", boolean("go"))
	g.want(http.StatusForbidden, api.UserRequired, "POST", "/api/task/answer", `{"id":"`+rec.ID+`","answers":{"go":true}}`)
	if now, err := g.desk.Get(t.Context(), rec.ID); err != nil || now.Outcome != nil {
		t.Errorf("%+v, %v", now.Outcome, err)
	}
	choice := g.ask("", single("db"))
	g.want(http.StatusOK, "", "POST", "/api/task/answer", `{"id":"`+choice.ID+`","answers":{"db":"pg"}}`)
	g.want(http.StatusBadRequest, api.AlreadyAnswered, "POST", "/api/task/answer", `{"id":"`+choice.ID+`","answers":{"db":"pg"}}`)
	v := g.visitor()
	v.sees("/history", "by a program over HTTP")
	g.want(http.StatusOK, "", "POST", "/api/questions/"+rec.ID+"/cancel", "")
	v.sees("/", "The last answers", "by a program")
}

// That somebody goes on is said only where somebody waits.
func TestNobodyGoesOn(t *testing.T) {
	g := start(t)
	v := g.visitor()
	alone := func() desk.Record {
		rec, err := desktest.Ask(t.Context(), g.desk, question.Set{Questions: []question.Question{single("db")}}, "", desk.Asker{Client: "test-agent"})
		if err != nil {
			t.Fatal(err)
		}
		return rec
	}
	for path, body := range map[string]string{"/api/task/answer": `{"id":"ID","answers":{"db":"pg"}}`, "/api/questions/ID/dismiss": `{}`} {
		for rec, want := range map[string]string{g.ask("", single("db")).ID: "goes on", alone().ID: "when it comes back"} {
			named := strings.NewReplacer("ID", rec)
			if said := string(g.do("POST", named.Replace(path), named.Replace(body)).body); !strings.Contains(said, want) {
				t.Errorf("%s: %s, want %s", path, said, want)
			}
		}
	}
	for action, want := range map[string]string{
		"confirm": "Kept for test-agent, which gets it when it comes back.",
		"dismiss": "Dismissed. test-agent hears of it when it comes back.",
	} {
		_, there := v.post("/answer", url.Values{"id": {alone().ID}, "action": {action}, "q0": {"0"}})
		v.sees(there, want)
	}
}

// TestSignedIsShownWhole: the page shows word for word what is to be signed, and nothing is
// signed before its script says that the end was in sight.
func TestSignedIsShownWhole(t *testing.T) {
	g := start(t, func(o *Options) { o.Desk = desk.New(newStore(t), desk.Options{Prove: desk.ProveConfirm}) })
	q := boolean("go")
	q.Description = "Three files.\n\n[//]: # (and the backups)"
	rec := g.ask("", q)
	v := g.visitor()
	if _, page := v.get("/?id=" + rec.ID); !strings.Contains(page, q.Description) {
		t.Errorf("the details are not shown word for word:\n%s", page)
	}
	for name, tt := range map[string]struct {
		form     []string
		unscript bool
		want     string
	}{
		"as it opens":          {form: []string{"whole", ""}, want: "scroll to the end of the question first"},
		"not said":             {want: "scroll to the end of the question first"},
		"without the script":   {form: []string{"whole", "yes"}, unscript: true, want: "must be signed by the user, on the page"},
		"its end was in sight": {form: []string{"whole", "yes"}, want: "needs a passkey"},
	} {
		form := v.form("/answer", confirmed(rec.ID, append(tt.form, "q0", "0", "asked", rec.Statement())...))
		if !tt.unscript {
			form.Header.Set("X-Script", "1")
		}
		if status, page := v.take(form); status != http.StatusForbidden || !strings.Contains(page, tt.want) {
			t.Errorf("%s: %d, want %q in\n%s", name, status, tt.want, page)
		}
	}
	if now, err := g.desk.Get(t.Context(), rec.ID); err != nil || now.Outcome != nil {
		t.Errorf("%+v, %v", now.Outcome, err)
	}
}

// A host's own question takes no part of an answer from a program either.
func TestPartOfAMirroredAnswer(t *testing.T) {
	g := start(t)
	rec, attendance, err := g.desk.Mirror(t.Context(), desk.Request{
		Set: question.Set{Questions: []question.Question{single("db"), text("port")}}, Asker: desk.Asker{Client: "claude-code"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer attendance.Release()
	g.want(http.StatusForbidden, api.UserRequired, "POST", "/api/task/answer", `{"id":"`+rec.ID+`","question_id":"db","answer":"pg"}`)
	if _, _, err := g.desk.Draft(t.Context(), rec.ID); !errors.Is(err, desk.ErrNotFound) {
		t.Errorf("part of an answer was kept: %v", err)
	}
}

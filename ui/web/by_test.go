package web

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/ui/api"
	"mcp-askuser/ui/words"
)

// A form of the page with its cookie is the user's word, and so is what a front end sends, also one
// question after the other. All else is a program's, and a set with a program's answer among them
// too. The history says whose word it was.
func TestWhoseWord(t *testing.T) {
	g, v := visited(t)
	const byPage, byPanel = "answered on the web page", "answered through panel"
	const byProgram = "answered by a program over HTTP"
	for name, tt := range map[string]struct {
		sends string // who sends what, one after the other
		kind  desk.AnswererKind
		says  string
	}{
		"the page's form":             {"cookie form", desk.UserAnswerer, byPage},
		"the API with a cookie":       {"cookie set", desk.ProgramAnswerer, byProgram},
		"a whole set":                 {"token set", desk.ProgramAnswerer, byProgram},
		"one after the other":         {"token db, token port", desk.ProgramAnswerer, byProgram},
		"a front end":                 {"panel set", desk.UserAnswerer, byPanel},
		"a front end, one by one":     {"panel db, panel port", desk.UserAnswerer, byPanel},
		"a front end after a program": {"token db, panel port", desk.ProgramAnswerer, byProgram},
	} {
		db := single("db")
		db.Text = name // the same question has its answer
		rec := g.ask("", db, text("port"))
		for send := range strings.SplitSeq(tt.sends, ", ") {
			who, what, _ := strings.Cut(send, " ")
			r := v.form("/answer", confirmed(rec.ID, "q0", "0", "t1", "80"))
			if what != "form" {
				r = g.request(http.MethodPost, "/api/task/answer", `{"id":"`+rec.ID+`",`+map[string]string{
					"set": `"answers":{"db":"pg","port":"80"}`, "db": `"question_id":"db","answer":"pg"`,
					"port": `"question_id":"port","answer":"80"`,
				}[what]+`}`)
			}
			switch who {
			case "cookie":
				v.byCookie(r).Header.Set("Origin", "http://"+r.Host)
			case "panel":
				r.Header.Set("Authorization", "Bearer "+panelToken)
			}
			if a := g.send(r); a.status >= http.StatusBadRequest {
				t.Fatalf("%s: %s: %d %s", name, send, a.status, a.body)
			}
		}
		want := "db=pg " + string(tt.kind) + ", port=80 " + string(tt.kind)
		if got := g.answersTo(rec.ID); tt.kind == desk.UserAnswerer && got != want {
			t.Errorf("%s: recorded %s, want %s", name, got, want)
		}
		o := g.record(rec.ID).Outcome
		if got := words.English.Outcome(o); o.Answerer.Kind != tt.kind || got != tt.says {
			t.Errorf("%s: %+v: %s", name, o.Answerer, got)
		}
	}
	v.sees("/history", "by a program over HTTP")
}

// A confirmation takes a yes from the user only, through a front end too; one that must be signed
// from nothing that cannot sign. It stays open. A host's own question takes no part of an answer.
func TestConfirmationsOverHTTP(t *testing.T) {
	g := start(t)
	rec := g.ask("", boolean("go"))
	yes := `{"id":"` + rec.ID + `","answers":{"go":true}}`
	g.task(http.StatusForbidden, api.UserRequired, yes)
	g.pending(rec.ID)
	if a := g.send(g.fromFrontEnd("POST", "/api/task/answer", yes)); a.status != http.StatusOK ||
		g.answersTo(rec.ID) != "go=true user" {
		t.Errorf("a front end: %d %s", a.status, a.body)
	}
	hosts := g.mirror(single("db"), text("port"))
	g.task(http.StatusForbidden, api.UserRequired, `{"id":"`+hosts.ID+`","question_id":"db","answer":"pg"}`)
	if _, _, err := g.desk.Draft(t.Context(), hosts.ID); !errors.Is(err, desk.ErrNotFound) {
		t.Errorf("part of an answer was kept: %v", err)
	}

	g = start(t, func(o *Options) { o.Desk = desk.New(newStore(t), desk.Options{Prove: desk.ProveConfirm}) })
	rec = g.ask("", boolean("go"))
	yes = `{"id":"` + rec.ID + `","answers":{"go":true}}`
	g.task(http.StatusForbidden, api.ProofRequired, yes)
	if a := g.send(g.fromFrontEnd("POST", "/api/task/answer", yes)); a.status != http.StatusForbidden ||
		a.code() != api.ProofRequired {
		t.Errorf("a front end without a proof: %d %s", a.status, a.body)
	}
	g.pending(rec.ID)
}

// The page shows word for word what is to be signed, says that it is, and signs nothing before its
// script says that the end was in sight.
func TestSignedIsShownWhole(t *testing.T) {
	g := start(t, func(o *Options) { o.Desk = desk.New(newStore(t), desk.Options{Prove: desk.ProveConfirm}) })
	q := boolean("go")
	q.Description = "Three files.\n\n[//]: # (and the backups)"
	rec := g.ask("", q)
	v := g.visitor()
	v.sees("/?id="+rec.ID, q.Description, "Sending signs your answer with your passkey.")
	for name, tt := range map[string]struct {
		form     []string
		unscript bool
		want     string
	}{
		"as it opens": {form: []string{"whole", ""}, want: "scroll to the end of the question first"},
		"not said":    {want: "scroll to the end of the question first"},
		"without the script": {form: []string{"whole", "yes"}, unscript: true,
			want: `-form">Signing needs scripts`},
		"its end was in sight": {form: []string{"whole", "yes"}, want: "needs a passkey"},
		"changed since":        {form: []string{"whole", "yes", "asked", "x"}, want: "has changed since it was shown"},
	} {
		form := v.form("/answer", confirmed(rec.ID, append(tt.form, "q0", "0", "asked", rec.Statement())...))
		if !tt.unscript {
			form.Header.Set("X-Script", "1")
		}
		if status, page := v.take(form); status != http.StatusForbidden || !strings.Contains(page, tt.want) {
			t.Errorf("%s: %d, want %q in\n%s", name, status, tt.want, page)
		}
	}
	g.pending(rec.ID)
}

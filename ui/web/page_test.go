package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/store"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

// visitorOf is a browser without scripts.
type visitorOf struct {
	*rig
	cookie *http.Cookie
}

func (g *rig) visitor() *visitorOf {
	g.t.Helper()
	return &visitorOf{g, g.browser()}
}

func (v *visitorOf) get(path string) (int, string) {
	v.t.Helper()
	return v.take(v.request(http.MethodGet, path, ""))
}

// post sends a form.
func (v *visitorOf) post(path string, form url.Values) (int, string) {
	v.t.Helper()
	return v.take(v.form(path, form))
}

func (v *visitorOf) form(path string, form url.Values) *http.Request {
	v.t.Helper()
	r := v.request(http.MethodPost, path, form.Encode())
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "http://"+r.Host) // as every browser does
	return r
}

func (v *visitorOf) take(r *http.Request) (int, string) {
	v.t.Helper()
	r.Header.Del("Authorization")
	r.AddCookie(v.cookie)
	resp, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	if at := resp.Header.Get("Location"); at != "" {
		return resp.StatusCode, at
	}
	return resp.StatusCode, string(body)
}

func (v *visitorOf) sees(path string, words ...string) {
	v.t.Helper()
	status, body := v.get(path)
	if status != http.StatusOK {
		v.t.Errorf("%s: status %d", path, status)
	}
	for _, w := range words {
		if !strings.Contains(body, w) {
			v.t.Errorf("%s does not say %q:\n%s", path, w, body)
		}
	}
}

func confirmed(id string, pairs ...string) url.Values {
	form := url.Values{"id": {id}, "action": {"confirm"}}
	for i := 0; i < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return form
}

func TestPageAnswers(t *testing.T) {
	g := start(t)
	v := g.visitor()
	v.sees("/", "Nothing waits for you", "mcp-askuser install")
	rec := g.ask("s", single("db"), text("port"))
	v.sees("/", "1 question waits", "test-agent", `<h2 class="text">Which database (db)?</h2>`, "PostgreSQL", `href="/assets/favicon.svg"`)
	status, there := v.post("/answer", confirmed(rec.ID, "q0", "1", "t1", "443", "note", "a\r\nb"))
	if status != http.StatusSeeOther || there != "/?sent="+rec.ID {
		t.Errorf("%d, to %s", status, there)
	}
	r := g.reply(rec.ID)
	if r.Answer("db").Selected[0] != "lite" || r.Answer("port").Custom != "443" || r.Note != "a\nb" {
		t.Errorf("recorded %+v", r)
	}
	v.sees(there, "No questions", "Sent to test-agent in project.", "SQLite, embedded") // one of the last answers
}

// TestPageRefuses: nothing of these is recorded.
func TestPageRefuses(t *testing.T) {
	g := start(t)
	v := g.visitor()
	rec := g.ask("s", single("db"))
	response := confirmed(rec.ID, "q0", "1")
	for _, tt := range []struct {
		name   string
		status int
		send   func() (int, string)
	}{
		{"no origin", http.StatusForbidden, func() (int, string) {
			r := v.form("/answer", response)
			r.Header.Del("Origin")
			return v.take(r)
		}},
		{"GET with an answer", http.StatusNotFound, func() (int, string) { return v.get("/answer?" + response.Encode()) }},
		{"GET of the page with an answer", http.StatusOK, func() (int, string) { return v.get("/?" + response.Encode()) }},
		{"no such record", http.StatusNotFound, func() (int, string) { return v.post("/answer", confirmed("01J", "q0", "1")) }},
		{"no answer", http.StatusBadRequest, func() (int, string) { return v.post("/answer", confirmed(rec.ID)) }},
		{"oversize", http.StatusRequestEntityTooLarge, func() (int, string) {
			return v.post("/answer", confirmed(rec.ID, "q0", "1", "note", strings.Repeat("x", maxBody)))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if status, body := tt.send(); status != tt.status {
				t.Errorf("status %d, want %d\n%s", status, tt.status, body)
			}
			g.at(t).pending(rec.ID)
		})
	}
}

// TestPageKeepsWhatWasTyped: a refused form comes back as it was sent.
func TestPageKeepsWhatWasTyped(t *testing.T) {
	g := start(t)
	v := g.visitor()
	rec := g.ask("s", several("some"), text("port"))
	_, body := v.post("/answer", confirmed(rec.ID, "q0", "2", "note", "my <note>", "reason", "why"))
	for _, want := range []string{`value="2" checked`, "my &lt;note&gt;", ">why</textarea>", "An answer is required.", `href="#` + rec.ID + `-1"`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in\n%s", want, body)
		}
	}
}

// What was typed into "Discuss first" or "Dismiss" goes with no answer: it is neither a
// note nor a reason then, nor one of a draft that another surface sends along.
func TestTopicGoesWithNoAnswer(t *testing.T) {
	g := start(t)
	v := g.visitor()
	rec := g.ask("s", single("db"))
	form := confirmed(rec.ID, "q0", "1", "topic", "what does it cost?", "reason", "busy")
	v.post("/draft", form)
	if draft, _, err := g.desk.Draft(t.Context(), rec.ID); err != nil || draft.Note != "" || draft.Reason != "what does it cost?" {
		t.Errorf("the draft is %+v, %v", draft, err)
	}
	v.post("/answer", form)
	if r := g.reply(rec.ID); r.Note != "" || r.Reason != "" {
		t.Errorf("recorded %+v", r)
	}
	rec = g.ask("s", single("db"))
	form = confirmed(rec.ID, "topic", "what does it cost?")
	form.Set("action", "discuss")
	v.post("/answer", form)
	if r := g.reply(rec.ID); !r.Discuss || r.Note != "what does it cost?" {
		t.Errorf("recorded %+v", r)
	}
}

// TestPageDoublePost: of two posts at once one is recorded, and the other is
// told who was first.
func TestPageDoublePost(t *testing.T) {
	g := start(t)
	v := g.visitor()
	rec := g.ask("s", text("port"))
	var mu sync.Mutex
	got := map[int]int{}
	var posts sync.WaitGroup
	for i := range 8 {
		posts.Go(func() {
			status, body := v.post("/answer", confirmed(rec.ID, "t0", strings.Repeat("1", i+1)))
			mu.Lock()
			defer mu.Unlock()
			got[status]++
			if status == http.StatusBadRequest && !strings.Contains(body, "Already answered on the web page") {
				t.Errorf("who was first is not told:\n%s", body)
			}
		})
	}
	posts.Wait()
	if got[http.StatusSeeOther] != 1 || got[http.StatusBadRequest] != 7 {
		t.Errorf("statuses %v", got)
	}
	g.reply(rec.ID)
}

// TestPageAlike: the others that were ticked get the same answer, if they are
// alike and open.
func TestPageAlike(t *testing.T) {
	g := start(t)
	v := g.visitor()
	one, two, gone, unticked := g.ask("1", single("go")), g.ask("2", single("go")), g.ask("3", single("go")), g.ask("4", single("go"))
	other := g.ask("5", single("stop"))
	if _, err := g.desk.Close(t.Context(), gone.ID, desk.Outcome{Status: desk.Cancelled}); err != nil {
		t.Fatal(err)
	}
	form := confirmed(one.ID, "q0", "0", "also", two.ID, "also", gone.ID, "also", other.ID, "also", "01J", "also", one.ID)
	status, there := v.post("/answer", form)
	if want := "/?" + (url.Values{"sent": {one.ID, two.ID}, "late": {gone.ID}}).Encode(); status != http.StatusSeeOther || there != want {
		t.Errorf("%d %s, want %s", status, there, want)
	}
	for _, rec := range []desk.Record{one, two} {
		if g.reply(rec.ID).Answer("go").Selected[0] != "pg" {
			t.Errorf("%s has another answer", rec.ID)
		}
	}
	g.pending(other.ID)
	g.pending(unticked.ID)
	v.sees(there, "Sent to test-agent in project.", ": already withdrawn.")
	yes, another := g.ask("6", boolean("sure")), g.ask("7", boolean("sure"))
	v.post("/answer", confirmed(yes.ID, "q0", "0", "also", another.ID))
	g.reply(yes.ID)
	g.pending(another.ID) // a confirmation takes a yes of its own
}

// TestPageDraft: what is typed is kept, also what cannot be sent yet, and comes
// back; once the record has ended none is taken.
func TestPageDraft(t *testing.T) {
	g := start(t)
	v := g.visitor()
	rec := g.ask("s", single("db"), text("port"))
	v.post("/draft", url.Values{"id": {rec.ID}, "reason": {"not now"}})
	v.sees("/", ">not now</textarea>", "data-back>Your draft is back")
	if status, body := v.post("/draft", url.Values{"id": {rec.ID}, "q0": {"other"}, "t1": {"44"}, "reason": {"not now"}}); status != http.StatusNoContent {
		t.Fatalf("%d %s", status, body)
	}
	g.pending(rec.ID)
	v.sees("/", ">44</textarea>", ">not now</textarea>", "data-back>Your draft is back")
	v.post("/answer", confirmed(rec.ID, "q0", "0", "t1", "443", "reason", "not now"))
	if r := g.reply(rec.ID); r.Dismissed || r.Reason != "" {
		t.Errorf("recorded %+v", r)
	}
	if status, _ := v.post("/draft", url.Values{"id": {rec.ID}, "t1": {"444"}}); status != http.StatusNoContent {
		t.Errorf("a late draft: status %d", status)
	}
	if r, _, err := g.desk.Draft(t.Context(), rec.ID); err == nil && r.Answer("port").Custom == "444" {
		t.Error("a draft of what has ended is taken")
	}
}

func TestPageHistory(t *testing.T) {
	g := start(t)
	v := g.visitor()
	one, two := g.ask("s", single("db")), g.ask("s", text("port"))
	other := g.ask("t", boolean("go"))
	v.post("/answer", confirmed(one.ID, "q0", "1"))
	v.post("/answer", confirmed(two.ID, "t0", "443"))
	v.post("/answer", confirmed(other.ID, "q0", "1"))
	v.sees("/history", "Which database (db)?", "SQLite, embedded <span class=\"tag\">chosen</span>", "443", "Go on (go)?")
	_, session := v.get("/history?session=s")
	if strings.Contains(session, "Go on (go)?") || strings.Index(session, "port") > strings.Index(session, "PostgreSQL") {
		t.Errorf("not the session alone, or not latest first:\n%s", session)
	}
	_, found := v.get("/history?search=SQLITE,+embedded")
	if !strings.Contains(found, "SQLite") || strings.Contains(found, "443") {
		t.Errorf("found:\n%s", found)
	}
	v.sees("/history?search=nowhere", "Nothing was found.")
	v.sees("/history?session=nowhere", "Nothing was asked before.")
}

// TestPageForScript: what the script takes from the page: the list, and one card.
func TestPageForScript(t *testing.T) {
	g := start(t)
	v := g.visitor()
	one, two := g.ask("s", single("db")), g.ask("t", text("port"))
	v.post("/answer", confirmed(two.ID, "t0", "443"))
	_, list := v.get("/?id=" + one.ID)
	_, list, _ = strings.Cut(list, "<ol")
	list, _, _ = strings.Cut(list, "</ol>")
	if strings.Count(list, "<li") != 1 || !strings.Contains(list, `href="/?id=`+one.ID+`" aria-current="true"`) {
		t.Errorf("list:\n%s", list)
	}
	for id, want := range map[string]string{one.ID: `name="q0"`, two.ID: "Already answered on the web page", "": `name="q0"`} {
		if _, page := v.get("/?id=" + id); strings.Count(page, "<article") != 1 || !strings.Contains(page, want) {
			t.Errorf("page with %q:\n%s", id, page)
		}
	}
	v.sees("/?ended="+two.ID+"&ended="+one.ID, `<p class="notice">test-agent in project: already answered on the web page.</p></div>`)
}

// TestPageEndings: a dismissal takes its reason alone along; notes and a wish to talk go with what
// is answered so far.
func TestPageEndings(t *testing.T) {
	g := start(t)
	v := g.visitor()
	rec := g.ask("s", single("db"))
	status, there := v.post("/answer", url.Values{"id": {rec.ID}, "action": {"dismiss"}, "reason": {"not now"}, "q0": {"0"}, "also": {rec.ID}})
	if r := g.reply(rec.ID); status != http.StatusSeeOther || !r.Dismissed || r.Reason != "not now" || len(r.Answers) > 0 {
		t.Errorf("%d, recorded %+v", status, r)
	}
	v.sees(there, "Dismissed. test-agent in project goes on without an answer.")

	rec = g.ask("s", single("db"), text("port"))
	form := url.Values{"id": {rec.ID}, "action": {"discuss"}, "q0": {"1"}, "n0": {"if it must be"}, "n1": {"which?"}, "note": {"why a port?"}}
	status, there = v.post("/answer", form)
	r := g.reply(rec.ID)
	if status != http.StatusSeeOther || !r.Discuss || r.Note != "why a port?" {
		t.Errorf("%d, recorded %+v", status, r)
	}
	if db := r.Answer("db"); db.Note != "if it must be" || db.Selected[0] != "lite" || r.Answer("port").Note != "which?" {
		t.Errorf("recorded %+v", r.Answers)
	}
	v.sees(there, "To be discussed. test-agent in project goes on with that.")
}

// TestPageLift: the last round before the limit can be lifted where it is answered; a call that
// was refused is in the history, with its tool and its error.
func TestPageLift(t *testing.T) {
	g := start(t)
	v, last := g.visitor(), ""
	for i := range 11 {
		rec, _, err := g.desk.Submit(t.Context(), desk.Request{Set: question.Set{Questions: []question.Question{text(fmt.Sprint("q", i))}}, Session: "s", Asker: desk.Asker{Client: "codex", Via: "mcp"}})
		if i == 9 {
			last = rec.ID
			v.sees("/?id="+last, `action="/lift"`)
		}
		if i < 10 {
			v.post("/answer", confirmed(rec.ID, "t0", "1"))
		} else if err == nil {
			t.Fatal("the eleventh round was not refused")
		}
	}
	v.sees("/history", "<code>ask_user_question</code>", "<code>recursive_limit_exceeded</code>")
	if status, there := v.post("/lift", url.Values{"id": {last}}); status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, there)
	}
	if limited, err := g.desk.AtLimit(t.Context(), "s"); limited || err != nil {
		t.Errorf("at the limit: %v, %v", limited, err)
	}
}

// TestPublic: what is the same for everybody needs no cookie; nothing else is. Where there is
// nothing, the page says so and leads home.
func TestPublic(t *testing.T) {
	g := start(t)
	for path, want := range map[string]int{
		"/assets/page.css": 200, "/assets/favicon.svg": 200, "/assets/manifest.webmanifest": 200, "/assets/icon-192.png": 200,
		"/assets/none": 404, "/": 401, "/history": 401, "/api/openapi.json": 401,
	} {
		r := g.request(http.MethodGet, path, "")
		r.Header.Del("Authorization")
		if a := g.send(r); a.status != want || want == 200 && len(a.body) == 0 {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	status, body := g.visitor().get("/nothing")
	if status != http.StatusNotFound || !strings.Contains(body, "There is nothing at this address.") || !strings.Contains(body, `href="/"`) {
		t.Errorf("%d %s", status, body)
	}
	g.want(404, api.NoSuchPath, "GET", "/api/nothing", "")
	g.want(200, "", "GET", "/api/openapi.json", "")
}

// blind is a store in which nobody finds the record once it has ended.
type blind struct {
	store.Store
	ended bool
}

func (s *blind) Answer(ctx context.Context, id string, end store.Ending) error {
	s.ended = true
	return s.Store.Answer(ctx, id, end)
}

func (s *blind) Get(ctx context.Context, id string) (store.Row, error) {
	if s.ended {
		return store.Row{}, errors.New("nobody leads")
	}
	return s.Store.Get(ctx, id)
}

// forgetful is a store that fails after it has stored a reply.
type forgetful struct{ store.Store }

func (s forgetful) Answer(ctx context.Context, id string, end store.Ending) error {
	return cmp.Or(s.Store.Answer(ctx, id, end), errors.New("the disk is gone"))
}

// An answer that the shared desk does not take is not sent: the page says so, and offers what
// was answered again.
func TestUnsent(t *testing.T) {
	g := start(t)
	v := g.visitor()
	rec := g.ask("s", boolean("go"))
	g.store.FailAnswers(desk.ErrUnreachable)
	status, page := v.post("/answer", confirmed(rec.ID, "q0", "0"))
	if status != http.StatusServiceUnavailable || !strings.Contains(page, "The shared desk does not answer. Your answer is kept as a draft; send it again.") {
		t.Fatalf("%d %s", status, page)
	}
	v.sees("/?id="+rec.ID, "Your draft is back; nothing of it has been sent.")
	g.store.FailAnswers(nil)
	status, _ = v.post("/answer", confirmed(rec.ID, "q0", "0"))
	if got, err := g.desk.Get(t.Context(), rec.ID); status != http.StatusSeeOther || err != nil || got.State != desk.Answered {
		t.Errorf("%d, %s, %v", status, got.State, err)
	}
}

// TestArrived: an answer from the page that is stored is sent, though the store
// failed after that, nothing can be read then, or the page asks once more.
func TestArrived(t *testing.T) {
	for name, fails := range map[string]func(store.Store) store.Store{
		"the store fails":     func(s store.Store) store.Store { return forgetful{s} },
		"nothing can be read": func(s store.Store) store.Store { return &blind{Store: s} },
	} {
		g := start(t, func(o *Options) { o.Desk = desk.New(fails(newStore(t)), desk.Options{}) })
		v := g.visitor()
		rec := g.ask("s", text("port"))
		send := func(response string) (int, string) { return v.post("/answer", confirmed(rec.ID, "t0", response)) }
		if status, there := send("443"); status != http.StatusSeeOther || there != "/?sent="+rec.ID {
			t.Errorf("%s: %d, %s", name, status, there)
		}
		if name == "nothing can be read" {
			continue
		}
		if status, there := send("443"); status != http.StatusSeeOther || there != "/?sent="+rec.ID {
			t.Errorf("once more: %d, %s", status, there)
		}
		if status, there := send("80"); status != http.StatusBadRequest {
			t.Errorf("another answer: %d, %s", status, there)
		}
		if got := g.reply(rec.ID).Answers[0].Custom; got != "443" {
			t.Errorf("recorded %q", got)
		}
	}
}

package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// Without scripts the page lists what waits, takes an answer, says so, and has the history. A path
// without a page leads home.
func TestPageAnswers(t *testing.T) {
	g, v := visited(t)
	v.sees("/", "Nothing waits for you", "mcp-askuser install")
	v.sees("/history", "Nothing was asked before.")
	rec := g.ask("s", single("db"), text("port"))
	v.sees("/", "1 question waits", "test-agent", `<h2 class="text">Which database (db)?</h2>`, "PostgreSQL",
		"0 of 2 answered")
	status, there := v.post("/answer", confirmed(rec.ID, "q0", "1", "t1", "443", "note", "a\r\nb"))
	if status != http.StatusSeeOther || there != "/?sent="+rec.ID {
		t.Errorf("%d, to %s", status, there)
	}
	r := g.reply(rec.ID)
	if r.Answer("db").Selected[0] != "lite" || r.Answer("port").Custom != "443" || r.Note != "a\nb" {
		t.Errorf("recorded %+v", r)
	}
	v.sees(there, "No questions", "Sent to test-agent in project.")
	status, body := v.get("/nothing")
	if status != http.StatusNotFound {
		t.Errorf("no page: %d", status)
	}
	g.holds("no page", body, "There is nothing at this address.", `href="/"`)

	other := g.ask("t", boolean("go"))
	v.post("/answer", confirmed(other.ID, "q0", "1"))
	v.sees("/history", "SQLite, embedded <span class=\"tag\">chosen</span>", "443", "Go on (go)?")
	for query, want := range map[string]string{"session=s": "SQLite", "search=SQLITE,+embedded": "SQLite",
		"search=nowhere": "Nothing was found."} {
		_, found := v.get("/history?" + query)
		if !strings.Contains(found, want) || strings.Contains(found, "Go on (go)?") {
			t.Errorf("%s:\n%s", query, found)
		}
	}
}

// After an answer the page shows the next of the questions that its filter has left. Where the filter
// hides all that waits, the page says so, and says when nothing waits any more.
func TestPageFilter(t *testing.T) {
	g, v := visited(t)
	hidden, one, two := g.ask("a", single("db")), g.ask("b", text("host")), g.ask("c", boolean("host"))
	for _, tt := range []struct {
		rec   desk.Record
		field string
		shows string // after its answer
	}{{one, "t0", "Go on (host)?"}, {two, "q0", "Pick a question"}, {hidden, "q0", "Nothing waits"}} {
		_, there := v.post("/answer?filter=host", confirmed(tt.rec.ID, tt.field, "0"))
		v.sees(there, tt.shows)
		if _, page := v.get(there); strings.Contains(page, "Which database") {
			t.Errorf("%s shows what the filter hides:\n%s", there, page)
		}
	}
}

// What is no answer is not recorded, and a refused form comes back as it was filled in.
func TestPageRefuses(t *testing.T) {
	g, v := visited(t)
	rec := g.ask("s", single("db"), text("port"))
	response := confirmed(rec.ID, "q0", "1", "t1", "443").Encode()
	large := confirmed(rec.ID, "q0", "1", "t1", "443", "note", strings.Repeat("x", maxBody))
	for name, tt := range map[string]struct {
		status  int
		request *http.Request
	}{
		"GET with an answer":             {404, v.request(http.MethodGet, "/answer?"+response, "")},
		"GET of the page with an answer": {200, v.request(http.MethodGet, "/?"+response, "")},
		"no such record":                 {404, v.form("/answer", confirmed("01J", "q0", "1"))},
		"no act":                         {400, v.form("/answer", url.Values{"id": {rec.ID}, "q0": {"1"}, "t1": {"443"}})},
		"no answer":                      {400, v.form("/answer", confirmed(rec.ID))},
		"oversize":                       {413, v.form("/answer", large)},
	} {
		if status, body := v.take(tt.request); status != tt.status {
			t.Errorf("%s: status %d, want %d\n%s", name, status, tt.status, body)
		}
		g.pending(rec.ID)
	}
	_, body := v.post("/answer", confirmed(rec.ID, "q0", "1", "note", "my <note>", "reason", "why"))
	g.holds("a refused form", body, `value="1" checked`, "my &lt;note&gt;", ">why</textarea>", "An answer is required.",
		`href="#`+rec.ID+`-1"`)
}

// The others that were ticked get the same answer, if they are alike and open, and no confirmation.
func TestPageAlike(t *testing.T) {
	g, v := visited(t)
	one, two := g.ask("1", single("go")), g.ask("2", single("go"))
	gone, unticked := g.ask("3", single("go")), g.ask("4", single("go"))
	other := g.ask("5", single("stop"))
	if _, err := g.desk.Close(t.Context(), gone.ID, desk.Outcome{Status: desk.Cancelled}); err != nil {
		t.Fatal(err)
	}
	v.sees("/?id="+one.ID, "<b>×3</b>", "Send this answer also to", `value="`+two.ID+`"`)
	form := confirmed(one.ID, "q0", "0", "also", two.ID, "also", gone.ID, "also", other.ID, "also", "01J", "also",
		one.ID)
	status, there := v.post("/answer", form)
	if want := "/?" +
		(url.Values{"sent": {one.ID, two.ID}, "ended": {gone.ID}}).Encode(); status != http.StatusSeeOther ||
		there != want {
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
	g.pending(another.ID)
}

// An ended question is put before the user again, with the former answer filled in; what has no
// answer of the user is not.
func TestReopen(t *testing.T) {
	g, v := visited(t)
	rec := g.ask("s", text("port"))
	v.post("/answer", confirmed(rec.ID, "t0", "443"))
	v.sees("/history", `action="/reopen"`)
	status, there := v.post("/reopen", url.Values{"id": {rec.ID}})
	id, ok := strings.CutPrefix(there, "/?id=")
	if status != http.StatusSeeOther || !ok || id == rec.ID {
		t.Fatalf("%d to %s", status, there)
	}
	v.sees(there, ">443</textarea>", "The agent is not waiting; it will get your answer.")
	if _, again := v.post("/reopen", url.Values{"id": {rec.ID}}); again != there {
		t.Errorf("reopened twice: %s", again)
	}
	_, there = v.post("/answer", confirmed(id, "t0", "443"))
	v.sees(there, "Kept for test-agent in project, which gets it when it comes back.")
	known := text("known")
	known.Collected = &question.Answer{QuestionID: "known", Custom: "x", By: question.ByCaller}
	set := question.Set{Questions: []question.Question{known}}
	told := must(g.desk.Note(t.Context(), desk.Request{Set: set},
		desk.Outcome{Status: desk.Answered, Reply: &question.Reply{}}))
	if status, body := v.post("/reopen", url.Values{"id": {told.ID}}); status != 400 ||
		!strings.Contains(body, "cannot be asked again") {
		t.Errorf("%d %s", status, body)
	}
}

// Where the host had an answer before the user, the page says so, and so does the API.
func TestLateReply(t *testing.T) {
	g, v := visited(t)
	rec := g.mirror(boolean("go"))
	l := g.listen()
	_, there := v.post("/answer", confirmed(rec.ID, "q0", "0"))
	v.sees(there, "Recorded. Claude Code shows the question in its own dialog too")
	no := question.Reply{Answers: []question.Answer{{QuestionID: "go", Selected: []string{question.NoID}}}}
	if _, err := g.desk.Settle(t.Context(), rec.ID,
		desk.Outcome{Status: desk.Answered, Surface: "claude-code", Reply: &no}); err != nil {
		t.Fatal(err)
	}
	const says = "Not answered on the web page: it was answered in Claude Code first."
	v.sees("/?id="+rec.ID, `data-notice="`+says+`"`)
	v.sees("/?ended="+rec.ID, `<p class="notice late">`+says)
	for ev, ok := l.next(); !strings.Contains(ev.data, `"later":"web"`); ev, ok = l.next() {
		if !ok {
			t.Fatal("no program is told")
		}
	}
}

// What was answered before in the same project is offered, and not taken.
func TestPageRemembers(t *testing.T) {
	g, v := visited(t)
	rec := g.ask("s", single("db"))
	v.post("/answer", confirmed(rec.ID, "q0", "1"))
	fatal.If(t, g.desk.Delivered(t.Context(), rec.ID))
	rec = g.ask("t", single("db"))
	v.sees("/?id="+rec.ID, "You answered SQLite, embedded on ", `name="recall" value="0"`)
	if _, body := v.get("/?id=" + rec.ID); strings.Contains(body, " checked") || strings.Contains(body, "of 1 answered") {
		t.Errorf("something is chosen, or counted:\n%s", body)
	}
	_, body := v.post("/recall", url.Values{"id": {rec.ID}, "recall": {"0"}, "n0": {"as <before>"}})
	g.holds("the form", body, `value="1" checked`, "as &lt;before&gt;", `name="recall"`)
	g.pending(rec.ID)
}

// An answer that the shared desk does not take is not sent: the page says so, and offers what
// was answered again.
func TestUnsent(t *testing.T) {
	g, v := visited(t)
	rec := g.ask("s", boolean("go"))
	g.store.FailAnswers(desk.ErrUnreachable)
	status, page := v.post("/answer", confirmed(rec.ID, "q0", "0"))
	if status != http.StatusServiceUnavailable {
		t.Errorf("status %d", status)
	}
	g.holds("the refusal", page, "The shared desk does not answer. Your answer is kept as a draft; send it again.")
	v.sees("/?id="+rec.ID, "Your draft is back; nothing of it has been sent.")
	g.store.FailAnswers(nil)
	v.post("/answer", confirmed(rec.ID, "q0", "0"))
	if got := g.answersTo(rec.ID); got != "go=true user" {
		t.Errorf("recorded %s", got)
	}
}

// What the page shows while the shared desk does not answer is not all: each view says so.
func TestUnreadDesk(t *testing.T) {
	g, v := visited(t)
	rec := g.ask("s", single("db"))
	g.store.FailRows(0, desk.ErrUnreachable)
	for _, view := range []string{"/", "/?id=" + rec.ID, "/history", "/history?search=db"} {
		v.sees(view, "Questions cannot be read, trying again")
	}
}

// forgetful is a store that fails after it has stored a reply.
type forgetful struct{ store.Store }

func (s forgetful) Answer(ctx context.Context, id string, end store.Ending) error {
	return cmp.Or(s.Store.Answer(ctx, id, end), errors.New("the disk is gone"))
}

// An answer that is stored counts as sent, also where the store failed after that, or the page sends
// it twice. The response to a different answer says which answer was first.
func TestArrived(t *testing.T) {
	g := start(t, func(o *Options) { o.Desk = desk.New(forgetful{newStore(t)}, desk.Options{}) })
	v := g.visitor()
	rec := g.ask("s", text("port"))
	for range 2 {
		if status, there := v.post("/answer", confirmed(rec.ID, "t0", "443")); status != http.StatusSeeOther {
			t.Errorf("%d, %s", status, there)
		}
	}
	status, page := v.post("/answer", confirmed(rec.ID, "t0", "80"))
	if status != http.StatusBadRequest || g.answersTo(rec.ID) != "port=443 user" {
		t.Errorf("%d, recorded %q", status, g.answersTo(rec.ID))
	}
	g.holds("another answer", page, "Already answered on the web page", "What you had chosen, which was not sent")

	// A note, or another reason, that comes after the answer has not arrived.
	status, page = v.post("/answer", confirmed(rec.ID, "t0", "443", "n0", "only at night"))
	if status != http.StatusBadRequest {
		t.Errorf("the same answer with a note: %d, %s", status, page)
	}
	g.holds("the same answer with a note", page, "What you had chosen, which was not sent", "only at night")
	closed := g.ask("t", text("host"))
	for reason, want := range map[string]int{"": http.StatusSeeOther, "too early": http.StatusBadRequest} {
		v.post("/answer", url.Values{"id": {closed.ID}, "action": {"dismiss"}})
		status, page = v.post("/answer", url.Values{"id": {closed.ID}, "action": {"dismiss"}, "reason": {reason}})
		if status != want {
			t.Errorf("dismissed again with the reason %q: %d, %s", reason, status, page)
		}
	}
}

// The page says that what is proposed will be taken only where every required question has a proposal.
func TestUntilTheDefaults(t *testing.T) {
	g, v := visited(t)
	for _, proposed := range []bool{false, true} {
		q := single("db")
		q.Options[1].Default = proposed
		rec := g.submit(desk.Request{
			Set: question.Set{Questions: []question.Question{q}}, Timeout: time.Hour, OnTimeout: desk.OnTimeoutDefault,
		})
		_, page := v.get("/?id=" + rec.ID)
		if says := strings.Contains(page, "then what is proposed is taken"); says != proposed {
			t.Errorf("a proposal: %v; the page says that it is taken: %v", proposed, says)
		}
	}
}

// What is not listed is counted in good grammar.
func TestRest(t *testing.T) {
	for rest, says := range map[int]string{
		1: "1 more waits; the filter finds it.", 2: "2 more wait; the filter finds them.",
	} {
		var page strings.Builder
		fatal.If(t, (&layout{Rest: rest}).list(words.English).Render(&page))
		if !strings.Contains(page.String(), says) {
			t.Errorf("of %d the list does not say %q:\n%s", rest, says, &page)
		}
	}
}

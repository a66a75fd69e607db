package web

import (
	"net/http"
	"strings"
	"testing"

	"mcp-askuser/desk"
)

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

package web

import (
	"net/http"
	"strings"
	"testing"
)

// What the user has reopened is asked by no agent, and the page does not say so.
func TestReopenedIsNotNews(t *testing.T) {
	g := start(t)
	v := g.visitor()
	rec := g.ask("s", text("port"))
	g.task(http.StatusOK, "", `{"id":"`+rec.ID+`","answers":{"port":"80"}}`)
	again := must(g.desk.Reopen(t.Context(), rec.ID))
	const news = "asks something."
	v.sees("/?asked="+g.ask("s2", text("host")).ID, news)
	_, page := v.get("/?asked=" + again.ID)
	if strings.Contains(page, news) {
		t.Errorf("the page says %q of what the user has reopened", news)
	}
}

//go:build browser

package web

import (
	"fmt"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// TestBrowserManyAsked: of all that a page has missed it tells the last, and covers the question in
// sight with no more.
func TestBrowserManyAsked(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, nil)
	v.listening()
	ids := make([]string, 30)
	for i := range ids {
		q := deploy()
		q.Text = fmt.Sprintf("Deploy to region %d?", i)
		ids[i] = v.put("codex", "/home/ada/shop", "", q).ID
	}
	eval[bool](v, `(%q.split(" ").forEach((id) => onEvent({ news: "asked=" + id })), true)`, strings.Join(ids, " "))
	v.shows("#count", "30 questions wait")
	v.wait(`happened.size === 0 && !renewing`)
	if n := eval[int](v, `document.querySelectorAll(".notice").length`); n == 0 || n > 3 {
		t.Errorf("the page shows %d notices", n)
	}
}

// TestBrowserNothingLeft: a page on which the filter hides all that waits says so when nothing waits
// any more.
func TestBrowserNothingLeft(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "", deploy()) })
	v.visit("/?filter=moon")
	v.listening()
	v.shows("#none", "Pick a question")
	v.answeredElsewhere(rec.ID, "tty", question.Answer{QuestionID: "deploy", Selected: []string{question.NoID}})
	v.shows("#none", "Nothing waits")
}

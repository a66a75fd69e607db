package web

import (
	"strings"
	"testing"
)

// Answers that a program has filled in are no draft of the user's, and the page does not say so.
// What the user has typed, here or in a front end, is.
func TestWhoFilledItIn(t *testing.T) {
	g := start(t)
	v := g.visitor()
	const mine, programs = "Your draft is back; nothing of it has been sent.", "A program has filled in answers here."
	for who, says := range map[string]string{token: programs, panelToken: mine} {
		rec := g.ask("", text("port"), boolean("go"))
		r := g.request("POST", "/api/task/answer", `{"id":"`+rec.ID+`","question_id":"go","answer":true}`)
		r.Header.Set("Authorization", "Bearer "+who)
		if a := g.send(r); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		_, page := v.get("/?id=" + rec.ID)
		if !strings.Contains(page, says) || strings.Contains(page, mine) != (says == mine) {
			t.Errorf("the page does not say %q:\n%s", says, page)
		}
	}
}

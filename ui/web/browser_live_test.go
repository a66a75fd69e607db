//go:build browser

package web

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// TestBrowserLive: questions come and go by themselves, in each tab, of which one listens for all;
// the title counts them.
func TestBrowserLive(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, nil)
	v.shows("#none", "Nothing waits")
	tab := v.another(wide)
	set := question.Set{Questions: []question.Question{database()}}
	first, attendance, err := v.desk.Submit(t.Context(),
		desk.Request{Set: set, Asker: desk.Asker{Client: "codex", Directory: "/home/ada/shop"}})
	fatal.If(t, err)
	second := v.put("gemini-cli", "/home/ada/api", "s2", deploy())
	v.shows("#r-"+first.ID, "Which database")
	v.shows(inList(second.ID), "Deploy to production now?")
	v.shows("#count", "2 questions wait")
	v.wait(`document.title === "(2) mcp-askuser"`)
	tab.shows(inList(second.ID), "Deploy")

	v.focus(inList(second.ID) + " a")
	v.answeredElsewhere(second.ID, "tty", question.Answer{QuestionID: "deploy", Selected: []string{question.NoID}})
	v.gone(inList(second.ID))
	v.wait(`document.activeElement === count`) // and not the card, which takes an Enter
	v.shows("#count", "1 question waits")
	attendance.Release()
	v.shows(".remark", "The agent is not waiting; it will get your answer.")
	v.visit("/history") // the other tab listens now
	tab.listening()
	if _, err := v.desk.Close(t.Context(), first.ID, desk.Outcome{Status: desk.Cancelled}); err != nil {
		t.Fatal(err)
	}
	tab.gone("#r-" + first.ID)
	tab.shows("#news", "already withdrawn")
	tab.shows("#none", "Nothing waits")
	tab.wait(`document.title === "mcp-askuser"`)
}

// TestBrowserLeavesFormsAlone: what comes and goes around a form that is being filled in changes
// neither the form nor the focus. When another surface ends its question, the user hears which it
// was, and keeps what they wrote; the rest of it, typed into nothing, is no key.
func TestBrowserLeavesFormsAlone(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s1", serviceName(), deploy()) })
	v.click(chosen(rec.ID, 1, "0"))
	v.write(inWords(rec.ID, 0), "orders")
	eval[bool](v, `(window.form = document.querySelector("form"), true)`)
	v.shows(within(rec.ID, ".progress"), "2 of 2 answered") // what is said above it is renewed
	other := v.put("opencode", "/home/ada/shop", "s2", serviceName(), deploy())
	v.shows(inList(rec.ID), "×2")
	answers := []question.Answer{{QuestionID: "name", Custom: "x"},
		{QuestionID: "deploy", Selected: []string{question.YesID}}}
	v.answeredElsewhere(other.ID, "tty", answers...)
	v.gone(inList(rec.ID) + " b")
	v.keys("-v2")
	v.wait(`window.form === document.querySelector("form") &&
		document.activeElement.name === "t0" && document.activeElement.value === "orders-v2"`)
	eval[int](v, `delays.fresh = 1e6`)
	v.answeredElsewhere(rec.ID, "inbox", answers...)
	v.shows("#r-"+rec.ID+" .outcome", "Already answered in the inbox")
	v.keys("?") // the user types on, and has not seen that the question has ended
	eval[int](v, `delays.fresh = 0`)
	v.gone("#keys")
	v.keys("?")
	v.shows("#keys", "next and previous question")
	v.keys(kb.Escape)
	v.shows("#r-"+rec.ID+" .turns", "x")
	v.shows("#r-"+rec.ID+" .ending", "What you had chosen, which was not sent")
	v.shows("#r-"+rec.ID+" .ending", "orders-v2")
	v.shows("#count", "No questions")
	v.click("#r-" + rec.ID + " .after a")
	v.away()
	v.shows("#none", "Nothing waits")
}

// TestBrowserOpenPanel: a panel that the user has opened stays while the card above it changes, so
// that what they type next is the reason, and no key that answers.
func TestBrowserOpenPanel(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, nil)
	set := question.Set{Questions: []question.Question{deploy()}}
	rec, attendance, err := v.desk.Submit(t.Context(), desk.Request{Set: set, Asker: desk.Asker{Client: "codex"}})
	fatal.If(t, err)
	v.shows("#r-"+rec.ID, "Deploy")
	v.press("x", chromedp.ModifierAlt)
	v.wait(`document.activeElement.name === "reason"`)
	attendance.Release()
	v.shows(".remark", "The agent is not waiting")
	v.keys("not yet", kb.Enter)
	if r := v.ended(rec.ID); !r.Dismissed || r.Reason != "not yet" {
		t.Errorf("got %+v", r)
	}
}

// TestBrowserBack: on a phone the way back from a question leads to the list, that from
// the first one too, and on again to the question. Back closes the history, too.
func TestBrowserBack(t *testing.T) {
	t.Parallel()
	var recs []desk.Record
	v := browse(t, phone, func(g *rig) {
		recs = append(recs, g.put("codex", "/home/ada/shop", "s1", deploy()),
			g.put("gemini-cli", "/home/ada/api", "s2", deploy()))
	})
	for _, rec := range recs {
		v.click(inList(rec.ID) + " a")
		v.shows("#r-"+rec.ID, "Deploy to production now?")
		eval[int](v, `(history.back(), 0)`)
		v.shows("#list", "Deploy to production now?")
		eval[int](v, `(history.forward(), 0)`)
		v.shows("#r-"+rec.ID, "Deploy to production now?")
		v.click(within(rec.ID, ".back"))
	}
	v.click("[href='/history']")
	v.shows(".past h2", "History")
	eval[int](v, `(history.back(), 0)`)
	v.shows("#list", "Deploy to production now?")
}

//go:build browser

package web

import (
	"maps"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// TestBrowserKeys: a whole set is answered with keys alone: Enter goes from
// question to question, and nowhere is anything sent before the last.
func TestBrowserKeys(t *testing.T) {
	t.Parallel()
	var rec, other desk.Record
	v := browse(t, wide, func(g *rig) {
		rec = g.put("codex", "/home/ada/shop", "s", features(), serviceName(), optional())
		other = g.put("gemini-cli", "/home/ada/api", "", deploy())
	})
	v.listening()
	v.keys("j")
	v.shows("#r-"+other.ID, "Deploy")
	v.keys("k")
	v.shows("#r-"+rec.ID, "Which features")
	v.keys("?")
	v.shows("#keys", "next and previous question")
	v.keys(kb.Escape)
	v.gone("#keys")
	v.keys("1", "3", kb.Enter)
	v.wait(`document.activeElement.name === "t1"`)
	v.keys("jk1", kb.Enter, "y") // text, in which Enter is a new line
	v.keys(kb.Escape)
	v.wait(`document.activeElement.matches(".field")`)
	v.keys(kb.Enter) // to the optional one, which stays open
	v.wait(`document.activeElement.name === "q2"`)
	v.pending(rec.ID)
	v.keys(kb.Enter)
	want := map[string]string{"features": "Search + Audit log", "name": "jk1\ny"}
	if got := v.answered(rec.ID); !maps.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	v.shows("#r-"+other.ID, "Deploy")
	v.pending(other.ID)
}

// TestBrowserActs: the keys of all acts, where nothing is typed and in a text field. What is yes or
// no cannot be left to the agent.
func TestBrowserActs(t *testing.T) {
	t.Parallel()
	var recs []desk.Record
	v := browse(t, wide, func(g *rig) {
		for _, set := range [][]question.Question{{database()}, {deploy()}, {serviceName()}, {features()},
			{deploy(), features()}} {
			recs = append(recs, g.put("codex", "/home/ada/shop", "s", set...))
		}
	})
	v.listening()
	v.press("2", 0)
	v.wait(`document.querySelector(%q).checked`, chosen(recs[0].ID, 0, "1"))
	v.press("0", 0)
	v.wait(`document.activeElement.name === "t0"`)
	v.keys("x0d") // text
	v.press("n", chromedp.ModifierAlt)
	v.wait(`document.activeElement.name === "n0"`)
	v.keys("soon")
	v.hears()
	v.enterAnywhere()
	if a := v.ended(recs[0].ID).Answers[0]; a.Custom != "x0d" || a.Note != "soon" {
		t.Errorf("got %+v", a)
	}

	v.shows("#r-"+recs[1].ID, "Deploy")
	v.gone(".decide")
	v.press("n", 0)
	v.wait(`document.querySelector(%q).checked`, chosen(recs[1].ID, 0, "1"))
	v.press("x", chromedp.ModifierAlt)
	v.wait(`document.activeElement.name === "reason"`)
	v.keys(kb.Escape)
	v.gone(".panel")
	v.press("x", chromedp.ModifierAlt)
	v.keys("later")
	v.hears()
	v.enterAnywhere() // dismisses, though all is answered
	if r := v.ended(recs[1].ID); !r.Dismissed || r.Reason != "later" {
		t.Errorf("got %+v", r)
	}

	v.shows("#r-"+recs[2].ID, "service")
	v.focus(inWords(recs[2].ID, 0))
	v.press("d", chromedp.ModifierAlt)
	v.wait(`document.activeElement.name === "topic"`)
	v.keys("why", kb.Enter)
	if r := v.ended(recs[2].ID); !r.Discuss || r.Note != "why" {
		t.Errorf("got %+v", r)
	}

	v.shows("#r-"+recs[3].ID, "features")
	v.press("y", chromedp.ModifierAlt)
	v.wait(`document.querySelector(%q).checked`, within(recs[3].ID, "[name=q0][value=agent]"))
	v.hears()
	v.enterAnywhere()
	if a := v.ended(recs[3].ID).Answers; len(a) != 1 || !a[0].Delegated || !a[0].Empty() {
		t.Errorf("got %+v", a)
	}

	v.shows("#r-"+recs[4].ID, "Deploy")
	const badges = `[...document.querySelectorAll(".pick kbd")]
		.filter((el) => el.checkVisibility({ visibilityProperty: true })).map((el) => el.innerText).join("")`
	if got := eval[string](v, "%s", badges); got != "YN" {
		t.Errorf("the badges are %s", got)
	}
	v.keys("y", kb.Enter)
	v.wait(`%s === "1230"`, badges)
	v.pending(recs[4].ID)
}

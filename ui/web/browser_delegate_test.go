//go:build browser

package web

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mcp-askuser/desk"
)

// TestBrowserDelegate: a question is left to the agent with a key, or with its control where there
// are no scripts; one of yes or no is not.
func TestBrowserDelegate(t *testing.T) {
	t.Parallel()
	for _, l := range []look{wide, scriptless} {
		var rec, deployment desk.Record
		v := browse(t, l, func(g *rig) {
			rec = g.put("codex", "/home/ada/shop", "s", database())
			deployment = g.put("codex", "/home/ada/shop", "s", deploy())
		})
		control := `#r-` + rec.ID + ` [name=q0][value=agent]`
		if l.noScript {
			v.click(control, "#r-"+rec.ID+" .main")
		} else {
			v.listening()
			v.press("2", 0)
			v.press("y", chromedp.ModifierAlt)
			v.wait(`document.querySelector(%q).checked`, control)
			v.keys(kb.Enter)
		}
		answers := v.ended(rec.ID).Answers
		if len(answers) != 1 || !answers[0].Delegated || !answers[0].Empty() {
			t.Errorf("got %+v", answers)
		}
		v.shows("#r-"+deployment.ID, "Deploy")
		v.gone(".decide")
	}
}

//go:build browser

package web

import (
	"testing"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// TestBrowserOtherLayout: the keys of acts are those with their letters, as on a German keyboard, whose y and
// z have changed places. Where the layout has other letters, it is the place of the key.
func TestBrowserOtherLayout(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, func(g *rig) { g.put("codex", "/home/ada/shop", "s", features()) })
	v.listening()
	alt := func(key, code string) bool {
		t.Helper()
		call(v, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: input.DispatchKeyEventTypeKeyDown, Key: key, Code: code, Text: key, Modifiers: int64(chromedp.ModifierAlt),
		})
		return eval[bool](v, `document.querySelector(".decide input").checked`)
	}
	if alt("z", "KeyY") {
		t.Error("z leaves the question to the agent")
	}
	if !alt("y", "KeyZ") {
		t.Error("y does not")
	}
	if alt("н", "KeyY") {
		t.Error("where the layout has no Latin letters, its key does not take that back")
	}
}

// TestBrowserTriedAgain: what went wrong is no longer said once the user has done it.
func TestBrowserTriedAgain(t *testing.T) {
	t.Parallel()
	v := browse(t, phone, func(g *rig) { g.ask("s", open("q")) })
	v.hasten()
	attach := func(name, content string) {
		t.Helper()
		eval[bool](v, `(attach(document.querySelector(".files [type=file]"), [new File([%q], %q)]), true)`, content, name)
	}
	attach("a.png", "no image")
	v.shows("#news", `The file "a.png" cannot be attached`)
	attach("a.txt", "a text")
	v.shows(".files", "a.txt")
	v.gone("#news .late")
}

// TestBrowserOnItsWay: on a slow network the button shows that an answer is on its way. The mark of a default
// is whole where there is little space.
func TestBrowserOnItsWay(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, look{width: 320, height: 568}, func(g *rig) {
		q := deploy()
		q.Options[0].Default = true
		rec = g.put("codex", "/home/ada/shop", "s", q)
		g.draft(rec.ID, question.Answer{QuestionID: "deploy", Selected: []string{question.YesID}})
	})
	v.hasten()
	if lines := eval[int](v, `document.querySelector(".tag").offsetHeight / parseFloat(getComputedStyle(
		document.querySelector(".tag")).lineHeight)`); lines != 1 {
		t.Errorf("the mark has %d lines", lines)
	}
	v.fits()
	const look = `getComputedStyle(document.querySelector(".main")).opacity`
	before := eval[string](v, look)
	held := v.pausing(fetch.RequestPattern{URLPattern: "*/answer"})
	v.click(chosen(rec.ID, 0, "0"), within(rec.ID, confirmButton))
	id := held()
	if eval[string](v, look) == before {
		t.Error("nothing shows that the answer is on its way")
	}
	call(v, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: id})
	v.answered(rec.ID)
}

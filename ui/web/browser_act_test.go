//go:build browser

package web

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// some puts questions on the desk, each with a draft of its answer: one Send more
// is one answer more. They are in the order of the list.
func (v *view) some(n int) []desk.Record {
	v.t.Helper()
	var recs []desk.Record
	for i := range n {
		client := []string{"codex", "gemini-cli", "opencode"}[i%3]
		q := deploy()
		q.Text = fmt.Sprintf("%s: deploy to production now? (%d)", client, i)
		rec := v.put(client, "/home/ada/api", "", q)
		v.draft(rec.ID, question.Answer{QuestionID: "deploy", Selected: []string{question.YesID}})
		recs = append(recs, rec)
	}
	slices.SortFunc(recs,
		func(a, b desk.Record) int { return strings.Compare(a.Asker.Client+a.ID, b.Asker.Client+b.ID) })
	for _, rec := range recs {
		v.wait(`document.querySelector(%q)`, inList(rec.ID))
	}
	v.wait(`document.querySelector(%q)`, "#r-"+recs[0].ID)
	eval[bool](v, `document.querySelector(%q).checked = true`, chosen(recs[0].ID, 0, "0"))
	return recs
}

// open returns how many of the records still wait.
func (v *view) open(recs []desk.Record) (n int) {
	v.t.Helper()
	for _, rec := range recs {
		if v.record(rec.ID).Outcome == nil {
			n++
		}
	}
	return n
}

// middle is where an element is.
func (v *view) middle(selector string) struct{ X, Y float64 } {
	v.t.Helper()
	const place = `(({ x, y, width, height }) => ({ X: x + width / 2, Y: y + height / 2 }))
		(document.querySelector(%q).getBoundingClientRect())`
	return eval[struct{ X, Y float64 }](v, place, selector)
}

// TestBrowserMoved: a control that has only just come to where it is takes no
// click for 600 ms, and one that has been there for a while does.
func TestBrowserMoved(t *testing.T) {
	t.Parallel()
	v := browse(t, phone, nil)
	v.listening()
	recs := v.some(3)
	if ms := eval[int](v, `delays.fresh`); ms != 600 {
		t.Errorf("%d ms is no promise", ms)
	}
	eval[int](v, `delays.fresh = 1e6`)
	eval[bool](v, `(visit("/?id=%s"), true)`, recs[1].ID)
	v.wait(`document.querySelector(%q)?.checked`, chosen(recs[1].ID, 0, "0"))
	press := chromedp.Click(chromedp.CSS(within(recs[1].ID, confirmButton)))
	v.do(press)
	v.shows("#news", "has only just come here")
	if n := v.open(recs); n != 3 {
		t.Errorf("%d are open", n)
	}
	eval[int](v, `delays.fresh = 0`)
	v.do(press)
	v.answered(recs[1].ID)
	v.pending(recs[0].ID)
	v.pending(recs[2].ID)
}

// TestBrowserSlips: the second click of two on an option, whose place another control has taken
// since the first, chooses nothing.
func TestBrowserSlips(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s", database(), features()) })
	v.listening()
	v.click(chosen(rec.ID, 0, "0")) // which unfolds its follow-up above the next option
	v.inPlace(chosen(rec.ID, 0, "1"))
	at := v.middle(chosen(rec.ID, 0, "1"))
	began := eval[float64](v, `performance.now()`)
	v.do(chromedp.MouseClickXY(at.X, at.Y))
	v.wait(`document.querySelector(%q).checked && placed.get(openForm()) > %f`, chosen(rec.ID, 0, "1"), began)
	eval[int](v, `delays.fresh = 1e6`)
	under := eval[string](v, `document.elementFromPoint(%f, %f).closest(".row")?.innerText ?? ""`, at.X, at.Y)
	if strings.Contains(under, "SQLite") {
		t.Errorf("%q is still there", under)
	}
	v.do(chromedp.MouseClickXY(at.X, at.Y, chromedp.ClickCount(2)))
	if n := eval[int](v, `document.querySelectorAll("#pane :checked").length`); n != 1 {
		t.Errorf("%d options are chosen", n)
	}
}

// TestBrowserHeldEnter: Enter held down on Confirm answers one question, and
// what then has the focus takes no Enter for a moment.
func TestBrowserHeldEnter(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, nil)
	v.listening()
	recs := v.some(3)
	v.focus(within(recs[0].ID, confirmButton))
	v.hears()
	enter := func(kind input.DispatchKeyEventType, repeat bool, modifiers int64) {
		v.t.Helper()
		call(v, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: kind, Key: "Enter", Code: "Enter", Text: "\r", WindowsVirtualKeyCode: 13, NativeVirtualKeyCode: 13,
			AutoRepeat: &repeat, Modifiers: modifiers,
		})
	}
	const down = input.DispatchKeyEventTypeKeyDown
	enter(down, false, 0)
	for range 40 {
		enter(down, true, 0)
	}
	enter(input.DispatchKeyEventTypeKeyUp, false, 0)
	v.answered(recs[0].ID)
	v.wait(`document.activeElement.closest(".card")?.dataset.id === %q`, recs[1].ID)
	v.focus(chosen(recs[1].ID, 0, "1"))
	eval[int](v, `delays.fresh = 1e6`)
	v.enterAnywhere()
	v.wait(`!document.querySelector("[aria-busy]")`)
	if n := v.open(recs); n != 2 {
		t.Fatalf("%d are open", n)
	}
	eval[int](v, `delays.fresh = delays.repeat = 0`)
	enter(down, true, int64(chromedp.ModifierCtrl)) // held
	v.enterAnywhere()
	v.answered(recs[1].ID)
	v.pending(recs[2].ID)
}

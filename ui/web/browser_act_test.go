//go:build browser

package web

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
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

// middle is where an element is.
func (v *view) middle(selector string) struct{ X, Y float64 } {
	v.t.Helper()
	const place = `(({ x, y, width, height }) => ({ X: x + width / 2, Y: y + height / 2 }))
		(document.querySelector(%q).getBoundingClientRect())`
	return eval[struct{ X, Y float64 }](v, place, selector)
}

// TestBrowserSlips: the second click of two on an option, whose place another control has taken
// since the first, chooses nothing.
func TestBrowserSlips(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s", database(), features()) })
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

// TestBrowserHeldEnter: Enter held down on Confirm answers one question, and what then has the focus
// takes no Enter for 600 ms; nor takes a control a click that has only just come to where it is, and
// one that has been there for a while does.
func TestBrowserHeldEnter(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, nil)
	recs := v.some(3)
	if ms := eval[int](v, `delays.fresh`); ms != 600 {
		t.Errorf("%d ms is no promise", ms)
	}
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
	v.pending(recs[1].ID)
	eval[int](v, `delays.fresh = delays.repeat = 0`)
	enter(down, true, int64(chromedp.ModifierCtrl)) // held
	v.enterAnywhere()
	v.answered(recs[1].ID)
	v.pending(recs[2].ID)

	eval[int](v, `delays.fresh = 1e6`)
	eval[bool](v, `(visit("/?id=%s"), true)`, recs[2].ID)
	v.wait(`document.querySelector(%q)?.checked`, chosen(recs[2].ID, 0, "0"))
	press := chromedp.Click(chromedp.CSS(within(recs[2].ID, confirmButton)))
	v.do(press)
	v.shows("#news", "has only just come here")
	v.pending(recs[2].ID)
	eval[int](v, `delays.fresh = 0`)
	v.do(press)
	v.answered(recs[2].ID)
}

// TestBrowserKeys: a whole set is answered with keys alone: Enter goes from question to question, and
// nowhere is anything sent before the last. The submission that a browser makes of Enter on an option
// sends nothing, and holds back nothing that is sent after it.
func TestBrowserKeys(t *testing.T) {
	t.Parallel()
	var rec, other desk.Record
	v := browse(t, wide, func(g *rig) {
		rec = g.put("codex", "/home/ada/shop", "s", features(), serviceName(), optional())
		other = g.put("gemini-cli", "/home/ada/api", "", deploy())
	})
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

	v.click(chosen(other.ID, 0, "0"))
	v.wait(`(([submit, send]) => {
		const form = document.getElementById(%q);
		form.requestSubmit(form.querySelector(submit));
		form.requestSubmit(form.querySelector(send));
		return true;
	})(['button', '.main'])`, other.ID+"-form")
	v.answered(other.ID)
}

// TestBrowserActs: the keys of all acts, where nothing is typed and in a text field. What is yes or
// no cannot be left to the agent. What was answered before is taken with one key. The keys are those
// with their letters, as on a German keyboard, whose y and z have changed places; where the layout has
// other letters, it is the place of the key. An Enter that ends a word in an input method sends nothing;
// Safari reports it by its code alone, after the composition.
func TestBrowserActs(t *testing.T) {
	t.Parallel()
	var recs []desk.Record
	v := browse(t, wide, func(g *rig) {
		earlier := g.put("codex", "/home/ada/shop", "earlier", database())
		g.answeredElsewhere(earlier.ID, "tty", question.Answer{QuestionID: "db", Selected: []string{"none"}})
		fatal.If(t, g.desk.Delivered(t.Context(), earlier.ID))
		for _, set := range [][]question.Question{{database()}, {deploy()}, {serviceName()}, {features()},
			{deploy(), features()}} {
			recs = append(recs, g.put("codex", "/home/ada/shop", "s", set...))
		}
	})
	v.shows("#r-"+recs[0].ID, "You answered")
	v.press("r", chromedp.ModifierAlt)
	v.wait(`document.querySelector(%q).checked`, chosen(recs[0].ID, 0, "2"))
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
	v.shows(".panel", "Reason, if you like")
	v.accessible()
	v.keys("lat")
	v.hears()
	call(v, input.DispatchKeyEvent, input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeRawKeyDown, Key: "Enter", Code: "Enter", WindowsVirtualKeyCode: 229,
	})
	v.keys("er")
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
	toAgent := within(recs[3].ID, "[name=q0][value=agent]")
	for _, tt := range []struct {
		key, code string
		left      bool
	}{{"z", "KeyY", false}, {"y", "KeyZ", true}, {"н", "KeyY", false}, {"y", "KeyY", true}} {
		v.pressAt(tt.key, tt.code, chromedp.ModifierAlt)
		if left := eval[bool](v, `document.querySelector(%q).checked`, toAgent); left != tt.left {
			t.Errorf("%s at %s: left to the agent: %t", tt.key, tt.code, left)
		}
	}
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

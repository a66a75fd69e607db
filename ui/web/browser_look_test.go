//go:build browser

package web

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
	"mcp-askuser/question/questiontest"
	"mcp-askuser/ui/words"
)

var updateShots = flag.Bool("update-shots", false, "rewrite the screenshots that docs/surfaces.md shows")

// scenes are what the page looks like.
var scenes = []struct {
	name  string
	shown bool // in a document, as a picture
	look  look
	stage func(g *rig) func(v *view) // asks, and then acts
}{
	{"several", true, wide, func(g *rig) func(*view) {
		g.put("claude-code", "/home/ada/shop", "s1", database())
		g.put("codex", "/home/ada/site", "s2", features(), serviceName(), optional())
		g.put("gemini-cli", "/home/ada/api", "s3", deploy())
		g.put("opencode", "/home/ada/api", "s4", deploy())
		return func(*view) {}
	}},
	{"chinese-phone", false, phone, func(g *rig) func(*view) {
		rec := g.put("claude-code", "/home/ada/商城", "s1", questiontest.Chinese(), features())
		g.put("codex", "/home/ada/site", "s2", features())
		return func(v *view) {
			v.turn(rec.ID)
			v.click(chosen(rec.ID, 0, "0"))
		}
	}},
	{"follow-ups-phone", true, phone, func(g *rig) func(*view) {
		rec := g.put("claude-code", "/home/ada/shop", "s1", database())
		return func(v *view) { v.click(chosen(rec.ID, 0, "0"), chosen(rec.ID, 1, "1"), chosen(rec.ID, 2, "0")) }
	}},
}

// TestBrowserLook has axe-core check what the page looks like. In no language is it wider than a
// window.
func TestBrowserLook(t *testing.T) {
	t.Parallel()
	for _, scene := range scenes {
		t.Run(scene.name, func(t *testing.T) {
			t.Parallel()
			var act func(*view)
			v := browse(t, scene.look, func(g *rig) { act = scene.stage(g) })
			v.hasten()
			act(v)
			if scene.shown && *updateShots {
				v.still()
				fatal.If(t, os.WriteFile("testdata/browser/"+scene.name+".png", run(v, chromedp.CaptureScreenshot()), 0o644))
			}
			v.accessible()
			v.fits()
			for _, l := range words.Languages()[1:] {
				v.speaks(l)
				v.do(chromedp.Reload())
				v.wait(`document.documentElement.lang === %q`, string(l))
				v.fits()
			}
		})
	}
}

// TestBrowserLookOfOtherPages has axe-core check the pages that no other test looks at: at the limit of
// rounds, where another agent asks the same as well, and where a question has failed.
func TestBrowserLookOfOtherPages(t *testing.T) {
	t.Parallel()
	var last, failed desk.Record
	v := browse(t, wide, func(g *rig) {
		q := deploy()
		q.Options[0].Default = true // its mark has least space
		no := question.Answer{QuestionID: "deploy", Selected: []string{question.NoID}, Note: "not yet"}
		for i := range 10 {
			q.Text = fmt.Sprintf("Deploy %d?", i)
			last = g.put("codex", "/home/ada/shop", "s9", q)
			if i < 9 {
				g.answeredElsewhere(last.ID, "tty", no)
			}
		}
		g.put("opencode", "/home/ada/shop", "s7", q)
		failed = g.put("gemini-cli", "/home/ada/shop", "s6", features())
		_, err := g.desk.Close(t.Context(), failed.ID,
			desk.Outcome{Status: desk.Failed, Reason: "no space left on device"})
		fatal.If(t, err)
	})
	for _, path := range []string{"/?list", "/?id=" + last.ID, "/?id=" + failed.ID, "/history?search=Deploy",
		"/nothing"} {
		v.visit(path)
		v.accessible()
		v.fits()
	}
	call(v, network.ClearBrowserCookies, cdp.Empty{})
	v.visit("/?token=used")
	v.shows("h1", "Open the page once more")
	v.accessible()
}

// still takes away what is another in each picture: the times, and a cursor.
func (v *view) still() {
	v.t.Helper()
	eval[bool](v, `(document.adoptedStyleSheets = [new CSSStyleSheet()],
		document.adoptedStyleSheets[0].replaceSync("time { font-size: 0 }"),
		document.activeElement.blur(), scrollTo(0, 0), true)`)
}

// fits fails the test if, on a phone or beside the list, the page is wider than the window, its
// header or the mark of a default higher than one row, or a control too small to hit (WCAG 2.2,
// 2.5.8: 24 by 24); or if what belongs beside the list, or beside an option, is not there.
func (v *view) fits() {
	v.t.Helper()
	for _, width := range []int64{320, 390, 1280} {
		v.do(chromedp.EmulateViewport(width, 800))
		if over := eval[int](v, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			v.t.Errorf("%d: the page is %d pixels wider than the window", width, over)
		}
		const apart = `[["#list", "#pane"], [".previews > .option > .row", ".preview"]].some(([a, b]) => {
			const [left, right] = [a, b].map((s) => document.querySelector(s)?.getBoundingClientRect());
			return left && right && left.right > right.left + 1;
		})`
		if width == 1280 && eval[bool](v, apart) {
			v.t.Errorf("%d: a question or a preview is below what it belongs beside", width)
		}
		if eval[bool](v, `document.querySelector(".bar")?.offsetHeight > 64`) {
			v.t.Errorf("%d: the header has more than one row", width)
		}
		if eval[bool](v, `[...document.querySelectorAll(".option .tag")].some((el) => el.checkVisibility() &&
			el.offsetHeight > 1.5 * parseFloat(getComputedStyle(el).lineHeight))`) {
			v.t.Errorf("%d: a mark has more than one row", width)
		}
		small := eval[[]string](v, `[...document.querySelectorAll("button, summary, label.pick, textarea")]
			.filter((el) => el.checkVisibility())
			.filter((el) => { const r = el.getBoundingClientRect(); return r.width < 24 || r.height < 24 })
			.map((el) => el.outerHTML)`)
		if len(small) > 0 {
			v.t.Errorf("%d: too small to hit: %q", width, small)
		}
	}
}

// accessible fails the test for every violation that axe-core finds with the rules of WCAG 2.2 AA, on
// a phone in light colours, and beside the list in dark ones. The windows are as high as the page:
// what stays at an edge of the window covers none of it.
func (v *view) accessible() {
	v.t.Helper()
	axe, err := os.ReadFile("../../e2e/npm/axe/node_modules/axe-core/axe.min.js")
	if err != nil {
		v.t.Fatal("run make deps-browser first: ", err)
	}
	run(v, chromedp.Evaluate[chromedp.Void](string(axe)))
	defer v.do(chromedp.EmulateViewport(1280, 800))
	for _, width := range []int64{390, 1280} {
		dark := width == 1280
		v.do(chromedp.EmulateViewport(width, 800))
		v.do(chromedp.EmulateViewport(width, eval[int64](v, `document.documentElement.scrollHeight`)))
		v.scheme(dark)
		var found []struct {
			ID, Help string
			Nodes    []struct{ HTML, FailureSummary string }
		}
		const check = `axe.run({ rules: { "target-size": { enabled: true } } })
			.then((r) => JSON.stringify(r.violations))`
		result := run(v, chromedp.Evaluate[string](check, chromedp.EvalAwaitPromise))
		fatal.If(v.t, json.Unmarshal([]byte(result), &found))
		for _, x := range found {
			for _, n := range x.Nodes {
				v.t.Errorf("%d, dark %t: %s (%s): %s\n%s", width, dark, x.ID, x.Help, n.HTML, n.FailureSummary)
			}
		}
	}
}

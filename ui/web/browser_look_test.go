//go:build browser

package web

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

var updateShots = flag.Bool("update-shots", false, "rewrite the screenshots")

// scenes are what the page looks like, each with one picture.
var scenes = []struct {
	picture string
	look    look
	stage   func(g *rig) func(v *view) // asks, and then acts
}{
	{"several", wide, func(g *rig) func(*view) {
		samples(g)
		return func(*view) {}
	}},
	{"chinese-phone-dark", phoneDark, func(g *rig) func(*view) {
		rec := g.put("claude-code", "/home/ada/商城", "s1", chinese()...)
		g.put("codex", "/home/ada/site", "s2", features())
		return func(v *view) {
			v.turn(rec.ID)
			v.click(chosen(rec.ID, 0, "0"), chosen(rec.ID, 1, "1"))
		}
	}},
	{"follow-ups-phone", phone, func(g *rig) func(*view) {
		rec := g.put("claude-code", "/home/ada/shop", "s1", database())
		return func(v *view) { v.click(chosen(rec.ID, 0, "0"), chosen(rec.ID, 1, "1"), chosen(rec.ID, 2, "0")) }
	}},
	{"refused", wide, func(g *rig) func(*view) {
		rec := g.put("codex", "/home/ada/site", "s", features(), proposal())
		return func(v *view) {
			v.click(chosen(rec.ID, 0, "other"), within(rec.ID, confirmButton))
			v.shows(".refused", v.language.T("Not sent yet:"))
		}
	}},
	{"ways-dark", dark, func(g *rig) func(*view) {
		rec := g.put("codex", "/home/ada/site", "s", deploy(), optional())
		return func(v *view) {
			v.click(chosen(rec.ID, 0, "0"), within(rec.ID, ".more summary"))
			v.click(within(rec.ID, dismissButton))
			v.shows(".panel", v.language.T("Reason, if you like"))
		}
	}},
	{"history", wide, func(g *rig) func(*view) {
		history(g)
		return func(v *view) {
			v.click(".card header .facts a")
			v.shows(".past h2", v.language.T("Earlier in this session"))
		}
	}},
	{"nothing-phone", phone, func(g *rig) func(*view) {
		first := g.put("claude-code", "/home/ada/shop", "s1", database())
		second := g.put("codex", "/home/ada/商城", "s2", chinese()...)
		g.answeredElsewhere(first.ID, "web", question.Answer{QuestionID: "db", Selected: []string{"lite"}})
		g.answeredElsewhere(second.ID, "web", question.Answer{QuestionID: "缓存", Selected: []string{"local"}},
			question.Answer{QuestionID: "端口", Custom: "6379"})
		return func(*view) {}
	}},
	{"files", wide, func(g *rig) func(*view) {
		q := question.Question{ID: "wrong", Text: "What is wrong on the checkout page?", Header: "Checkout",
			Type: question.Text, Required: true}
		rec := g.put("claude-code", "/home/ada/shop", "s", q)
		response := question.Answer{QuestionID: rec.Questions[0].ID, Custom: "The total is cut off, as here."}
		picture := must(os.ReadFile("testdata/browser/several.png"))
		response.Files = []question.File{
			must(g.desk.AttachFile(g.t.Context(), rec.ID, "checkout on my phone.png", bytes.NewReader(picture))),
			must(g.desk.AttachFile(g.t.Context(), rec.ID, "server.log", strings.NewReader("12:00:01 500 /checkout\n"))),
		}
		g.draft(rec.ID, response)
		return func(v *view) {
			v.shownImages(".files", 1)
			v.click(".files .file:last-of-type [type=checkbox]")
		}
	}},
}

// chinese are long questions in Chinese.
func chinese() []question.Question {
	return []question.Question{{
		ID: "缓存", Text: "订单服务在高峰期需要缓存热门商品的库存数据。考虑到一致性要求和运维成本，您希望采用哪一种缓存方案？", Header: "缓存方案",
		Type: question.SingleChoice, Required: true, AllowCustom: true,
		Options: []question.Option{
			{ID: "redis", Label: "Redis 集群", Description: "读写性能高，支持过期时间；需要另外维护三个节点", Default: true,
				Preview: "```yaml\n# 缓存\ncache:\n  driver: \"redis\"\n  nodes: 3\n```",
				FollowUps: []question.Question{{ID: "版本", Text: "使用哪个版本？", Type: question.SingleChoice, Required: true,
					Options: []question.Option{{ID: "7", Label: "7.4"},
						{ID: "8", Label: "8.0", Description: "许可证已恢复为 AGPL"}}}}},
			{ID: "local", Label: "进程内缓存", Description: "没有网络开销，但各实例之间的数据可能短暂不一致"},
			{ID: "none", Label: "暂时不用缓存"},
		},
	}, {ID: "端口", Text: "服务监听哪个端口？", Type: question.Text, Placeholder: "例如 6379"}}
}

// TestBrowserLook compares what the page looks like with the screenshots in
// testdata/browser, and has axe-core check it. In no language is it wider than a
// window. Letters differ a little between versions of the browser, so what is compared is the
// average of small squares.
func TestBrowserLook(t *testing.T) {
	t.Parallel()
	for _, scene := range scenes {
		for _, l := range words.Languages() {
			t.Run(scene.picture+"/"+string(l), func(t *testing.T) {
				t.Parallel()
				at := scene.look
				at.language = l
				v := played(t, at, scene.stage)
				if l == words.English {
					compare(t, scene.picture, run(v, chromedp.CaptureScreenshot()))
					v.accessible()
				}
				v.fits(390, 1280)
			})
		}
	}
	t.Run("other pages", func(t *testing.T) {
		t.Parallel()
		var last, failed desk.Record
		v := browse(t, wide, func(g *rig) {
			history(g)
			last, failed = rounds(g)
		})
		for _, path := range []string{"/?list", "/?id=" + last.ID, "/?id=" + failed.ID, "/history",
			"/history?search=Deploy", "/nothing"} {
			v.visit(path)
			v.accessible()
			v.fits(390, 1280)
		}
		call(v, network.ClearBrowserCookies, cdp.Empty{})
		v.visit("/?token=used")
		v.shows("h1", "Open the page once more")
		v.accessible()
	})
}

// history asks three rounds of a session; the third is open.
func history(g *rig) desk.Record {
	one := g.put("claude-code", "/home/ada/shop", "s1", features())
	two := g.put("claude-code", "/home/ada/shop", "s1", database())
	for id, r := range map[string]question.Reply{
		one.ID: {Dismissed: true, Reason: "too early to say"},
		two.ID: {Answers: []question.Answer{{QuestionID: "db", Selected: []string{"lite"}}}, Note: "not before Monday"},
	} {
		if _, err := g.desk.Reply(g.t.Context(), id, r,
			desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
			g.t.Fatal(err)
		}
	}
	return g.put("claude-code", "/home/ada/shop", "s1", serviceName())
}

// rounds asks up to the limit of rounds, where another agent asks the same as well, and in
// another session beyond it. One question has failed.
func rounds(g *rig) (last, failed desk.Record) {
	q := deploy()
	for _, session := range []string{"s8", "s9"} {
		for i := range 10 {
			q.Text = fmt.Sprintf("Deploy %d?", i)
			last = g.put("codex", "/home/ada/shop", session, q)
			if i < 9 || session == "s8" {
				g.answeredElsewhere(last.ID, "tty",
					question.Answer{QuestionID: "deploy", Selected: []string{question.NoID}, Note: "not yet"})
			}
		}
	}
	if _, _, err := g.desk.Submit(g.t.Context(),
		desk.Request{Set: last.Set, Session: "s8", Asker: last.Asker}); err == nil {
		g.t.Fatal("the round after the last was not refused")
	}
	g.put("opencode", "/home/ada/shop", "s7", q)
	failed = g.put("gemini-cli", "/home/ada/shop", "s6", features())
	if _, err := g.desk.Close(g.t.Context(), failed.ID,
		desk.Outcome{Status: desk.Failed, Reason: "no space left on device"}); err != nil {
		g.t.Fatal(err)
	}
	return last, failed
}

// played is a view of a scene.
func played(t *testing.T, l look, stage func(*rig) func(*view)) *view {
	t.Helper()
	var act func(*view)
	v := browse(t, l, func(g *rig) { act = stage(g) })
	v.hasten()
	act(v)
	v.still()
	return v
}

// still takes away what is another in each picture: the times, and a cursor.
func (v *view) still() {
	v.t.Helper()
	eval[bool](v, `(document.adoptedStyleSheets = [new CSSStyleSheet()],
		document.adoptedStyleSheets[0].replaceSync("time { font-size: 0 }"),
		document.activeElement.blur(), scrollTo(0, 0), true)`)
}

// TestBrowserRightToLeft: each text has the direction of its letters, wherever an agent or the
// user has written it.
func TestBrowserRightToLeft(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "", database()) })
	for _, selector := range []string{
		inList(rec.ID) +
			" .subject", within(rec.ID, "h2"), within(rec.ID, ".about > p"), within(rec.ID,
			".pick > span"), within(rec.ID, "textarea"),
	} {
		if got := eval[string](v, `getComputedStyle(document.querySelector(%q)).unicodeBidi`,
			selector); got != "plaintext" {
			t.Errorf("%s is %s", selector, got)
		}
	}
}

// fits fails the test if, in windows of these widths, the page is wider than the window, its
// header higher than one row, or a control too small to hit (WCAG 2.2, 2.5.8: 24 by 24).
func (v *view) fits(widths ...int64) {
	v.t.Helper()
	for _, width := range widths {
		v.do(chromedp.EmulateViewport(width, 800))
		if over := eval[int](v, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			v.t.Errorf("%d: the page is %d pixels wider than the window", width, over)
		}
		if eval[bool](v, `document.querySelector(".bar")?.offsetHeight > 64`) {
			v.t.Errorf("%d: the header has more than one row", width)
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

// accessible fails the test for every violation that axe-core finds with the rules of WCAG 2.2 AA,
// on a phone and beside the list, in light and dark colours. The windows are as high as the page:
// what stays at an edge of the window covers none of it.
func (v *view) accessible() {
	v.t.Helper()
	axe, err := os.ReadFile("../../e2e/npm/axe/node_modules/axe-core/axe.min.js")
	if err != nil {
		v.t.Fatal("run make deps-browser first: ", err)
	}
	run(v, chromedp.Evaluate[chromedp.Void](string(axe)))
	for _, width := range []int64{390, 1280} {
		v.do(chromedp.EmulateViewport(width, 800))
		v.do(chromedp.EmulateViewport(width, eval[int64](v, `document.documentElement.scrollHeight`)))
		for _, dark := range []bool{false, true} {
			v.scheme(dark)
			var found []struct {
				ID, Help string
				Nodes    []struct{ HTML, FailureSummary string }
			}
			const check = `axe.run({ rules: { "target-size": { enabled: true } } })
				.then((r) => JSON.stringify(r.violations))`
			result := run(v, chromedp.Evaluate[string](check, chromedp.EvalAwaitPromise))
			if err := json.Unmarshal([]byte(result), &found); err != nil {
				v.t.Fatal(err)
			}
			for _, x := range found {
				for _, n := range x.Nodes {
					v.t.Errorf("%d, dark %t: %s (%s): %s\n%s", width, dark, x.ID, x.Help, n.HTML, n.FailureSummary)
				}
			}
		}
	}
}

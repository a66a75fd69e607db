//go:build browser

package web

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

var updateShots = flag.Bool("update-shots", false, "rewrite the screenshots")

// The looks of the scenes.
var (
	dark      = look{width: 1280, height: 800, dark: true}
	tall      = look{width: 390, height: 844}
	tallDark  = look{width: 390, height: 844, dark: true}
	broad     = look{width: 1920, height: 1000}
	broadDark = look{width: 1920, height: 1000, dark: true}

	inChinese      = look{width: 1280, height: 800, language: words.Chinese}
	tallInChinese  = look{width: 390, height: 844, dark: true, language: words.Chinese}
	darkPortuguese = look{width: 1280, height: 800, dark: true, language: words.Portuguese}
	tallPortuguese = look{width: 390, height: 844, language: words.Portuguese}
)

// scenes are what the page looks like. Each is checked against its screenshot
// and for accessibility.
var scenes = []struct {
	name  string
	looks map[string]look            // by the end of the picture's name
	stage func(g *rig) func(v *view) // asks, and then acts
}{
	{"several", map[string]look{"": wide, "-dark": dark, "-broad": broad}, func(g *rig) func(*view) {
		samples(g)
		return func(*view) {}
	}},
	{"list", map[string]look{"-phone": tall, "-pt-phone": tallPortuguese}, func(g *rig) func(*view) {
		samples(g)
		return func(*view) {}
	}},
	{"chinese", map[string]look{"": wide, "-broad-dark": broadDark, "-phone": tall, "-phone-dark": tallDark}, func(g *rig) func(*view) {
		rec := g.put("claude-code", "/home/ada/商城", "s1", chinese()...)
		g.put("codex", "/home/ada/site", "s2", features())
		return func(v *view) {
			v.turn(rec.ID)
			v.click(chosen(rec.ID, 0, "0"), chosen(rec.ID, 1, "1"))
		}
	}},
	{"follow-ups", map[string]look{"": wide, "-phone": tall, "-phone-dark": tallDark}, func(g *rig) func(*view) {
		rec := g.put("claude-code", "/home/ada/shop", "s1", database())
		return func(v *view) { v.click(chosen(rec.ID, 0, "0"), chosen(rec.ID, 1, "1"), chosen(rec.ID, 2, "0")) }
	}},
	{"refused", map[string]look{"": wide, "-phone-dark": tallDark, "-zh-phone-dark": tallInChinese}, func(g *rig) func(*view) {
		rec := g.put("codex", "/home/ada/site", "s", features(), proposal())
		return func(v *view) {
			v.click(chosen(rec.ID, 0, "other"), within(rec.ID, confirmButton))
			v.shows(".refused", v.language.T("Not sent yet:"))
		}
	}},
	{"ways", map[string]look{"-dark": dark, "-phone": tall, "-pt-phone": tallPortuguese}, func(g *rig) func(*view) {
		rec := g.put("codex", "/home/ada/site", "s", deploy(), optional())
		return func(v *view) {
			v.click(chosen(rec.ID, 0, "0"), within(rec.ID, ".more summary"), within(rec.ID, ".discuss summary"), within(rec.ID, ".dismiss summary"))
		}
	}},
	{"sent", map[string]look{"": wide, "-phone-dark": tallDark}, func(g *rig) func(*view) {
		rec := g.put("gemini-cli", "/home/ada/api", "s1", deploy())
		g.put("codex", "/home/ada/site", "s2", features())
		return func(v *view) {
			v.turn(rec.ID)
			v.click(chosen(rec.ID, 0, "0"), within(rec.ID, confirmButton))
			v.shows("#news", v.language.T("Sent to %s.", v.language.Asker(rec.Asker)))
		}
	}},
	{"unsent", map[string]look{"": wide, "-phone-dark": tallDark, "-zh-phone-dark": tallInChinese}, func(g *rig) func(*view) {
		rec := g.put("gemini-cli", "/home/ada/api", "s1", deploy())
		g.put("codex", "/home/ada/site", "s2", features())
		return func(v *view) {
			g.store.FailAnswers(desk.ErrUnreachable)
			v.turn(rec.ID)
			v.click(chosen(rec.ID, 0, "0"), within(rec.ID, confirmButton))
			v.shows(within(rec.ID, ".refused"), v.language.T("The shared desk does not answer. Your answer is kept as a draft; send it again."))
		}
	}},
	{"outrun", map[string]look{"-dark": dark}, func(g *rig) func(*view) {
		rec := g.put("codex", "/home/ada/site", "s", deploy())
		return func(v *view) {
			v.listening()
			v.click(chosen(rec.ID, 0, "0"))
			v.answeredElsewhere(rec.ID, "inbox", question.Answer{QuestionID: "deploy", Selected: []string{question.NoID}})
			v.away()
			v.shows(".outcome", v.language.T("Already %s", v.language.Outcome(&desk.Outcome{Status: desk.Answered, Surface: "inbox"})))
			// The one thing that is not the same tomorrow.
			eval[bool](v, `(document.querySelector(".outcome time").textContent = "21 Nov 2026, 12:00", true)`)
		}
	}},
	{"history", map[string]look{"": wide, "-phone-dark": tallDark, "-zh": inChinese}, func(g *rig) func(*view) {
		history(g)
		return func(v *view) {
			v.click(".card [data-dialog]")
			v.shows("#dialog h1", v.language.T("Earlier in this session"))
		}
	}},
	{"nothing", map[string]look{"-dark": dark, "-phone": tall}, func(g *rig) func(*view) {
		g.answeredElsewhere(g.put("claude-code", "/home/ada/shop", "s1", database()).ID, "web", question.Answer{QuestionID: "db", Selected: []string{"lite"}})
		g.answeredElsewhere(g.put("codex", "/home/ada/商城", "s2", chinese()...).ID, "web", question.Answer{QuestionID: "缓存", Selected: []string{"local"}}, question.Answer{QuestionID: "端口", Custom: "6379"})
		return func(*view) {}
	}},
	{"files", map[string]look{"": wide, "-dark": dark, "-phone": tall, "-zh-phone-dark": tallInChinese, "-pt-phone": tallPortuguese}, func(g *rig) func(*view) {
		rec := g.put("claude-code", "/home/ada/shop", "s", question.Question{ID: "wrong", Text: "What is wrong on the checkout page?", Header: "Checkout", Type: question.Text, Required: true})
		reply := question.Reply{Answers: []question.Answer{{QuestionID: rec.Questions[0].ID, Custom: "The total is cut off, as here."}}}
		for name, data := range map[string][]byte{"checkout on my phone.png": window(g.t), "server.log": []byte("12:00:01 500 /checkout\n")} {
			f, err := g.desk.AttachFile(g.t.Context(), rec.ID, name, bytes.NewReader(data))
			if err != nil {
				g.t.Fatal(err)
			}
			reply.Answers[0].Files = append(reply.Answers[0].Files, f)
		}
		slices.SortFunc(reply.Answers[0].Files, func(a, b question.File) int { return strings.Compare(a.Name, b.Name) })
		if err := g.desk.SaveDraft(g.t.Context(), rec.ID, reply); err != nil {
			g.t.Fatal(err)
		}
		return func(v *view) {
			v.shownImages(".files", 1)
			v.click(".files .file:last-of-type [type=checkbox]")
		}
	}},
	{"many", map[string]look{"-dark": dark, "-phone": tall}, func(g *rig) func(*view) {
		q := regions(question.SingleChoice)
		for i, text := range []string{"上海（华东一区）", "北京（华北二区），与现有的订单数据库在同一个可用区，延迟最低，但价格也最高，并且需要提前两周申请配额", "深圳"} {
			q.Options[9*i].Label, q.Options[9*i].Description = text, "距离大多数用户最近；价格比其他地区高百分之十二，适合对延迟敏感的服务"
		}
		q.Options[4].Default = true
		rec := g.put("claude-code", "/home/ada/商城", "s1", q)
		return func(v *view) { v.click(chosen(rec.ID, 0, "2")) }
	}},
	{"keys", map[string]look{"-dark": dark, "-pt-dark": darkPortuguese}, func(g *rig) func(*view) {
		g.put("gemini-cli", "/home/ada/api", "s1", deploy())
		return func(v *view) {
			v.click("#help")
			v.shows("#dialog h1", v.language.T("Keys"))
		}
	}},
	{"closed", map[string]look{"": wide, "-zh-phone-dark": tallInChinese, "-phone-dark": tallDark}, func(g *rig) func(*view) {
		return func(v *view) {
			call(v, network.ClearBrowserCookies, cdp.Empty{})
			v.visit("/?token=used")
			v.shows("h1", v.language.T("Open the page once more"))
		}
	}},
}

// window is a picture of a window.
func window(t testing.TB) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 240, 180))
	for y := range 180 {
		for x := range 240 {
			c := color.RGBA{240, 242, 250, 255}
			switch {
			case y < 24:
				c = color.RGBA{67, 83, 201, 255}
			case y > 60 && y < 90 && x > 20 && x < 180, y > 110 && y < 140 && x > 20:
				c = color.RGBA{160, 168, 200, 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// chinese are long questions in Chinese.
func chinese() []question.Question {
	return []question.Question{{
		ID: "缓存", Text: "订单服务在高峰期需要缓存热门商品的库存数据。考虑到一致性要求和运维成本，您希望采用哪一种缓存方案？", Header: "缓存方案", Type: question.SingleChoice, Required: true, AllowCustom: true,
		Options: []question.Option{
			{ID: "redis", Label: "Redis 集群", Description: "读写性能高，支持过期时间；需要另外维护三个节点", Default: true, Preview: "```yaml\n# 缓存\ncache:\n  driver: \"redis\"\n  nodes: 3\n```",
				FollowUps: []question.Question{{ID: "版本", Text: "使用哪个版本？", Type: question.SingleChoice, Required: true, Options: []question.Option{{ID: "7", Label: "7.4"}, {ID: "8", Label: "8.0", Description: "许可证已恢复为 AGPL"}}}}},
			{ID: "local", Label: "进程内缓存", Description: "没有网络开销，但各实例之间的数据可能短暂不一致"},
			{ID: "none", Label: "暂时不用缓存"},
		},
	}, {ID: "端口", Text: "服务监听哪个端口？", Type: question.Text, Placeholder: "例如 6379"}}
}

// TestBrowserLook compares what the page looks like with the screenshots in
// testdata/browser, and has axe-core check it. Letters differ a little between
// versions of the browser, so what is compared is the average of small squares.
func TestBrowserLook(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("testdata/axe/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal("run make deps first: ", err)
	}
	for _, scene := range scenes {
		for end, look := range scene.looks {
			name := scene.name + end
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				v := played(t, look, scene.stage)
				compare(t, name, run(v, chromedp.CaptureScreenshot()))
				v.accessible(string(axe), 390, 1280)
			})
		}
	}
	for _, l := range []look{wide, dark} {
		t.Run(fmt.Sprintf("other pages, dark %t", l.dark), func(t *testing.T) {
			t.Parallel()
			var last, failed desk.Record
			v := browse(t, l, func(g *rig) {
				history(g)
				last, failed = rounds(g)
			})
			for _, path := range []string{"/?list", "/?id=" + last.ID, "/?id=" + failed.ID, "/history", "/history?search=Deploy", "/keys", "/nothing"} {
				v.visit(path)
				v.accessible(string(axe), 390, 1280)
			}
		})
	}
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
				g.answeredElsewhere(last.ID, "tty", question.Answer{QuestionID: "deploy", Selected: []string{question.NoID}, Note: "not yet"})
			}
		}
	}
	if _, _, err := g.desk.Submit(g.t.Context(), desk.Request{Set: last.Set, Session: "s8", Asker: last.Asker}); err == nil {
		g.t.Fatal("the round after the last was not refused")
	}
	g.put("opencode", "/home/ada/shop", "s7", q)
	failed = g.put("gemini-cli", "/home/ada/shop", "s6", features())
	if _, err := g.desk.Close(g.t.Context(), failed.ID, desk.Outcome{Status: desk.Failed, Reason: "no space left on device"}); err != nil {
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
	eval[bool](v, `(document.activeElement.blur(), scrollTo(0, 0), document.querySelector("#dialog")?.scrollTo(0, 0), document.querySelector("#notify")?.setAttribute("hidden", ""), true)`)
	return v
}

// TestBrowserForcedColours: who sees the page in colours of their own sees which
// question of the list is in sight.
func TestBrowserForcedColours(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, nil)
	v.listening()
	recs := v.some(2)
	call(v, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}}})
	outline := func(id string) string {
		return eval[string](v, `getComputedStyle(document.querySelector(%q)).outlineStyle`, inList(id)+" a")
	}
	if here, there := outline(recs[0].ID), outline(recs[1].ID); here != "solid" || there != "none" {
		t.Errorf("the one in sight has the outline %q, the other %q", here, there)
	}
}

// TestBrowserRightToLeft: a text that is read from the right ends on the left,
// wherever an agent or the user has written it.
func TestBrowserRightToLeft(t *testing.T) {
	t.Parallel()
	const words = "למחוק 3 קבצים?"
	var rec desk.Record
	v := browse(t, wide, func(g *rig) {
		rec = g.put("codex", "/home/ada/shop", "", question.Question{
			ID: "q", Text: words, Description: words, Type: question.SingleChoice, Required: true, Options: []question.Option{{ID: "a", Label: words}, {ID: "b", Label: "b"}},
		})
	})
	v.listening()
	for _, selector := range []string{inList(rec.ID) + " .subject", within(rec.ID, "h2"), within(rec.ID, ".field > .about > p"), within(rec.ID, ".pick > span")} {
		if !eval[bool](v, `(() => {
			const text = document.querySelector(%q).firstChild, at = (i) => {
				const range = document.createRange();
				range.setStart(text, i);
				range.setEnd(text, i + 1);
				return range.getBoundingClientRect().x;
			};
			return at(text.length - 1) < at(0);
		})()`, selector) {
			t.Errorf("%s ends on the right", selector)
		}
	}
	if got := eval[string](v, `getComputedStyle(document.querySelector(%q)).unicodeBidi`, within(rec.ID, "textarea")); got != "plaintext" {
		t.Errorf("what is typed is %s", got)
	}
}

// TestBrowserLanguages: no page is wider than a phone, too small to hit or
// closed to somebody in another language either.
func TestBrowserLanguages(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("testdata/axe/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal("run make deps first: ", err)
	}
	for _, l := range words.Languages()[1:] {
		for _, scene := range scenes {
			t.Run(string(l)+"/"+scene.name, func(t *testing.T) {
				t.Parallel()
				at := look{width: 390, height: 844, language: l}
				if scene.name == "keys" { // a phone has none
					at.width = 1280
				}
				v := played(t, at, scene.stage)
				v.accessible(string(axe), at.width)
			})
		}
	}
}

// fits fails the test if the page is wider than the window, its header higher than one row, or a
// control too small to hit (WCAG 2.2, 2.5.8: 24 by 24).
func (v *view) fits() {
	v.t.Helper()
	if over := eval[int](v, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		v.t.Errorf("the page is %d pixels wider than the window", over)
	}
	if eval[bool](v, `document.querySelector(".bar")?.offsetHeight > 64`) {
		v.t.Error("the header has more than one row")
	}
	small := eval[[]string](v, `[...document.querySelectorAll("button, summary, label.pick, textarea")].filter((el) => el.checkVisibility()).
		filter((el) => { const r = el.getBoundingClientRect(); return r.width < 24 || r.height < 24 }).map((el) => el.outerHTML)`)
	if len(small) > 0 {
		v.t.Errorf("too small to hit: %q", small)
	}
}

// accessible fails the test for every violation that axe-core finds in windows of these widths,
// with the rules of WCAG 2.2 AA. They are as high as the page: what stays at an edge of the
// window covers none of it.
func (v *view) accessible(axe string, widths ...int64) {
	v.t.Helper()
	run(v, chromedp.Evaluate[chromedp.Void](axe))
	for _, width := range widths {
		v.do(chromedp.EmulateViewport(width, 800))
		v.do(chromedp.EmulateViewport(width, eval[int64](v, `document.documentElement.scrollHeight`)))
		v.fits()
		var found []struct {
			ID, Help string
			Nodes    []struct{ HTML, FailureSummary string }
		}
		result := run(v, chromedp.Evaluate[string](`axe.run({ rules: { "target-size": { enabled: true } } }).then((r) => JSON.stringify(r.violations))`, chromedp.EvalAwaitPromise))
		if err := json.Unmarshal([]byte(result), &found); err != nil {
			v.t.Fatal(err)
		}
		for _, x := range found {
			for _, n := range x.Nodes {
				v.t.Errorf("%d: %s (%s): %s\n%s", width, x.ID, x.Help, n.HTML, n.FailureSummary)
			}
		}
	}
}

// square is the side of what is compared, in pixels; most is how far its
// average colour may be off, of 255.
const (
	square = 16
	most   = 28
)

func compare(t *testing.T, name string, shot []byte) {
	t.Helper()
	path := filepath.Join("testdata/browser", name+".png")
	got, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	if *updateShots {
		var b bytes.Buffer
		enc := png.Encoder{CompressionLevel: png.BestCompression}
		if err := enc.Encode(&b, got); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := alike(got, want); err != nil {
		kept := filepath.Join(os.TempDir(), "askuser-"+name+".png")
		_ = os.WriteFile(kept, shot, 0o600)
		t.Errorf("%v; what it looks like now is in %s. Look at it, and run with -update-shots if it is meant", err, kept)
	}
}

// alike compares two pictures square by square.
func alike(got, want image.Image) error {
	if got.Bounds() != want.Bounds() {
		return fmt.Errorf("the size is %v, was %v", got.Bounds(), want.Bounds())
	}
	b := got.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y += square {
		for x := b.Min.X; x < b.Max.X; x += square {
			r := image.Rect(x, y, x+square, y+square).Intersect(b)
			if d := distance(average(got, r), average(want, r)); d > most {
				return fmt.Errorf("the square at %v differs by %d", r.Min, d)
			}
		}
	}
	return nil
}

func average(m image.Image, r image.Rectangle) [3]int {
	var sum [3]int
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c := color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)
			sum[0], sum[1], sum[2] = sum[0]+int(c.R), sum[1]+int(c.G), sum[2]+int(c.B)
		}
	}
	n := r.Dx() * r.Dy()
	return [3]int{sum[0] / n, sum[1] / n, sum[2] / n}
}

func distance(a, b [3]int) int {
	d := 0
	for i := range a {
		d = max(d, a[i]-b[i], b[i]-a[i])
	}
	return d
}

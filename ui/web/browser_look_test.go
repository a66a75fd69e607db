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
	"testing"

	"github.com/chromedp/chromedp"

	"mcp-askuser/question"
)

var updateShots = flag.Bool("update-shots", false, "rewrite the screenshots")

// scenes are what the page looks like. Each is checked against its screenshot
// and for accessibility.
var scenes = []struct {
	name  string
	look  look
	stage func(g *rig) func(v *view) // asks, and then acts
}{
	{"several", wide, func(g *rig) func(*view) {
		samples(g)
		return func(*view) {}
	}},
	{"several-dark", look{width: 1280, height: 800, dark: true}, func(g *rig) func(*view) {
		samples(g)
		return func(*view) {}
	}},
	{"follow-ups", look{width: 720, height: 900}, followUps},
	{"follow-ups-dark", look{width: 720, height: 900, dark: true}, followUps},
	{"follow-ups-phone", look{width: 360, height: 900}, followUps},
	{"refused", look{width: 720, height: 900}, refusedScene},
	{"refused-dark", look{width: 720, height: 900, dark: true}, refusedScene},
	{"cancel-phone", phone, func(g *rig) func(*view) {
		rec := g.put("codex", "/home/ada/site", "s", deploy(), optional())
		return func(v *view) {
			v.click(chosen(rec.ID, 0, "0"), within(rec.ID, ".note summary"), within(rec.ID, ".dismiss summary"))
		}
	}},
	{"sent", wide, sentScene},
	{"sent-dark", look{width: 1280, height: 800, dark: true}, sentScene},
	{"sent-phone", look{width: 390, height: 740}, sentScene},
	{"sent-phone-dark", look{width: 390, height: 740, dark: true}, sentScene},
	{"outrun", look{width: 720, height: 600}, outrunScene},
	{"outrun-dark", look{width: 720, height: 600, dark: true}, outrunScene},
	{"history", look{width: 1000, height: 900}, historyScene},
	{"history-dark", look{width: 1000, height: 900, dark: true}, historyScene},
	{"nothing-phone", look{width: 360, height: 500}, func(*rig) func(*view) { return func(*view) {} }},
}

func followUps(g *rig) func(*view) {
	rec := g.put("claude-code", "/home/ada/shop", "s1", database())
	return func(v *view) { v.click(chosen(rec.ID, 0, "0"), chosen(rec.ID, 1, "1"), chosen(rec.ID, 2, "0")) }
}

func refusedScene(g *rig) func(*view) {
	rec := g.put("codex", "/home/ada/site", "s", features(), proposal())
	return func(v *view) {
		v.click(chosen(rec.ID, 0, "other"), within(rec.ID, confirmButton))
		v.shows(".refused", "Not sent yet")
	}
}

func sentScene(g *rig) func(*view) {
	rec := g.put("gemini-cli", "/home/ada/api", "s1", deploy())
	g.put("codex", "/home/ada/site", "s2", features())
	return func(v *view) {
		v.click(chosen(rec.ID, 0, "0"), within(rec.ID, confirmButton))
		v.shows("#news", "Sent to gemini-cli in api.") // the pointer is still there
	}
}

func outrunScene(g *rig) func(*view) {
	rec := g.put("codex", "/home/ada/site", "s", deploy())
	return func(v *view) {
		v.listening()
		v.click(chosen(rec.ID, 0, "0"))
		v.answeredElsewhere(rec.ID, "inbox", question.Answer{QuestionID: "deploy", Selected: []string{question.NoID}})
		v.away()
		v.shows(".fate", "Already answered in the inbox")
		// The one thing that is not the same tomorrow.
		eval[bool](v, `(document.querySelector(".fate time").textContent = "21 Nov 2026, 12:00", true)`)
	}
}

func historyScene(g *rig) func(*view) {
	history(g)
	return func(v *view) {
		v.click(".card [data-history]")
		v.shows("#past h1", "Earlier in this session")
	}
}

// TestBrowserLook compares what the page looks like with the screenshots in
// testdata/browser, and has axe-core check it. Letters differ a little between
// versions of the browser, so what is compared is the average of small squares.
func TestBrowserLook(t *testing.T) {
	axe, err := os.ReadFile("testdata/axe/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal("run make deps first: ", err)
	}
	for _, scene := range scenes {
		t.Run(scene.name, func(t *testing.T) {
			var act func(*view)
			v := browse(t, scene.look, func(g *rig) { act = scene.stage(g) })
			act(v)
			eval[bool](v, `(document.activeElement.blur(), scrollTo(0, 0), document.querySelector("#past").scrollTo(0, 0), document.querySelector("#notify").hidden = true)`)
			compare(t, scene.name, run(v, chromedp.CaptureScreenshot()))
			v.fits()
			v.accessible(string(axe))
		})
	}
	t.Run("history-page", func(t *testing.T) {
		v := browse(t, wide, func(g *rig) { history(g) })
		v.visit("/history")
		v.accessible(string(axe))
	})
	t.Run("refusal", func(t *testing.T) {
		v := browse(t, phone, nil)
		v.visit("/?token=old")
		v.shows("h1", "Not like this")
		v.accessible(string(axe))
	})
}

// fits fails the test if the page is wider than the window, or if a control is
// too small to hit (WCAG 2.2, 2.5.8: 24 by 24).
func (v *view) fits() {
	v.t.Helper()
	if over := eval[int](v, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		v.t.Errorf("the page is %d pixels wider than the window", over)
	}
	small := eval[[]string](v, `[...document.querySelectorAll("button, summary, label.pick, textarea")].filter((el) => el.checkVisibility()).
		filter((el) => { const r = el.getBoundingClientRect(); return r.width < 24 || r.height < 24 }).map((el) => el.outerHTML)`)
	if len(small) > 0 {
		v.t.Errorf("too small to hit: %q", small)
	}
}

// accessible fails the test for every violation that axe-core finds.
func (v *view) accessible(axe string) {
	v.t.Helper()
	var found []struct {
		ID, Help string
		Nodes    []struct{ HTML, FailureSummary string }
	}
	run(v, chromedp.Evaluate[chromedp.Void](axe))
	result := run(v, chromedp.Evaluate[string](`axe.run().then((r) => JSON.stringify(r.violations))`, chromedp.EvalAwaitPromise))
	if err := json.Unmarshal([]byte(result), &found); err != nil {
		v.t.Fatal(err)
	}
	for _, x := range found {
		for _, n := range x.Nodes {
			v.t.Errorf("%s (%s): %s\n%s", x.ID, x.Help, n.HTML, n.FailureSummary)
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

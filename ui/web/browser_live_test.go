//go:build browser

package web

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// TestBrowserLive: questions come and go by themselves; the title and the icon
// count them.
func TestBrowserLive(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, nil)
	v.shows("#none", "Nothing waits")
	v.wait(`document.title === "mcp-askuser"`)
	v.listening()
	first := v.put("codex", "/home/ada/shop", "s1", database())
	second := v.put("gemini-cli", "/home/ada/api", "s2", deploy())
	v.shows("#r-"+first.ID, "Which database")
	v.shows(inList(second.ID), "Deploy to production now?")
	v.shows("#count", "2 questions wait")
	v.shows("#news", "Gemini CLI in api asks something.")
	v.wait(`document.title === "(2) mcp-askuser"`)
	v.wait(`[...document.querySelectorAll("#list li")].map((x) => x.dataset.id).join() === %q`, first.ID+","+second.ID)

	v.answeredElsewhere(second.ID, "tty", question.Answer{QuestionID: "deploy", Selected: []string{question.NoID}})
	v.gone(inList(second.ID))
	v.shows("#count", "1 question waits")
	if _, err := v.desk.Close(t.Context(), first.ID, desk.Outcome{Status: desk.Cancelled}); err != nil {
		t.Fatal(err)
	}
	v.gone("#r-" + first.ID)
	v.shows("#news", "already withdrawn")
	v.shows("#none", "Nothing waits")
}

// TestBrowserLiveInChinese: what comes, goes and fails is said in the language of
// the page that was loaded.
func TestBrowserLiveInChinese(t *testing.T) {
	t.Parallel()
	v := browse(t, look{width: 1280, height: 800, language: words.Chinese}, nil)
	v.listening()
	first := v.put("codex", "/home/ada/商城", "s1", chinese()...)
	second := v.put("gemini-cli", "/home/ada/api", "s2", deploy())
	v.shows("#count", "2 个问题待回答")
	v.shows("#news", "Gemini CLI · api 有一个问题。")
	v.shows(inList(second.ID), "刚刚")
	v.shows(within(first.ID, ".progress"), "已回答 0/2")
	v.click(chosen(first.ID, 0, "2"), within(first.ID, confirmButton))
	v.answered(first.ID)
	v.shows("#news", "已发送给 Codex · 商城。")
	v.shows("#count", "1 个问题待回答")
	v.turn(second.ID)
	v.answeredElsewhere(second.ID, "tty", question.Answer{QuestionID: "deploy", Selected: []string{question.NoID}})
	v.shows("#news", "Gemini CLI · api：问题已在终端中回答。")
	v.shows(within(second.ID, ".outcome"), "问题已在终端中回答")

	third := v.put("codex", "/home/ada/shop", "s3", serviceName())
	v.turn(third.ID)
	v.write(inWords(third.ID, 0), "订单")
	v.stop()
	v.shows("#trouble", "连接已断开。")
	v.click(within(third.ID, confirmButton))
	v.shows(within(third.ID, ".refused"), "没有发送。无法连接服务器。")
}

// listening waits until the page has its event stream: what happens from now
// on, it hears.
func (v *view) listening() {
	v.t.Helper()
	v.wait(`document.documentElement.dataset.live === "yes"`)
}

// TestBrowserLeavesFormsAlone: what comes and goes around a form that somebody
// is filling in changes neither the form nor the focus.
func TestBrowserLeavesFormsAlone(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s1", serviceName(), deploy()) })
	v.listening()
	v.click(chosen(rec.ID, 1, "0"))
	v.write(inWords(rec.ID, 0), "orders")
	eval[bool](v, `(window.form = document.querySelector("form"), true)`)
	alike := v.put("opencode", "/home/ada/shop", "s2", serviceName(), deploy())
	v.shows(within(rec.ID, ".alike"), "OpenCode in shop") // what it says about others is renewed
	v.answeredElsewhere(alike.ID, "tty", question.Answer{QuestionID: "name", Custom: "x"}, question.Answer{QuestionID: "deploy", Selected: []string{question.YesID}})
	v.gone("#r-" + alike.ID)
	v.gone(within(rec.ID, ".alike"))
	v.keys("-v2")
	v.wait(`window.form === document.querySelector("form") && document.activeElement.name === "t0" && document.activeElement.value === "orders-v2"`)
	v.click(within(rec.ID, confirmButton))
	if got := v.answered(rec.ID); got["name"] != "orders-v2" || got["deploy"] != "Yes" {
		t.Errorf("got %v", got)
	}
}

// TestBrowserOutrun: somebody else ends a question while its form is being
// filled in. The user hears who it was, and keeps what they wrote.
func TestBrowserOutrun(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s1", serviceName()) })
	v.listening()
	v.write(inWords(rec.ID, 0), "my-own-name")
	v.answeredElsewhere(rec.ID, "inbox", question.Answer{QuestionID: "name", Custom: "orders"})
	v.shows("#r-"+rec.ID+" .outcome", "Already answered in the inbox")
	v.shows("#r-"+rec.ID+" .turns", "orders")
	v.shows("#r-"+rec.ID+" .ending", "What you had chosen, which was not sent")
	v.shows("#r-"+rec.ID+" .ending", "my-own-name")
	v.shows("#count", "No questions")
	v.click("#r-" + rec.ID + " [data-remove]")
	v.away()
	v.shows("#none", "Nothing waits")
}

// pausing has the browser stop at such requests. The function that it returns waits for the
// next of them.
func (v *view) pausing(at fetch.RequestPattern) func() fetch.RequestID {
	v.t.Helper()
	paused := make(chan fetch.RequestID, 1)
	if err := chromedp.Listen(v.ctx, func(ev any) {
		if ev, ok := ev.(*fetch.EventRequestPaused); ok {
			paused <- ev.RequestID
		}
	}); err != nil {
		v.t.Fatal(err)
	}
	call(v, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{&at}})
	return func() fetch.RequestID {
		v.t.Helper()
		select {
		case id := <-paused:
			return id
		case <-time.After(patient):
			v.t.Fatalf("no request %s", at.URLPattern)
		}
		return ""
	}
}

// TestBrowserLeftBehind: who goes to another question while an answer is under
// way hears that it was not sent, and who was first.
func TestBrowserLeftBehind(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, nil)
	v.listening()
	recs := v.some(3)
	held := v.pausing(fetch.RequestPattern{URLPattern: "*/answer"})
	leave := func() fetch.RequestID {
		t.Helper()
		v.confirm(recs[0])
		id := held()
		v.turn(recs[1].ID)
		return id
	}
	lose := fetch.FailRequestParams{RequestID: leave(), ErrorReason: network.ErrorReasonConnectionReset}
	call(v, fetch.FailRequest, lose)
	lose.RequestID = held() // it tries once more by itself
	call(v, fetch.FailRequest, lose)
	v.shows("#news", "Not sent. The server cannot be reached. Nothing is lost: try again.")
	v.turn(recs[0].ID)
	late := leave()
	v.answeredElsewhere(recs[0].ID, "tty", question.Answer{QuestionID: "deploy", Selected: []string{question.NoID}})
	v.gone(inList(recs[0].ID))
	call(v, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: late})
	v.shows("#news", "Codex in api: already answered")
	v.pending(recs[1].ID)
}

// TestBrowserUnheard: an answer that arrived, and of which the page heard nothing, is
// said to be sent, wherever the user has gone meanwhile.
func TestBrowserUnheard(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, nil)
	v.listening()
	recs := v.some(3)
	lost := v.pausing(fetch.RequestPattern{URLPattern: "*/answer", RequestStage: fetch.RequestStageResponse})
	lose := func(rec desk.Record, meanwhile func()) {
		t.Helper()
		v.confirm(rec)
		id := lost()
		meanwhile()
		call(v, fetch.FailRequest, fetch.FailRequestParams{RequestID: id, ErrorReason: network.ErrorReasonConnectionReset})
		call(v, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: lost()})
		v.shows("#news", "Sent to "+words.English.Asker(rec.Asker))
		if got := v.answered(rec.ID); got["deploy"] != "Yes" {
			t.Errorf("got %v", got)
		}
	}
	lose(recs[0], func() {})
	v.turn(recs[1].ID)
	lose(recs[1], func() {
		v.gone(inList(recs[1].ID))
		v.turn(recs[2].ID)
	})
	v.pending(recs[2].ID)
}

// TestBrowserUnsent: an answer that the shared desk does not take is not sent, its words stay,
// and are sent when the desk answers again.
func TestBrowserUnsent(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, nil)
	v.listening()
	rec := v.some(1)[0]
	v.store.FailAnswers(desk.ErrUnreachable)
	v.confirm(rec)
	v.shows(within(rec.ID, ".refused"), "Not sent")
	v.pending(rec.ID)
	v.store.FailAnswers(nil)
	v.answered(rec.ID) // the page sends it again
}

// TestBrowserSecondTab: the second answer is refused with who was first, with
// and without a script.
func TestBrowserSecondTab(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, scriptless, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s1", serviceName()) })
	late := v.another(scriptless)
	v.write(inWords(rec.ID, 0), "first")
	v.click(within(rec.ID, confirmButton))
	v.answered(rec.ID)
	late.write(inWords(rec.ID, 0), "second")
	late.inPlace(within(rec.ID, confirmButton))
	if status := late.submit(chromedp.Click(chromedp.CSS(within(rec.ID, confirmButton)))); status != 400 {
		t.Errorf("status %d", status)
	}
	late.shows(".outcome", "Already answered on the web page")
	late.shows(".turns", "first")
	late.shows(".ending", "What you had chosen, which was not sent")
	late.shows(".ending", "second")
	if got := v.reply(rec.ID).Answer("name").Custom; got != "first" {
		t.Errorf("recorded %q", got)
	}
}

// TestBrowserTabs: one tab listens for all of them; when it closes another one
// does.
func TestBrowserTabs(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, nil)
	v.listening()
	other := v.another(wide)
	rec := v.put("codex", "/home/ada/shop", "s1", deploy())
	v.shows("#r-"+rec.ID, "Deploy")
	other.shows("#r-"+rec.ID, "Deploy")
	v.visit("/history")
	other.listening()
	v.answeredElsewhere(rec.ID, "tty", question.Answer{QuestionID: "deploy", Selected: []string{question.YesID}})
	other.gone("#r-" + rec.ID)
}

// TestBrowserComesBack: what is half filled in is there and can be sent, in a tab
// beside which the address was opened again, in one that slept while the server
// was restarted, and at a server in another place.
func TestBrowserComesBack(t *testing.T) {
	t.Parallel()
	var rec [3]desk.Record
	v := browse(t, tall, func(g *rig) {
		for i := range rec {
			rec[i] = g.put("codex", "/home/ada/shop", "", question.Question{ID: "name", Text: fmt.Sprintf("What is service %d called?", i), Type: question.Text, Required: true})
		}
	})
	write := func(i int) {
		t.Helper()
		v.visit("/?id=" + rec[i].ID)
		v.listening()
		v.write(inWords(rec[i].ID, 0), fmt.Sprint("orders-", i))
	}
	sent := func(i int) {
		t.Helper()
		v.click(within(rec[i].ID, confirmButton))
		if got, want := v.answered(rec[i].ID)["name"], fmt.Sprint("orders-", i); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}

	write(0)
	tab := v.another(tall)
	tab.visit("/?token=" + token)
	sent(0)
	tab.visit("/history") // else it is the one that listens

	write(1)
	port := v.port()
	frozen := func(state page.SetWebLifecycleStateState) {
		call(v, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: state})
	}
	frozen(page.SetWebLifecycleStateStateFrozen)
	v.replace(port)
	frozen(page.SetWebLifecycleStateStateActive)
	v.wait(`document.documentElement.dataset.live === "yes" && trouble.hidden`)
	sent(1)

	write(2)
	v.wait(`sessionStorage.length === 0`)
	v.replace(0)
	v.visit("/?id=" + rec[2].ID)
	v.wait(`document.querySelector(%q).value === "orders-2"`, inWords(rec[2].ID, 0))
	sent(2)
}

// TestBrowserRevoked: a tab whose visit was ended says so, and goes on by itself
// once the address was opened again.
func TestBrowserRevoked(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s1", serviceName()) })
	v.listening()
	tab := v.another(wide)
	v.write(inWords(rec.ID, 0), "orders")
	if err := Revoke(v.key); err != nil {
		t.Fatal(err)
	}
	v.click(within(rec.ID, confirmButton))
	v.shows(within(rec.ID, ".refused"), "mcp-askuser web --open")
	v.pending(rec.ID)
	tab.visit("/")
	tab.shows("h1", "Open the page once more")
	v.another(wide).visit("/?token=" + token)
	tab.shows("#r-"+rec.ID, "What is the service called?")
	v.click(within(rec.ID, confirmButton))
	if got := v.answered(rec.ID); got["name"] != "orders" {
		t.Errorf("got %v", got)
	}
}

// TestBrowserOverruled: who answered what its host had an answer to is told.
func TestBrowserOverruled(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) {
		var attendance *desk.Attendance
		var err error
		rec, attendance, err = g.desk.Mirror(t.Context(), desk.Request{Set: question.Set{Questions: []question.Question{deploy()}}, Asker: desk.Asker{Client: "claude-code"}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(attendance.Release)
	})
	v.listening()
	v.click(chosen(rec.ID, 0, "0"), within(rec.ID, confirmButton))
	v.answered(rec.ID)
	v.shows("#news", "Recorded. Claude Code shows the question in its own dialog too")
	no := question.Reply{Answers: []question.Answer{{QuestionID: "deploy", Selected: []string{question.NoID}}}}
	if _, err := v.desk.Settle(t.Context(), rec.ID, desk.Outcome{Status: desk.Answered, Surface: "claude-code", Reply: &no}); err != nil {
		t.Fatal(err)
	}
	v.shows("#news", "it was answered in Claude Code first")
}

// TestBrowserReopen: an ended question is before the user again, filled in, and
// what was answered before in its project is taken with one key.
func TestBrowserReopen(t *testing.T) {
	t.Parallel()
	for _, l := range []look{wide, scriptless} {
		var rec desk.Record
		v := browse(t, l, func(g *rig) {
			rec = g.put("codex", "/home/ada/shop", "s1", database())
			g.answeredElsewhere(rec.ID, "tty", question.Answer{QuestionID: "db", Selected: []string{"lite"}})
		})
		v.shows(".last", "SQLite")
		v.click(".last button")
		v.wait(`document.querySelector(".card [name=q0][value='1']")?.checked`)
		again := eval[string](v, `document.querySelector(".card").dataset.id`)
		if again == rec.ID {
			t.Fatal("the same record")
		}
		v.click(chosen(again, 0, "2"), within(again, confirmButton))
		if got := v.answered(again); got["db"] != "No database" {
			t.Errorf("got %v", got)
		}
		if err := v.desk.Delivered(t.Context(), again); err != nil {
			t.Fatal(err)
		}
		third := v.put("gemini-cli", "/home/ada/shop", "s2", database())
		if l.noScript {
			v.visit("/")
			v.click(within(third.ID, "[name=recall]"), chosen(third.ID, 0, "2")+":checked", within(third.ID, confirmButton))
		} else {
			v.away()
			v.shows("#r-"+third.ID, "You answered")
			v.press("r", chromedp.ModifierAlt)
			v.wait(`document.querySelector(%q).checked`, chosen(third.ID, 0, "2"))
			v.keys(kb.Enter)
		}
		if got := v.answered(third.ID); got["db"] != "No database" {
			t.Errorf("got %v", got)
		}
	}
}

// TestBrowserReload: a reload keeps a half-filled form, and nothing of it is
// left once it was sent.
func TestBrowserReload(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s1", database(), features(), deploy()) })
	v.click(chosen(rec.ID, 0, "0"), chosen(rec.ID, 1, "1"), chosen(rec.ID, 2, "0"))
	v.write(inWords(rec.ID, 3), "io_uring")
	v.click(chosen(rec.ID, 4, "2"), chosen(rec.ID, 4, "other"))
	v.write(inWords(rec.ID, 4), "Dark mode")
	v.click(within(rec.ID, ".discuss summary"))
	v.write(within(rec.ID, "[name=topic]"), "soon")
	v.do(chromedp.Reload())
	v.shows(within(rec.ID, ".progress"), "5 of 6 answered")
	v.wait(`document.querySelector(%q).value === "soon"`, within(rec.ID, "[name=topic]"))
	v.pending(rec.ID)
	v.click(chosen(rec.ID, 5, "1"), within(rec.ID, confirmButton))
	got := fmt.Sprint(v.answered(rec.ID))
	if want := "map[aio:Yes db:PostgreSQL deploy:No features:Audit log + Dark mode method:io_uring version:18]"; got != want {
		t.Errorf("got %s", got)
	}
	v.gone("#r-" + rec.ID)
	v.wait(`sessionStorage.length === 0`)
}

// TestBrowserWays: the ways to end a card are in one row, and stay where they are when one is
// opened; what opens is in sight, with its field focused.
func TestBrowserWays(t *testing.T) {
	t.Parallel()
	for _, look := range []look{phone, wide} {
		var rec desk.Record
		v := browse(t, look, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s1", features(), deploy()) })
		v.listening()
		v.wait(`Math.abs(document.querySelector(".main").getBoundingClientRect().top - document.querySelector(".dismiss").getBoundingClientRect().top) < 8`)
		place := func() string {
			return eval[string](v, `[...document.querySelectorAll(".main, .way > summary")].map((el) => { const r = el.getBoundingClientRect(); return r.x + "," + (r.y + scrollY) }).join(" ")`)
		}
		if look == phone {
			eval[int](v, `(scrollTo(0, 0), 0)`)
		}
		before := place()
		for _, way := range []string{"discuss", "dismiss"} {
			v.click(within(rec.ID, "."+way+" summary"))
			v.wait(`document.querySelector(%q).getBoundingClientRect().bottom <= innerHeight`, within(rec.ID, ".panel."+way+" button"))
			v.wait(`document.activeElement.matches(%q)`, ".panel."+way+" textarea")
			if after := place(); look == wide && after != before {
				t.Errorf("%s: they moved from %s to %s", way, before, after)
			}
		}
	}
}

// TestBrowserBack: on a phone the way back from a question leads to the list, that from
// the first one too, and on again to the question.
func TestBrowserBack(t *testing.T) {
	t.Parallel()
	var recs []desk.Record
	v := browse(t, phone, func(g *rig) {
		recs = append(recs, g.put("codex", "/home/ada/shop", "s1", deploy()), g.put("gemini-cli", "/home/ada/api", "s2", deploy()))
	})
	v.listening()
	for _, rec := range recs {
		v.click(inList(rec.ID) + " a")
		v.shows("#r-"+rec.ID, "Deploy to production now?")
		eval[int](v, `(history.back(), 0)`)
		v.shows("#list", "Deploy to production now?")
		eval[int](v, `(history.forward(), 0)`)
		v.shows("#r-"+rec.ID, "Deploy to production now?")
		v.click(within(rec.ID, ".back"))
	}
	// An answer that is sent meanwhile does not lead away from there.
	sent := v.pausing(fetch.RequestPattern{URLPattern: "*/answer"})
	v.click(inList(recs[0].ID)+" a", chosen(recs[0].ID, 0, "0"), within(recs[0].ID, confirmButton))
	id := sent()
	v.click(within(recs[0].ID, ".back"))
	call(v, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: id})
	v.shows("#news", "Sent to Codex in shop.")
	v.gone(inList(recs[0].ID))
	v.shows(inList(recs[1].ID), "Deploy to production now?")
}

// TestBrowserDraft: what is typed here is offered on other surfaces, and the
// other way round.
func TestBrowserDraft(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) {
		rec = g.put("codex", "/home/ada/shop", "s1", database(), serviceName())
		half := question.Reply{Answers: []question.Answer{{QuestionID: "db", Selected: []string{"pg"}}, {QuestionID: "version", Selected: []string{"18"}}}}
		if err := g.desk.SaveDraft(t.Context(), rec.ID, half); err != nil {
			t.Fatal(err)
		}
	})
	v.listening()
	v.shows(within(rec.ID, "[data-back]"), "Your draft is back")
	v.wait(`document.querySelector(%q).checked && document.querySelector(%q).checked`, chosen(rec.ID, 0, "0"), chosen(rec.ID, 1, "1"))
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	defer cancel()
	events, err := v.desk.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	v.write(inWords(rec.ID, 4), "orders")
	var r question.Reply
	for ev := range events {
		if ev.Type != desk.Touched || ev.Record.ID != rec.ID {
			continue
		}
		if r, _, err = v.desk.Draft(t.Context(), rec.ID); err != nil || r.Answer("db").Selected[0] != "pg" {
			t.Fatalf("draft %+v, %v", r, err)
		}
		if name := r.Answer("name"); name != nil && name.Custom == "orders" { // who types slowly has a part of it kept before
			return
		}
	}
	t.Errorf("the last draft is %+v", r)
}

// TestBrowserDraftElsewhere: what is typed elsewhere is filled in on a page that
// lies open, as long as nobody has begun there: the first click would undo it.
func TestBrowserDraftElsewhere(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s1", database(), serviceName()) })
	v.listening()
	tab := v.another(wide)
	v.write(inWords(rec.ID, 4), "orders")
	tab.wait(`document.querySelector(%q).value === "orders"`, inWords(rec.ID, 4))
	tab.shows(within(rec.ID, "[data-back]"), "Your draft is back")
	tab.click(chosen(rec.ID, 0, "2"))
	v.kept(rec.ID, "orders")
	v.write(inWords(rec.ID, 4), "-v2")
	v.kept(rec.ID, "orders-v2")
	tab.wait(`document.querySelector(%q).value === "orders" && document.querySelector(%q).checked`, inWords(rec.ID, 4), chosen(rec.ID, 0, "2"))
}

// TestBrowserDraftNewer: a reload shows what was typed last, here or elsewhere, and
// loses nothing that is here alone.
func TestBrowserDraftNewer(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s1", serviceName()) })
	v.listening()
	reloaded := func(want string) {
		t.Helper()
		v.do(chromedp.Reload())
		v.wait(`document.querySelector(%q)?.value === %q`, inWords(rec.ID, 0), want)
		v.listening()
	}
	v.write(inWords(rec.ID, 0), "orders")
	v.wait(`performance.getEntriesByType("resource").some((x) => x.name.endsWith("/draft"))`)
	reloaded("orders")
	if err := v.desk.SaveDraft(t.Context(), rec.ID, question.Reply{Answers: []question.Answer{{QuestionID: "name", Custom: "newer"}}}); err != nil {
		t.Fatal(err)
	}
	reloaded("newer")

	held := v.pausing(fetch.RequestPattern{URLPattern: "*/draft"})
	v.do(chromedp.SetValue(chromedp.CSS(inWords(rec.ID, 0)), "newes"))
	v.write(inWords(rec.ID, 0), kb.End+"t")
	call(v, fetch.FailRequest, fetch.FailRequestParams{RequestID: held(), ErrorReason: network.ErrorReasonConnectionReset})
	call(v, fetch.Disable, cdp.Empty{})
	reloaded("newest")
	v.kept(rec.ID, "newest")
}

// TestBrowserDraftLong: the longest text is kept too, in letters that are long
// themselves.
func TestBrowserDraftLong(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s1", serviceName()) })
	v.listening()
	v.do(chromedp.Focus(chromedp.CSS(inWords(rec.ID, 0))))
	words := strings.Repeat("字", question.MaxText)
	call(v, input.InsertText, input.InsertTextParams{Text: words})
	v.kept(rec.ID, words)
}

// TestBrowserDraftLater: what is typed while the server is away is kept there
// as soon as it is back.
func TestBrowserDraftLater(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s1", serviceName()) })
	v.listening()
	port := v.port()
	v.stop()
	v.shows("#trouble", "The connection is lost.")
	v.write(inWords(rec.ID, 0), "orders")
	v.wait(`sessionStorage.length === 1`)
	v.replace(port)
	v.kept(rec.ID, "orders")
}

// kept waits until the draft of a service's name is this.
func (v *view) kept(id, want string) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.t.Context(), patient)
	defer cancel()
	events, err := v.desk.Watch(ctx)
	if err != nil {
		v.t.Fatal(err)
	}
	for {
		if r, _, err := v.desk.Draft(ctx, id); err == nil && r.Answer("name") != nil && r.Answer("name").Custom == want {
			return
		}
		if _, more := <-events; !more {
			v.t.Fatalf("the draft is not kept")
		}
	}
}

// TestBrowserDeadline: what is left of the time is counted down, and typing
// starts it anew.
func TestBrowserDeadline(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) {
		rec = g.submit(desk.Request{
			Set: question.Set{Questions: []question.Question{serviceName()}}, Session: "s", Timeout: 15 * time.Second, OnTimeout: "default",
			Asker: desk.Asker{Client: "codex", Via: "mcp"},
		})
	})
	v.listening()
	v.shows(within(rec.ID, ".soon"), " s, then what is proposed is taken")
	before := eval[string](v, `document.querySelector(".card time[data-left]").dateTime`)
	v.wait(`Date.parse(%q) - Date.now() < 13000`, before)
	v.write(inWords(rec.ID, 0), "orders")
	v.wait(`Date.parse(document.querySelector(".card time[data-left]").dateTime) > Date.parse(%q)`, before)
	v.wait(`document.activeElement.value === "orders"`)
}

// TestBrowserAges: the script says how far away a time is in the same words as
// the server.
func TestBrowserAges(t *testing.T) {
	t.Parallel()
	for _, l := range words.Languages() {
		t.Run(string(l), func(t *testing.T) { agesAgree(t, l) })
	}
}

func agesAgree(t *testing.T, l words.Language) {
	v := browse(t, look{width: 1280, height: 800, language: l}, nil)
	for _, d := range []time.Duration{
		0, time.Millisecond, time.Second, 59500 * time.Millisecond, time.Minute, 61 * time.Second, 10 * time.Minute, 59*time.Minute + 59*time.Second,
		time.Hour, 61 * time.Minute, 5 * time.Hour, 47 * time.Hour, 48 * time.Hour, 50 * time.Hour, 100 * time.Hour,
	} {
		if got, want := eval[string](v, "ago(%d)", d.Milliseconds()), l.Ago(d); got != want {
			t.Errorf("%v ago: %q, want %q", d, got, want)
		}
		want, _ := l.Left(d)
		if got := eval[string](v, "left(%d)", d.Milliseconds()); got != want {
			t.Errorf("in %v: %q, want %q", d, got, want)
		}
	}
}

// TestBrowserAttention: the page says when nobody waits any more.
func TestBrowserAttention(t *testing.T) {
	t.Parallel()
	var attendance *desk.Attendance
	v := browse(t, wide, func(g *rig) {
		var err error
		_, attendance, err = g.desk.Submit(t.Context(), desk.Request{Set: question.Set{Questions: []question.Question{deploy()}}, Asker: desk.Asker{Client: "codex"}})
		if err != nil {
			t.Fatal(err)
		}
	})
	v.listening()
	v.gone(".card .remark:not([data-back])")
	attendance.Release()
	v.shows(".remark", "The agent is not waiting; it will get your answer.")
}

// TestBrowserHistory: earlier rounds of a session open beside the questions,
// and can be searched.
func TestBrowserHistory(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) {
		rec = history(g)
	})
	v.write(inWords(rec.ID, 0), "half")
	v.click("#r-" + rec.ID + " [data-dialog]")
	v.shows("#dialog h1", "Earlier in this session")
	v.shows("#dialog .chosen", "SQLite")
	v.shows("#dialog li:not(.chosen)", "PostgreSQL")
	v.shows("#dialog", "Note: not before Monday")
	v.shows("#dialog", "too early to say")
	v.write("#search", "features")
	v.click("#dialog [type=submit]")
	v.wait(`document.querySelectorAll("#dialog .round").length === 1`)
	v.shows("#dialog .round", "too early to say")
	v.click("#dialog [data-close]")
	v.gone("#dialog")
	eval[bool](v, `(window.form = openForm(), true)`)
	v.click("[href='/history']")
	v.shows("#dialog h1", "History")
	eval[int](v, `(history.back(), 0)`)
	v.gone("#dialog")
	v.wait(`location.pathname === "/" && openForm() === window.form && document.querySelector(%q).value === "half"`, inWords(rec.ID, 0))
	v.click("#r-"+rec.ID+" [data-dialog]", "#dialog [href='/?id="+rec.ID+"']") // in this page, beside what is typed
	v.gone("#dialog")
	v.wait(`location.search && openForm() === window.form`)

	// All sessions, as a page of its own.
	v.visit("/history?search=sqlite")
	v.shows(".past .round", "Claude Code in shop")
	v.shows(".past .chosen", "SQLite")
	v.visit("/history?search=nowhere")
	v.shows(".past", "Nothing was found.")
}

// history asks three rounds of a session; the third is open.
func history(g *rig) desk.Record {
	one := g.put("claude-code", "/home/ada/shop", "s1", features())
	two := g.put("claude-code", "/home/ada/shop", "s1", database())
	for id, r := range map[string]question.Reply{
		one.ID: {Dismissed: true, Reason: "too early to say"},
		two.ID: {Answers: []question.Answer{{QuestionID: "db", Selected: []string{"lite"}}}, Note: "not before Monday"},
	} {
		if _, err := g.desk.Reply(g.t.Context(), id, r, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
			g.t.Fatal(err)
		}
	}
	return g.put("claude-code", "/home/ada/shop", "s1", serviceName())
}

// TestBrowserLift: at the round limit the user may let the agent go on.
func TestBrowserLift(t *testing.T) {
	t.Parallel()
	const rounds = 10
	var rec desk.Record
	v := browse(t, wide, func(g *rig) {
		for i := range rounds {
			rec = g.put("codex", "/home/ada/shop", "s1", question.Question{ID: "q", Text: fmt.Sprint("Round ", i), Type: question.Text})
			if i < rounds-1 {
				g.answeredElsewhere(rec.ID, "tty")
			}
		}
	})
	v.listening()
	v.click(`[action="/lift"] button`)
	v.shows("#news", "The limit is lifted.")
	v.gone(`[action="/lift"]`)
	if limited, err := v.desk.AtLimit(t.Context(), "s1"); limited || err != nil {
		t.Errorf("at the limit: %v, %v", limited, err)
	}
}

// TestBrowserOffline: while the server is gone nothing is lost, and the page
// says so where the user is.
func TestBrowserOffline(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s1", serviceName(), features(), database()) })
	v.listening()
	v.write(inWords(rec.ID, 0), "orders")
	v.stop()
	v.shows("#trouble", "The connection is lost.")
	v.click(within(rec.ID, confirmButton))
	v.shows(within(rec.ID, ".refused"), "The server cannot be reached. Nothing is lost: try again.")
	v.shows("#news", "Not sent. The server cannot be reached.")
	v.wait(`document.querySelector(%q).value === "orders" && !document.querySelector("button.main").disabled`, inWords(rec.ID, 0))
	v.pending(rec.ID)
}

// TestBrowserThousand: of a thousand questions the oldest are shown, and others
// move up. How soon that is usable goes to the log; see BenchmarkPage.
func TestBrowserThousand(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, func(g *rig) {
		var asking sync.WaitGroup
		for part := range 8 {
			asking.Go(func() {
				for i := range 125 {
					q := database()
					q.Text = fmt.Sprintf("Which database for service %d?", 125*part+i)
					if _, err := desktest.Ask(t.Context(), g.desk, question.Set{Questions: []question.Question{q}}, "", desk.Asker{Client: "codex", Directory: "/home/ada/shop"}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		asking.Wait()
	})
	open, err := v.desk.Pending(t.Context())
	if err != nil || len(open) != 1000 {
		t.Fatalf("%d are open, %v", len(open), err)
	}
	first, next := open[0].ID, open[maxEntries].ID
	usable, firstByte := time.Hour, math.Inf(1)
	for range 2 { // the better of two: this machine may be busy with something else
		began := time.Now()
		v.do(chromedp.Reload())
		v.listening()
		v.click(chosen(first, 0, "1"))
		usable = min(usable, time.Since(began))
		firstByte = min(firstByte, eval[float64](v, `(([x]) => x.responseStart - x.requestStart)(performance.getEntriesByType("navigation"))`))
	}
	t.Logf("first byte after %.0f ms, usable after %v", firstByte, usable.Round(time.Millisecond))
	v.shows("#count", "1000 questions wait")
	v.shows("#more", "900 more wait; the filter finds them.")
	v.do(chromedp.Focus(chromedp.CSS("#filter [name=filter]")))
	v.wait(`document.activeElement.name === "filter"`)
	call(v, input.InsertText, input.InsertTextParams{Text: "service 731?"}) // perhaps not among those that are listed
	v.wait(`filter.elements.filter.value === "service 731?"`)
	v.wait(`document.querySelectorAll("#list > :not([hidden])").length === 1`)
	v.shows("#list", "Which database for service 731?")
	v.keys(kb.Escape)
	v.wait(`document.querySelectorAll("#list > [hidden]").length === 0`)
	v.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur()`))
	v.gone(inList(next))
	eval[bool](v, `(window.said = [], new MutationObserver(() => said.push(news.textContent)).observe(news, { childList: true }), true)`)
	v.click(within(first, confirmButton))
	v.shows("#count", "999 questions wait")
	v.wait(`said.join()`)
	if said := eval[string](v, `said.join()`); !strings.HasPrefix(said, "Kept for Codex") || strings.Contains(said, "asks something") {
		t.Errorf("%q was said", said) // what moves up was asked long ago
	}
	v.away()
	v.wait(`document.querySelector(%q)`, inList(next))
	v.shows("#more", "899 more wait")
	v.visit("/?id=" + open[500].ID)
	v.shows("#r-"+open[500].ID, "Which database")
}

// TestBrowserNotifies: who asks for notifications gets one for what arrives
// while the page is out of sight.
func TestBrowserNotifies(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, nil)
	v.listening()
	eval[bool](v, `(window.rung = [], window.Notification = class {
		static permission = "default";
		static requestPermission() { this.permission = "granted"; return Promise.resolve("granted"); }
		constructor(title, options) { rung.push(title + ": " + options.body); }
	}, offerNotifications(), true)`)
	first := v.put("codex", "/home/ada/shop", "s1", database())
	v.shows("#r-"+first.ID, "Which database")
	v.click("#notify")
	v.gone("#notify")
	eval[bool](v, `(Object.defineProperty(document, "visibilityState", { value: "hidden" }), true)`)
	v.put("gemini-cli", "/home/ada/api", "s2", deploy())
	v.wait(`rung.join() === "Gemini CLI in api asks: Deploy to production now?"`)
}

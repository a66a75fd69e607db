//go:build browser

package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
)

// What becomes of an answer, and of what is typed, where the server, the desk or the connection
// fails, or the page is left.

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
		return waittest.Take(v.t, paused)
	}
}

// TestBrowserLeftBehind: the button shows that an answer is on its way. If the user goes to another
// question before it arrives, a notice says that the answer was not sent, or that it came too late.
func TestBrowserLeftBehind(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, nil)
	recs := v.some(3)
	first := recs[0].ID
	held := v.pausing(fetch.RequestPattern{URLPattern: "*/answer"})
	const look = `getComputedStyle(document.querySelector(".main")).opacity`
	leave := func() fetch.RequestID {
		t.Helper()
		v.wait(`document.querySelector(%q).checked`, chosen(first, 0, "0"))
		v.inPlace(within(first, confirmButton))
		before := eval[string](v, look)
		v.confirm(recs[0])
		id := held()
		if eval[string](v, look) == before {
			t.Error("nothing shows that the answer is on its way")
		}
		v.turn(recs[1].ID)
		return id
	}
	lose := func(id fetch.RequestID) {
		call(v, fetch.FailRequest,
			fetch.FailRequestParams{RequestID: id, ErrorReason: network.ErrorReasonConnectionReset})
	}
	lose(leave())
	lose(held()) // it tries once more by itself
	v.shows("#news", "Not sent. The server cannot be reached. Nothing is lost: try again.")
	v.turn(first)
	late := leave()
	v.answeredElsewhere(first, "tty", question.Answer{QuestionID: "deploy", Selected: []string{question.NoID}})
	v.gone(inList(first))
	call(v, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: late})
	v.shows("#news", "Codex in api: already answered")
	v.pending(recs[1].ID)
}

// TestBrowserChangedDuringVisit: an answer that the user changes while another page is on its way is
// kept, whether that shows the same question or another one.
func TestBrowserChangedDuringVisit(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, nil)
	recs := v.some(2)
	first, second := recs[0].ID, recs[1].ID
	v.turn(first)
	eval[bool](v, `((real) => {
		window.held = null;
		window.fetch = async (to, how) => {
			const response = await real(to, how);
			if (held && how.method === "GET") await new Promise((go) => held.push(go));
			return response;
		};
		return true;
	})(window.fetch)`)
	change := func(to, option string) {
		t.Helper()
		eval[bool](v, `(held = [], true)`)
		v.click(inList(to) + " a")
		v.wait(`held.length`)
		v.click(chosen(first, 0, option))
		eval[bool](v, `(held.forEach((go) => go()), held = null, true)`)
		v.arrived()
	}
	change(first, "1")
	v.wait(`document.querySelector(%q).checked`, chosen(first, 0, "1"))
	change(second, "0")
	v.shows("#r-"+second, "Deploy")
	v.turn(first)
	v.wait(`document.querySelector(%q).checked`, chosen(first, 0, "0"))
}

// TestBrowserServerAway: while the server or the shared desk is gone the page says so where the user
// is, and nothing is lost. When it is back, what was typed meanwhile is kept there and can be sent,
// also from a tab that slept; what could not be stored is sent again by itself.
func TestBrowserServerAway(t *testing.T) {
	t.Parallel()
	var first, second, third, fourth desk.Record
	v := browse(t, wide, func(g *rig) {
		long := optional()
		long.Description = strings.Repeat("A line of the details.\n\n", 50)
		first = g.put("codex", "/home/ada/shop", "s1", serviceName(), long, deploy())
		second = g.put("goose", "/home/ada/shop", "s2", serviceName())
		third = g.put("opencode", "/home/ada/shop", "s3", deploy())
		fourth = g.put("opencode", "/home/ada/shop", "s4", database())
	})
	v.turn(third.ID)
	v.store.FailAnswers(desk.ErrUnreachable)
	v.click(chosen(third.ID, 0, "0"), within(third.ID, confirmButton))
	v.shows(within(third.ID, ".refused"), "Not sent")
	v.pending(third.ID)
	v.store.FailAnswers(nil)
	v.answered(third.ID)

	v.turn(fourth.ID)
	v.store.FailAnswers(desk.ErrUnreachable)
	v.click(chosen(fourth.ID, 0, "0"), within(fourth.ID, confirmButton))
	v.shows(within(fourth.ID, ".refused"), "Not sent")
	v.click(within(fourth.ID, dismissButton), within(fourth.ID, "[value=dismiss]"))
	v.wait(`!openForm().ariaBusy`)
	v.store.FailAnswers(nil)
	if r := v.ended(fourth.ID); !r.Dismissed { // what the user did last
		t.Errorf("got %+v", r)
	}

	v.turn(first.ID)
	v.click(chosen(first.ID, 2, "0"))
	v.write(inWords(first.ID, 0), "orders")
	port := v.port()
	v.stop()
	v.shows("#trouble", "The connection is lost.")
	v.click(within(first.ID, confirmButton))
	v.shows(within(first.ID, ".refused"), "The server cannot be reached. Nothing is lost: try again.")
	v.shows("#news", "Not sent. The server cannot be reached.") // as the other one is out of sight
	v.write(inWords(first.ID, 0), "-v2")
	back := func() {
		t.Helper()
		v.wait(`document.documentElement.dataset.live === "yes" && trouble.hidden`)
	}
	v.replace(port)
	v.kept(first.ID, "orders-v2")
	back()
	v.click(within(first.ID, confirmButton))
	if got := v.answered(first.ID); got["name"] != "orders-v2" || got["deploy"] != "Yes" {
		t.Errorf("got %v", got)
	}

	v.shows("#r-"+second.ID, "service")
	v.write(inWords(second.ID, 0), "orders")
	frozen := func(state page.SetWebLifecycleStateState) {
		call(v, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: state})
	}
	frozen(page.SetWebLifecycleStateStateFrozen)
	v.replace(port)
	frozen(page.SetWebLifecycleStateStateActive)
	back()
	v.click(within(second.ID, confirmButton))
	v.answered(second.ID)
}

// TestBrowserForeignPage: a page of a proxy, in place of ours, is none: what was to be sent is sent
// later, and the page stays live.
func TestBrowserForeignPage(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, nil)
	recs := v.some(2)
	v.turn(recs[0].ID)
	eval[bool](v, `((real) => {
		window.foreign = true;
		window.fetch = (to, how) => foreign ? Promise.resolve(new Response("<p>Sign in</p>")) : real(to, how);
		return true;
	})(window.fetch)`)
	v.click(chosen(recs[0].ID, 0, "0"), within(recs[0].ID, confirmButton))
	v.shows("#news", "Not sent. The server cannot be reached.")
	v.put("goose", "/home/ada/shop", "s3", serviceName())
	v.shows("#trouble", "The connection is lost")
	eval[bool](v, `(foreign = false, true)`)
	v.shows("#list", "Goose")
	v.answered(recs[0].ID)
}

// TestBrowserBroughtUpToDate: a tab that was open before the server got another script is loaded again,
// once nothing of what the user has filled in waits there.
func TestBrowserBroughtUpToDate(t *testing.T) {
	t.Parallel()
	var first, second desk.Record
	v := browse(t, wide, func(g *rig) {
		first = g.put("codex", "/home/ada/shop", "s1", serviceName())
		second = g.put("goose", "/home/ada/shop", "s2", deploy())
	})
	v.turn(first.ID)
	v.write(inWords(first.ID, 0), "orders")
	eval[bool](v, `(window.before = document.querySelector("script"))
		.setAttribute("src", "/assets/page.js?before") ?? true`)
	third := v.put("opencode", "/home/ada/shop", "s3", deploy())
	v.wait(`document.querySelector(%q) && before`, inList(third.ID))
	v.click(within(first.ID, confirmButton))
	if got := v.answered(first.ID); got["name"] != "orders" {
		t.Errorf("got %v", got)
	}
	v.wait(`!window.before && document.querySelector(%q)`, inList(second.ID))
}

// TestBrowserRevoked: a tab whose visit was ended says so, and keeps what was typed until the
// address is opened again, in another one.
func TestBrowserRevoked(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s1", serviceName()) })
	tab := v.another(wide)
	v.write(inWords(rec.ID, 0), "orders")
	fatal.If(t, Revoke(v.key))
	v.click(within(rec.ID, confirmButton))
	v.shows(within(rec.ID, ".refused"), "mcp-askuser web --open")
	v.put("codex", "/home/ada/shop", "s2", deploy()) // what happens ends the stream
	v.wait(`document.documentElement.dataset.live === "no"`)
	v.shows("#trouble", "Your visit has ended.")
	v.pending(rec.ID)
	tab.visit("/?token=" + token)
	tab.shows("#r-"+rec.ID, "What is the service called?")
	v.wait(`document.documentElement.dataset.live === "yes" && trouble.hidden`)
	v.click(within(rec.ID, confirmButton))
	if got := v.answered(rec.ID); got["name"] != "orders" {
		t.Errorf("got %v", got)
	}
}

// TestBrowserDrafts: what is typed here is kept on the desk, the longest text too, offered in
// another tab, as long as the user has not begun there, and after a reload, with what was typed last.
func TestBrowserDrafts(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) {
		rec = g.put("codex", "/home/ada/shop", "s1", serviceName(), features(), deploy())
		g.draft(rec.ID, question.Answer{QuestionID: "features", Selected: []string{"audit"}})
	})
	v.shows(within(rec.ID, "[data-back]"), "Your draft is back")
	v.wait(`document.querySelector(%q).checked`, chosen(rec.ID, 1, "2"))
	tab := v.another(wide)
	v.click(chosen(rec.ID, 1, "other"))
	v.write(inWords(rec.ID, 1), "Dark mode")
	v.click(within(rec.ID, discussButton))
	v.write(within(rec.ID, "[name=topic]"), "soon")
	v.keys(kb.Escape)
	v.write(inWords(rec.ID, 0), "orders")
	tab.wait(`document.querySelector(%q).value === "orders"`, inWords(rec.ID, 0))
	tab.click(chosen(rec.ID, 2, "0"))
	v.drafts(rec.ID, func(r question.Reply) bool { return r.Answer("deploy") != nil }) // else it replaces what comes next
	v.kept(rec.ID, "orders")

	v.write(inWords(rec.ID, 0), kb.End+"-v2") // and at once
	v.do(chromedp.Reload())
	v.wait(`document.querySelector(%q)?.value === "orders-v2"`, inWords(rec.ID, 0))
	v.wait(`document.querySelector(%q).value === "soon"`, within(rec.ID, "[name=topic]"))
	const begun = `document.querySelector(%q).value === "orders" && document.querySelector(%q).checked`
	tab.wait(begun, inWords(rec.ID, 0), chosen(rec.ID, 2, "0"))
	long := strings.Repeat("字", question.MaxText)
	v.focus(inWords(rec.ID, 0))
	eval[bool](v, `(document.activeElement.select(), true)`)
	call(v, input.InsertText, input.InsertTextParams{Text: long})
	v.kept(rec.ID, long)
	v.click(chosen(rec.ID, 2, "1"), within(rec.ID, confirmButton))
	got := fmt.Sprint(v.answered(rec.ID))
	if want := "map[deploy:No features:Audit log + Dark mode name:" + long + "]"; got != want {
		t.Errorf("got %s", got)
	}
}

// kept waits until the draft of a service's name is this.
func (v *view) kept(id, want string) {
	v.t.Helper()
	v.drafts(id, func(r question.Reply) bool { return r.Answer("name") != nil && r.Answer("name").Custom == want })
}

// drafts waits until the draft of a record is right.
func (v *view) drafts(id string, right func(question.Reply) bool) {
	v.t.Helper()
	if !waittest.Until(patient, func() bool {
		r, _, err := v.desk.Draft(v.t.Context(), id)
		return err == nil && right(r)
	}) {
		v.t.Fatalf("the draft is not kept\n%s", v.words())
	}
}

// TestBrowserMuteNetwork: a network that drops what is sent, and says nothing, holds neither an
// answer nor the list for ever; nor does a failure of the server.
func TestBrowserMuteNetwork(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, nil)
	rec := v.some(1)[0]
	v.turn(rec.ID)
	eval[bool](v, `!!(AbortSignal.timeout = ((real) => (ms) => real.call(AbortSignal, ms / 100))(AbortSignal.timeout))`)
	eval[bool](v, `(window.fetch = ((real) => (to, how) => window.mute
		? new Promise((_, fail) => how.signal?.addEventListener("abort", () => fail(how.signal.reason)))
		: real(to, how))(window.fetch), window.mute = true)`)
	v.confirm(rec)
	v.shows(within(rec.ID, ".refused"), "The server cannot be reached. Nothing is lost: try again.")
	v.shows("#trouble", "The connection is lost.")
	eval[bool](v, `!(window.mute = false)`)
	v.answered(rec.ID) // it tries again by itself
	v.wait(`trouble.hidden`)
	eval[bool](v, `(window.fetch = ((real) => (to, how) => to.pathname === "/" && window.fails-- > 0
		? Promise.resolve(new Response("", { status: 500 })) : real(to, how))(window.fetch), window.fails = 1, true)`)
	rec = v.put("codex", "/home/ada/shop", "s2", deploy())
	v.shows("#trouble", "The server has failed.")
	v.shows(inList(rec.ID), "Deploy")
	v.wait(`trouble.hidden`)
}

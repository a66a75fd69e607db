//go:build browser

package web

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// TestBrowserAnswers: nothing is chosen before the user does so, and neither Enter nor Send makes an
// answer of nothing. What was filled in is still there after it was refused. Then each type of question
// is answered with the mouse, with follow-ups three deep, some of which are taken back.
func TestBrowserAnswers(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) {
		rec = g.put("codex", "/home/ada/shop", "s", database(), features(), proposal(), deploy())
	})
	v.hasten()
	if n := eval[int](v, `document.querySelectorAll("#pane :checked").length`); n != 0 {
		t.Errorf("%d options are chosen from the start", n)
	}
	v.shows(".tag", "recommended")
	v.click(within(rec.ID, confirmButton))
	v.shows(".refused", "Not sent yet")
	v.shows(".field:nth-of-type(1) .fault", "An answer is required.")
	v.wait(`document.activeElement.closest(".refused")`)
	v.keys(kb.Enter) // leads from the summary to the question
	v.wait(`document.activeElement.id === "%s-0"`, rec.ID)
	v.click(chosen(rec.ID, 0, "other"), within(rec.ID, confirmButton))
	v.shows(".fault", "Write what it is, or choose something else.")
	v.wait(`document.querySelector(%q).checked`, chosen(rec.ID, 0, "other"))
	v.accessible()
	v.fits()
	v.pending(rec.ID)

	v.click(within(rec.ID, ".option:nth-child(2) .about")) // an option by its description
	v.wait(`document.querySelector(%q).checked`, chosen(rec.ID, 0, "1"))
	v.gone(chosen(rec.ID, 1, "1"))
	v.click(chosen(rec.ID, 0, "0"), chosen(rec.ID, 1, "1"), chosen(rec.ID, 2, "0"))
	v.write(inWords(rec.ID, 3), "io_uring")
	v.click(chosen(rec.ID, 1, "0"))
	v.gone(inWords(rec.ID, 3))
	v.click(chosen(rec.ID, 1, "1"), chosen(rec.ID, 4, "0"), chosen(rec.ID, 4, "2"), chosen(rec.ID, 4, "other"))
	v.write(inWords(rec.ID, 4), "Dark <mode>")
	v.click(within(rec.ID, "[name=p5]"), chosen(rec.ID, 6, "1"), within(rec.ID, confirmButton))
	want := map[string]string{"db": "PostgreSQL", "version": "18", "aio": "Yes", "method": "io_uring",
		"features": "Search + Audit log + Dark <mode>", "branch": "feature/orders", "deploy": "No"}
	if got := v.answered(rec.ID); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	v.gone("#r-" + rec.ID)
	v.shows("#news", "Sent to Codex in shop.")
	v.shows("#none", "Nothing waits")
}

// TestBrowserWithoutScript: what the browser does where no script does it. Enter on an option sends
// nothing, a refused form comes back filled in, and a question can be dismissed with a reason.
func TestBrowserWithoutScript(t *testing.T) {
	t.Parallel()
	var rec, closed desk.Record
	v := browse(t, scriptless, func(g *rig) {
		rec = g.put("codex", "/home/ada/shop", "s", deploy(), database())
		closed = g.put("goose", "/home/ada/shop", "s", deploy())
	})
	send := within(rec.ID, confirmButton)
	v.click(chosen(rec.ID, 0, "0"))
	v.do(chromedp.KeyEvent(kb.Enter))
	v.gone(chosen(rec.ID, 2, "0")) // a follow-up of what is not chosen
	v.click(chosen(rec.ID, 0, "1"), chosen(rec.ID, 1, "0"), send)
	v.shows(".refused", "Which version? An answer is required.")
	v.click(chosen(rec.ID, 2, "0"), send)
	want := map[string]string{"deploy": "No", "db": "PostgreSQL", "version": "17"}
	if got := v.answered(rec.ID); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	v.shows("#news", "Sent to Codex in shop.")
	v.visit("/?id=" + closed.ID)
	v.click(within(closed.ID, dismissButton))
	v.write(within(closed.ID, "[name=reason]"), "Ask me tomorrow")
	v.click(within(closed.ID, "[value=dismiss]"))
	if r := v.ended(closed.ID); !r.Dismissed || r.Reason != "Ask me tomorrow" {
		t.Errorf("got %+v", r)
	}
}

// TestBrowserMany: of many questions the oldest are listed, and others move up without a word. Any
// of them is found with the keys that find one of three.
func TestBrowserMany(t *testing.T) {
	t.Parallel()
	var recs []desk.Record
	v := browse(t, wide, func(g *rig) {
		for i := range maxEntries + 20 {
			q := serviceName()
			q.Text = fmt.Sprintf("What is service %d called?", i)
			recs = append(recs, g.put("codex", "/home/ada/shop", "", q))
		}
	})
	last := recs[len(recs)-1].ID
	v.wait(`document.querySelectorAll("#list > .first").length === 1`)
	v.shows("#more", "20 more wait; the filter finds them.")
	v.gone(inList(last))
	v.press("/", 0)
	v.keys("shop 119", kb.Enter)
	v.shows("#r-"+last, "service 119")
	v.keys(kb.Escape)
	v.press("/", 0)
	v.keys(kb.Escape)
	v.wait(`document.querySelectorAll("#list > [data-id]").length === %d`, maxEntries)
	v.press("/", 0)
	v.keys("119!", kb.Enter)
	v.shows("#none", "Pick a question")
	v.press("/", 0)
	v.keys(kb.Backspace) // brings a question, and the filter keeps the focus
	v.shows("#r-"+last, "service 119")
	v.wait(`document.activeElement.name === "filter" && !renewing`)
	v.keys(kb.Escape)
	v.wait(`document.querySelectorAll("#list > [data-id]").length === %d`, maxEntries)
	eval[bool](v, `(window.said = [],
		new MutationObserver(() => said.push(news.textContent)).observe(news, { childList: true }), true)`)
	v.turn(recs[0].ID)
	v.write(inWords(recs[0].ID, 0), "orders")
	v.click(within(recs[0].ID, confirmButton))
	v.shows("#count", "119 questions wait")
	v.shows("#more", "19 more wait")
	v.wait(`said.join()`)
	if said := eval[string](v, `said.join()`); !strings.HasPrefix(said, "Sent to Codex") ||
		strings.Contains(said, "asks something") {
		t.Errorf("%q was said", said) // what moves up was asked long ago
	}
}

// TestBrowserHostileText: whatever an agent writes comes out as text, in the direction of its letters.
func TestBrowserHostileText(t *testing.T) {
	t.Parallel()
	hostile := func(where string) string {
		return where + ` <script>document.title = "owned"</script><img src=x onerror="document.title='owned'">` +
			`<style>body { display: none }</style>" onfocus="alert(1)" autofocus x="` +
			"\u202e{{.CSRF}}`${1}`[a](javascript:alert(1))"
	}
	q := question.Question{
		ID: hostile("id"), Text: hostile("question"), Header: hostile("header"), Description: hostile("about"),
		Type: question.SingleChoice, Required: true, AllowCustom: true,
		Other: &question.Option{Label: hostile("other")},
		Options: []question.Option{
			{ID: hostile("a"), Label: hostile("label"), Description: hostile("description"),
				Preview: hostile("preview"), FollowUps: []question.Question{{
					ID: "f", Text: hostile("follow-up"), Type: question.Text, Required: true,
					Placeholder: hostile("placeholder"), Default: hostile("default"),
				}}},
			{ID: "b", Label: "b", Preview: "```html\n" + hostile("fenced") + "\n```\n" + hostile("markdown")},
		},
	}
	var rec, alike desk.Record
	v := browse(t, wide, func(g *rig) {
		ask := func() desk.Record {
			return g.put(hostile("client"), "/home/"+hostile("directory"), hostile("session"), q)
		}
		dismissed := question.Reply{Dismissed: true, Reason: hostile("reason")}
		if _, err := g.desk.Reply(t.Context(), ask().ID, dismissed,
			desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
			t.Fatal(err)
		}
		rec = ask()
		alike = g.put("zzz", "/home/ada", "s", q) // which the list has under the other
	})
	v.shows("#r-"+rec.ID, "<script>document.title")
	v.click(chosen(rec.ID, 0, "0"))
	const places = "question about header label description preview follow-up other default client directory fenced"
	for where := range strings.FieldsSeq(places + " markdown") {
		v.wait(`document.querySelector("main").textContent.includes(%q)`, where+" <script>document.title")
	}
	for _, selector := range []string{inList(rec.ID) + " .subject", within(rec.ID, "h2"), within(rec.ID, ".about > p"),
		within(rec.ID, ".pick > span"), within(rec.ID, "textarea")} {
		got := eval[string](v, `getComputedStyle(document.querySelector(%q)).unicodeBidi`, selector)
		if got != "plaintext" {
			t.Errorf("%s is %s", selector, got)
		}
	}
	v.click("#r-" + rec.ID + " header .facts a")
	v.shows(".past", "reason <script>document.title")
	v.turn(rec.ID)
	v.wait(`document.querySelector(%q).checked`, chosen(rec.ID, 0, "0"))
	v.click(within(rec.ID, "[name=p1]"), within(rec.ID, "[name=also]"), within(rec.ID, confirmButton))
	v.answered(rec.ID)
	v.answered(alike.ID)
	v.shows("#news", "client <script>")
	const bad = `main script, img:not([src='/assets/favicon.svg']), style, main a[href^=javascript], ` +
		`[onfocus], [onerror], [autofocus]:not(.panel *)`
	if found := eval[string](v, `document.querySelector(%q)?.outerHTML ?? ""`, bad); found != "" {
		t.Errorf("%s came through", found)
	}
	if title := run(v, chromedp.Title()); strings.Contains(title, "owned") {
		t.Error("a script ran")
	}
}

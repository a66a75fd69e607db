//go:build browser

package web

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/question"
)

// TestBrowserAnswers: each type of question is answered with the mouse, with
// and without the page's script.
func TestBrowserAnswers(t *testing.T) {
	t.Parallel()
	known := boolean("known")
	known.Collected = &question.Answer{QuestionID: "known", Selected: []string{question.YesID}, By: question.ByCaller}
	for _, tt := range []struct {
		name      string
		questions []question.Question
		fill      func(v *view, id string)
		want      map[string]string
	}{
		{"one option, by its description too", []question.Question{database(), features(), known}, func(v *view, id string) {
			v.click(within(id, ".option:nth-child(2) .about"))
			v.click(chosen(id, 4, "0"), chosen(id, 4, "2"), chosen(id, 4, "other"))
			v.write(inWords(id, 4), "Dark mode")
		}, map[string]string{"db": "SQLite", "features": "Search + Audit log + Dark mode"}},
		{"own words, a text, and one left open", []question.Question{database(), serviceName(), optional()}, func(v *view, id string) {
			v.click(chosen(id, 0, "other"))
			v.write(inWords(id, 0), "Cockroach <DB>")
			v.write(inWords(id, 4), "orders")
		}, map[string]string{"db": "Cockroach <DB>", "name": "orders"}},
		{"what is proposed, and no", []question.Question{proposal(), deploy()}, func(v *view, id string) {
			v.click(within(id, "[name=p0]"), chosen(id, 1, "1"))
		}, map[string]string{"branch": "feature/orders", "deploy": "No"}},
		{"follow-ups three deep", []question.Question{database()}, func(v *view, id string) {
			v.gone(chosen(id, 1, "1"))
			v.click(chosen(id, 0, "0"), chosen(id, 1, "1"), chosen(id, 2, "0"))
			v.write(inWords(id, 3), "io_uring")
		}, map[string]string{"db": "PostgreSQL", "version": "18", "aio": "Yes", "method": "io_uring"}},
		{"follow-ups taken back", []question.Question{database()}, func(v *view, id string) {
			v.click(chosen(id, 0, "0"), chosen(id, 1, "1"), chosen(id, 2, "0"))
			v.write(inWords(id, 3), "io_uring")
			v.click(chosen(id, 1, "0"))
			v.gone(inWords(id, 3))
		}, map[string]string{"db": "PostgreSQL", "version": "17"}},
	} {
		for _, l := range []look{wide, scriptless} {
			t.Run(fmt.Sprintf("%s, script %t", tt.name, !l.noScript), func(t *testing.T) {
				t.Parallel()
				var rec desk.Record
				v := browse(t, l, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s", tt.questions...) })
				v.hasten()
				tt.fill(v, rec.ID)
				v.click(within(rec.ID, confirmButton))
				if got := v.answered(rec.ID); !maps.Equal(got, tt.want) {
					t.Errorf("got %v, want %v", got, tt.want)
				}
				v.gone("#r-" + rec.ID)
				v.shows("#news", "Sent to Codex in shop.")
				v.shows("#none", "Nothing waits")
			})
		}
	}
}

// TestBrowserWithoutScript: what the browser and the server do where no script does it. Enter on
// an option sends nothing, a refused form comes back filled in, a question can be dismissed or
// discussed, and the later of two answers is refused with who was first.
func TestBrowserWithoutScript(t *testing.T) {
	t.Parallel()
	var rec, closed, talk desk.Record
	v := browse(t, scriptless, func(g *rig) {
		rec = g.put("codex", "/home/ada/shop", "s", deploy(), database())
		closed, talk = g.put("goose", "/home/ada/shop", "s", deploy()), g.put("opencode", "/home/ada/shop", "s", deploy())
	})
	late := v.another(scriptless)
	send := within(rec.ID, confirmButton)
	refused := func(v *view) {
		t.Helper()
		v.inPlace(send)
		if status := v.submit(chromedp.Click(chromedp.CSS(send))); status != 400 {
			t.Errorf("status %d", status)
		}
	}
	v.click(chosen(rec.ID, 0, "0"))
	v.do(chromedp.KeyEvent(kb.Enter))
	v.click(chosen(rec.ID, 0, "1"), chosen(rec.ID, 1, "0"))
	refused(v)
	v.shows(".refused", "Which version? An answer is required.")
	v.click(chosen(rec.ID, 2, "0"), send)
	want := map[string]string{"deploy": "No", "db": "PostgreSQL", "version": "17"}
	if got := v.answered(rec.ID); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	late.click(chosen(rec.ID, 0, "0"), chosen(rec.ID, 1, "1"))
	refused(late)
	late.shows(".outcome", "Already answered on the web page")
	late.shows(".turns", "PostgreSQL")
	late.shows(".ending", "What you had chosen, which was not sent")
	late.shows(".ending", "SQLite")

	v.visit("/?id=" + closed.ID)
	v.click(within(closed.ID, dismissButton))
	v.write(within(closed.ID, "[name=reason]"), "Ask me tomorrow")
	v.click(within(closed.ID, "[value=dismiss]"))
	if r := v.ended(closed.ID); !r.Dismissed || r.Reason != "Ask me tomorrow" {
		t.Errorf("got %+v", r)
	}
	v.shows("#news", "Dismissed.")
	v.visit("/?id=" + talk.ID)
	v.click(chosen(talk.ID, 0, "0"), within(talk.ID, ".more summary"))
	v.write(within(talk.ID, "[name=n0]"), "Not before Monday")
	v.click(within(talk.ID, discussButton))
	v.write(within(talk.ID, "[name=topic]"), "Why a service?")
	v.click(within(talk.ID, "[value=discuss]"))
	r := v.ended(talk.ID)
	if a := r.Answer("deploy"); !r.Discuss || r.Note != "Why a service?" || a.Note != "Not before Monday" || a.Selected[0] != question.YesID {
		t.Errorf("got %+v", r)
	}
	v.shows("#news", "To be discussed.")
}

// TestBrowserNothingChosen: nothing is chosen before the user does so, and
// neither Enter nor Confirm makes an answer of nothing.
func TestBrowserNothingChosen(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) {
		rec = g.put("codex", "/home/ada/shop", "s", database(), features(), proposal(), deploy())
	})
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
	v.pending(rec.ID)

	// What was filled in is still there after it was refused.
	v.click(chosen(rec.ID, 0, "other"), within(rec.ID, confirmButton))
	v.shows(".fault", "Write what it is, or choose something else.")
	v.wait(`document.querySelector(%q).checked`, chosen(rec.ID, 0, "other"))
	v.pending(rec.ID)
}

// TestBrowserKeys: a whole set is answered with keys alone: Enter goes from
// question to question, and nowhere is anything sent before the last.
func TestBrowserKeys(t *testing.T) {
	t.Parallel()
	var rec, other desk.Record
	v := browse(t, wide, func(g *rig) {
		rec = g.put("codex", "/home/ada/shop", "s", features(), serviceName(), optional())
		other = g.put("gemini-cli", "/home/ada/api", "", deploy())
	})
	v.listening()
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
	v.pending(rec.ID)
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
}

// TestBrowserActs: the keys of all acts, where nothing is typed and in a text field.
func TestBrowserActs(t *testing.T) {
	t.Parallel()
	var one, two, three, four desk.Record
	v := browse(t, wide, func(g *rig) {
		one = g.put("codex", "/home/ada/shop", "s", database())
		two = g.put("codex", "/home/ada/shop", "s", deploy())
		three = g.put("codex", "/home/ada/shop", "s", serviceName())
		four = g.put("codex", "/home/ada/shop", "s", deploy(), features())
	})
	v.listening()
	v.press("2", 0)
	v.wait(`document.querySelector(%q).checked`, chosen(one.ID, 0, "1"))
	v.press("0", 0)
	v.wait(`document.activeElement.name === "t0"`)
	v.keys("x0d") // text
	v.press("n", chromedp.ModifierAlt)
	v.wait(`document.activeElement.name === "n0"`)
	v.keys("soon")
	v.hears()
	v.enterAnywhere()
	if a := v.ended(one.ID).Answers[0]; a.Custom != "x0d" || a.Note != "soon" {
		t.Errorf("got %+v", a)
	}

	v.shows("#r-"+two.ID, "Deploy")
	v.press("n", 0)
	v.wait(`document.querySelector(%q).checked`, chosen(two.ID, 0, "1"))
	v.press("x", chromedp.ModifierAlt)
	v.wait(`document.activeElement.name === "reason"`)
	v.keys(kb.Escape)
	v.gone(".panel")
	v.press("x", chromedp.ModifierAlt)
	v.keys("later")
	v.hears()
	v.enterAnywhere() // dismisses, though all is answered
	if r := v.ended(two.ID); !r.Dismissed || r.Reason != "later" {
		t.Errorf("got %+v", r)
	}

	v.shows("#r-"+three.ID, "service")
	v.do(chromedp.Focus(chromedp.CSS(inWords(three.ID, 0))))
	v.press("d", chromedp.ModifierAlt)
	v.wait(`document.activeElement.name === "topic"`)
	v.keys("why", kb.Enter)
	if r := v.ended(three.ID); !r.Discuss || r.Note != "why" {
		t.Errorf("got %+v", r)
	}

	v.shows("#r-"+four.ID, "Deploy")
	const badges = `[...document.querySelectorAll(".pick kbd")]
		.filter((el) => el.checkVisibility({ visibilityProperty: true })).map((el) => el.innerText).join("")`
	if got := eval[string](v, "%s", badges); got != "YN" {
		t.Errorf("the badges are %s", got)
	}
	v.keys("y", kb.Enter)
	v.wait(`%s === "1230"`, badges)
	v.pending(four.ID)
}

// TestBrowserMany: of 300 questions the oldest are listed, and others move up without a word. Any
// of them is found with the keys that find one of three, and without scripts.
func TestBrowserMany(t *testing.T) {
	t.Parallel()
	for _, l := range []look{wide, scriptless} {
		var recs []desk.Record
		v := browse(t, l, func(g *rig) {
			for i := range 300 {
				q := serviceName()
				q.Text = fmt.Sprintf("What is service %d called?", i)
				asker := desk.Asker{Client: "codex", Directory: "/home/ada/shop"}
				rec, err := desktest.Ask(t.Context(), g.desk, question.Set{Questions: []question.Question{q}}, "", asker)
				if err != nil {
					t.Fatal(err)
				}
				recs = append(recs, rec)
			}
			attendance, err := g.desk.Attend(t.Context(), recs[3].ID)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(attendance.Release)
		})
		last := recs[299].ID
		v.wait(`document.querySelectorAll("#list > .first").length === 1`)
		v.shows("#list > :first-child", "service 3 called") // its agent waits
		v.shows("#more", "200 more wait; the filter finds them.")
		v.gone(inList(last))
		if l.noScript {
			v.write("#filter [name=filter]", "shop 299"+kb.Enter)
			v.gone(inList(recs[3].ID))
			v.click(inList(last) + " a")
			v.shows("#r-"+last, "service 299")
			continue
		}
		v.listening()
		began := time.Now()
		v.press("/", 0)
		v.keys("shop 299", kb.Enter)
		v.shows("#r-"+last, "service 299")
		t.Logf("found one of 300 after %v", time.Since(began).Round(time.Millisecond))
		v.keys(kb.Escape)
		v.press("/", 0)
		v.keys(kb.Escape)
		v.wait(`document.querySelectorAll("#list > [data-id]").length === %d`, maxEntries)
		eval[bool](v, `(window.said = [], new MutationObserver(() => said.push(news.textContent)).observe(news, { childList: true }), true)`)
		v.turn(recs[0].ID)
		v.write(inWords(recs[0].ID, 0), "orders")
		v.click(within(recs[0].ID, confirmButton))
		v.shows("#count", "299 questions wait")
		v.shows("#more", "199 more wait")
		v.wait(`said.join()`)
		if said := eval[string](v, `said.join()`); !strings.HasPrefix(said, "Kept for Codex") || strings.Contains(said, "asks something") {
			t.Errorf("%q was said", said) // what moves up was asked long ago
		}
	}
}

// TestBrowserAlike: one answer for several alike questions, for those only that
// the user ticked.
func TestBrowserAlike(t *testing.T) {
	t.Parallel()
	var one, two, unticked, other desk.Record
	v := browse(t, wide, func(g *rig) {
		one = g.put("codex", "/home/ada/api", "s1", serviceName())
		two = g.put("gemini-cli", "/home/ada/api", "s2", serviceName())
		unticked = g.put("opencode", "/home/ada/api", "s3", serviceName())
		other = g.put("goose", "/home/ada/api", "s4", optional())
	})
	v.shows(within(one.ID, ".alike"), "Gemini CLI in api")
	v.shows("#list", "×3 Name")
	v.write(within(one.ID, "[name=t0]"), "orders")
	v.click(within(one.ID, `[name=also][value="`+two.ID+`"]`), within(one.ID, confirmButton))
	for _, rec := range []desk.Record{one, two} {
		if got := v.answered(rec.ID); got["name"] != "orders" {
			t.Errorf("got %q", got)
		}
	}
	v.shows("#news", "Sent to Codex in api.")
	v.shows("#news", "Sent to Gemini CLI in api.")
	v.gone(within(unticked.ID, ".alike")) // there is no other like it any more
	v.pending(unticked.ID)
	v.pending(other.ID)
}

// TestBrowserHostileText: whatever an agent writes comes out as text.
func TestBrowserHostileText(t *testing.T) {
	t.Parallel()
	hostile := func(where string) string {
		return where + ` <script>document.title = "owned"</script><img src=x onerror="document.title='owned'">` +
			`<style>body { display: none }</style>" onfocus="alert(1)" autofocus x="` + "\u202e{{.CSRF}}`${1}`[a](javascript:alert(1))"
	}
	q := question.Question{
		ID: hostile("id"), Text: hostile("question"), Header: hostile("header"), Description: hostile("about"),
		Type: question.SingleChoice, Required: true, AllowCustom: true, Other: &question.Option{Label: hostile("other")},
		Options: []question.Option{
			{ID: hostile("a"), Label: hostile("label"), Description: hostile("description"), Preview: hostile("preview"), FollowUps: []question.Question{{
				ID: "f", Text: hostile("follow-up"), Type: question.Text, Required: true,
				Placeholder: hostile("placeholder"), Default: hostile("default"),
			}}},
			{ID: "b", Label: "b", Preview: "```html\n" + hostile("fenced") + "\n```\n" + hostile("markdown")},
		},
	}
	var rec, alike desk.Record
	v := browse(t, wide, func(g *rig) {
		rec = g.put(hostile("client"), "/home/"+hostile("directory"), hostile("session"), q)
		dismissed := question.Reply{Dismissed: true, Reason: hostile("reason")}
		if _, err := g.desk.Reply(t.Context(), rec.ID, dismissed, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
			t.Fatal(err)
		}
		rec = g.put(hostile("client"), "/home/"+hostile("directory"), hostile("session"), q)
		alike = g.put("zzz", "/home/ada", "s", q) // which the list has under the other
	})
	v.shows("#r-"+rec.ID, "<script>document.title")
	v.click(chosen(rec.ID, 0, "0"))
	for _, where := range []string{
		"question", "about", "header", "label", "description", "preview", "follow-up", "other", "default", "client", "directory", "fenced", "markdown",
	} {
		v.wait(`document.querySelector("main").textContent.includes(%q)`, where+" <script>document.title")
	}
	v.click("#r-" + rec.ID + " header .facts a")
	v.shows(".past", "reason <script>document.title")
	v.turn(rec.ID)
	v.wait(`document.querySelector(%q).checked`, chosen(rec.ID, 0, "0"))
	v.click(within(rec.ID, "[name=p1]"), within(rec.ID, "[name=also]"), within(rec.ID, confirmButton))
	v.answered(rec.ID)
	v.answered(alike.ID)
	v.shows("#news", "client <script>")
	for _, bad := range []string{
		"main script", "img:not([src='/assets/favicon.svg'])", "style", "main a[href^=javascript]", "[onfocus]", "[onerror]", "[autofocus]:not(.panel *)",
	} {
		if eval[bool](v, `!!document.querySelector(%q)`, bad) {
			t.Errorf("%s came through", bad)
		}
	}
	if title := run(v, chromedp.Title()); strings.Contains(title, "owned") {
		t.Error("a script ran")
	}
}

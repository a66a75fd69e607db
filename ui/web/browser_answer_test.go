//go:build browser

package web

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
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
	type fill func(v *view, id string)
	for _, tt := range []struct {
		name      string
		questions []question.Question
		fill      fill
		want      map[string]string
	}{
		{"one option", []question.Question{database()}, func(v *view, id string) {
			v.click(chosen(id, 0, "1"))
		}, map[string]string{"db": "SQLite"}},
		{"an option by its description", []question.Question{database()}, func(v *view, id string) {
			v.click(within(id, ".option:nth-child(2) .about"))
		}, map[string]string{"db": "SQLite"}},
		{"other", []question.Question{database()}, func(v *view, id string) {
			v.click(chosen(id, 0, "other"))
			v.write(inWords(id, 0), "Cockroach <DB>")
		}, map[string]string{"db": "Cockroach <DB>"}},
		{"several and other", []question.Question{features()}, func(v *view, id string) {
			v.click(chosen(id, 0, "0"), chosen(id, 0, "2"), chosen(id, 0, "other"))
			v.write(inWords(id, 0), "Dark mode")
		}, map[string]string{"features": "Search + Audit log + Dark mode"}},
		{"text", []question.Question{serviceName()}, func(v *view, id string) {
			v.write(inWords(id, 0), "orders")
		}, map[string]string{"name": "orders"}},
		{"proposed text", []question.Question{proposal()}, func(v *view, id string) {
			v.click(within(id, "[name=p0]"))
		}, map[string]string{"branch": "feature/orders"}},
		{"yes or no", []question.Question{deploy()}, func(v *view, id string) {
			v.click(chosen(id, 0, "1"))
		}, map[string]string{"deploy": "No"}},
		{"left open", []question.Question{deploy(), optional()}, func(v *view, id string) {
			v.click(chosen(id, 0, "0"))
		}, map[string]string{"deploy": "Yes"}},
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
			name := tt.name
			if l.noScript {
				name += " without script"
			}
			t.Run(name, func(t *testing.T) {
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

func proposal() question.Question {
	return question.Question{ID: "branch", Text: "Which branch?", Type: question.Text, Required: true, Default: "feature/orders"}
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
	v.wait(`document.activeElement.name === "q0"`)
	v.pending(rec.ID)

	// What was filled in is still there after it was refused.
	v.click(chosen(rec.ID, 0, "other"), within(rec.ID, confirmButton))
	v.shows(".fault", "Write what it is, or choose something else.")
	v.wait(`document.querySelector(%q).checked`, chosen(rec.ID, 0, "other"))
	v.pending(rec.ID)
}

// TestBrowserTwoKeys: one choice is sent with two keys, from wherever the focus
// is on a page that has just been opened; so is a yes or no.
func TestBrowserTwoKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		key, want string
		q         question.Question
	}{{"2", "SQLite", database()}, {"n", "No", deploy()}, {"1", "Yes", deploy()}} {
		var rec desk.Record
		v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s", tt.q) })
		v.listening()
		v.keys(tt.key, kb.Enter)
		if got := v.answered(rec.ID); got[tt.q.ID] != tt.want {
			t.Errorf("%s: %v", tt.key, got)
		}
	}
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
	v.shows("#dialog", "next and previous question")
	v.keys(kb.Escape)
	v.gone("#dialog")
	v.keys("1", "3", kb.Enter)
	v.wait(`document.activeElement.name === "t1"`)
	v.keys("jk1", kb.Enter, "y") // text, in which Enter is a new line
	v.pending(rec.ID)
	v.keys(kb.Escape)
	v.wait(`document.activeElement.matches(".card")`)
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

// TestBrowserActs: the keys of all acts, where nothing is typed and in a text field, and
// what the button says.
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
	alt := func(key string) {
		t.Helper()
		v.press(key, chromedp.ModifierAlt)
	}
	ended := func(id string) *question.Reply {
		t.Helper()
		if _, err := v.desk.Wait(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		return v.reply(id)
	}
	v.press("2", 0)
	v.shows(confirmButton, "Send: SQLite")
	v.press("0", 0)
	v.wait(`document.activeElement.name === "t0" && document.querySelector(".main").innerText === "Send"`)
	v.keys("x0d") // text
	alt("n")
	v.wait(`document.activeElement.name === "n0"`)
	v.keys("soon")
	v.hears()
	v.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	if a := ended(one.ID).Answers[0]; a.Custom != "x0d" || a.Note != "soon" {
		t.Errorf("got %+v", a)
	}

	v.shows("#r-"+two.ID, "Deploy")
	v.press("n", 0)
	v.shows(confirmButton, "Send: No")
	alt("x")
	v.wait(`document.activeElement.name === "reason"`)
	v.keys(kb.Escape)
	v.gone(".panel")
	alt("x")
	v.keys("later", kb.Enter)
	if r := ended(two.ID); !r.Dismissed || r.Reason != "later" {
		t.Errorf("got %+v", r)
	}

	v.shows("#r-"+three.ID, "service")
	v.do(chromedp.Focus(chromedp.CSS(inWords(three.ID, 0))))
	alt("d")
	v.wait(`document.activeElement.name === "topic"`)
	v.keys("why", kb.Enter)
	if r := ended(three.ID); !r.Discuss || r.Note != "why" {
		t.Errorf("got %+v", r)
	}

	v.shows("#r-"+four.ID, "Deploy")
	const badges = `[...document.querySelectorAll(".pick kbd")].filter((el) => el.checkVisibility({ visibilityProperty: true })).map((el) => el.innerText).join("")`
	if got := eval[string](v, "%s", badges); got != "YN" {
		t.Errorf("the badges are %s", got)
	}
	v.keys("y", kb.Enter)
	v.wait(`%s === "1230" && document.querySelector(".main").innerText === "Send"`, badges)
	v.pending(four.ID)
}

// press presses a key as a keyboard does: its character arrives only where the page lets it.
func (v *view) press(key string, modifiers chromedp.Modifier) {
	v.t.Helper()
	call(v, input.DispatchKeyEvent, input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyDown, Key: key, Code: "Key" + strings.ToUpper(key), Text: key, Modifiers: int64(modifiers),
	})
	call(v, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: key, Modifiers: int64(modifiers)})
}

// TestBrowserFilter: one of 300 questions is found with the keys that find one of three, and
// without scripts.
func TestBrowserFilter(t *testing.T) {
	t.Parallel()
	for _, l := range []look{wide, scriptless} {
		var last desk.Record
		v := browse(t, l, func(g *rig) {
			for i := range 300 {
				q := serviceName()
				q.Text = fmt.Sprintf("What is service %d called?", i)
				rec, err := desktest.Ask(t.Context(), g.desk, question.Set{Questions: []question.Question{q}}, "", desk.Asker{Client: []string{"codex", "goose"}[i%2], Directory: "/home/ada/shop"})
				if err != nil {
					t.Fatal(err)
				}
				if last = rec; i == 3 {
					attendance, err := g.desk.Attend(t.Context(), rec.ID)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(attendance.Release)
				}
			}
		})
		v.wait(`document.querySelectorAll("#list > .first").length === 1 && document.querySelector("#list h2").innerText === "Goose in shop"`) // it waits
		v.shows("#list > :first-child", "service 3 called")
		if l.noScript {
			v.write("#filter [name=filter]", "goose 299"+kb.Enter)
			v.gone("#list > :first-child")
			v.click(inList(last.ID) + " a")
		} else {
			v.listening()
			began := time.Now()
			v.press("/", 0)
			v.keys("goose 299", kb.Enter)
			v.shows("#r-"+last.ID, "service 299")
			t.Logf("found one of 300 after %v", time.Since(began).Round(time.Millisecond))
		}
		v.shows("#r-"+last.ID, "service 299")
		v.shows("#count", "300 questions wait")
	}
}

// TestBrowserEnter: without the script, Enter on an option sends nothing.
func TestBrowserEnter(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, scriptless, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s", deploy()) })
	v.click(chosen(rec.ID, 0, "0"))
	v.do(chromedp.KeyEvent(kb.Enter))
	v.click(chosen(rec.ID, 0, "1"), within(rec.ID, confirmButton))
	if got := v.answered(rec.ID); got["deploy"] != "No" {
		t.Errorf("got %v", got)
	}
}

// TestBrowserRefusedWithoutScript: the browser insists on what it can see, the
// server on the rest; what was filled in comes back.
func TestBrowserRefusedWithoutScript(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, scriptless, func(g *rig) {
		rec = g.put("codex", "/home/ada/shop", "s", database(), features())
	})
	v.click(chosen(rec.ID, 0, "0"))
	v.inPlace(within(rec.ID, confirmButton))
	if status := v.submit(chromedp.Click(chromedp.CSS(within(rec.ID, confirmButton)))); status != 400 {
		t.Errorf("status %d", status)
	}
	v.shows(".refused", "Which version? An answer is required.")
	v.shows(".refused", "Which features do you want in the first version? An answer is required.")
	v.click(chosen(rec.ID, 1, "0"), chosen(rec.ID, 4, "0"), within(rec.ID, confirmButton))
	want := map[string]string{"db": "PostgreSQL", "version": "17", "features": "Search"}
	if got := v.answered(rec.ID); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestBrowserDismisses(t *testing.T) {
	t.Parallel()
	for _, l := range []look{wide, scriptless} {
		var rec desk.Record
		v := browse(t, l, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s", database()) })
		v.click(within(rec.ID, ".dismiss summary"))
		v.write(within(rec.ID, "[name=reason]"), "Ask me tomorrow")
		v.click(within(rec.ID, "[value=dismiss]"))
		ended, err := v.desk.Wait(t.Context(), rec.ID)
		if err != nil || ended.State != desk.Dismissed || ended.Outcome.Reply.Reason != "Ask me tomorrow" {
			t.Fatalf("got %+v, %v", ended.Outcome, err)
		}
		v.shows("#news", "Dismissed. Codex in shop goes on without an answer.")
	}
}

// TestBrowserSendsWhatIsMeant: Ctrl+Enter in the reason of a dismissal dismisses,
// and in what is to be discussed puts back, also where all is answered.
func TestBrowserSendsWhatIsMeant(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, nil)
	v.listening()
	recs := v.some(2)
	for i, way := range []struct {
		summary, field string
		want           desk.Status
	}{{".dismiss summary", "[name=reason]", desk.Dismissed}, {".discuss summary", "[name=topic]", desk.Discuss}} {
		id := recs[i].ID
		v.wait(`document.querySelector(%q)?.checked`, chosen(id, 0, "0"))
		v.click(within(id, way.summary))
		v.write(within(id, way.field), "too early")
		v.hears()
		v.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(2))) // Ctrl
		if ended, err := v.desk.Wait(t.Context(), id); err != nil || ended.State != way.want {
			t.Errorf("ended as %s, %v; want %s", ended.State, err, way.want)
		}
	}
}

// TestBrowserKeyboard: everything can be done with the keyboard alone.
func TestBrowserKeyboard(t *testing.T) {
	t.Parallel()
	var recs []desk.Record
	v := browse(t, wide, func(g *rig) { recs = samples(g) })
	tab := func() string {
		v.keys(kb.Tab)
		return eval[string](v, `(([el]) => el.type === "submit" || !el.name ? el.innerText : el.name)([document.activeElement])`)
	}
	reach := func(name string) {
		t.Helper()
		var seen []string
		for range 40 {
			got := tab()
			if got == name {
				return
			}
			seen = append(seen, got)
		}
		t.Fatalf("%q is not reached: %q", name, seen)
	}
	reach("q0")
	v.keys(" ") // the first option
	v.keys(kb.ArrowDown, kb.ArrowDown, kb.ArrowDown)
	v.wait(`document.activeElement.value === "other"`)
	reach("t0")
	v.keys("Cockroach", kb.Enter, "DB") // Enter is a new line, and sends nothing
	reach("Send")
	v.pending(recs[0].ID)
	v.keys(kb.Enter)
	if got := v.answered(recs[0].ID); got["db"] != "Cockroach\nDB" {
		t.Errorf("got %q", got)
	}
	// The focus is on the next question; Ctrl+Enter sends from anywhere in it.
	v.wait(`document.activeElement.closest(".card")?.dataset.id === %q`, recs[1].ID)
	reach("q0")
	v.keys(" ")
	reach("t1")
	v.keys("orders")
	v.hears()
	v.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(2))) // Ctrl
	if got := v.answered(recs[1].ID); got["features"] != "Search" || got["name"] != "orders" {
		t.Errorf("got %q", got)
	}
	v.wait(`document.activeElement.closest(".card")?.dataset.id === %q`, recs[2].ID)
	reach("Dismiss…")
	v.keys(kb.Enter)
	reach("reason")
	v.keys("no")
	reach("Dismiss")
	v.keys(kb.Enter)
	ended, err := v.desk.Wait(t.Context(), recs[2].ID)
	if err != nil || ended.State != desk.Dismissed || ended.Outcome.Reply.Reason != "no" {
		t.Fatalf("got %+v, %v", ended.Outcome, err)
	}
}

// TestBrowserAlike: one answer for several alike questions, for those only that
// the user ticked.
func TestBrowserAlike(t *testing.T) {
	t.Parallel()
	var recs []desk.Record
	v := browse(t, wide, func(g *rig) {
		for _, client := range []string{"codex", "gemini-cli", "opencode"} {
			recs = append(recs, g.put(client, "/home/ada/api", "s-"+client, serviceName()))
		}
		recs = append(recs, g.put("goose", "/home/ada/api", "s-goose", optional()))
	})
	v.shows(within(recs[0].ID, ".alike"), "Gemini CLI in api")
	v.gone(within(recs[3].ID, ".alike"))
	v.write(within(recs[0].ID, "[name=t0]"), "orders")
	v.click(within(recs[0].ID, `[name=also][value="`+recs[1].ID+`"]`), within(recs[0].ID, confirmButton))
	for _, rec := range recs[:2] {
		if got := v.answered(rec.ID); got["name"] != "orders" {
			t.Errorf("got %q", got)
		}
	}
	v.shows("#news", "Sent to Codex in api.")
	v.shows("#news", "Sent to Gemini CLI in api.")
	v.gone("#r-" + recs[1].ID)
	v.shows("#count", "2 questions wait")
	v.gone(within(recs[2].ID, ".alike")) // there is no other like it any more
	v.pending(recs[2].ID)
	v.pending(recs[3].ID)
}

// TestBrowserDiscusses: a word beside an answer, and on the whole; with that the
// question is put back to be discussed.
func TestBrowserDiscusses(t *testing.T) {
	t.Parallel()
	for _, l := range []look{wide, scriptless} {
		var rec desk.Record
		v := browse(t, l, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s", deploy(), serviceName()) })
		v.click(chosen(rec.ID, 0, "0"), within(rec.ID, ".more summary"))
		v.write(within(rec.ID, "[name=n0]"), "Not before Monday")
		v.click(within(rec.ID, ".discuss summary"))
		v.write(within(rec.ID, "[name=topic]"), "Why a service?")
		v.click(within(rec.ID, "[value=discuss]"))
		ended, err := v.desk.Wait(t.Context(), rec.ID)
		if err != nil || ended.State != desk.Discuss {
			t.Fatalf("got %+v, %v", ended.Outcome, err)
		}
		if r := v.reply(rec.ID); r.Note != "Why a service?" || r.Answer("deploy").Note != "Not before Monday" || r.Answer("deploy").Selected[0] != question.YesID {
			t.Errorf("got %+v", r)
		}
		v.shows("#news", "To be discussed.")
	}
}

// TestBrowserCollected: what the agent knows already is told and not asked.
func TestBrowserCollected(t *testing.T) {
	t.Parallel()
	q := database()
	q.Collected = &question.Answer{QuestionID: "db", Selected: []string{"pg"}, By: question.ByCaller}
	var rec desk.Record
	v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s", q) })
	v.shows(".known", "PostgreSQL")
	v.click(chosen(rec.ID, 1, "0"), within(rec.ID, confirmButton))
	if got := v.answered(rec.ID); !maps.Equal(got, map[string]string{"version": "17"}) {
		t.Errorf("got %v", got)
	}
}

// TestBrowserHostileText: whatever an agent writes comes out as text.
func TestBrowserHostileText(t *testing.T) {
	t.Parallel()
	hostile := func(where string) string {
		return where + ` <script>document.title = "owned"</script><img src=x onerror="document.title='owned'">` +
			`<style>body { display: none }</style>" onfocus="alert(1)" autofocus x="` + "\u202e{{.CSRF}}`${1}`[a](javascript:alert(1))"
	}
	q := question.Question{
		ID: hostile("id"), Text: hostile("question"), Header: hostile("header"), Description: hostile("about"), Type: question.SingleChoice,
		Required: true, AllowCustom: true, Other: &question.Option{Label: hostile("other")},
		Options: []question.Option{
			{ID: hostile("a"), Label: hostile("label"), Description: hostile("description"), Preview: hostile("preview"), FollowUps: []question.Question{
				{ID: "f", Text: hostile("follow-up"), Type: question.Text, Required: true, Placeholder: hostile("placeholder"), Default: hostile("default")},
			}},
			{ID: "b", Label: "b", Preview: "```html\n" + hostile("fenced") + "\n```\n" + hostile("markdown")},
		},
	}
	var rec, alike desk.Record
	v := browse(t, wide, func(g *rig) {
		rec = g.put(hostile("client"), "/home/"+hostile("directory"), hostile("session"), q)
		if _, err := g.desk.Reply(t.Context(), rec.ID, question.Reply{Dismissed: true, Reason: hostile("reason")}, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
			t.Fatal(err)
		}
		rec = g.put(hostile("client"), "/home/"+hostile("directory"), hostile("session"), q)
		alike = g.put("codex", "/home/ada", "s", q)
	})
	v.turn(rec.ID)
	v.shows("#r-"+rec.ID, "<script>document.title")
	v.click(chosen(rec.ID, 0, "0"))
	for _, where := range []string{"question", "about", "header", "label", "description", "preview", "follow-up", "other", "default", "client", "directory", "fenced", "markdown"} {
		v.wait(`document.querySelector("main").textContent.includes(%q)`, where+" <script>document.title")
	}
	v.click("#r-" + rec.ID + " [data-dialog]")
	v.shows("#dialog", "reason <script>document.title")
	v.click("#dialog [data-close]")
	v.click(within(rec.ID, "[name=p1]"), within(rec.ID, "[name=also]"), within(rec.ID, confirmButton))
	v.answered(rec.ID)
	v.answered(alike.ID)
	v.shows("#news", "client <script>")
	for _, bad := range []string{"main script", "img:not([src='/assets/favicon.svg'])", "style", "main a[href^=javascript]", "[onfocus]", "[onerror]", "[autofocus]"} {
		if eval[bool](v, `!!document.querySelector(%q)`, bad) {
			t.Errorf("%s came through", bad)
		}
	}
	if title := run(v, chromedp.Title()); strings.Contains(title, "owned") {
		t.Error("a script ran")
	}
}

// TestBrowserLargeTexts: the largest and most nested texts leave the page as
// usable as others do.
func TestBrowserLargeTexts(t *testing.T) {
	t.Parallel()
	q := database()
	q.Description = strings.Repeat("> ", 40000)
	q.Options[0].Preview = strings.Repeat("x", 20)
	q.Options[1].Preview = strings.Repeat("- *nineteen* `chars`\n", 1000)
	q.Options[2].Preview = "```\n" + strings.Repeat("> ", 9000) + "\n```\n" + strings.Repeat("- *nineteen* `chars`\n", 90)
	var rec desk.Record
	v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s", q) })
	v.click(chosen(rec.ID, 0, "1"))
	v.shows(within(rec.ID, ".option:nth-child(2) .preview"), "nineteen")
	v.click(chosen(rec.ID, 0, "1"), within(rec.ID, confirmButton))
	if got := v.answered(rec.ID); got["db"] != "SQLite" {
		t.Errorf("got %v", got)
	}
}

// answeredElsewhere replies on another surface.
func (g *rig) answeredElsewhere(id, surface string, answers ...question.Answer) {
	g.t.Helper()
	if _, err := g.desk.Reply(context.Background(), id, question.Reply{Answers: answers}, desk.Evidence{Surface: surface, How: desk.HowPage}); err != nil {
		g.t.Fatal(err)
	}
}

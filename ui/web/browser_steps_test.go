//go:build browser

package web

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mcp-askuser/desk"
	"mcp-askuser/internal/browsertest"
	"mcp-askuser/question"
)

// wait waits until an expression is true. It outlasts a page that is left.
func (v *view) wait(format string, args ...any) {
	v.t.Helper()
	expression := fmt.Sprintf(format, args...)
	ctx, cancel := context.WithTimeout(v.ctx, patient)
	defer cancel()
	for {
		done, err := v.poll(ctx, "!!("+expression+")")
		if done {
			return
		}
		left := err == nil || strings.Contains(err.Error(), "navigat") || strings.Contains(err.Error(), "context")
		if ctx.Err() != nil || !left {
			v.t.Fatalf("waiting for %s: %v\n%s", expression, err, v.words())
		}
	}
}

// poll asks the page to tell when an expression is true. A page without scripts
// cannot: it is asked now, and after a pause again.
func (v *view) poll(ctx context.Context, expression string) (bool, error) {
	if !v.noScript {
		_, err := chromedp.Run(ctx, chromedp.Poll[chromedp.Void](expression))
		return err == nil, err
	}
	done, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
	if done && err == nil {
		return true, nil
	}
	select {
	case <-time.After(20 * time.Millisecond):
	case <-ctx.Done():
	}
	return false, err
}

// shows waits until an element is in sight and holds these words.
func (v *view) shows(selector, words string) {
	v.t.Helper()
	const seen = "[...document.querySelectorAll(%q)].some((el) => el.checkVisibility() && el.innerText.includes(%q))"
	v.wait(seen, selector, words)
}

// gone takes the pointer away, and waits until nothing with this selector is
// in sight.
func (v *view) gone(selector string) {
	v.t.Helper()
	v.away()
	v.wait("![...document.querySelectorAll(%q)].some((el) => el.checkVisibility())", selector)
}

// away takes the pointer to where there is nothing.
func (v *view) away() {
	v.t.Helper()
	v.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 1, 1))
}

// click clicks, as users do: on what has been there for a while. Where the page puts something
// else there in that moment, it clicks again.
func (v *view) click(selectors ...string) {
	v.t.Helper()
	for _, s := range selectors {
		for v.inPlace(s); !v.clicked(s); v.inPlace(s) {
			v.t.Logf("%s had just moved", s)
		}
	}
}

// clicked clicks once, and reports whether the click counts: the page says so of one that comes too
// early.
func (v *view) clicked(selector string) bool {
	v.t.Helper()
	const early = `typeof texts === "object" && $("news")?.textContent === texts.early`
	if !v.noScript {
		eval[bool](v, `%s && ($("news").replaceChildren(), true)`, early)
	}
	ctx, cancel := context.WithTimeout(v.ctx, patient)
	defer cancel()
	_, err := chromedp.Run(ctx, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
	switch {
	case err != nil && strings.Contains(err.Error(), "Could not find node"):
		return false
	case err != nil:
		v.t.Fatalf("%v\n%s", err, v.words())
	}
	return v.noScript || !eval[bool](v, early)
}

// confirm sends the answer in the form of a record.
func (v *view) confirm(rec desk.Record) {
	v.t.Helper()
	v.wait(`document.querySelector(%q).checked`, chosen(rec.ID, 0, "0"))
	v.click(within(rec.ID, confirmButton))
}

// hasten has the page take clicks sooner, where that is not what is tested.
func (v *view) hasten() {
	v.t.Helper()
	if !v.noScript {
		v.wait(`typeof delays === "object"`)
		eval[int](v, `delays.fresh = 50`)
	}
}

// inPlace waits until a control takes a click.
func (v *view) inPlace(selector string) {
	v.t.Helper()
	v.wait("%s", browsertest.Settled(selector))
}

// hears waits until what has the focus takes an Enter.
func (v *view) hears() {
	v.t.Helper()
	v.wait(`takesEnter() && performance.now() - entered >= delays.repeat`)
}

// write types into a field.
func (v *view) write(selector, words string) {
	v.t.Helper()
	v.focus(selector)
	v.do(chromedp.KeyEvent(words))
}

// focus focuses an element, which the page may just be putting another in place of.
func (v *view) focus(selector string) {
	v.t.Helper()
	v.wait(`((el) => { el?.focus(); return el !== null && el === document.activeElement; })(document.querySelector(%q))`,
		selector)
}

// keys presses keys.
func (v *view) keys(keys ...string) {
	v.t.Helper()
	for _, k := range keys {
		if k == kb.Enter {
			v.hears()
		}
		v.do(chromedp.KeyEvent(k))
	}
}

// answered waits until a record has been answered, and returns the answers in
// words by question id.
func (v *view) answered(id string) map[string]string {
	v.t.Helper()
	r := v.ended(id)
	rec := v.record(id)
	if rec.State != desk.Answered {
		v.t.Fatalf("%s is %s", id, rec.State)
	}
	out := map[string]string{}
	for _, a := range r.Answers {
		out[a.QuestionID] = strings.Join(rec.Find(a.QuestionID).Words(&a), " + ")
	}
	return out
}

// turn goes to the question of a record by its entry in the list.
func (v *view) turn(id string) {
	v.t.Helper()
	v.click(inList(id) + " a")
	if !v.noScript {
		v.arrived()
	}
	v.wait(`document.querySelector(%q)`, "#r-"+id)
}

// arrived waits until the page that the user goes to is shown: its question may have been there
// before.
func (v *view) arrived() {
	v.t.Helper()
	run(v, chromedp.Evaluate[string](`going.then(() => "")`, chromedp.EvalAwaitPromise))
}

// press presses a key as a keyboard does: its character arrives only where the page lets it.
func (v *view) press(key string, modifiers chromedp.Modifier) {
	v.t.Helper()
	v.pressAt(key, "Key"+strings.ToUpper(key), modifiers)
}

// pressAt is press on a keyboard of another layout, where the key has the code of its place.
func (v *view) pressAt(key, code string, modifiers chromedp.Modifier) {
	v.t.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		event := input.DispatchKeyEventParams{Type: kind, Key: key, Code: code, Modifiers: int64(modifiers)}
		if kind == input.DispatchKeyEventTypeKeyDown {
			event.Text = key
		}
		call(v, input.DispatchKeyEvent, event)
	}
}

// enterAnywhere presses Ctrl+Enter, which sends from anywhere in a form.
func (v *view) enterAnywhere() {
	v.t.Helper()
	v.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
}

// ended waits until a record has ended, and returns what the user did with it.
func (v *view) ended(id string) *question.Reply {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	if _, err := v.desk.Wait(ctx, id); err != nil {
		v.t.Fatalf("waiting for %s: %v\n%s", id, err, v.words())
	}
	return v.reply(id)
}

// listening waits until the page has its event stream: what happens from now
// on, it hears.
func (v *view) listening() {
	v.t.Helper()
	v.wait(`document.documentElement.dataset.live === "yes"`)
}

// Selectors of what is in the list, and in the card of a record.

func inList(id string) string { return fmt.Sprintf(`#list [data-id="%s"]`, id) }

// chosen is an option of the question at a place, by its own place or "other".
func chosen(id string, place int, option string) string {
	return fmt.Sprintf(`#r-%s [name="q%d"][value="%s"]`, id, place, option)
}

// inWords is the free text of the question at a place.
func inWords(id string, place int) string { return fmt.Sprintf(`#r-%s [name="t%d"]`, id, place) }

// within is anything else in the card.
func within(id, selector string) string { return "#r-" + id + " " + selector }

const (
	confirmButton = "button.main"
	discussButton = "[popovertarget$=-discuss]" // opens the panel, as the next one does
	dismissButton = "[popovertarget$=-dismiss]"
)

//go:build browser

package web

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mcp-askuser/desk"
	"mcp-askuser/internal/browsertest"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// chromium is the one browser of all tests; every test has a profile of its
// own in it. The first test starts it, TestMain ends it.
var chromium struct {
	sync.Mutex
	ctx  context.Context
	stop func()
}

func TestMain(m *testing.M) {
	status := m.Run()
	if chromium.stop != nil {
		chromium.stop()
	}
	os.Exit(status)
}

func browser(t testing.TB) context.Context {
	t.Helper()
	chromium.Lock()
	defer chromium.Unlock()
	if chromium.ctx != nil {
		return chromium.ctx
	}
	var err error
	if chromium.ctx, chromium.stop, err = browsertest.Start(); err != nil {
		t.Fatal(err)
	}
	return chromium.ctx
}

// look says how a view looks at the page.
type look struct {
	width, height int64
	dark          bool
	noScript      bool
	language      words.Language // that the browser asks for; empty: its own, English
}

var (
	wide       = look{width: 1280, height: 800}
	dark       = look{width: 1280, height: 800, dark: true}
	phone      = look{width: 390, height: 844}
	phoneDark  = look{width: 390, height: 844, dark: true}
	scriptless = look{width: 1280, height: 800, noScript: true}
)

// view is one tab of a browser. What its console complains about fails the
// test.
type view struct {
	*rig
	ctx      context.Context
	base     string
	key      string // the file of the page's key
	noScript bool
	language words.Language
}

// browse serves a desk, puts what prepare asks on it, and opens the page in a
// profile of its own.
func browse(t testing.TB, l look, prepare func(*rig)) *view {
	t.Helper()
	v := newView(t, browser(t), l, chromedp.WithNewBrowserContext())
	v.key = t.TempDir() + "/page.key"
	v.rig = start(t, func(o *Options) { o.KeyFile = v.key })
	v.base = "http://" + v.addr.String()
	if prepare != nil {
		prepare(v.rig)
	}
	v.visit("/?token=" + url.QueryEscape(token))
	return v
}

// port is that of the server.
func (v *view) port() int { return v.addr.(*net.TCPAddr).Port }

// replace ends the server, and has another one, at a port or any (0), take its
// place.
func (v *view) replace(port int) {
	v.t.Helper()
	d := v.desk
	v.stop()
	v.rig = start(v.t, func(o *Options) { o.Desk, o.KeyFile, o.Port, o.Token = d, v.key, port, "another" })
	v.base = "http://" + v.addr.String()
}

// another opens another tab of the same profile.
func (v *view) another(l look) *view {
	v.t.Helper()
	x := newView(v.t, v.ctx, l)
	x.rig, x.base, x.key = v.rig, v.base, v.key
	x.visit("/")
	return x
}

func newView(t testing.TB, parent context.Context, l look, options ...chromedp.ContextOption) *view {
	t.Helper()
	ctx, cancel := chromedp.NewContext(parent, options...)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	if err := chromedp.Listen(ctx, func(ev any) { complain(t, ev) }); err != nil {
		t.Fatal(err)
	}
	v := &view{rig: &rig{t: t}, ctx: ctx, noScript: l.noScript, language: l.language}
	call(v, cdplog.Enable, cdp.Empty{})
	call(v, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	call(v, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: l.noScript})
	if l.language != "" {
		call(v, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{
			UserAgent: eval[string](v, `navigator.userAgent`), AcceptLanguage: string(l.language),
		})
	}
	v.do(chromedp.EmulateViewport(l.width, l.height))
	v.scheme(l.dark)
	return v
}

func complain(t testing.TB, ev any) {
	switch ev := ev.(type) {
	case *runtime.EventExceptionThrown:
		t.Errorf("the page's script failed: %s %v", ev.ExceptionDetails.Text, ev.ExceptionDetails.Exception)
	case *cdplog.EventEntryAdded:
		if ev.Entry.Level == cdplog.EntryLevelError && ev.Entry.Source != cdplog.EntrySourceNetwork {
			t.Errorf("the browser complains (%s): %s", ev.Entry.Source, ev.Entry.Text)
		}
	}
}

// scheme sets the colours that the reader prefers.
func (v *view) scheme(dark bool) {
	v.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	call(v, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme},
		{Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

func call[P, R any](v *view, c cdp.Command[P, R], params P) R {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, patient)
	defer cancel()
	result, err := chromedp.Call(ctx, c, params)
	if err != nil {
		v.t.Fatalf("%s: %v", c.Method, err)
	}
	return result
}

// do takes steps in the browser, at most for the time that a wait may take.
func (v *view) do(steps ...chromedp.Action[chromedp.Void]) {
	v.t.Helper()
	for _, step := range steps {
		run(v, step)
	}
}

// run takes a step with a value.
func run[T any](v *view, step chromedp.Action[T]) T {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, patient)
	defer cancel()
	x, err := chromedp.Run(ctx, step)
	if err != nil {
		v.t.Fatalf("%v\n%s", err, v.words())
	}
	return x
}

// eval returns what an expression comes to in the page.
func eval[T any](v *view, format string, args ...any) T {
	v.t.Helper()
	return run(v, chromedp.Evaluate[T](fmt.Sprintf(format, args...)))
}

// words are what the page shows, for a failed test.
func (v *view) words() string {
	ctx, cancel := context.WithTimeout(v.ctx, 2*time.Second)
	defer cancel()
	s, _ := chromedp.Run(ctx, chromedp.Evaluate[string]("document.body?.innerText ?? ''"))
	return s
}

// visit opens a page. Where a form is still being sent, the browser may abort this load instead
// of that one.
func (v *view) visit(path string) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, patient)
	defer cancel()
	err := chromedp.Do(ctx, chromedp.Navigate(v.base+path))
	for ctx.Err() == nil && err != nil && strings.Contains(err.Error(), "net::ERR_ABORTED") {
		err = chromedp.Do(ctx, chromedp.Navigate(v.base+path))
	}
	if err != nil {
		v.t.Fatalf("visit %s: %v\n%s", path, err, v.words())
	}
}

// submit takes a step that leads to another page, and returns its status.
func (v *view) submit(step chromedp.Action[chromedp.Void]) int64 {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, patient)
	defer cancel()
	resp, err := chromedp.RunResponse(ctx, step)
	if err != nil || resp == nil {
		v.t.Fatalf("no page after the form was sent: %v\n%s", err, v.words())
	}
	return resp.Status
}

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

// click clicks, as users do: on what has been there for a while.
func (v *view) click(selectors ...string) {
	v.t.Helper()
	for _, s := range selectors {
		v.inPlace(s)
		v.do(chromedp.Click(chromedp.CSS(s), chromedp.NodeVisible))
	}
}

// confirm sends the answer that stands in the form of a record.
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
	v.do(chromedp.Focus(chromedp.CSS(selector)), chromedp.KeyEvent(words))
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
	v.wait(`document.querySelector(%q)`, "#r-"+id)
}

// press presses a key as a keyboard does: its character arrives only where the page lets it.
func (v *view) press(key string, modifiers chromedp.Modifier) {
	v.t.Helper()
	down := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyDown, Key: key, Code: "Key" +
			strings.ToUpper(key), Text: key, Modifiers: int64(modifiers),
	}
	call(v, input.DispatchKeyEvent, down)
	up := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: key, Modifiers: int64(modifiers)}
	call(v, input.DispatchKeyEvent, up)
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

//go:build browser

package web

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"mcp-askuser/internal/browsertest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/ui/words"
)

// chromium is the one browser of all tests; every test has a profile of its own in it.
var chromium context.Context

func TestMain(m *testing.M) {
	ctx, stop, err := browsertest.Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	chromium = ctx
	status := m.Run()
	stop()
	os.Exit(status)
}

// look says how a view looks at the page.
type look struct {
	width, height int64
	noScript      bool
}

var (
	wide       = look{width: 1280, height: 800}
	phone      = look{width: 390, height: 844}
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
}

// browse serves a desk, puts what prepare asks on it, and opens the page in a
// profile of its own. A page with its script hears of all that happens from then on.
func browse(t testing.TB, l look, prepare func(*rig)) *view {
	t.Helper()
	v := newView(t, chromium, l, chromedp.WithNewBrowserContext())
	v.key = t.TempDir() + "/page.key"
	v.rig = start(t, func(o *Options) { o.KeyFile = v.key })
	v.base = "http://" + v.addr.String()
	if prepare != nil {
		prepare(v.rig)
	}
	v.visit("/?token=" + url.QueryEscape(token))
	if !l.noScript {
		v.listening()
	}
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
	fatal.If(t, chromedp.Listen(ctx, func(ev any) { complain(t, ev) }))
	v := &view{rig: &rig{t: t}, ctx: ctx, noScript: l.noScript}
	call(v, cdplog.Enable, cdp.Empty{})
	call(v, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	call(v, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: l.noScript})
	v.do(chromedp.EmulateViewport(l.width, l.height))
	v.scheme(false)
	return v
}

// speaks has the browser ask for a language from the next page on.
func (v *view) speaks(l words.Language) {
	v.t.Helper()
	call(v, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{
		UserAgent: eval[string](v, `navigator.userAgent`), AcceptLanguage: string(l),
	})
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

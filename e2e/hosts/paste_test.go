//go:build hosts && browser && unix

package hosts

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"mcp-askuser/internal/browsertest"
)

// TestPastedScreenshot pastes a screenshot on the page in Chromium, presses Send, and checks
// that Claude Code gives its model an image.
func TestPastedScreenshot(t *testing.T) {
	p := &person{t: t, host: claude(t, newModel(t))}
	p.ready()
	p.calls <- toolCall{"ask_user_question", json.RawMessage(`{"question":"What is wrong?"}`)}
	address := served(t, p.desk)
	tab := newPage(t, time.Minute)
	shot := base64.StdEncoding.EncodeToString(screenshot(t))
	origin := regexp.MustCompile(`^http://[^/]+`).FindString(address)
	command(tab.ctx, t, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	tab.do(chromedp.Navigate(address))
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		command(tab.ctx, t, cdpbrowser.SetPermission, cdpbrowser.SetPermissionParams{Permission: &cdpbrowser.PermissionDescriptor{Name: name}, Setting: "granted", Origin: origin})
	}
	tab.wait(`!!document.querySelector('.card form')`)
	if _, err := chromedp.Run(tab.ctx, chromedp.Evaluate[bool](`(async () => {
		const bytes = Uint8Array.from(atob("`+shot+`"), (c) => c.charCodeAt(0));
		await navigator.clipboard.write([new ClipboardItem({ "image/png": new Blob([bytes], { type: "image/png" }) })]);
		return true;
	})()`, chromedp.EvalAwaitPromise)); err != nil {
		t.Fatal(err)
	}
	key := input.DispatchKeyEventParams{Type: "rawKeyDown", Modifiers: 2, Key: "v", Code: "KeyV", WindowsVirtualKeyCode: 86, Commands: []string{"paste"}}
	command(tab.ctx, t, input.DispatchKeyEvent, key)
	tab.wait(`document.querySelector('.file img')?.naturalWidth === 320`)
	tab.wait(browsertest.Settled("button.main"))
	tab.do(chromedp.Click(chromedp.CSS("button.main")))
	got := p.given()
	if !strings.Contains(got, `"media_type":"image/png"`) || !strings.Contains(got, `"type":"image"`) || !strings.Contains(got, "image.png (image/png") {
		t.Errorf("given %.2000s", got)
	}
}

// page is a tab of Chromium.
type page struct {
	t   *testing.T
	ctx context.Context
}

// newPage opens a tab, until the end of the test or of a time.
func newPage(t *testing.T, limit time.Duration) *page {
	t.Helper()
	parent, stop, err := browsertest.Start()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(parent, limit)
	t.Cleanup(func() { cancel(); stop() })
	return &page{t, ctx}
}

func (p *page) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// wait waits until a condition in the page holds.
func (p *page) wait(condition string) {
	p.t.Helper()
	if _, err := chromedp.Run(p.ctx, chromedp.Poll[chromedp.Void](condition)); err != nil {
		p.t.Fatalf("%s: %v", condition, err)
	}
}

// command has the browser carry out one command of its protocol.
func command[P, R any](ctx context.Context, t *testing.T, c cdp.Command[P, R], params P) {
	t.Helper()
	if _, err := chromedp.Call(ctx, c, params); err != nil {
		t.Fatalf("%s: %v", c.Method, err)
	}
}

// served serves the page of a desk, and returns its address.
func served(t *testing.T, dir string) string {
	t.Helper()
	cmd := exec.Command(program(t), "web", "--port", "0", "--dir", dir)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		for _, word := range strings.Fields(lines.Text()) {
			if u, err := url.Parse(word); err == nil && u.Query().Has("token") {
				return word
			}
		}
	}
	t.Fatal("the page has no address")
	return ""
}

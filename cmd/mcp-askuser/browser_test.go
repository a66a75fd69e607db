//go:build browser && unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
	"mcp-askuser/internal/browsertest"
	"mcp-askuser/internal/waittest"
)

// An agent asks on one machine, its human answers on another, on the page in a
// window of a phone's size, and the node that leads is killed between the tap on
// the option and that on the button: the agent gets that answer, and whose it is,
// and both machines have it in their past.
func TestBrowserAgentHereHumanThere(t *testing.T) {
	c := natstest.Start(t, 3)
	machineA, machineB := t.TempDir(), t.TempDir()
	w := dial(t, machineA, append([]string{"serve", "--surface", "inbox"}, onDesk(c, nodes.Agent, "bot")...)...)
	w.hello("test", `{}`)
	w.send(goOn, 1, 1)
	w.waiting()
	page := serveWeb(t, append([]string{"--dir", machineB}, onDesk(c, nodes.Human, "alice")...)...)
	phone := openPhone(t, page.address.String())
	phone.tap(`article.card [name="q0"][value="0"]`)
	phone.wait(`document.querySelector('article.card [name="q0"][value="0"]').checked`)
	phone.picture("chosen")
	leader := c.Leader()
	c.Kill(leader)
	phone.tap("article.card button.main")
	// Where the nodes take long to agree it is kept first, and sent by itself; an
	// agent whose node has just died may count as away for a moment.
	phone.wait(`/Sent to|Kept for|answered by alice/.test(document.querySelector("#news")?.innerText)`)
	var words string
	words, _ = chromedp.Run(phone.tab, chromedp.Evaluate[string]("document.body.innerText"))
	if strings.Contains(words, "which was not sent") {
		t.Errorf("what was sent is said not to be:\n%s", words)
	}
	phone.picture("sent")
	result := w.next(func(m message) bool { return string(m.ID) == "1" })
	if len(result.Result.Content) != 1 {
		t.Fatalf("the agent gets %+v", result)
	}
	for _, part := range []string{`"Go on?"="Yes"`, "alice"} {
		if text := result.Result.Content[0].Text; !strings.Contains(text, part) {
			t.Errorf("the agent gets %s, want %s in it", text, part)
		}
	}
	c.Restart(leader)
	for machine, creds := range map[string][]string{machineA: onDesk(c, nodes.Agent, "bot"), machineB: onDesk(c, nodes.Human, "alice")} {
		var past []byte
		var err error
		if !waittest.Until(patience, func() bool {
			past, err = program(t, machine, append([]string{"history"}, creds...)...).CombinedOutput()
			return err == nil && strings.Contains(string(past), "by alice")
		}) {
			t.Fatalf("the past is %s, %v", past, err)
		}
	}
}

// phone is a browser in a window of a phone's size, which is touched.
type phone struct {
	t   *testing.T
	tab context.Context
}

func openPhone(t *testing.T, address string) phone {
	t.Helper()
	tab, stop, err := browsertest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	p := phone{t, tab}
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulateScale(2)), chromedp.Navigate(address))
	return p
}

func (p phone) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.tab, patience)
	defer stop()
	if err := chromedp.Do(ctx, steps...); err != nil {
		words, _ := chromedp.Run(p.tab, chromedp.Evaluate[string]("document.body?.innerText ?? ''"))
		p.t.Fatalf("%v\n%s", err, words)
	}
}

// wait waits until a condition holds.
func (p phone) wait(condition string) {
	p.t.Helper()
	p.do(chromedp.Poll[chromedp.Void]("!!("+condition+")", chromedp.WithPollingTimeout(patience)))
}

func (p phone) tap(selector string) {
	p.t.Helper()
	p.wait(browsertest.Settled(selector))
	p.do(chromedp.Tap(chromedp.CSS(selector), chromedp.NodeVisible))
}

// picture writes what is seen to a file in the directory that PICTURES names.
func (p phone) picture(name string) {
	p.t.Helper()
	dir := os.Getenv("PICTURES")
	if dir == "" {
		return
	}
	shot, err := chromedp.Run(p.tab, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), shot, 0o644)
	}
	if err != nil {
		p.t.Error(err)
	}
}

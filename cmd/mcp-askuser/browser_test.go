//go:build browser && unix

package main

import (
	"context"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"mcp-askuser/internal/browsertest"
	"mcp-askuser/internal/termtest"
)

// The user registers a passkey: in a terminal of their own, for a browser on this machine. From
// then on the page's address has a name for which the passkey works.
func TestBrowserPasskeyAdd(t *testing.T) {
	dir := t.TempDir() + "/desk"
	if out, err := program(t, dir, "passkey", "add", "laptop").CombinedOutput(); exitStatus(err) != 1 ||
		!strings.Contains(string(out), "run it in a terminal of your own") {
		t.Errorf("without a terminal: %v\n%s", err, out)
	}
	x := termtest.Start(t, program(t, dir, "passkey", "add", "laptop"), 120, 24)
	x.WaitFor("Ctrl+C")
	address := regexp.MustCompile(`http://localhost:\d+/passkey\?\S+`).FindString(x.Screen())
	p := openPhone(t, "about:blank")
	ctx, stop := context.WithTimeout(p.tab, patience)
	defer stop()
	_, err := chromedp.Call(ctx, webauthn.Enable, webauthn.EnableParams{})
	if err == nil {
		_, err = chromedp.Call(ctx, webauthn.AddVirtualAuthenticator,
			webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
				Protocol: "ctap2", Transport: "internal", HasUserVerification: true, IsUserVerified: true,
				AutomaticPresenceSimulation: true,
			}})
	}
	if err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Navigate(address))
	p.tap("button.main")
	p.wait(`document.querySelector("h1").innerText === "The passkey laptop is registered"`)
	x.WaitFor("The passkey laptop is registered")
	x.Wait()
	if out, err := program(t, dir, "passkey", "list").CombinedOutput(); err != nil ||
		!strings.Contains(string(out), "laptop\tlocalhost\t") {
		t.Errorf("%v\n%s", err, out)
	}
	x = termtest.Start(t, program(t, dir, "passkey", "add", "laptop"), 120, 24)
	x.WaitFor(`there is a passkey "laptop" already`)
	x.Wait()
	if page := serveWebAt(t, dir); page.address.Hostname() != "localhost" {
		t.Errorf("the page's address is %s", page.address)
	}
	x = termtest.Start(t, program(t, dir, "passkey", "remove", "laptop"), 120, 24)
	x.Wait()
	x = termtest.Start(t, program(t, dir, "passkey", "add", "laptop"), 120, 24)
	x.WaitFor("Ctrl+C")
	if err := syscall.Kill(x.Pid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	x.WaitFor("no passkey was registered")
	x.Wait()
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
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulateScale(2)),
		chromedp.Navigate(address))
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

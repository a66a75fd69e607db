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
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
)

// The user registers a passkey: in a terminal of their own, for a browser on this machine. From
// then on the page's address has a name for which the passkey works.
func TestBrowserPasskeyAdd(t *testing.T) {
	dir := t.TempDir() + "/desk"
	on := func(args ...string) *termtest.Terminal {
		t.Helper()
		return termtest.Start(t, program(t, dir, append([]string{"passkey"}, args...)...), 120, 24)
	}
	out, err := program(t, dir, "passkey", "add", "laptop").CombinedOutput()
	if exitStatus(err) != 1 || !strings.Contains(string(out), "run it in a terminal of your own") {
		t.Errorf("without a terminal: %v\n%s", err, out)
	}
	x := on("add", "laptop")
	x.WaitFor("Ctrl+C")
	address := regexp.MustCompile(`http://localhost:\d+/passkey\?\S+`).FindString(x.Screen())
	tab, close, err := browsertest.Start()
	fatal.If(t, err)
	defer close()
	ctx, stop := context.WithTimeout(tab, patience)
	defer stop()
	_, err = chromedp.Call(ctx, webauthn.Enable, webauthn.EnableParams{})
	if err == nil {
		_, err = chromedp.Call(ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
			Options: &webauthn.VirtualAuthenticatorOptions{Protocol: "ctap2", Transport: "internal",
				HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true},
		})
	}
	if err == nil {
		err = chromedp.Do(ctx, chromedp.Navigate(address),
			chromedp.Poll[chromedp.Void](browsertest.Settled("button.main"), chromedp.WithPollingTimeout(patience)),
			chromedp.Click(chromedp.CSS("button.main"), chromedp.NodeVisible),
			chromedp.Poll[chromedp.Void](`document.querySelector("h1").innerText === "The passkey laptop is registered"`,
				chromedp.WithPollingTimeout(patience)))
	}
	fatal.If(t, err)
	x.WaitFor("The passkey laptop is registered")
	x.Wait()
	out, err = program(t, dir, "passkey", "list").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "laptop\tlocalhost\t") {
		t.Errorf("%v\n%s", err, out)
	}
	x = on("add", "laptop")
	x.WaitFor(`there is a passkey "laptop" already`)
	x.Wait()
	if page := serve(t, program(t, dir, "web")); page.address.Hostname() != "localhost" {
		t.Errorf("the page's address is %s", page.address)
	}
	on("remove", "laptop").Wait()
	x = on("add", "laptop")
	x.WaitFor("Ctrl+C")
	x.Signal(syscall.SIGINT)
	x.WaitFor("no passkey was registered")
	x.Wait()
}

//go:build unix

package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/proof"
	"mcp-askuser/internal/termtest"
)

// TestNoSigningOnATerminal: a terminal has no key to sign with. The user reads where the answer
// can be signed, and nothing is sent.
func TestNoSigningOnATerminal(t *testing.T) {
	const page = "on the page"
	t.Run("form", func(t *testing.T) {
		t.Parallel()
		x := newLiar(t)
		term := termtest.Start(t, x.program("answer", x.rec.ID), 80, 24)
		if status := term.Wait(); status != exitBad || !strings.Contains(term.Output(), page) {
			t.Errorf("%d: %s", status, term.Output())
		}
		x.stillOpen()
	})
	t.Run("inbox", func(t *testing.T) {
		t.Parallel()
		x := newLiar(t)
		term := &seat{Terminal: termtest.Start(t, x.program("inbox"), 120, 30), dir: x.dir}
		term.WaitFor("rm -r build")
		term.Type("\r")
		term.WaitFor("This answer must be signed, " + page)
		term.Type("y")
		term.WaitFor("(•) Yes")
		term.enter()
		term.WaitFor("Not sent: this answer must be signed by the user")
		term.Type("\x03")
		term.Wait()
		term.left(t)
		x.stillOpen()
	})
}

// TestSignedOverHTTP: a client over HTTP gets an address at which its user signs. It opens in
// the user's browser, which has opened the page before, and shows and takes nothing elsewhere.
func TestSignedOverHTTP(t *testing.T) {
	for _, e := range eras {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			s := newSigner(t)
			jar, err := cookiejar.New(nil)
			s.check(err)
			browser, stranger := &http.Client{Jar: jar}, &http.Client{}
			fetch := func(c *http.Client, r *http.Request) (status int, page string) {
				t.Helper()
				answer, err := c.Do(r.WithContext(t.Context()))
				s.check(err)
				defer func() { _ = answer.Body.Close() }()
				data, err := io.ReadAll(answer.Body)
				s.check(err)
				return answer.StatusCode, string(data)
			}
			get := func(c *http.Client, address string) (status int, page string) {
				t.Helper()
				r, err := http.NewRequest(http.MethodGet, address, nil)
				s.check(err)
				return fetch(c, r)
			}
			if status, _ := get(browser, listening(t, s.program("web"), new(bytes.Buffer))); status != http.StatusOK {
				t.Fatalf("the page: %d", status)
			}
			asked := make(chan mcp.ElicitationParams, 1)
			h := &human{t: t, do: []func(mcp.ElicitationParams) (*mcp.ElicitationResult, error){func(p mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
				asked <- p
				return act(mcp.ElicitationResponseActionAccept, nil)(p)
			}}}
			both := mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}}}
			over, err := transport.NewStreamableHTTP(listening(t, s.program("serve", "--http", "127.0.0.1:0", "--surface", "elicit,web"), new(bytes.Buffer)),
				transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + newToken(t, s.dir, "agent")}))
			s.check(err)
			c := initialized(t, client.NewClient(over, append(slices.Clip(e.options), client.WithElicitationHandler(h), client.WithClientCapabilities(both))...), e)
			got := asks(t, c, "confirm_action", confirmWhich)
			p := <-asked
			d := openDesk(t, s.dir)
			rec := openRecord(t, d)
			page, err := url.Parse(p.URL)
			s.check(err)
			if p.Mode != mcp.ElicitationModeURL || page.Hostname() != "localhost" || page.RawQuery != "id="+rec.ID {
				t.Errorf("asked: %+v", p)
			}
			for _, path := range []string{"/?id=" + rec.ID, "/", "/history", "/api/questions"} {
				if status, page := get(stranger, page.ResolveReference(&url.URL{Path: path}).String()); status != http.StatusUnauthorized || strings.Contains(page, "Delete it?") {
					t.Errorf("%s: %d %s", path, status, page)
				}
			}
			for c, want := range map[*http.Client]int{stranger: http.StatusUnauthorized, browser: http.StatusForbidden} {
				r, err := http.NewRequest(http.MethodPost, page.ResolveReference(&url.URL{Path: "/answer"}).String(), strings.NewReader(url.Values{"id": {rec.ID}, "asked": {rec.Statement()}, "whole": {"yes"}, "action": {"confirm"}, "q0": {"0"}}.Encode()))
				s.check(err)
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				r.Header.Set("Origin", "http://"+page.Host)
				if status, page := fetch(c, r); status != want {
					t.Errorf("an answer without a passkey: %d, want %d: %s", status, want, page)
				}
			}
			if status, page := get(browser, p.URL); status != http.StatusOK || !strings.Contains(page, "Delete it?") {
				t.Errorf("the user's browser: %d %s", status, page)
			}
			r := choose("true")
			r.Proof = prove(s.passkey, &rec, r, time.Now())
			keys, err := proof.Load(filepath.Join(s.dir, keysDir))
			s.check(err)
			_, err = desk.New(desktest.Store(t, s.dir), desk.Options{Keys: trusting(keys)}).Reply(t.Context(), rec.ID, r, desk.Evidence{Surface: "web", How: desk.HowPage})
			s.check(err)
			if got := <-got; got["proof"] == nil {
				t.Errorf("the result: %v", got)
			}
		})
	}
}

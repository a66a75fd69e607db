//go:build unix

package main

import (
	"bytes"
	"mcp-askuser/question"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// A client over HTTP gets an address at which its user signs, without a token: what it brings
// opens in a browser that has opened the page before, and in no other.
func TestSignedOverHTTP(t *testing.T) {
	t.Parallel()
	s := newSigner(t)
	asked := make(chan mcp.ElicitationParams, 1)
	h := &human{t: t, do: script(func(p mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
		asked <- p
		return act(mcp.ElicitationResponseActionAccept, nil)(p)
	})}
	both := mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}}}
	server := s.program("serve", "--http", "127.0.0.1:0", "--surface", "elicit,web")
	token := map[string]string{"Authorization": "Bearer " + newToken(t, s.dir, "agent")}
	over, err := transport.NewStreamableHTTP(listening(t, server, new(bytes.Buffer)), transport.WithHTTPHeaders(token))
	s.check(err)
	options := append(slices.Clip(eras[1].options), client.WithElicitationHandler(h), client.WithClientCapabilities(both))
	c := initialized(t, client.NewClient(over, options...), eras[1])
	got := asks(t, c, "confirm_action", confirmWhich)
	p := <-asked
	rec := openRecord(t, openDesk(t, s.dir))
	page, err := url.Parse(p.URL)
	s.check(err)
	if p.Mode != mcp.ElicitationModeURL || page.Hostname() != "localhost" || page.RawQuery != "id="+rec.ID {
		t.Errorf("asked: %+v", p)
	}
	answer, err := http.Get(p.URL)
	s.check(err)
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("a stranger's browser: %d", answer.StatusCode)
	}
	s.signed(s.userDesk(), &rec, question.YesID)
	if got := <-got; got["proof"] == nil {
		t.Errorf("the result: %v", got)
	}
}

package web

import (
	"net/http"
	"slices"
	"testing"

	"mcp-askuser/internal/waittest"
)

// A page that is open, and a front end, prove that the user sees what is asked. A program that reads
// the events does not: no agent waits for it.
func TestWhoseStreamIsAnOpenPage(t *testing.T) {
	g := start(t)
	browser := g.visitor()
	for name, tt := range map[string]struct {
		authorize func(*http.Request)
		open      bool
	}{
		"program":   {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }, false},
		"front end": {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+panelToken) }, true},
		"browser":   {func(r *http.Request) { r.AddCookie(browser.cookie) }, true},
	} {
		r := g.request(http.MethodGet, "/api/events", "")
		r.Header.Del("Authorization")
		tt.authorize(r)
		resp, err := g.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		open := slices.Contains(must(g.desk.Present(t.Context())), surfaceName)
		if resp.StatusCode != http.StatusOK || open != tt.open {
			t.Errorf("%s: %s, open: %t", name, resp.Status, open)
		}
		_ = resp.Body.Close()
		if !waittest.Until(patient, func() bool { return len(must(g.desk.Present(t.Context()))) == 0 }) {
			t.Fatalf("%s: the stream stays open", name)
		}
	}
}

package ntfy

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"mcp-askuser/internal/ntfytest"
)

// A question that is asked while the network is down, or by a machine that wakes up with dead
// connections, reaches the phone afterwards.
func TestNotifiedOnceTheServerAnswers(t *testing.T) {
	s, d := ntfytest.New(t, ""), openDesk(t)
	failed := false
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" && !failed {
			failed = true
			panic(http.ErrAbortHandler)
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	p := phone(t, d, front.URL, nil)
	rec := ask(t, d, choice("A", "B"))
	notify(t, p, rec)
	s.Await(t, topic, ntfytest.Titled)
}

package ntfy

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A question that is answered while its notification is on its way leaves none behind.
func TestAnsweredWhilePublished(t *testing.T) {
	ctx, answered := context.WithCancel(t.Context())
	cleared := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost && r.URL.Path == "/":
			_, _ = io.Copy(io.Discard, r.Body) // the server notices the end of a request that it has read
			answered()
			<-r.Context().Done()
		case r.Method == http.MethodPut:
			cleared <- r.URL.Path
		}
	}))
	defer server.Close()
	d := openDesk(t)
	p := phone(t, d, server.URL, nil)
	rec := ask(t, d, choice("A", "B"))
	p.Notify(ctx, rec)
	select {
	case path := <-cleared:
		if want := "/" + topic + "/" + rec.ID + "/clear"; path != want {
			t.Errorf("cleared %s, want %s", path, want)
		}
	default:
		t.Error("the notification stays on the phone")
	}
}

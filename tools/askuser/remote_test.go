package askuser

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/desk"
	"mcp-askuser/ui"
)

// pending waits until n questions are open.
func (r *rig) pending(n int) []desk.Record {
	r.t.Helper()
	events, stop := r.watch()
	defer stop()
	for {
		records, err := r.desk.Pending(r.t.Context())
		if err != nil {
			r.t.Fatal(err)
		}
		if len(records) == n {
			return records
		}
		within(r.t, events)
	}
}

// Over HTTP nobody is told the page's address, which lets whoever has it answer.
func TestNoAddressOverHTTP(t *testing.T) {
	req := request(which)
	req.Params.Meta = &mcp.Meta{ProgressToken: 7}
	told := make(chan string)
	r := newRig(t, page{told}, ui.Elsewhere())
	r.Remote, r.Attended = true, func(bool) bool { return true }
	l := &link{agent: "a", noted: make(chan string, 10), client: Client{Implementation: mcp.Implementation{Name: "gemini-cli-mcp-client"}}}
	got := r.start(t.Context(), l, req)
	if text := within(t, l.noted); !strings.Contains(text, "mcp-askuser inbox") {
		t.Errorf("the client is told %s", text)
	}
	select {
	case <-told:
		t.Error("the address was told")
	default:
	}
	r.reply(r.open().ID, "a")
	within(t, got)
}

// Over HTTP a call is held for as long as its host was seen to wait there, and
// no longer than over any transport.
func TestHoldOverHTTP(t *testing.T) {
	for _, tc := range []struct {
		name       string
		hold, form time.Duration
	}{
		{"something new", 45 * time.Second, 45 * time.Second},
		{"cursor", 45 * time.Second, 45 * time.Second},
		{"codex-mcp-client", 280 * time.Second, 280 * time.Second},
		{"gemini-cli-mcp-client", 570 * time.Second, 570 * time.Second},
		{"opencode", 50 * time.Second, 10 * time.Minute},
		{"claude-code", 110 * time.Second, 9 * time.Minute},
	} {
		h := hostOf(tc.name).overHTTP()
		if got := h.callLimit(false, false); got != tc.hold {
			t.Errorf("%s is held for %v", tc.name, got)
		}
		if got := h.callLimit(true, true); got != tc.form {
			t.Errorf("%s is held for %v with its form open", tc.name, got)
		}
	}
}

// Agents with tokens ask for themselves: what one asks the other does not join,
// and its ticket is none for the other.
func TestAgentsAreApart(t *testing.T) {
	r := newRig(t, ui.Elsewhere())
	a, b, none := &link{agent: "a"}, &link{agent: "b"}, &link{}
	calls := []<-chan result{}
	for n, l := range []*link{a, b, none} {
		calls = append(calls, r.start(t.Context(), l, request(which)))
		r.pending(n + 1)
	}
	for _, rec := range r.pending(3) {
		want := map[string]string{"a": "a:connection", "b": "b:connection", "": "connection"}[rec.Asker.Agent]
		if rec.SessionID != want {
			t.Errorf("the dialogue of %q is %q", rec.Asker.Agent, rec.SessionID)
		}
		for _, l := range []*link{a, b, none} {
			if l.agent == rec.Asker.Agent {
				continue
			}
			got, err := l.call(t.Context(), r.await, request(`{"id":"`+rec.ID+`"}`))
			if x := (result{got, err}); !strings.Contains(x.text(t), "no question has the id") {
				t.Errorf("%q gets the ticket of %q: %s", l.agent, rec.Asker.Agent, x.text(t))
			}
		}
		r.reply(rec.ID, map[string]string{"a": "a", "b": "b", "": "a"}[rec.Asker.Agent])
	}
	for n, want := range []string{"answered A", "answered B", "answered A"} {
		if got := within(t, calls[n]).status(t); got != want {
			t.Errorf("call %d: %s", n, got)
		}
	}
}

// A server that ends tells those who wait how to come back, and the question
// stays open.
func TestClosing(t *testing.T) {
	r := newRig(t, ui.Elsewhere())
	ctx, end := context.WithCancelCause(t.Context())
	call := r.start(ctx, &link{}, request(which))
	rec := r.pending(1)[0]
	end(ErrClosing)
	got := within(t, call)
	if s := got.status(t); s != string(desk.Pending) || !strings.Contains(got.text(t), rec.ID) {
		t.Errorf("%s: %s", s, got.text(t))
	}
	r.pending(1)
}

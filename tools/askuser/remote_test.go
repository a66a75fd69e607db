package askuser

import (
	"strings"
	"testing"

	"mcp-askuser/internal/waittest"
	"mcp-askuser/ui"
)

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
		if got := waittest.Take(t, calls[n]).status(t); got != want {
			t.Errorf("call %d: %s", n, got)
		}
	}
}

package form

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/term"
)

// TestReviewShowsAnswers: however long a question is, its answer is in view beside
// it before it is sent.
func TestReviewShowsAnswers(t *testing.T) {
	q := chinese()
	q.Text = strings.Repeat(q.Text, 8)
	r := open(t, 40, 10, q, name()).keys("2", "enter", "orders", "enter")
	for _, answer := range []string{"→ SQLite", "→ orders"} {
		if s := r.screen(); !strings.Contains(s, answer) {
			t.Errorf("the answer is not in view:\n%s", s)
		}
		r.keys("down")
	}
}

// TestEverySize: a form with all that there may be beside a question draws within any
// terminal, at each height up to that of a preview below, and beside each width that matters.
func TestEverySize(t *testing.T) {
	states := map[string][]string{"question": nil, "Enter alone": {"enter"}, "other": {"0"}, "note": {"ctrl+n"}, "dismissal": {"ctrl+x"}, "keys": {"?"}}
	widths := []int{1, 2, term.MinWidth - 1, term.MinWidth, term.MinWidth + 1, 40, 60, 80}
	widths = append(widths, wideEnough-1, wideEnough, wideEnough+1, 120, 2*wideEnough)
	for state, keys := range states {
		r := fresh(t, 80, 24, record(withPreview(), name()), withLift(func() error { return nil })).show()
		r.send(Status{})
		r.keys(keys...)
		for _, r.w = range widths {
			for r.h = 1; r.h <= 18; r.h++ {
				r.send(tea.WindowSizeMsg{Width: r.w, Height: r.h})
				checkScreen(t, r)
			}
		}
		if t.Failed() {
			t.Fatalf("%s: %d×%d", state, r.w, r.h)
		}
	}
}

// TestPreviewIsReadWhole: what the preview's area cuts off is in what tab reads.
func TestPreviewIsReadWhole(t *testing.T) {
	q := database()
	q.Options[0].Preview = strings.Repeat("a line that is long ", 8) + "to its end"
	r := open(t, 80, 24, q)
	if s := r.screen(); strings.Contains(s, "to its end") || !strings.Contains(s, "tab read all") {
		t.Fatalf("the line is not cut, or nothing says how to read it:\n%s", s)
	}
	if s := r.keys("tab").screen(); !strings.Contains(s, "to its end") {
		t.Errorf("tab does not read the end of the line:\n%s", s)
	}
}

package form

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
)

// heavy are sets as large as a call may be, and larger.
func heavy() map[string][]question.Question {
	deep := database()
	for i := range deep.Options {
		for j := range 4 {
			deep.Options[i].FollowUps = append(deep.Options[i].FollowUps, name())
			f := &deep.Options[i].FollowUps[j]
			*f = database()
			f.ID = fmt.Sprint(i, j)
			for k := range f.Options {
				for l := range 4 {
					g := features()
					g.ID = fmt.Sprint(i, j, k, l)
					f.Options[k].FollowUps = append(f.Options[k].FollowUps, g)
				}
			}
		}
	}
	with := func(edit func(q *question.Question)) []question.Question {
		q := database()
		edit(&q)
		return []question.Question{q}
	}
	text := func(s string) []question.Question {
		return with(func(q *question.Question) { q.Text, q.Description = s, s })
	}
	return map[string][]question.Question{
		"words": text(strings.Repeat("all of this has to be read by somebody ", 80_000)),
		"lines": text(strings.Repeat("a\n", 500_000)),
		"marks": text("a" + strings.Repeat("\u0301", 1_000_000)),
		"options": with(func(q *question.Question) {
			for i := range q.Options {
				q.Options[i].Label = strings.Repeat("label ", 100_000)
				q.Options[i].Description = strings.Repeat("why and what for ", 100_000)
			}
		}),
		"preview": with(func(q *question.Question) {
			q.Options[0].Preview = strings.Repeat(strings.Repeat("y", 200)+"\n", 10_000)
		}),
		"follow-ups": {deep},
	}
}

// BenchmarkHeavy is how long the form takes to appear, and then for a key, with
// as much as an agent can send: at most 100 and 30 ms.
func BenchmarkHeavy(b *testing.B) {
	for name, qs := range heavy() {
		rec := record(qs...)
		rec.Asker.Client, rec.Asker.Directory = qs[0].Text, "/"+qs[0].Text
		b.Run(name+"/appear", func(b *testing.B) {
			for b.Loop() {
				fresh(b, 80, 24, rec).show().f.View()
			}
		})
		b.Run(name+"/key", func(b *testing.B) {
			r := fresh(b, 80, 24, rec).show()
			r.f.View()
			for b.Loop() {
				for _, k := range []tea.KeyPressMsg{{Code: tea.KeyDown}, {Code: tea.KeyUp}} {
					r.send(k)
					r.f.View()
				}
			}
		})
		b.Run(name+"/read", func(b *testing.B) {
			r := fresh(b, 80, 24, rec).show()
			r.send(tea.KeyPressMsg{Code: tea.KeyTab})
			r.f.View()
			for b.Loop() {
				r.send(tea.KeyPressMsg{Code: tea.KeyDown})
				r.f.View()
			}
		})
	}
}

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
// terminal, also one that grows or shrinks by a single cell.
func TestEverySize(t *testing.T) {
	states := map[string][]string{"question": nil, "Enter alone": {"enter"}, "other": {"0"}, "note": {"ctrl+n"}, "dismissal": {"ctrl+x"}, "keys": {"?"}}
	for state, keys := range states {
		r := fresh(t, 80, 24, record(withPreview(), name()), withLift(func() error { return nil })).show()
		r.send(Status{})
		r.keys(keys...)
		for r.w = 1; r.w < 2*wideEnough; r.w += 1 + r.w/30 {
			for r.h = 1; r.h <= 26; r.h++ {
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

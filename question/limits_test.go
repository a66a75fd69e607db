package question

import (
	"strings"
	"testing"

	"github.com/rivo/uniseg"
)

// Every text that an agent sends has a limit, which its fault names; what keeps
// it is taken.
func TestEveryTextHasALimit(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, tc := range []struct {
		name string
		edit func(q *Question, n int)
		most int
		want string
	}{
		{"question", func(q *Question, n int) { q.Text = x(n) }, 500, "questions[0].question: must be at most 500 characters long, is 501"},
		{"header", func(q *Question, n int) { q.Header = x(n) }, 500, "questions[0].header: must be at most 500 characters long, is 501"},
		{"description", func(q *Question, n int) { q.Description = x(n) }, 10_000,
			"questions[0].description: must be at most 10000 characters long, is 10001"},
		{"question_id", func(q *Question, n int) { q.ID = x(n) }, 200, "questions[0].question_id: must be at most 200 characters long, is 201"},
		{"placeholder", func(q *Question, n int) { q.Placeholder = x(n) }, 500, "questions[0].placeholder: must be at most 500 characters long, is 501"},
		{"default", func(q *Question, n int) { q.Default = x(n) }, MaxText, "questions[0].default: must be at most 10000 characters long, is 10001"},
		{"id", func(q *Question, n int) { q.Options[1].ID = x(n) }, 200, "questions[0].options[1].id: must be at most 200 characters long, is 201"},
		{"label", func(q *Question, n int) { q.Options[1].Label = x(n) }, 500, "questions[0].options[1].label: must be at most 500 characters long, is 501"},
		{"the label of a yes", func(q *Question, n int) {
			q.Type, q.Options, q.AllowCustom = Boolean, YesAndNo(), false
			q.Options[0].Label = x(n)
		}, 500, "questions[0].options[0].label: must be at most 500 characters long, is 501"},
		{"option's description", func(q *Question, n int) { q.Options[1].Description = x(n) }, 10_000,
			"questions[0].options[1].description: must be at most 10000 characters long, is 10001"},
		{"preview", func(q *Question, n int) { q.Options[1].Preview = x(n) }, 20_000, "questions[0].options[1].preview: must be at most 20000 characters long, is 20001"},
		{"other", func(q *Question, n int) { q.Other = &Option{Label: x(n)} }, 500, "questions[0].other.label: must be at most 500 characters long, is 501"},
		{"lines", func(q *Question, n int) { q.Options[0].Preview = strings.Repeat("\n", n-1) }, 1000, "questions[0].options[0].preview: must be at most 1000 lines long, is 1001"},
		{"marks", func(q *Question, n int) { q.Text = "e" + strings.Repeat("\u0301", n-1) }, 32, "questions[0].question: may combine at most 32 code points to one character, combines 33"},
		{"quotations", func(q *Question, n int) { q.Description = "so:\n" + strings.Repeat("> ", n) + "x" }, 32, "questions[0].description: may nest quotations and lists at most 32 levels deep, nests 33"},
		{"lists", func(q *Question, n int) { q.Description = strings.Repeat("1. ", n) + "x" }, 32, "questions[0].description: may nest quotations and lists at most 32 levels deep, nests 33"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for over, want := range []string{"", tc.want} {
				s := Set{Questions: []Question{{ID: "q1", Text: "Which?", Type: SingleChoice, AllowCustom: true, Options: []Option{{ID: "a", Label: "A"}, {ID: "b", Label: "B"}}}}}
				tc.edit(&s.Questions[0], tc.most+over)
				l := DefaultLimits()
				l.Lenient = true
				got := ""
				if v := s.Validate(l); v != nil {
					got = v[0].String()
				}
				if got != want {
					t.Errorf("at %d: %q, want %q", tc.most+over, got, want)
				}
			}
		})
	}
}

// Who allows more allows more of the lenient, too.
func TestLimitsAreRaised(t *testing.T) {
	l := DefaultLimits()
	l.Lenient, l.Label = true, 600
	s := Set{Questions: []Question{{ID: "q1", Text: "Which?", Type: SingleChoice, Options: []Option{{ID: "a", Label: strings.Repeat("x", 600)}, {ID: "b", Label: "B"}}}}}
	if v := s.Validate(l); v != nil {
		t.Error(v)
	}
}

func FuzzCount(f *testing.F) {
	for _, s := range []string{"", "abc", "a\r\nb", "e\u0301", "👨‍👩‍👧‍👦🇩🇪🇫🇷1\ufe0f\u20e3", "\u0600a", "한국어", "字a字\u0301\xe4a", "क्षि", "\xff\xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := Count(s), uniseg.GraphemeClusterCount(s); got != want {
			t.Errorf("Count(%q) = %d, want %d", s, got, want)
		}
	})
}

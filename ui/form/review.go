package form

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// review is the last page of a form with more than one pick: every question
// with its answer, and a note to the agent. Nothing is sent before it.
type review struct {
	pages  func() []*page // the questions shown, in order
	cursor int            // index into pages
}

// target is the index of the question under the cursor, which edit opens; -1
// when none was asked. Fewer may be shown than when the cursor was last moved.
func (r *review) target() int { return min(r.cursor, len(r.pages())-1) }

func (r *review) focus()             {}
func (r *review) blur()              {}
func (r *review) entry() *term.Entry { return nil }

func (r *review) keep() (back func()) {
	was := *r
	return func() { *r = was }
}

func (r *review) bind(msg tea.Msg) does {
	key, _ := msg.(tea.KeyPressMsg)
	name := key.String()
	switch name {
	case "up", "k":
		return only(func() { r.move(-1) })
	case "down", "j":
		return only(func() { r.move(1) })
	case "e", "right":
		return asks(edit)
	}
	if n := int(key.Code - '1'); len(name) == 1 && n >= 0 && n < min(len(r.pages()), 9) {
		return func() (action, error) { r.cursor = n; return edit, nil }
	}
	return nil
}

// move takes the cursor over n questions, past the end to the beginning.
func (r *review) move(n int) {
	if all := len(r.pages()); all > 0 {
		r.cursor = (r.target() + n + all) % all
	}
}

func (r *review) hints() ([]term.Hint, bool) {
	return []term.Hint{{"enter", onward}, {"e", words.T("edit")}, {"↑↓", words.T("move")}, {"1–9", words.T("edit that one")}}, false
}

// draw shows of a question no more than leaves room for its answer.
func (r *review) draw(s *term.Styles, width, rows int) term.Block {
	var b term.Block
	for i, p := range r.pages() {
		top, selected := len(b.Lines), i == r.target()
		lead, style := s.Row(selected)
		text := term.Hang(fmt.Sprintf("%s%d ", lead, i+1), term.Line(p.ask.Text, 500), width)
		b.Lines = append(b.Lines, term.Each(style, term.Opening(text, max(rows/3, 1), width))...)
		b.Lines = append(b.Lines, term.Hang("    "+s.Muted.Render("→ "), p.inWords(), width)...)
		if selected {
			b.Top, b.Bottom = top, len(b.Lines)-1
		}
	}
	return b
}

// inWords is the page's answer for the review.
func (p *page) inWords() string {
	if p.taken == nil {
		return term.LeftOpen()
	}
	said := slices.Clone(p.ask.Words(p.taken))
	for i := range said {
		said[i] = question.Block(said[i])
		if i == len(said)-1 && p.taken.Custom != "" && p.ask.Chooses() {
			said[i] = "“" + said[i] + "”"
		}
	}
	if len(said) == 0 {
		said = []string{term.LeftOpen()}
	}
	if p.taken.Note != "" {
		said = append(said, words.T("Note: %s", question.Block(p.taken.Note)))
	}
	return strings.Join(said, "\n")
}

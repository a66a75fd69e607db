package form

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/term"
)

// review is the last page of a form with more than one pick: every question
// with its answer, and a note to the agent. Nothing is sent before it.
type review struct {
	pages   func() []*page // the questions shown, in order
	cursor  int            // index into pages
	note    *term.Entry
	writing bool // the keyboard belongs to note
}

func newReview(pages func() []*page) *review {
	return &review{pages: pages, note: term.NewEntry("", "A word to the agent beside the answers")}
}

// target is the index of the question under the cursor, which edit opens; -1
// when none was asked. Fewer may be shown than when the cursor was last moved.
func (r *review) target() int { return min(r.cursor, len(r.pages())-1) }

func (r *review) focus()       {}
func (r *review) blur()        { r.stopWriting() }
func (r *review) typing() bool { return r.writing }

func (r *review) stopWriting() {
	r.writing = false
	r.note.Blur()
}

func (r *review) keep() (back func()) {
	was, note := *r, r.note.Keep()
	return func() { *r = was; note() }
}

func (r *review) bind(msg tea.Msg) does {
	key, _ := msg.(tea.KeyPressMsg)
	name := key.String()
	if r.writing {
		if name == "enter" || name == "esc" {
			return only(r.stopWriting)
		}
		return func() (action, error) { return none, r.note.Press(msg) }
	}
	switch name {
	case "enter":
		return asks(confirm)
	case "up", "k":
		return only(func() { r.cursor = max(r.target()-1, 0) })
	case "down", "j":
		return only(func() { r.cursor = r.target() + 1 })
	case "e", "right":
		return asks(edit)
	case "n":
		return only(func() { r.writing = true; r.note.Focus() })
	case "esc":
		return asks(dismiss)
	case "shift+tab", "left", "ctrl+b":
		return asks(back)
	case "?":
		return asks(explain)
	}
	if n := int(key.Code - '1'); len(name) == 1 && n >= 0 && n < min(len(r.pages()), 9) {
		return func() (action, error) { r.cursor = n; return edit, nil }
	}
	return nil
}

func (r *review) hints() ([]term.Hint, bool) {
	if r.writing {
		return []term.Hint{{"enter", "done"}, {"alt+enter", "new line"}}, true
	}
	return []term.Hint{{"enter", onward}, {"e", "edit"}, {"n", "note"}, {"↑↓", "move"}, {"1–9", "edit that one"}}, false
}

func (r *review) draw(s *term.Styles, width, rows int) term.Block {
	var b, focus term.Block
	for i, p := range r.pages() {
		b.Add(r.drawAnswer(s, i, p, width))
		if i == r.target() {
			focus = b
		}
	}
	b.Lines = append(b.Lines, "")
	b.Add(r.drawNote(s, width, rows))
	if !r.writing {
		b.Top, b.Bottom, b.Cursor = focus.Top, focus.Bottom, nil
	}
	return b
}

func (r *review) drawAnswer(s *term.Styles, i int, p *page, width int) term.Block {
	lead, style := "  ", s.Plain
	if i == r.target() && !r.writing {
		lead, style = "› ", s.Cursor
	}
	lines := term.Each(style, term.Hang(fmt.Sprintf("%s%d ", lead, i+1), term.Line(p.ask.Text, 500), width))
	lines = append(lines, term.Hang("    "+s.Muted.Render("→ "), p.inWords(), width)...)
	return term.Block{Lines: lines, Bottom: len(lines) - 1}
}

// inWords is the page's answer for the review.
func (p *page) inWords() string {
	if p.taken == nil || p.taken.Empty() {
		return term.LeftOpen
	}
	said := slices.Clone(p.ask.Words(p.taken))
	for i := range said {
		said[i] = question.Block(said[i])
		if i == len(said)-1 && p.taken.Custom != "" && p.ask.Chooses() {
			said[i] = "“" + said[i] + "”"
		}
	}
	return strings.Join(said, "\n")
}

func (r *review) drawNote(s *term.Styles, width, rows int) term.Block {
	switch note := r.note.Text(); {
	case r.writing:
		b := term.Block{Lines: []string{s.Cursor.Render("Note to the agent")}}
		b.Add(r.note.Draw(s, width, max(rows-1, 1)))
		b.Top = 0
		return b
	case note != "":
		return term.Block{Lines: append([]string{s.Muted.Render("Note to the agent")}, term.Hang("  ", question.Block(note), width)...)}
	}
	return term.Block{Lines: []string{s.Muted.Render("No note to the agent (n writes one)")}}
}

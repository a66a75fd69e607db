package form

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
)

// review is the last page of a form with more than one pick: every question
// with its answer, and a note to the agent. Nothing is sent before it.
type review struct {
	pages   func() []*page // the questions shown, in order
	cursor  int            // index into pages
	note    *entry
	writing bool // the keyboard belongs to note
}

func newReview(pages func() []*page) *review {
	return &review{pages: pages, note: newEntry("", "A word to the agent beside the answers")}
}

// at is the index of the question under the cursor, -1 when none was asked.
// Fewer may be shown than when the cursor was last moved.
func (r *review) at() int { return min(r.cursor, len(r.pages())-1) }

// target is the question that edit opens; nil when none was asked.
func (r *review) target() *page {
	if at := r.at(); at >= 0 {
		return r.pages()[at]
	}
	return nil
}

func (r *review) focus() {}
func (r *review) blur()  { r.stopWriting() }

func (r *review) stopWriting() {
	r.writing = false
	r.note.blur()
}

func (r *review) press(msg tea.Msg) (wish, tea.Cmd, error) {
	if r.writing {
		return r.pressNote(msg)
	}
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return stay, nil, nil
	}
	switch s := key.String(); s {
	case "enter":
		return take, nil, nil
	case "up", "k":
		r.cursor = max(r.at()-1, 0)
	case "down", "j":
		r.cursor = r.at() + 1
	case "e", "right":
		return edit, nil, nil
	case "n":
		r.writing = true
		r.note.focus()
	case "esc":
		return leave, nil, nil
	case "shift+tab", "left", "ctrl+b":
		return back, nil, nil
	case "?":
		return explain, nil, nil
	default:
		if n := int(key.Code - '1'); len(s) == 1 && n >= 0 && n < min(len(r.pages()), 9) {
			r.cursor = n
			return edit, nil, nil
		}
	}
	return stay, nil, nil
}

func (r *review) pressNote(msg tea.Msg) (wish, tea.Cmd, error) {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "enter", "esc":
			r.stopWriting()
			return stay, nil, nil
		}
	}
	cmd, err := r.note.press(msg)
	return stay, cmd, err
}

func (r *review) hints() ([]hint, bool) {
	if r.writing {
		return []hint{{"enter", "done"}, {"alt+enter", "new line"}}, true
	}
	return []hint{{"enter", onward}, {"e", "edit"}, {"n", "note"}, {"↑↓", "move"}, {"1–9", "edit that one"}}, false
}

func (r *review) draw(l *look, width, rows int) sheet {
	var s, focus sheet
	for i, p := range r.pages() {
		s.add(r.drawAnswer(l, i, p, width))
		if i == r.at() && !r.writing {
			focus = s
		}
	}
	s.lines = append(s.lines, "")
	s.add(r.drawNote(l, width, rows))
	if !r.writing {
		s.top, s.bottom, s.cursor = focus.top, focus.bottom, nil
	}
	return s
}

func (r *review) drawAnswer(l *look, i int, p *page, width int) sheet {
	lead, style := "  ", l.plain
	if i == r.at() && !r.writing {
		lead, style = "› ", l.cursor
	}
	lead += fmt.Sprintf("%d ", i+1)
	indent := strings.Repeat(" ", len([]rune(lead)))

	var s sheet
	for n, line := range wrap(question.Line(p.ask.Text), width-len(indent)) {
		if n > 0 {
			lead = indent
		}
		s.lines = append(s.lines, style.Render(lead+line))
	}
	for n, line := range wrap(p.said(), width-len(indent)-2) {
		arrow := "→ "
		if n > 0 {
			arrow = "  "
		}
		s.lines = append(s.lines, indent+l.muted.Render(arrow)+line)
	}
	s.bottom = len(s.lines) - 1
	return s
}

// said is the page's answer in words.
func (p *page) said() string {
	if p.taken == nil || p.taken.Empty() {
		return "(left open)"
	}
	var parts []string
	for _, id := range p.taken.Selected {
		if o := p.ask.Option(id); o != nil {
			parts = append(parts, question.Line(o.Label))
		}
	}
	if p.taken.Custom != "" {
		custom := question.Block(p.taken.Custom)
		if p.ask.Chooses() {
			custom = "“" + custom + "”"
		}
		parts = append(parts, custom)
	}
	return strings.Join(parts, "\n")
}

func (r *review) drawNote(l *look, width, rows int) sheet {
	switch note := r.note.text(); {
	case r.writing:
		s := sheet{lines: []string{l.cursor.Render("Note to the agent")}}
		s.add(r.note.draw(l, width, max(rows-1, 1)))
		s.top = 0
		return s
	case note != "":
		lines := wrap(question.Block(note), width-2)
		return sheet{lines: append([]string{l.muted.Render("Note to the agent")}, indented(lines)...)}
	}
	return sheet{lines: []string{l.muted.Render("No note to the agent (n writes one)")}}
}

func indented(lines []string) []string {
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

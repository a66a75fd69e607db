package form

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcp-askuser/question"
	"mcp-askuser/ui/dialogue"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// review is the last page of a form with more than one pick: every question
// with its answer, and a note to the agent. Nothing is sent before it.
type review struct {
	form   *Form
	cursor int // index of a step that is shown
}

// target is the index of the step under the cursor, which edit opens; -1 when none is
// shown. Fewer may be shown than when the cursor was last moved.
func (r *review) target() int { return min(r.cursor, len(r.form.dialogue.Steps())-1) }

func (r *review) focus()                 {}
func (r *review) blur()                  {}
func (r *review) entry() *term.Entry     { return nil }
func (r *review) typed()                 {}
func (r *review) renew(_ *dialogue.Step) {}

func (r *review) keep() (back func()) {
	was := *r
	return func() { *r = was }
}

func (r *review) bindings(name string) (keys term.Bindings, only bool) {
	number := term.Binding{Keys: "1", Name: "1–9", Hint: words.T("edit that one")}
	if n, err := strconv.Atoi(name); err == nil && n > 0 && n <= min(len(r.form.dialogue.Steps()), 9) {
		number.Keys, number.Do = name, term.Only(func() { r.cursor = n - 1; r.edit() })
	}
	return term.Bindings{
		{Keys: "enter", Do: r.form.page().next},
		{Keys: "e right", Hint: words.T("edit"), Do: term.Only(r.edit)},
		{Keys: "up k", Name: "↑↓", Hint: words.T("move"), Do: term.Only(func() { r.move(-1) })},
		{Keys: "down j", Do: term.Only(func() { r.move(1) })},
		number,
	}, false
}

// edit goes to the question under the cursor.
func (r *review) edit() {
	if at := r.target(); at >= 0 {
		r.form.page().act(dialogue.Goto{ID: r.form.dialogue.Steps()[at].ID})
	}
}

// move takes the cursor over n questions, past the end to the beginning.
func (r *review) move(n int) {
	if all := len(r.form.dialogue.Steps()); all > 0 {
		r.cursor = (r.target() + n + all) % all
	}
}

// draw shows of a question no more than leaves room for its answer.
func (r *review) draw(s *term.Styles, width, rows int) term.Block {
	var b term.Block
	for i, step := range r.form.dialogue.Steps() {
		top, selected := len(b.Lines), i == r.target()
		lead, style := s.Row(selected)
		text := term.Hang(fmt.Sprintf("%s%d ", lead, i+1), term.Line(step.Text, 500), width)
		b.Lines = append(b.Lines, term.RenderLines(style, term.Opening(text, max(rows/3, 1), width))...)
		b.Lines = append(b.Lines, term.Hang("    "+s.Muted.Render("→ "), answered(step), width)...)
		if selected {
			b.Top, b.Bottom = top, len(b.Lines)-1
		}
	}
	return b
}

// answered is the confirmed answer to a step, in words.
func answered(s dialogue.Step) string {
	if s.Confirmed == nil {
		return term.LeftOpen()
	}
	said := slices.Clone(s.Words(s.Confirmed))
	for i := range said {
		said[i] = question.Block(said[i])
		if i == len(said)-1 && s.Confirmed.Custom != "" && s.Chooses() {
			said[i] = "“" + said[i] + "”"
		}
	}
	if len(said) == 0 {
		said = []string{term.LeftOpen()}
	}
	if s.Confirmed.Note != "" {
		said = append(said, words.T("Note: %s", question.Block(s.Confirmed.Note)))
	}
	return strings.Join(said, "\n")
}

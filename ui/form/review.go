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

// reviewBindings are the keys of the review, the last page of a form with more than one
// pick: every question with its answer, and a note to the agent. Nothing is sent before
// it.
func (p *page) reviewBindings(name string) term.Bindings {
	number := term.Binding{Keys: "1", Name: "1–9", Hint: words.T("edit that one")}
	if n, err := strconv.Atoi(name); err == nil && n > 0 && n <= min(len(p.form.dialogue.Steps()), 9) {
		number.Keys, number.Do = name, term.Only(func() { p.reviewed = n - 1; p.edit() })
	}
	return term.Bindings{
		{Keys: "enter", Do: p.next},
		{Keys: "e right", Hint: words.T("edit"), Do: term.Only(p.edit)},
		{Keys: "up k", Name: "↑↓", Hint: words.T("move"), Do: term.Only(func() { p.moveReview(-1) })},
		{Keys: "down j", Do: term.Only(func() { p.moveReview(1) })},
		number,
	}
}

// target is the index of the step under the cursor, which edit opens; -1 when none is
// shown. Fewer may be shown than when the cursor was last moved.
func (p *page) target() int { return min(p.reviewed, len(p.form.dialogue.Steps())-1) }

// edit goes to the question under the cursor.
func (p *page) edit() {
	if at := p.target(); at >= 0 {
		p.act(dialogue.Goto{ID: p.form.dialogue.Steps()[at].ID})
	}
}

// moveReview takes the cursor over n questions, past the end to the beginning.
func (p *page) moveReview(n int) {
	if all := len(p.form.dialogue.Steps()); all > 0 {
		p.reviewed = (p.target() + n + all) % all
	}
}

// drawReview shows of a question no more than leaves room for its answer.
func (p *page) drawReview(s *term.Styles, width, rows int) term.Block {
	var b term.Block
	for i, step := range p.form.dialogue.Steps() {
		top, selected := len(b.Lines), i == p.target()
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
	lines := slices.Clone(s.Words(s.Confirmed))
	for i := range lines {
		lines[i] = question.Block(lines[i])
		if i == len(lines)-1 && s.Confirmed.Custom != "" && s.Chooses() {
			lines[i] = "“" + lines[i] + "”"
		}
	}
	lines = append(lines, s.Confirmed.FileWords()...)
	if len(lines) == 0 {
		lines = []string{term.LeftOpen()}
	}
	if s.Confirmed.Note != "" {
		lines = append(lines, words.T("Note: %s", question.Block(s.Confirmed.Note)))
	}
	return strings.Join(lines, "\n")
}

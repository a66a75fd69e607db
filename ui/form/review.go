package form

import (
	"slices"
	"strconv"
	"strings"

	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// The review is the last page of a form with more than one answer: every question with its
// answer, and a note to the agent. Nothing is sent before it.

// edit goes to the question with the cursor. Fewer may be shown than when it was last moved.
func (p *page) edit() {
	shown := p.form.set.Shown()
	at := min(p.list.at, len(shown)-1)
	if at >= 0 {
		p.turn(p.form.set.Goto(shown[at].ID))
	}
}

// editNumbers are the keys that go to a question by its number.
func (p *page) editNumbers() (keys term.Bindings) {
	if p.mode() != reviewing {
		return nil
	}
	for i := range min(len(p.form.set.Shown()), 9) {
		b := term.Binding{Keys: strconv.Itoa(i + 1), Do: term.Only(func() { p.list.at = i; p.edit() })}
		if i == 0 {
			b.Name, b.Hint = "1–9", words.T("edit that one")
		}
		keys = append(keys, b)
	}
	return keys
}

// drawReview shows of a question no more than leaves room for its answer.
func (p *page) drawReview(s *term.Styles, width, lines int) term.Block {
	shown := p.form.set.Shown()
	if len(shown) == 0 {
		return term.Block{}
	}
	p.list.at = min(p.list.at, len(shown)-1)
	inner := width - term.SelectorWide
	rows := make([]row, len(shown))
	for i, q := range shown {
		style := s.Plain
		if i == p.list.at {
			style = s.Cursor
		}
		text := term.Hang(strconv.Itoa(i+1)+" ", term.Line(q.Text, 500), inner)
		rows[i] = row{number: i, lines: term.RenderLines(style, term.Opening(text, max(lines/3, 1), inner))}
		rows[i].lines = append(rows[i].lines, term.Hang("  "+s.Muted.Render("→ "), answered(q), inner)...)
	}
	return p.list.draw(rows, width, true)
}

// answered is the confirmed answer to a question, in words.
func answered(q *answer.Question) string {
	if q.Confirmed == nil {
		return term.LeftOpen()
	}
	if q.Confirmed.Delegated {
		return words.T(words.LeftToAgent)
	}
	lines := slices.Clone(q.Words(q.Confirmed))
	for i := range lines {
		lines[i] = question.Block(lines[i])
		if i == len(lines)-1 && q.Confirmed.Custom != "" && q.Chooses() {
			lines[i] = "“" + lines[i] + "”"
		}
	}
	lines = append(lines, q.Confirmed.FileWords()...)
	if len(lines) == 0 {
		lines = []string{term.LeftOpen()}
	}
	if q.Confirmed.Note != "" {
		lines = append(lines, words.T("Note: %s", question.Block(q.Confirmed.Note)))
	}
	return strings.Join(lines, "\n")
}

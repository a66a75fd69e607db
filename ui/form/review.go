package form

import (
	"slices"
	"strconv"
	"strings"

	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// The review is the last page of a form with more than one answer: every question with its
// answer, and a note to the agent. Nothing is sent before it.

// change goes to a question of the review, by its place. Fewer may be shown than when the cursor
// was last moved.
func (f *Form) change(at int) {
	shown := f.set.Shown()
	at = min(at, len(shown)-1)
	if at >= 0 {
		f.questionChanged(nil, f.set.Goto(shown[at].ID))
	}
}

// changeNumbers are the keys that go to a question by its number.
func (f *Form) changeNumbers() (keys term.Bindings) {
	for i := range min(len(f.set.Shown()), 9) {
		b := term.Binding{Keys: strconv.Itoa(i + 1), Do: term.Action(func() { f.change(i) })}
		if i == 0 {
			b.Name, b.Hint = "1–9", words.T("edit that one")
		}
		keys = append(keys, b)
	}
	return keys
}

// drawReview shows of a question no more than leaves room for its answer.
func (f *Form) drawReview(width, lines int) term.Block {
	s, shown := f.window.Styles, f.set.Shown()
	if len(shown) == 0 {
		return term.Block{}
	}
	selected, inner := min(f.at, len(shown)-1), width-term.SelectorWide
	rows := make([]row, len(shown))
	for i, q := range shown {
		style := s.Plain
		if i == selected {
			style = s.Cursor
		}
		text := term.HangingIndent(strconv.Itoa(i+1)+" ", term.Line(q.Text, 500), inner)
		rows[i] = row{number: i, lines: term.RenderLines(style, term.Opening(text, max(lines/3, 1), inner))}
		rows[i].lines = append(rows[i].lines, term.HangingIndent("  "+s.Muted.Render("→ "), answered(q), inner)...)
	}
	return f.list.draw(rows, selected, width, true)
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
		lines[i] = term.Safe(lines[i])
		if i == len(lines)-1 && q.Confirmed.Custom != "" && q.Chooses() {
			lines[i] = "“" + lines[i] + "”"
		}
	}
	lines = append(lines, q.Confirmed.FileWords()...)
	if len(lines) == 0 {
		lines = []string{term.LeftOpen()}
	}
	if q.Confirmed.Note != "" {
		lines = append(lines, words.T("Note: %s", term.Safe(q.Confirmed.Note)))
	}
	return strings.Join(lines, "\n")
}

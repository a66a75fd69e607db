package form

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// maxWidth keeps lines readable on wide terminals, in cells of the panel. Only
// previews use more: then the panels of all pages are as wide as the terminal.
const maxWidth = 88

// View implements tea.Model. The screen is empty before its size is known and
// after the end.
func (f *Form) View() tea.View {
	w := f.window
	if f.state != Open {
		w.Width = 0
	}
	return w.View(f.draw)
}

// Theme implements huh.Theme.
func (f *Form) Theme(bool) *huh.Styles { return f.window.Styles.Huh() }

// draw draws the page in a panel, with what there is to know below it.
func (f *Form) draw() term.Block {
	p, s, width := f.page(), f.window.Styles, f.window.Width
	if !f.wide {
		width = min(width, maxWidth)
	}
	narrow := min(width, maxWidth) - term.EdgesWide
	notice := append(f.remarkLines(narrow), f.noticeLines(narrow)...)
	rows := max(f.window.Height-term.EdgesHigh-len(notice), 1)
	inner := narrow
	if p.previews != nil && !p.covered() {
		inner = width - term.EdgesWide
	}
	b := p.draw(s, inner, rows)
	if notice != nil && len(b.Lines) < rows {
		b.Lines = append(b.Lines, "")
	}
	b.Lines = append(b.Lines, notice...)
	return f.panel(p).Draw(s, b, width, f.window.Width, f.window.Height)
}

// panel is the frame of a page.
func (f *Form) panel(p *page) term.Panel {
	by := f.asker()
	if f.waitingBehind > 0 {
		by += " · " + words.Local.MoreWait(f.waitingBehind)
	}
	styles, s := f.window.Styles, p.question()
	out := term.Panel{Title: words.T("Question"), Note: styles.Muted.Render(by), Hints: p.hints()}
	if view.Closes(f.deadline, f.rec.Attended, f.window.Now()) {
		left, text, _ := f.left()
		out.Clock = styles.Muted.Render(text)
		if left <= urgent {
			out.Clock = styles.Fault.Render(text)
		}
	}
	switch {
	case p.reader != nil && p.reader.Title != "":
		out.Title = p.reader.Title
		return out
	case s == nil:
		n := len(f.set.Shown())
		out.Title, out.Place = words.T("Review"), words.N(n, "%d answer", "%d answers")
		return out
	case s.Header != "":
		out.Title = term.Line(s.Header, maxWidth)
	}
	at, of := f.set.Place(s)
	if of > 1 {
		out.Place = words.T("%[1]d of %[2]d", at, of)
	}
	return out
}

// asker says who asks, where, and in which round, as far as known.
func (f *Form) asker() string {
	by := f.rec.Asker
	by.Client, by.Directory = term.Line(by.Client, maxWidth), by.Directory[max(0, len(by.Directory)-1000):]
	parts := []string{words.Local.Client(by)}
	if p := term.Line(words.Project(by), maxWidth); p != "" {
		parts = append(parts, p)
	}
	if round := words.Local.Round(&f.rec); round != "" {
		parts = append(parts, round)
	}
	return strings.Join(parts, " · ")
}

// noticeLines are what went wrong, in at most three lines.
func (f *Form) noticeLines(width int) []string {
	if f.notice == "" {
		return nil
	}
	return term.RenderLines(f.window.Styles.Fault, term.Opening(term.Wrap("! "+f.notice, width), 3, width))
}

// covered reports whether something else is shown in place of the page.
func (p *page) covered() bool {
	return p.form.dismissal.Asks() || p.reader != nil
}

// draw shows the page, or what covers it.
func (p *page) draw(s *term.Styles, width, rows int) term.Block {
	f := p.form
	p.cut = false
	switch {
	case f.dismissal.Asks():
		return f.dismissal.Draw(s, width, rows)
	case p.reader != nil:
		return p.reader.Draw(s, width, rows)
	case p.previews != nil:
		return p.columns(s, width, rows)
	}
	return p.column(s, width, rows)
}

// The least width, in cells, at which a preview is drawn beside the options
// instead of below them, and the most that these take then.
const (
	wideEnough = 84
	leftMost   = 60
)

// columns is column for a page with previews. Below the options one has a third of a screen
// that is high enough; else Tab shows it.
func (p *page) columns(s *term.Styles, width, rows int) (b term.Block) {
	if width >= wideEnough {
		left := min(max(40, width*2/5), leftMost)
		right, cut := p.drawPreview(s, width-left-3, rows)
		b = beside(s, p.column(s, left, rows), right, left)
		p.cut = p.cut || cut
		return b
	}
	if p.form.window.Height < roomyHeight {
		b = p.column(s, width, rows)
		p.cut = true
		return b
	}
	below, cut := p.drawPreview(s, width, rows/3)
	b = p.column(s, width, rows-len(below))
	b.Lines = append(b.Lines, below...)
	p.cut = p.cut || cut
	return b
}

// column lays out question and body, one above the other, in at most rows lines.
// When they do not fit, the body scrolls and the question shows its beginning.
func (p *page) column(s *term.Styles, width, rows int) (out term.Block) {
	q := p.question()
	head, foot := p.heading(s, q, width), p.earlier(s, width, rows)
	rows -= len(foot)
	space := max(rows-len(head)-1, rows*3/5, 1) // what the body may claim
	b := p.drawBody(s, q, width, space)
	left := max(rows-min(len(b.Lines), space), 0)
	switch {
	case len(head) > left:
		head, p.cut = term.Opening(head, left, width), true
	case len(head) > 0 && len(head)+len(b.Lines) < rows:
		foot = append(foot, "")
		rows-- // which the gap takes
	}
	space = rows - len(head)
	head = append(head, foot...)
	if q != nil && q.Chooses() {
		p.cut = p.cut || p.shortens || p.tallest > space-b.Pinned // not of the cursor's row alone: the hints stay put
	}
	out.Lines = head
	out.Add(b.Window(space, width))
	return out
}

// heading is the page's question as lines of width cells.
func (p *page) heading(s *term.Styles, q *answer.Question, width int) []string {
	if q == nil {
		return nil
	}
	lines := term.Text(s.Strong, p.text, width)
	if q.Description != "" {
		lines = append(lines, term.Text(s.Muted, p.description, width)...)
	}
	switch {
	case q.Delegated:
		lines = append(lines, s.Cursor.Render("› "+words.T(words.LeftToAgent)))
	case q.Skipped:
		lines = append(lines, s.Cursor.Render("› "+term.LeftOpen()))
	case !q.Required:
		lines = append(lines, s.Muted.Render(words.T("(optional)")))
	}
	return lines
}

// memoryMinRows is the least number of lines for a page in which one is spared for the
// earlier answer.
const memoryMinRows = 6

// earlier is the line below the question that says what was answered before.
func (p *page) earlier(s *term.Styles, width, rows int) []string {
	if p.memory == "" || rows < memoryMinRows {
		return nil
	}
	key := " · " + recallKey
	full := " · " + words.Local.UseAgain(recallKey)
	switch {
	case p.mode() == noting: // which has the keyboard
		key = ""
	case ansi.StringWidth(p.memory+full) <= width:
		key = full
	}
	return []string{s.Muted.Render(term.Cut(p.memory, width-ansi.StringWidth(key)) + key)}
}

// drawBody shows the list, the text or the review, and below it the note where there is
// one.
func (p *page) drawBody(s *term.Styles, q *answer.Question, width, rows int) (b term.Block) {
	switch {
	case q == nil:
		b = p.drawReview(s, width, rows)
	case q.Chooses():
		b = p.drawOptions(s, q, width, rows)
	default:
		b = p.entry.Draw(s, width, rows)
	}
	if q != nil && len(q.Files) > 0 {
		b.Lines = append(b.Lines, "")
		for _, f := range q.Files {
			b.Lines = append(b.Lines, s.Muted.Render(term.Cut(words.T("File: ")+f.String(), width)))
		}
	}
	title := words.T("Note to the agent")
	switch text := p.noteText(); {
	case p.mode() == noting:
		b.Lines = append(b.Lines, "")
		note := term.Block{Lines: []string{s.Cursor.Render(title)}}
		note.Add(p.note.Draw(s, width, rows-1))
		note.Top = 0
		b.Add(note)
	case text != "":
		b.Lines = append(b.Lines, "", s.Muted.Render(title))
		b.Lines = append(b.Lines, term.Hang("  ", question.Block(text), width)...)
	}
	return b
}

// beside puts lines to the right of b, whose own are left cells wide, the marks
// of a window in one more.
func beside(s *term.Styles, b term.Block, right []string, left int) term.Block {
	rule := s.Border.Render("│") + " "
	for i := range max(len(b.Lines), len(right)) {
		if i == len(b.Lines) {
			b.Lines = append(b.Lines, "")
		}
		b.Lines[i] = term.Pad(b.Lines[i], left+1) + rule
		if i < len(right) {
			b.Lines[i] += right[i]
		}
	}
	return b
}

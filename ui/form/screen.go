package form

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
	"github.com/charmbracelet/x/ansi"

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
	width := f.window.Width
	if len(f.previews) == 0 {
		width = min(width, maxWidth)
	}
	narrow := min(width, maxWidth) - term.EdgesWide
	notice := append(f.remarkLines(narrow), f.noticeLines(narrow)...)
	rows := max(f.window.Height-term.EdgesHigh-len(notice), 1)
	b := f.drawPage(narrow, width-term.EdgesWide, rows)
	if notice != nil && len(b.Lines) < rows {
		b.Lines = append(b.Lines, "")
	}
	b.Lines = append(b.Lines, notice...)
	return f.panel().Draw(f.window.Styles, b, width, f.window.Width, f.window.Height)
}

// panel is the frame of a page.
func (f *Form) panel() term.Panel {
	by := f.asker()
	if f.status.Waiting > 0 {
		by += " · " + words.Local.MoreWait(f.status.Waiting)
	}
	s, q := f.window.Styles, f.set.Current()
	out := term.Panel{Title: words.T("Question"), Note: s.Muted.Render(by), Hints: f.hints()}
	if view.Closes(f.status.Deadline, f.status.Attended, f.window.Now()) {
		left, text, _ := f.left()
		out.Clock = s.Muted.Render(text)
		if left <= urgent {
			out.Clock = s.Fault.Render(text)
		}
	}
	switch {
	case f.reader != nil && f.reader.Title != "":
		out.Title = f.reader.Title
		return out
	case q == nil:
		n := len(f.set.Shown())
		out.Title, out.Place = words.T("Review"), words.N(n, "%d answer", "%d answers")
		return out
	case q.Header != "":
		out.Title = term.Line(q.Header, maxWidth)
	}
	at, of := f.set.Place(q)
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

// drawPage shows the page, or what covers it, in width cells, and with a preview in wide ones.
func (f *Form) drawPage(width, wide, rows int) term.Block {
	f.cut = false
	q := f.set.Current()
	switch {
	case f.field == ending:
		return f.drawEnding(width, rows)
	case f.reader != nil:
		return f.reader.Draw(f.window.Styles, width, rows)
	case q != nil && f.previews[q.ID] != nil:
		return f.columns(f.previews[q.ID], wide, rows)
	}
	return f.column(width, rows)
}

// drawEnding asks whether to dismiss, or to discuss first.
func (f *Form) drawEnding(width, rows int) term.Block {
	s := f.window.Styles
	ask, consequence := words.T(words.AskDismiss), words.T("The agent will be told that you dismissed it.")
	if f.discuss {
		ask = words.T(words.AskDiscuss)
		consequence = words.T("The agent gets your note and the answers so far, and talks with you before it asks again.")
	}
	b := term.Block{Lines: term.Text(s.Strong, ask, width)}
	b.Lines = append(b.Lines, term.Text(s.Muted, consequence, width)...)
	b.Lines = append(b.Lines, "")
	b.Add(f.entry.Draw(s, width, rows-len(b.Lines)))
	return b.Window(rows, width)
}

// The least width, in cells, at which a preview is drawn beside the options
// instead of below them, and the most that these take then.
const (
	wideEnough = 84
	leftMost   = 60
)

// columns is column for a page with previews. Below the options one has a third of a screen
// that is high enough; else Tab shows it.
func (f *Form) columns(previews []preview, width, rows int) (b term.Block) {
	if width >= wideEnough {
		left := min(max(40, width*2/5), leftMost)
		right, cut := f.drawPreview(previews, width-left-3, rows)
		b = beside(f.window.Styles, f.column(left, rows), right, left)
		f.cut = f.cut || cut
		return b
	}
	if f.window.Height < roomyHeight {
		b = f.column(width, rows)
		f.cut = true
		return b
	}
	below, cut := f.drawPreview(previews, width, rows/3)
	b = f.column(width, rows-len(below))
	b.Lines = append(b.Lines, below...)
	f.cut = f.cut || cut
	return b
}

// column lays out question and body, one above the other, in at most rows lines.
// When they do not fit, the body scrolls and the question shows its beginning.
func (f *Form) column(width, rows int) (out term.Block) {
	q := f.set.Current()
	head, foot := f.heading(q, width), append(f.givenUp(q), f.earlier(q, width, rows)...)
	rows -= len(foot)
	space := max(rows-len(head)-1, rows*3/5, 1) // what the body may claim
	b := f.drawBody(q, width, space)
	left := max(rows-min(len(b.Lines), space), 0)
	switch {
	case len(head) > left:
		head, f.cut = term.Opening(head, left, width), true
	case len(head) > 0 && len(head)+len(b.Lines) < rows:
		foot = append(foot, "")
		rows-- // which the gap takes
	}
	space = rows - len(head)
	head = append(head, foot...)
	if q == nil || q.Chooses() {
		f.cut = f.cut || q != nil && shortens(q) || len(b.Lines) > space
	}
	out.Lines = head
	out.Add(b.Window(space, width))
	return out
}

// heading is the page's question as lines of width cells.
func (f *Form) heading(q *answer.Question, width int) []string {
	if q == nil {
		return nil
	}
	s := f.window.Styles
	lines := term.Text(s.Strong, term.Safe(q.Text), width)
	if q.Description != "" {
		lines = append(lines, term.Text(s.Muted, term.Safe(q.Description), width)...)
	}
	if !q.Required && !q.Skipped && !q.Delegated {
		lines = append(lines, s.Muted.Render(words.T("(optional)")))
	}
	return lines
}

// givenUp is the line below the question that says that the user leaves it to the agent, or open.
func (f *Form) givenUp(q *answer.Question) []string {
	switch {
	case q == nil:
		return nil
	case q.Delegated:
		return []string{f.window.Styles.Cursor.Render("› " + words.T(words.LeftToAgent))}
	case q.Skipped:
		return []string{f.window.Styles.Cursor.Render("› " + term.LeftOpen())}
	}
	return nil
}

// memoryMinRows is the least number of lines for a page in which one is spared for the
// earlier answer.
const memoryMinRows = 6

// earlier is the line below the question that says what was answered before.
func (f *Form) earlier(q *answer.Question, width, rows int) []string {
	if q == nil || q.Memory == nil || rows < memoryMinRows {
		return nil
	}
	memory := term.Line(words.Local.Remembered(*q.Memory, f.window.Now()), maxWidth)
	key := " · " + recallKey
	full := " · " + words.Local.UseAgain(recallKey)
	switch {
	case f.field == noting: // which has the keyboard
		key = ""
	case ansi.StringWidth(memory+full) <= width:
		key = full
	}
	return []string{f.window.Styles.Muted.Render(term.Cut(memory, width-ansi.StringWidth(key)) + key)}
}

// drawBody shows the list, the text or the review, and below it the note where there is
// one.
func (f *Form) drawBody(q *answer.Question, width, rows int) (b term.Block) {
	s := f.window.Styles
	switch {
	case q == nil:
		b = f.drawReview(width, rows)
	case q.Chooses():
		b = f.drawOptions(q, width, rows)
	case f.field == answering:
		b = f.entry.Draw(s, width, rows)
	default:
		b = answerEntry(q).Draw(s, width, rows)
	}
	if q != nil && len(q.Files) > 0 {
		b.Lines = append(b.Lines, "")
		for _, file := range q.Files {
			b.Lines = append(b.Lines, s.Muted.Render(term.Cut(words.T("File: ")+file.String(), width)))
		}
	}
	title := words.T("Note to the agent")
	switch {
	case f.field == noting:
		b.Lines = append(b.Lines, "")
		note := term.Block{Lines: []string{s.Cursor.Render(title)}}
		note.Add(f.entry.Draw(s, width, rows-1))
		note.Top = 0
		b.Add(note)
	case f.note() != "":
		b.Lines = append(b.Lines, "", s.Muted.Render(title))
		b.Lines = append(b.Lines, term.HangingIndent("  ", term.Safe(f.note()), width)...)
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

package inbox

import (
	"fmt"
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// The widths of the screen, in cells.
const (
	maxWidth  = 120 // of the list: lines stay readable on wide terminals
	paneWidth = 88  // of what stands beside it, at most
	twoPanes  = 100 // of a terminal that has room for both
)

// columns are the widths of the list and of what stands beside it; 0 where the
// terminal has no room for that.
func (m *model) columns() (left, right int) {
	if m.width >= twoPanes {
		right = min(m.width*11/20, paneWidth)
	}
	return min(m.width-right, maxWidth), right
}

// beside reports whether the open form stands beside the list.
func (m *model) beside() bool {
	_, right := m.columns()
	return right > 0 && m.answer != nil && !m.answer.wide
}

// listed reports whether the list is on the screen.
func (m *model) listed() bool {
	_, right := m.columns()
	return term.Fits(m.width, m.height) && (!m.covered() || right > 0 && (m.answer == nil || m.beside()))
}

// View implements tea.Model. The screen is empty before its size is known.
func (m *model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen, v.ReportFocus = true, true
	if m.listed() || m.reader != nil { // elsewhere the terminal may select text
		v.MouseMode = tea.MouseModeCellMotion
	}
	above := 0
	if m.width > 0 && m.height > 0 {
		b := term.TooSmall(m.styles, m.width, m.height)
		if term.Fits(m.width, m.height) {
			b, above = m.screen()
		}
		v.Content, v.Cursor = strings.Join(b.Lines, "\n"), b.Cursor
	}
	m.pointer.Draw(m.now(), m.areas(above))
	return v
}

// areas are the cells of the rows and of the tabs; so many lines are above the
// rows.
func (m *model) areas(above int) map[string]image.Rectangle {
	out := map[string]image.Rectangle{}
	if !m.listed() {
		return out
	}
	left, _ := m.columns()
	screen := image.Rect(0, 1+above, left, m.height-term.EdgesHigh+1)
	for _, spot := range m.list().spots {
		y := screen.Min.Y + spot.y
		out[spot.row.rec.ID] = image.Rect(0, y, left, y+rowHigh).Intersect(screen)
	}
	out[""] = image.Rect(term.EdgesWide/2+1, 0, term.EdgesWide/2+1+len(m.tabs()), 1)
	return out
}

// screen shows what has the keyboard, beside the list where there is room. So
// many lines are above the list's rows.
func (m *model) screen() (b term.Block, above int) {
	left, right := m.columns()
	switch {
	case m.answer != nil && !m.beside():
		return m.viewForm(), 0
	case right == 0 && m.covered():
		p, b := m.front(left)
		p.Note, p.Place, p.Hints = m.note, m.waiting.count(), m.hints()
		return m.panel(p, b, left, m.width), 0
	}
	wide := m.width
	p := term.Panel{Title: m.tabs(), Place: m.count(), Note: m.note, Hints: m.hints()}
	switch {
	case m.answer != nil:
		wide, p.Hints = left, []term.Hint{{leaveKey, "back to the list"}}
		if n := m.answer.fresh; n > 0 {
			p.Place = fmt.Sprintf("%d new, ", n) + p.Place
		}
	case p.Note == "" && m.typing == nil && m.search() != "":
		p.Note = "/" + term.Line(m.search(), left)
	}
	inner, rows := m.inner(left)
	b, above = m.drawTab(inner, rows)
	b = m.panel(p, b, left, wide)
	switch {
	case right == 0:
		return b, above
	case m.answer != nil:
		return join(b, m.viewForm(), left), above
	}
	p, front := m.front(right)
	return join(b, m.panel(p, front, right, right), left), above
}

// inner is how many cells and lines of text a panel has room for.
func (m *model) inner(width int) (cells, lines int) {
	return max(width-term.EdgesWide, 2), max(m.height-term.EdgesHigh, 1)
}

// panel draws a panel as high as the screen.
func (m *model) panel(p term.Panel, b term.Block, width, wide int) term.Block {
	_, rows := m.inner(width)
	b.Lines = b.Lines[:min(len(b.Lines), rows)]
	for len(b.Lines) < rows {
		b.Lines = append(b.Lines, "")
	}
	p.Place = term.Cut(p.Place, width/2)
	return p.Draw(m.styles, b, width, wide, m.height)
}

// join puts two blocks side by side, the right one at this column. The hints
// below may go on under it.
func join(left, right term.Block, at int) term.Block {
	for i, line := range right.Lines {
		if i < len(left.Lines) && strings.TrimSpace(line) != "" {
			left.Lines[i] = term.Pad(left.Lines[i], at) + line
		}
	}
	if right.Cursor != nil {
		left.Cursor = term.Shift(right.Cursor, at, 0)
	}
	return left
}

// front is what stands in front of the list, or beside it: what has the
// keyboard, or else the selected record.
func (m *model) front(width int) (term.Panel, term.Block) {
	inner, rows := m.inner(width)
	r := m.list().selected()
	switch {
	case m.stopped != "":
		return term.Panel{Title: "Question"}, m.drawStopped(inner)
	case m.dismissal != nil:
		return term.Panel{Title: "Dismiss"}, m.dismissal.draw(m.styles, inner, rows)
	case m.reader != nil:
		return term.Panel{Title: m.reader.Title}, m.reader.Draw(m.styles, inner, rows)
	case r == nil:
		return term.Panel{Title: "Inbox"}, term.Block{Lines: m.history.welcome(m.styles, inner, rows, m.now())}
	}
	p := term.Panel{Title: title(r.rec), Note: m.styles.Muted.Render(words.Asker(r.rec.Asker))}
	if n := len(r.rec.Questions); n > 1 {
		p.Place = fmt.Sprintf("%d questions", n)
	}
	return p, m.pane.draw(r, m.styles, inner, rows, m.now().Location())
}

// drawTab shows a list, above it what is wrong, in so many lines, and below it
// what is being typed.
func (m *model) drawTab(width, rows int) (b term.Block, above int) {
	if m.fault != "" {
		b.Lines = term.Text(m.styles.Fault, "! "+m.fault, width)
		b.Lines = append(b.Lines[:min(len(b.Lines), 3)], "")
	}
	above = len(b.Lines)
	if m.typing != nil {
		rows--
	}
	left := max(rows-above, 1)
	if m.tab == historyTab {
		b.Lines = append(b.Lines, m.history.draw(m.styles, width, left, m.now())...)
	} else {
		b.Lines = append(b.Lines, m.waiting.draw(m.styles, width, left, m.now())...)
	}
	if _, right := m.columns(); right == 0 && m.tab == waitingTab && m.waiting.loaded && len(m.waiting.all) == 0 {
		b.Lines = append(append(b.Lines, ""), m.history.welcome(m.styles, width, rows-len(b.Lines), m.now())...)
	}
	if m.typing == nil {
		return b, above
	}
	for len(b.Lines) < rows {
		b.Lines = append(b.Lines, "")
	}
	b.Lines = b.Lines[:rows]
	b.Add(m.typing.Draw(m.styles, width, 1))
	return b, above
}

// search is what the list that is shown is narrowed to.
func (m *model) search() string {
	if m.tab == historyTab {
		return m.history.search
	}
	return m.waiting.filter
}

// tabs names both lists, the one that is shown in brackets.
func (m *model) tabs() string {
	if m.tab == historyTab {
		return "Waiting [History]"
	}
	return "[Waiting] History"
}

func (m *model) count() string {
	if m.tab == historyTab {
		return m.history.count()
	}
	return m.waiting.count()
}

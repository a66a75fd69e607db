package inbox

import (
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// The widths of the screen, in cells.
const (
	maxWidth  = 120 // of the list: lines stay readable on wide terminals
	paneWidth = 88  // of what is beside it, at most
	twoPanes  = 100 // of a terminal that has room for both
)

// layout is how wide the list is, and what covers it or, where there
// is room, beside it; 0 for what is not on the screen.
func (m *model) layout() (list, front int) {
	wide := m.answer != nil && m.answer.form.Wide()
	switch {
	case m.Width >= twoPanes && !wide:
		front = min(m.Width*11/20, paneWidth)
		return min(m.Width-front, maxWidth), front
	case m.answer != nil:
		return 0, m.Width
	case m.covered():
		return 0, min(m.Width, maxWidth)
	}
	return min(m.Width, maxWidth), 0
}

// View implements tea.Model. The screen is empty before its size is known.
func (m *model) View() tea.View {
	v := m.Window.View(m.screen)
	v.ReportFocus = true
	areas := map[string]image.Rectangle{}
	list, _ := m.layout()
	if m.Fits() && (list > 0 || m.reader != nil) { // elsewhere the terminal may select text
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.Fits() && list > 0 {
		areas = m.areas(list)
	}
	m.pointer.Draw(m.Now(), areas)
	return v
}

func (m *model) areas(width int) map[string]image.Rectangle {
	out := map[string]image.Rectangle{"": image.Rect(3, 0, 3+ansi.StringWidth(m.tabs()), 1)}
	for i, x := range m.list().shown {
		if id, y := x.row.rec.ID, 1+m.above+i; x.part != heading {
			out[id] = out[id].Union(image.Rect(0, y, width, y+1))
		}
	}
	return out
}

// screen shows the list, and what covers it or is beside it.
func (m *model) screen() (b term.Block) {
	list, front := m.layout()
	if list > 0 {
		b = m.drawList(list, front)
	}
	if front == 0 {
		return b
	}
	right := m.drawFront(front, list)
	if list == 0 {
		return right
	}
	for i, line := range right.Lines { // where it has nothing, the hints go on
		if strings.TrimSpace(line) != "" {
			b.Lines[i] = term.Pad(b.Lines[i], list) + line
		}
	}
	if right.Cursor != nil {
		b.Cursor = term.Shift(right.Cursor, list, 0)
	}
	return b
}

// panel draws a panel as high as the screen, with the lines of end at its bottom, and
// hints below that are so wide.
func (m *model) panel(s *term.Styles, p term.Panel, b term.Block, end []string, width, wide int) term.Block {
	rows := m.Height - term.EdgesHigh - len(end)
	b.Lines = append(b.Lines, make([]string, max(rows-len(b.Lines), 0))...)[:rows]
	b.Lines = append(b.Lines, end...)
	p.Place = term.Cut(p.Place, width/2)
	return p.Draw(s, b, width, wide, m.Height)
}

// drawNote draws what the last key led to: in the edge of a panel, or in lines above it
// where that is too short.
func (m *model) drawNote(width int) (note string, end []string) {
	inner := width - term.EdgesWide
	if end = term.Text(m.Styles.Plain, m.note, inner-1); len(end) > 1 {
		return "", term.Opening(end, (m.Height-term.EdgesHigh)/2, inner)
	}
	return m.note, nil
}

// drawList shows the tab, above it what is wrong, and below it what is being
// typed.
func (m *model) drawList(width, front int) term.Block {
	note, end := m.drawNote(width)
	wide, p, styles := m.Width, term.Panel{Title: m.tabs(), Place: m.waiting.count(), Note: note, Hints: m.hints()}, m.Styles
	if p.Active = front > 0 && !m.covered(); front > 0 && m.covered() {
		styles = styles.Inactive()
	}
	inner, rows, search, draw := width-term.EdgesWide, m.Height-term.EdgesHigh-len(end), m.waiting.filter, m.waiting.draw
	if m.past {
		p.Place, search, draw = m.history.count(), m.history.search, m.history.draw
	}
	switch {
	case m.answer != nil:
		wide, p.Hints = width, []term.Hint{term.NewHint(leaveKey, words.T("back to the list"))}
		if n := m.answer.fresh; n > 0 {
			p.Place = words.N(n, "%[1]d new, %[2]s", "%[1]d new, %[2]s", p.Place)
		}
	case p.Note == "" && m.typing == nil && search != "":
		p.Note = "/" + term.Line(search, width)
	}
	var b term.Block
	if m.fault != "" {
		b.Lines = append(term.Opening(term.Text(m.Styles.Fault, "! "+m.fault, inner), 3, inner), "")
	}
	m.above = len(b.Lines)
	if m.typing != nil {
		rows--
	}
	b.Lines = append(b.Lines, draw(styles, inner, max(rows-m.above, 1), m.Now())...)
	if front == 0 && !m.past && m.waiting.loaded && len(m.waiting.all) == 0 {
		b.Lines = append(append(b.Lines, ""), m.history.welcome(m.Styles, inner, rows-len(b.Lines), m.Now())...)
	}
	if m.typing != nil {
		b.Lines = append(b.Lines, make([]string, max(rows-len(b.Lines), 0))...)[:rows]
		b.Add(m.typing.Draw(m.Styles, inner, 1))
	}
	return m.panel(styles, p, b, end, width, wide)
}

// drawFront shows what has the keyboard or else, beside a list, the record that
// is selected there.
func (m *model) drawFront(width, list int) term.Block {
	if m.answer != nil {
		return m.viewForm()
	}
	p, b, styles := term.Panel{Active: list > 0 && m.covered()}, term.Block{}, m.Styles
	var end []string
	switch {
	case list > 0 && !p.Active:
		styles = styles.Inactive()
	case list == 0:
		p.Place, p.Hints = m.waiting.count(), m.hints()
		p.Note, end = m.drawNote(width)
	}
	inner, rows := width-term.EdgesWide, m.Height-term.EdgesHigh-len(end)
	switch r := m.list().selected(); {
	case m.notice != "":
		p.Title = words.T("Question")
		b.Lines = append([]string{""}, term.Text(m.Styles.Strong, m.notice, inner)...)
		b.Lines = append(b.Lines, term.Text(m.Styles.Muted, words.T("Nothing of what you typed was sent."), inner)...)
	case m.dismissal != nil:
		p.Title, b = words.T("Dismiss"), m.dismissal.Draw(m.Styles, inner, rows)
		if m.dismissal.Decides == term.Discuss {
			p.Title = words.T(words.DiscussFirst)
		}
	case m.reader != nil:
		p.Title, b = m.reader.Title, m.reader.Draw(m.Styles, inner, rows)
	case r == nil:
		p.Title, b.Lines = words.T("Inbox"), m.history.welcome(m.Styles, inner, rows, m.Now())
	default:
		p.Title, p.Note = title(r.rec), m.Styles.Muted.Render(words.Local.Asker(r.rec.Asker))
		if n := len(r.rec.Questions); n > 1 {
			p.Place = words.N(n, "%d question", "%d questions")
		}
		if r != m.pane.of {
			m.pane = pane{r, *m.recordReader(r, false)}
		}
		b = m.pane.Draw(m.Styles, inner, rows)
	}
	return m.panel(styles, p, b, end, width, m.Width-list)
}

func (m *model) tabs() string {
	if m.past {
		return words.T("Waiting [History]")
	}
	return words.T("[Waiting] History")
}

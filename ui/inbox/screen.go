package inbox

import (
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// maxWidth is how wide the list is, at most: lines stay readable on wide terminals.
const maxWidth = 120

// View implements tea.Model. The screen is empty before its size is known.
func (m *model) View() tea.View {
	v := m.Window.View(m.screen)
	v.ReportFocus = true
	return v
}

// screen shows the list, or what covers it.
func (m *model) screen() term.Block {
	width := min(m.Width, maxWidth)
	switch {
	case m.answer != nil:
		return m.viewForm()
	case m.covered():
		return m.drawFront(width)
	}
	return m.drawList(width)
}

// panel draws a panel as high as the screen, with the lines of end at its bottom.
func (m *model) panel(p term.Panel, b term.Block, end []string, width int) term.Block {
	rows := m.Height - term.EdgesHigh - len(end)
	b.Lines = append(b.Lines, make([]string, max(rows-len(b.Lines), 0))...)[:rows]
	b.Lines = append(b.Lines, end...)
	p.Place = term.Cut(p.Place, width/2)
	return p.Draw(m.Styles, b, width, m.Width, m.Height)
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
func (m *model) drawList(width int) term.Block {
	note, end := m.drawNote(width)
	p := term.Panel{Title: m.tabs(), Place: m.waiting.count(), Note: note, Hints: m.hints()}
	inner, rows, search, draw := width-term.EdgesWide, m.Height-term.EdgesHigh-len(end), m.waiting.filter, m.waiting.draw
	if m.past {
		p.Place, search, draw = m.history.count(), m.history.search, m.history.draw
	}
	if p.Note == "" && m.typing == nil && search != "" {
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
	b.Lines = append(b.Lines, draw(m.Styles, inner, max(rows-m.above, 1), m.Now())...)
	if !m.past && m.waiting.loaded && len(m.waiting.all) == 0 {
		b.Lines = append(append(b.Lines, ""), m.history.welcome(m.Styles, inner, rows-len(b.Lines), m.Now())...)
	}
	if m.typing != nil {
		b.Lines = append(b.Lines, make([]string, max(rows-len(b.Lines), 0))...)[:rows]
		b.Add(m.typing.Draw(m.Styles, inner, 1))
	}
	return m.panel(p, b, end, width)
}

// drawFront shows what covers the list.
func (m *model) drawFront(width int) term.Block {
	note, end := m.drawNote(width)
	p, b := term.Panel{Place: m.waiting.count(), Note: note, Hints: m.hints()}, term.Block{}
	inner, rows := width-term.EdgesWide, m.Height-term.EdgesHigh-len(end)
	switch {
	case m.notice != "":
		p.Title = words.T("Question")
		b.Lines = append([]string{""}, term.Text(m.Styles.Strong, m.notice, inner)...)
		b.Lines = append(b.Lines, term.Text(m.Styles.Muted, words.T("Nothing of what you typed was sent."), inner)...)
	case m.dismissal != nil:
		p.Title, b = words.T("Dismiss"), m.dismissal.Draw(m.Styles, inner, rows)
		if m.dismissal.Decides == term.Discuss {
			p.Title = words.T(words.DiscussFirst)
		}
	default:
		p.Title, b = m.reader.Title, m.reader.Draw(m.Styles, inner, rows)
	}
	return m.panel(p, b, end, width)
}

func (m *model) tabs() string {
	if m.past {
		return words.T("Waiting [History]")
	}
	return words.T("[Waiting] History")
}

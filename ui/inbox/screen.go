package inbox

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/term"
)

// maxWidth keeps lines readable on wide terminals.
const maxWidth = 120

// View implements tea.Model. The screen is empty before its size is known.
func (m *model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen, v.ReportFocus = true, true
	if m.width > 0 && m.height > 0 {
		b := term.TooSmall(m.styles, m.width, m.height)
		if term.Fits(m.width, m.height) {
			b = m.screen()
		}
		v.Content, v.Cursor = strings.Join(b.Lines, "\n"), b.Cursor
	}
	return v
}

func (m *model) screen() term.Block {
	if m.answer != nil {
		return m.viewForm()
	}
	width := min(m.width, maxWidth)
	inner, rows := max(width-term.EdgesWide, 2), max(m.height-term.EdgesHigh, 1)
	p := term.Panel{Title: m.tabs(), Place: m.count(), Note: m.note, Hints: m.hints()}
	if p.Note == "" && m.tab == historyTab && m.history.search != "" {
		p.Note = "/" + question.Line(m.history.search)
	}
	var b term.Block
	switch {
	case m.stopped != "":
		p.Title = "Question"
		b = m.drawStopped(inner)
	case m.dismissal != nil:
		p.Title = "Dismiss"
		b = m.dismissal.draw(m.styles, inner, rows)
	case m.reader != nil:
		p.Title = m.reader.Title
		b = m.reader.Draw(m.styles, inner, rows)
	default:
		b = m.drawTab(inner, rows)
	}
	b.Lines = b.Lines[:min(len(b.Lines), rows)]
	for len(b.Lines) < rows {
		b.Lines = append(b.Lines, "")
	}
	return p.Draw(m.styles, b, width, m.width, m.height)
}

// drawTab shows a list, and above it what is wrong.
func (m *model) drawTab(width, rows int) term.Block {
	var above []string
	if m.fault != "" {
		above = term.Text(m.styles.Fault, "! "+m.fault, width)
		above = append(above[:min(len(above), 3)], "")
	}
	rows = max(rows-len(above), 1)
	var b term.Block
	if m.tab == historyTab {
		b = m.history.draw(m.styles, width, rows, m.now())
	} else {
		b.Lines = m.waiting.draw(m.styles, width, rows, m.now())
	}
	return term.Block{Lines: append(above, b.Lines...), Cursor: term.Shift(b.Cursor, 0, len(above))}
}

// tabs names both lists, the one that is shown in brackets.
func (m *model) tabs() string {
	if m.tab == historyTab {
		return "Waiting [History]"
	}
	return "[Waiting] History"
}

func (m *model) count() string {
	switch {
	case m.tab == historyTab && !m.covered():
		return m.history.count()
	case !m.waiting.loaded:
		return ""
	}
	return fmt.Sprintf("%d waiting", m.waiting.open())
}

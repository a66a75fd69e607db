package inbox

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
)

// View implements tea.Model. The screen is empty before its size is known.
func (m *model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen, v.ReportFocus = true, true
	if m.width > 0 && m.height > 0 {
		s := m.screen()
		v.Content, v.Cursor = strings.Join(s.lines, "\n"), s.cursor
	}
	return v
}

func (m *model) screen() sheet {
	if m.answer != nil {
		return m.viewForm()
	}
	inner := max(min(m.width, maxWidth)-edgesWide, 2)
	rows := max(m.height-edgesHigh, 1)
	p := panel{title: m.tabs(), count: m.count(), note: m.note, hints: m.hints()}
	if p.note == "" && m.tab == historyTab && m.history.search != "" {
		p.note = "/" + question.Line(m.history.search)
	}
	var s sheet
	switch {
	case m.stopped != nil:
		p.title = "Question"
		s = m.stopped.draw(m.look, inner)
	case m.dismissal != nil:
		p.title = "Dismiss"
		s = m.dismissal.draw(m.look, inner, rows)
	case m.reader != nil:
		p.title = m.reader.title
		s = m.reader.draw(m.look, inner, rows)
	default:
		s = m.drawTab(inner, rows)
	}
	return p.draw(m.look, s, m.width, m.height)
}

// drawTab shows a list, and above it what is wrong.
func (m *model) drawTab(width, rows int) sheet {
	var above []string
	if m.fault != "" {
		above = each(m.look.fault, wrap("! "+m.fault, width))
		above = append(above[:min(len(above), 3)], "")
	}
	rows = max(rows-len(above), 1)
	var s sheet
	if m.tab == historyTab {
		s = m.history.draw(m.look, width, rows, m.now())
	} else {
		s.lines = m.waiting.draw(m.look, width, rows, m.now())
	}
	return sheet{append(above, s.lines...), shift(s.cursor, 0, len(above))}
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
	case m.tab == historyTab && !m.front():
		return m.history.count()
	case !m.waiting.loaded:
		return ""
	}
	return fmt.Sprintf("%d waiting", m.waiting.open())
}

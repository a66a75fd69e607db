package inbox

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// maxWidth is how wide the list is, at most: lines stay readable on wide terminals.
const maxWidth = 120

// View implements tea.Model. The screen is empty before its size is known.
func (m *model) View() tea.View {
	v := m.Window.View(m.draw)
	if m.answer != nil {
		v = m.answer.form.View()
	}
	v.ReportFocus = true
	return v
}

// draw shows a panel with the list or what covers it.
func (m *model) draw() term.Block {
	width := min(m.Width, maxWidth)
	inner := width - term.EdgesWide
	p := term.Panel{Title: m.tabs(), Place: term.Cut(m.count(), width/2), Note: m.note, Hints: m.hints()}
	var b term.Block
	end := term.Text(m.Styles.Plain, m.note, inner-1)
	if len(end) > 1 { // too long for the edge
		p.Note = ""
		end = term.Opening(end, (m.Height-term.EdgesHigh)/2, inner)
	} else {
		end = nil
	}
	rows := m.Height - term.EdgesHigh - len(end)
	switch {
	case m.notice != "":
		p.Title = words.T("Question")
		b.Lines = append([]string{""}, term.Text(m.Styles.Strong, m.notice, inner)...)
		b.Lines = append(b.Lines, term.Text(m.Styles.Muted, words.T("Nothing of what you typed was sent."), inner)...)
	case m.reader != nil:
		p.Title, b = m.reader.Title, m.reader.Draw(m.Styles, inner, rows)
	default:
		b = m.drawList(inner, rows)
		p.Clock = m.list().page()
		if p.Note == "" && m.typing == nil && m.list().query != "" {
			p.Note = "/" + term.Line(m.list().query, width) + "  " + m.Styles.Muted.Render("esc "+words.T("show all"))
		}
	}
	b.Lines = append(fill(b.Lines, rows), end...)
	return p.Draw(m.Styles, b, width, m.Width, m.Height)
}

// fill makes it this many lines.
func fill(lines []string, rows int) []string {
	return append(lines, make([]string, max(rows-len(lines), 0))...)[:max(rows, 0)]
}

// drawList shows the list, above it what is wrong, and below it what is being typed.
func (m *model) drawList(width, rows int) (b term.Block) {
	if m.typing != nil {
		rows--
	}
	if m.fault != "" {
		b.Lines = append(term.Opening(term.Text(m.Styles.Fault, "! "+m.fault, width), 3, width), "")
	}
	l := m.list()
	l.SetSize(width, max(rows-len(b.Lines), 1))
	if len(l.rows) > 0 {
		b.Lines = append(b.Lines, strings.Split(l.View(), "\n")...)
	} else {
		b.Lines = append(append(b.Lines, ""), m.drawEmpty(width)...)
	}
	if m.typing != nil {
		b.Lines = fill(b.Lines, rows)
		b.Add(m.typing.Draw(m.Styles, width, 1))
	}
	return b
}

// drawEmpty says why the list is empty. Where nothing waits, it says how an agent can ask.
func (m *model) drawEmpty(width int) []string {
	l := m.list()
	var text string
	welcome := false
	switch {
	case m.past && !l.loaded:
		text = words.T("Looking into the past…")
	case m.past && l.query != "":
		text = words.T("Nothing past fits “%s”. Esc shows everything again.", term.Line(l.query, maxWidth))
	case m.past:
		text = words.T("Nothing has been decided yet. What you answer is kept here.")
	case !l.loaded:
		text = words.T("Looking for questions…")
	case len(m.open) > 0:
		text = words.T("Nothing that waits fits “%s”. Esc shows everything again.", term.Line(l.query, maxWidth))
	default:
		text, welcome = words.T("Nothing waits for you. When an agent asks something, it shows up here."), true
	}
	lines := term.Text(m.Styles.Muted, text, width)
	if !welcome {
		return lines
	}
	lines = append(lines, "", m.Styles.Strong.Render(words.T("Connect an agent")))
	return append(lines, term.Table(m.Styles.Muted, column, [][2]string{
		{"MCP", "mcp-askuser install"},
		{words.T("shell"), words.T("mcp-askuser ask; mcp-askuser skill says how")},
		{words.T("try it"), words.T("mcp-askuser demo, in another terminal")},
	}, width)...)
}

// count says how many records wait, or are in the history, with a plus when there are more to
// come.
func (m *model) count() string {
	w, h := &m.waiting, &m.history
	switch {
	case m.past && h.loading:
		return words.T("looking…")
	case m.past && len(h.rows) == historyRows:
		return words.T("%d+ past", len(h.rows))
	case m.past:
		return words.N(len(h.rows), "%d past", "%d past")
	case !w.loaded:
		return ""
	case w.query != "":
		return words.T("%[1]d of %[2]d waiting", len(w.rows), len(m.open))
	}
	return words.N(len(m.open), "%d waiting", "%d waiting")
}

func (m *model) tabs() string {
	if m.past {
		return words.T("Waiting [History]")
	}
	return words.T("[Waiting] History")
}

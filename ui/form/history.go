package form

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

func (f *Form) lookBack() tea.Cmd {
	return func() tea.Msg {
		rounds := f.options.Rounds()
		return term.Callback(func() tea.Cmd { f.openHistory(rounds); return nil })
	}
}

// openHistory shows the earlier rounds in place of the page.
func (f *Form) openHistory(rounds []desk.Record) {
	if f.sending || f.reader != nil || f.field == ending {
		return
	}
	zone := f.window.Now().Location()
	f.reader = term.NewReader(words.T("Earlier questions"), func(s *term.Styles, width int) []string {
		if len(rounds) == 0 {
			return term.Text(s.Muted, words.T("No earlier question of this session is kept."), width)
		}
		var lines []string
		for i, rec := range rounds {
			if i > 0 {
				lines = append(lines, s.Border.Render(strings.Repeat("─", width)), "")
			}
			lines = append(lines, term.Text(s.Title, view.Local(rec).Ending(zone), width)...)
			lines = append(lines, "")
			lines = append(lines, term.DrawRecord(s, rec, false, width)...)
		}
		return lines[:len(lines)-1]
	})
}

package form

import (
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

func (f *Form) lift() tea.Cmd {
	return func() tea.Msg {
		err := f.options.Lift()
		return term.Callback(func() tea.Cmd {
			if f.lifted = f.lifted || err == nil; err != nil {
				f.notice = words.Local.LimitStays(err)
			}
			return nil
		})
	}
}

// remarks are what there is to know beside the question, the most important first.
func (f *Form) remarks() (out []string) {
	if f.options.signs {
		out = append(out, words.T("This answer must be signed, on the page: mcp-askuser web --open"))
	}
	if !f.status.Attended {
		out = append(out, words.T(words.AgentNotWaiting))
	}
	switch {
	case f.lifted:
		out = append(out, words.T(words.LimitLifted))
	case f.options.Lift != nil:
		out = append(out, words.Local.LastRound(liftKey))
	}
	if f.set.Restored() {
		out = append(out, words.Local.DraftBack(f.set.ByProgram()))
	}
	return out
}

// roomyHeight is the least height, in lines, at which every remark is shown, and a preview below
// the options; on a lower screen one line has the most important remark.
const roomyHeight = 16

func (f *Form) remarkLines(width int) (lines []string) {
	remarks := f.remarks()
	if len(remarks) == 0 || f.field == ending || f.reader != nil {
		return nil
	}
	if f.window.Height < roomyHeight {
		return []string{f.window.Styles.Muted.Render(term.Cut(remarks[0], width))}
	}
	for _, remark := range remarks {
		lines = append(lines, term.Text(f.window.Styles.Muted, remark, width)...)
	}
	return lines
}

package form

import (
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

func (f *Form) lift() tea.Cmd {
	return func() tea.Msg {
		err := f.options.Lift()
		return term.Then(func() tea.Cmd {
			if f.lifted = f.lifted || err == nil; err != nil {
				f.notice = words.Local.LimitStays(err)
			}
			return nil
		})
	}
}

// remark is something to know beside the question; brief is for small terminals.
type remark struct{ full, brief string }

// remarks are what there is to know now, the most important first.
func (f *Form) remarks() []remark {
	var out []remark
	if f.options.signs {
		out = append(out, remark{
			words.T("This answer must be signed, on the page: mcp-askuser web --open"),
			words.T("Sign it on the page: mcp-askuser web"),
		})
	}
	if !f.status.Attended {
		out = append(out, remark{words.T(words.AgentNotWaiting), words.T("Your answer is kept for the agent.")})
	}
	switch {
	case f.lifted:
		out = append(out, remark{words.T(words.LimitLifted), words.T("The round limit is lifted.")})
	case f.options.Lift != nil:
		out = append(out, remark{words.Local.LastRound(liftKey), words.T("Last round; %s lifts the limit.", liftKey)})
	}
	if f.set.Restored() {
		out = append(out, remark{words.T("Your draft is back; nothing of it has been sent."), words.T("Your draft is back, not sent.")})
	}
	return out
}

// roomyHeight is the least height, in lines, at which every remark is shown in full, and a
// preview below the options; on a lower screen one line has the most important remark.
const roomyHeight = 16

func (f *Form) remarkLines(width int) []string {
	remarks := f.remarks()
	if len(remarks) == 0 || f.field == ending || f.reader != nil {
		return nil
	}
	if f.window.Height < roomyHeight {
		return []string{f.window.Styles.Muted.Render(term.Cut(remarks[0].brief, width))}
	}
	var lines []string
	for _, r := range remarks {
		lines = append(lines, term.Text(f.window.Styles.Muted, r.full, width)...)
	}
	return lines
}

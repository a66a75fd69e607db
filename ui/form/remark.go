package form

import (
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
)

// Attention is the message that somebody waits for the answer, or that nobody
// does any more: the record is detached, and an answer is kept for when the
// agent comes back.
type Attention struct{ Attended bool }

// WithLift tells the human that this round is the last before the limit (D9),
// and lets them lift it for the session. Lift runs as a command. A host gives
// it only to a form whose round is at the limit.
func WithLift(lift func() error) Option {
	return func(f *Form) { f.limit.lift = lift }
}

// limit is the round limit, where it has been reached.
type limit struct {
	lift    func() error // nil: it has not
	lifting bool
	lifted  bool
}

// lifted is the message that lift has returned.
type lifted struct{ err error }

func (f *Form) lift() tea.Cmd {
	if f.limit.lifting || f.limit.lifted {
		return nil
	}
	f.limit.lifting = true
	lift := f.limit.lift
	return func() tea.Msg { return lifted{lift()} }
}

func (f *Form) settleLift(l lifted) {
	f.limit.lifting = false
	f.limit.lifted = l.err == nil
	if l.err != nil {
		f.notice = "The limit stays: " + question.Line(l.err.Error()) + "."
	}
}

// remark is something to know beside the question. Where there is little room
// the brief form stands for it.
type remark struct{ full, brief string }

// remarks are what there is to know now, the most important first.
func (f *Form) remarks() []remark {
	var out []remark
	if f.detached {
		out = append(out, remark{"Nobody is waiting right now; your answer will be kept.", "Nobody waits now; answers are kept."})
	}
	switch {
	case f.limit.lifted:
		out = append(out, remark{"The limit is lifted: the agent may go on asking in this session.", "The round limit is lifted."})
	case f.limit.lift != nil:
		key := f.letter("L")
		out = append(out, remark{
			"Last round: after this one the agent cannot ask again for a while. " + key + " lifts the limit for this session.",
			"Last round; " + key + " lifts the limit."})
	}
	if f.drafts.back {
		out = append(out, remark{"Your draft is back; nothing of it has been sent.", "Your draft is back, not sent."})
	}
	return out
}

// roomy is the least height, in lines, at which every remark is shown in full;
// below it there is one line for the most important.
const roomy = 16

func (f *Form) remarkLines(width int) []string {
	remarks := f.remarks()
	if len(remarks) == 0 || f.asking || f.page().read != nil {
		return nil
	}
	if f.height < roomy {
		return []string{f.look.muted.Render(cut(remarks[0].brief, width))}
	}
	var lines []string
	for _, r := range remarks {
		lines = append(lines, wrap(r.full, width)...)
	}
	return each(f.look.muted, lines)
}

package form

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// sendReply commits a reply of the question set.
func (f *Form) sendReply(reply func() (question.Reply, error)) tea.Cmd {
	r, err := reply()
	if faults, ok := errors.AsType[question.Violations](err); ok {
		f.refuse(faults)
		return nil
	}
	return f.send(r)
}

// refuse shows what the user must change, on the page where it can be changed.
func (f *Form) refuse(faults question.Violations) {
	if f.field == ending {
		f.notice = words.T("Not sent: %s.", words.Local.Refused(faults[0]))
		return
	}
	current, rest := f.set.Refuse(faults)
	switch {
	case current != nil:
		f.showCurrent()
		f.report(current)
	case rest != nil:
		f.notice = words.T("Not sent: %s.", words.Local.Refused(rest[0]))
	}
}

// send commits a reply. Keys do not count until it has returned.
func (f *Form) send(r question.Reply) tea.Cmd {
	f.sending = true
	r.Took = f.window.Now().Sub(f.window.Appeared)
	return func() tea.Msg {
		err := f.commit(r)
		return term.Callback(func() tea.Cmd { return f.committed(r, err) })
	}
}

// againAfter is how long a form waits before it sends a reply again that the shared desk did
// not take. It is less than the time for which the desk is given little time.
const againAfter = 4 * time.Second

// sendAgain is the message that it is time to.
type sendAgain struct{ reply *question.Reply }

// committed handles the result of a commit.
func (f *Form) committed(r question.Reply, err error) tea.Cmd {
	f.sending = false
	switch faults, refused := errors.AsType[question.Violations](err); {
	case err == nil:
		f.sent = r
		return f.end(Sent)
	case errors.As(err, new(*desk.ClosedError)):
		return f.withdraw(err)
	case f.cause != nil:
		return f.withdraw(f.cause)
	case refused:
		f.refuse(faults)
	case errors.Is(err, desk.ErrUnsent):
		f.notice, f.unsent = words.Local.Kept(err), &r
		f.drafts.last = r // the desk keeps it in place of the draft, which may have more
		return tea.Batch(f.saveDraft(false), f.window.Gate.After(againAfter, sendAgain{&r}))
	default:
		f.notice = words.T("Not sent, but kept; enter tries again: %s", question.Line(err.Error()))
	}
	return f.saveDraft(false)
}

func (f *Form) withdraw(cause error) tea.Cmd {
	f.cause = cause
	return f.end(Withdrawn)
}

func (f *Form) end(s State) tea.Cmd {
	f.state = s
	return tea.Quit
}

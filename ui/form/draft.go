package form

import (
	"errors"
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// savePause is the time between two saves of a draft.
const savePause = 500 * time.Millisecond

// drafts is what the user typed, on its way to where it is kept.
type drafts struct {
	last    question.Reply // what was given to Options.Save last
	unsure  bool           // whether that is kept is not known, or it is not
	pausing bool           // a save runs, or has ended less than savePause ago
}

// saved is the message that a save has ended.
type saved struct{ err error }

// saveDue is the message that the pause after a save is over.
type saveDue struct{}

// saveDraft saves what has changed. Alive says that a key counted: while the clock of a deadline
// runs, one that changes nothing is a sign of life too. One save runs at a time.
func (f *Form) saveDraft(alive bool) tea.Cmd {
	d, draft := &f.drafts, f.set.Draft()
	unchanged := reflect.DeepEqual(draft, d.last) && (!alive || f.status.Deadline.IsZero())
	if f.options.Save == nil || d.pausing || f.sending || f.state != Open || unchanged {
		return nil
	}
	*d = drafts{last: draft, unsure: true, pausing: true}
	return func() tea.Msg { return saved{f.options.Save(draft)} }
}

// Unsaved returns what was typed when the form ended and is to be kept, if it may not be kept yet.
func (f *Form) Unsaved() (draft question.Reply, ok bool) {
	if f.options.Save == nil || f.state == Sent || errors.As(f.cause, new(*desk.ClosedError)) {
		return draft, false
	}
	draft = f.set.Draft()
	return draft, f.drafts.unsure || !reflect.DeepEqual(draft, f.drafts.last)
}

package form

import (
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term"
)

// A draft is handed over at most every savePause while it changes. While the
// clock of a deadline runs, keys that change nothing count as a sign of life
// too, at most every alivePause.
const (
	savePause  = 500 * time.Millisecond
	alivePause = 2 * time.Second
)

// drafts is what was typed, on its way to whoever keeps it.
type drafts struct {
	back    bool           // what the form started from is on the pages, and none of them was confirmed yet
	last    question.Reply // what was handed over last
	at      time.Time      // when that was
	waiting bool           // a timer runs for the next
}

// restore puts the draft that the form starts from on its pages.
func (f *Form) restore() {
	for _, p := range f.pages {
		if p.ask == nil {
			continue
		}
		p.untouched = p.draft()
		if a := f.options.Draft.Answer(p.ask.ID); a != nil {
			p.body.(answering).restore(*a)
			if a.Note != "" {
				p.note.open().Set(a.Note)
			}
			f.drafts.back = f.drafts.back || !same(p.untouched, p.draft())
		}
	}
	f.note().Set(f.options.Draft.Note)
	f.dismissal.SetReason(f.options.Draft.Reason)
	f.drafts.back = f.drafts.back || f.options.Draft.Note != "" || f.options.Draft.Reason != ""
	f.long = f.long || f.drafts.back
	f.drafts.last = f.draft()
}

// draft is everything that the human chose and typed, on hidden pages too. A
// page that is as it was at first is left out.
func (f *Form) draft() question.Reply {
	r := question.Reply{Note: f.note().Text(), Reason: f.dismissal.Reason()}
	for _, p := range f.pages {
		if p.ask == nil {
			continue
		}
		if a := p.draft(); !same(a, p.untouched) {
			r.Answers = append(r.Answers, a)
		}
	}
	return r
}

// changed follows every key: it hands the draft over, or sees to it that this
// happens soon. Alive says that it was a key that counted.
func (f *Form) changed(alive bool) tea.Cmd {
	d := &f.drafts
	if f.options.Keep == nil || d.waiting || f.sending || f.state != Open {
		return nil
	}
	draft, now := f.draft(), f.window.Now()
	since := now.Sub(d.at)
	switch edited := !sameDraft(draft, d.last); {
	case edited && since < savePause:
		d.waiting = true
		due := func() tea.Cmd { d.waiting = false; return f.changed(false) }
		return tea.Tick(savePause-since, func(time.Time) tea.Msg { return term.Then(due) })
	case edited, alive && !f.countdown.at.IsZero() && since >= alivePause:
		return f.handOver(draft, now)
	}
	return nil
}

func (f *Form) handOver(r question.Reply, now time.Time) tea.Cmd {
	f.drafts.last, f.drafts.at = r, now
	save := f.options.Keep.Put(r)
	return func() tea.Msg { save(); return nil }
}

// lastDraft hands over what is not kept yet when the form ends while the
// record may stay open. Nil means that there is nothing.
func (f *Form) lastDraft() tea.Cmd {
	if f.options.Keep == nil || f.state == Sent || errors.As(f.cause, new(*desk.ClosedError)) {
		return nil
	}
	draft := f.draft()
	// One that was handed over need not have been saved yet: its command may be
	// running still, or never come to run.
	if _, _, unsaved := f.options.Keep.Unsaved(); !unsaved && sameDraft(draft, f.drafts.last) {
		return nil
	}
	return f.handOver(draft, f.window.Now())
}

func sameDraft(a, b question.Reply) bool {
	return a.Note == b.Note && a.Reason == b.Reason && slices.EqualFunc(a.Answers, b.Answers, func(a, b question.Answer) bool {
		return a.QuestionID == b.QuestionID && same(a, b)
	})
}

// draft is what is marked, and the text of Other: with one choice also while
// another option is marked, since it stays there; among several only while it
// counts or is being written.
func (c *choice) draft() question.Answer {
	a := c.answer()
	if !c.ask.Several() || c.other.Focused() {
		a.Custom = c.other.Text()
	}
	return a
}

func (c *choice) restore(a question.Answer) {
	c.clear()
	if !c.ask.AllowCustom {
		a.Custom = ""
	}
	c.other.Set(a.Custom)
	for i := range c.rows {
		r := &c.rows[i]
		picked := slices.Contains(a.Selected, r.option.ID)
		if r.other {
			picked = a.Custom != "" && (c.ask.Several() || !c.picked())
		}
		switch {
		case picked && c.ask.Several():
			r.picked = true
		case picked:
			c.only(i)
		}
	}
}

package form

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// buildPages makes a page for every question that may come up and one for the
// review. Pages of questions that the present answers do not bring up are
// hidden and keep what was typed.
func (f *Form) buildPages() {
	for _, q := range f.rec.All() {
		if q.Collected == nil {
			f.wide = f.wide || previews(q)
			p := &page{ask: q, text: term.NewProse(q.Text), about: term.NewProse(q.Description), body: newBody(q)}
			f.remember(p)
			f.pages = append(f.pages, p)
		}
	}
	f.pages = append(f.pages, &page{body: &review{pages: f.asked}})
	f.discussion = f.dismissal.Discussion(f.options.Origin == act.Opened)
	f.restore()
	for _, p := range f.pages {
		if p.ask != nil {
			p.body.(answering).begin(f.options.Bare || f.options.Origin == act.Appeared)
		}
	}
	f.bringUp()
	var groups []*huh.Group
	for _, p := range f.pages {
		hidden := func() bool { return !p.shown && (p.ask != nil || !f.reviews()) }
		groups = append(groups, huh.NewGroup(p).WithHideFunc(hidden))
	}
	f.huh = huh.NewForm(groups...)
	if p := f.page(); p.ask != nil && !p.shown {
		f.turn(f.huh.NextGroup)
	}
	f.page().focus()
}

// page is the one in front of the human.
func (f *Form) page() *page { return f.huh.GetFocusedField().(*page) }

// note is the word to the agent beside all answers.
func (f *Form) note() *term.Entry { return f.pages[len(f.pages)-1].note.open() }

// turn lets huh turn to the page that comes next or before, and reports whether
// there was one.
//
// Pages are turned here and at once, not by huh's messages: a second Enter that
// overtakes such a message would confirm a page that was never seen.
func (f *Form) turn(to func() tea.Cmd) bool {
	f.page().blur() // huh does not when a group changes
	to()
	last := f.huh.State == huh.StateCompleted
	f.huh.State = huh.StateNormal // completed is what was committed, and nothing else
	return !last
}

// turnTo turns to a page that is shown.
func (f *Form) turnTo(target *page) {
	to := f.huh.NextGroup
	if slices.Index(f.pages, target) < slices.Index(f.pages, f.page()) {
		to = f.huh.PrevGroup
	}
	for f.page() != target {
		f.turn(to)
	}
}

// asked returns the pages of the questions that are shown, in order.
func (f *Form) asked() []*page {
	return slices.DeleteFunc(slices.Clone(f.pages), func(p *page) bool { return !p.shown })
}

// reviews reports whether there is, or has been, more to look over than one
// pick. What has been counts, so that a change of mind that hides the other
// questions does not turn "next" into "send" under the human's finger.
func (f *Form) reviews() bool {
	asked := f.asked()
	return f.long || len(asked) != 1 || asked[0].ask.Several() || f.note().Text() != ""
}

// bringUp shows the pages that the confirmed answers call for, those of pages
// now hidden too.
func (f *Form) bringUp() {
	var answers []question.Answer
	for _, p := range f.pages {
		if p.taken != nil {
			answers = append(answers, *p.taken)
		}
	}
	shown := map[*question.Question]bool{}
	for _, s := range f.rec.Shown(answers) {
		shown[s.Question] = true
	}
	for _, p := range f.pages {
		p.shown = p.ask != nil && shown[p.ask]
	}
	f.long = f.long || len(f.asked()) > 1
}

// goOn follows Enter on a page: it takes the answer and turns to the next page
// that needs the human, or sends.
func (f *Form) goOn() tea.Cmd {
	if p := f.page(); p.ask != nil {
		if !p.confirm() {
			return nil
		}
		f.drafts.back = false
		f.bringUp()
	}
	for f.turn(f.huh.NextGroup) {
		if !f.page().settled() {
			return nil
		}
	}
	return f.sendAnswers()
}

// sendAnswers sends what was confirmed on the pages that are shown, once all of
// them are.
func (f *Form) sendAnswers() tea.Cmd {
	for _, p := range f.asked() {
		if !p.settled() {
			f.turnTo(p)
			p.err = errors.New(words.T("This answer is not confirmed yet: enter confirms it."))
			return nil
		}
	}
	return f.send(f.confirmed())
}

// confirmed is what was confirmed so far on the pages that are shown, and every
// note.
func (f *Form) confirmed() question.Reply {
	r := question.Reply{Note: f.note().Text()}
	for _, p := range f.asked() {
		a := p.noted(question.Answer{QuestionID: p.ask.ID, By: question.ByUser})
		if p.settled() {
			a = *p.taken
		}
		if !a.Empty() || a.Note != "" {
			r.Answers = append(r.Answers, a)
		}
	}
	return r
}

// fix shows what the human must change, on the page where it can be changed.
func (f *Form) fix(faults question.Violations) {
	for _, p := range f.asked() {
		mine := slices.DeleteFunc(slices.Clone(faults), func(v question.Violation) bool { return v.Path != "answers."+p.ask.ID })
		if len(mine) > 0 && f.asking == nil {
			f.turnTo(p)
			p.err = refusal(mine)
			return
		}
	}
	f.notice = words.T("Not sent: %s.", words.Local.Refused(faults[0]))
}

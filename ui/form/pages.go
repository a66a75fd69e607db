package form

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"

	"mcp-askuser/question"
)

// buildPages makes a page for every question that may come up and one for the
// review. Pages of questions that the present answers do not bring up are
// hidden and keep what was typed.
func (f *Form) buildPages() {
	var groups []*huh.Group
	add := func(p *page, hide func() bool) {
		f.order = append(f.order, p)
		groups = append(groups, huh.NewGroup(p).WithShowHelp(false).WithShowErrors(false).WithHideFunc(hide))
	}
	for _, q := range f.rec.All() {
		if q.Collected != nil {
			continue
		}
		p := &page{ask: q, body: newBody(q)}
		add(p, func() bool { return !p.shown })
	}
	add(&page{body: newReview(f.asked)}, func() bool { return !f.reviews() })
	f.pages = huh.NewForm(groups...)
	f.restore()
	f.bringUp()
	if first := f.order[0]; first.ask != nil && !first.shown {
		f.pages.NextGroup()
	}
	f.page().focus()
}

func newBody(q *question.Question) body {
	if q.Chooses() {
		return newChoice(q)
	}
	return newText(q)
}

// page is the one in front of the human.
func (f *Form) page() *page { return f.pages.GetFocusedField().(*page) }

// asked returns the pages of the questions that are shown, in order.
func (f *Form) asked() []*page {
	var out []*page
	for _, p := range f.order {
		if p.ask != nil && p.shown {
			out = append(out, p)
		}
	}
	return out
}

// reviews reports whether there is, or has been, more to look over than one
// pick. What has been counts, so that a change of mind that hides the other
// questions does not turn "next" into "send" under the human's finger.
func (f *Form) reviews() bool {
	asked := f.asked()
	return f.long || len(asked) != 1 || asked[0].ask.Several()
}

// answers returns what was confirmed, on pages now hidden too.
func (f *Form) answers() []question.Answer {
	var out []question.Answer
	for _, p := range f.order {
		if p.taken != nil {
			out = append(out, *p.taken)
		}
	}
	return out
}

// bringUp shows the pages that the confirmed answers call for.
func (f *Form) bringUp() {
	shown := map[string]bool{}
	for _, s := range f.rec.Shown(f.answers()) {
		shown[s.ID] = true
	}
	for _, p := range f.order {
		p.shown = p.ask != nil && shown[p.ask.ID]
	}
	f.long = f.long || len(f.asked()) > 1
}

// goOn follows Enter on a page: it takes the answer and turns to the next page
// that needs the human, or sends.
//
// Pages are turned here and at once, not by huh's messages: a second Enter
// that overtakes such a message would confirm a page that was never seen.
func (f *Form) goOn(p *page) tea.Cmd {
	if p.ask == nil {
		return f.sendAnswers()
	}
	if !p.confirm() {
		return nil
	}
	f.drafts.back = false
	f.bringUp()
	for f.ahead() {
		f.page().blur()
		f.pages.NextGroup()
		if next := f.page(); next.ask == nil || !next.settled() {
			return nil
		}
	}
	return f.sendAnswers()
}

// ahead reports whether a page comes after the present one.
func (f *Form) ahead() bool {
	at := slices.Index(f.order, f.page())
	return slices.ContainsFunc(f.order[at+1:], func(p *page) bool {
		return p.shown || p.ask == nil && f.reviews()
	})
}

func (f *Form) turnBack() {
	f.page().blur()
	f.pages.PrevGroup()
}

// turnTo turns to a page that is shown.
func (f *Form) turnTo(target *page) {
	want := slices.Index(f.order, target)
	for range f.order {
		at := slices.Index(f.order, f.page())
		if at == want {
			return
		}
		f.page().blur()
		if at < want {
			f.pages.NextGroup()
		} else {
			f.pages.PrevGroup()
		}
	}
}

// sendAnswers sends what was confirmed on the pages that are shown.
func (f *Form) sendAnswers() tea.Cmd {
	r := question.Reply{Note: f.review().note.text()}
	for _, p := range f.asked() {
		if !p.settled() {
			f.turnTo(p)
			p.err = fault("This answer is not confirmed yet: enter confirms it.")
			return nil
		}
		if !p.taken.Empty() {
			r.Answers = append(r.Answers, *p.taken)
		}
	}
	return f.send(r)
}

func (f *Form) review() *review { return f.order[len(f.order)-1].body.(*review) }

// fix shows what the human must change, on the page where it can be changed.
func (f *Form) fix(faults question.Violations) {
	for _, p := range f.asked() {
		var mine question.Violations
		for _, v := range faults {
			if v.Path == "answers."+p.ask.ID {
				mine = append(mine, v)
			}
		}
		if mine != nil && !f.asking {
			f.turnTo(p)
			p.err = refusal(mine)
			return
		}
	}
	f.notice = "Not sent: " + question.Line(faults[0].String()) + "."
}

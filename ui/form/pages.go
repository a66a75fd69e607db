package form

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/term"
)

// buildPages makes a page for every question that may come up and one for the
// review. Pages of questions that the present answers do not bring up are
// hidden and keep what was typed.
func (f *Form) buildPages() {
	for _, q := range f.rec.All() {
		if q.Collected == nil {
			f.pages = append(f.pages, &page{ask: q, body: newBody(q)})
		}
	}
	f.pages = append(f.pages, &page{body: newReview(f.asked)})
	f.restore()
	f.bringUp()
	f.open(max(slices.IndexFunc(f.pages, f.inTurn), 0))
}

// page is the one in front of the human.
func (f *Form) page() *page { return f.pages[f.at] }

func (f *Form) review() *review { return f.pages[len(f.pages)-1].body.(*review) }

func (f *Form) index(p *page) int { return slices.Index(f.pages, p) }

// open puts a page in front of the human.
//
// Pages are turned at once, not by messages: a second Enter that overtakes
// such a message would confirm a page that was never seen.
func (f *Form) open(i int) {
	f.page().blur()
	f.at = i
	f.page().focus()
}

// inTurn reports whether the human comes to a page by going on or back.
func (f *Form) inTurn(p *page) bool { return p.shown || p.ask == nil && f.reviews() }

// asked returns the pages of the questions that are shown, in order.
func (f *Form) asked() []*page {
	return slices.DeleteFunc(slices.Clone(f.pages), func(p *page) bool { return !p.shown })
}

// reviews reports whether there is, or has been, more to look over than one
// pick. What has been counts, so that a change of mind that hides the other
// questions does not turn "next" into "send" under the human's finger.
func (f *Form) reviews() bool {
	asked := f.asked()
	return f.long || len(asked) != 1 || asked[0].ask.Several()
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
	p := f.page()
	if p.ask == nil {
		return f.sendAnswers()
	}
	if !p.confirm() {
		return nil
	}
	f.drafts.back = false
	f.bringUp()
	for i := f.at + 1; i < len(f.pages); i++ {
		if p := f.pages[i]; f.inTurn(p) && !p.settled() {
			f.open(i)
			return nil
		}
	}
	return f.sendAnswers()
}

// goBack turns to the page before, if there is one.
func (f *Form) goBack() {
	for i := f.at - 1; i >= 0; i-- {
		if f.inTurn(f.pages[i]) {
			f.open(i)
			return
		}
	}
}

// sendAnswers sends what was confirmed on the pages that are shown.
func (f *Form) sendAnswers() tea.Cmd {
	r := question.Reply{Note: f.review().note.Text()}
	for _, p := range f.asked() {
		if !p.settled() {
			f.open(f.index(p))
			p.err = term.Fault("This answer is not confirmed yet: enter confirms it.")
			return nil
		}
		if !p.taken.Empty() {
			r.Answers = append(r.Answers, *p.taken)
		}
	}
	return f.send(r)
}

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
			f.open(f.index(p))
			p.err = refusal(mine)
			return
		}
	}
	f.notice = "Not sent: " + question.Line(faults[0].String()) + "."
}

package form

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// field says what has the keyboard of a page.
type field int

const (
	choosing  field = iota // the list: of the options, or of the answers on the review
	filtering              // the filter of the options
	answering              // the answer to a text question, or the words of Other
	noting                 // the note to the answer, or to all answers on the review
	ending                 // what the agent reads of a dismissal, or of what to discuss first
)

// page is what is on the screen beside the current question of the set, which nil is the review.
// It is a value: a copy of it and of the set is all that keys can change.
type page struct {
	field    field
	at       int    // the row with the cursor
	filter   string // what options have to contain; empty for no filter
	discuss  bool   // with ending: Enter puts the set back to be discussed first, else it dismisses
	notice   string // what is wrong
	previewY int    // the first line of the preview in view
	reader   *term.Reader
}

// showCurrent shows the current question of the set, or the review, as the user first sees it.
func (f *Form) showCurrent() {
	f.page = page{}
	q := f.set.Current()
	if q != nil && q.Chooses() {
		f.at = first(q)
	}
	f.focus(f.firstField())
}

// firstField is the field that has the keyboard of a page at first.
func (f *Form) firstField() field {
	q := f.set.Current()
	if q != nil && !q.Chooses() {
		return answering
	}
	return choosing
}

// focus gives the keyboard to a field. Where Other is left without words, it is no answer.
func (f *Form) focus(to field) {
	q := f.set.Current()
	if f.field == answering && to != answering && q.NeedsWords() {
		f.report(q.Unchoose(q.Choice(answer.Other)))
	}
	f.field = to
	f.edit()
}

// edit makes the entry of the field that has the keyboard, with the text that the set holds.
func (f *Form) edit() {
	q := f.set.Current()
	switch f.field {
	case choosing:
		f.entry = nil
		return
	case filtering:
		f.entry = term.NewLineEntry(f.filter, "", "/")
	case answering:
		f.entry = answerEntry(q)
	case noting:
		f.entry = term.NewEntry("", words.T("Note to the agent, beside your answer"))
		f.entry.Set(f.note())
	case ending:
		f.entry = term.NewEntry("", words.T("Why, if you like: the agent reads it"))
		f.entry.Set(f.set.Reason())
	}
	f.entry.Focus()
}

// answerEntry is the entry of a text question, or of the words of Other. What the asker proposes
// is text from outside until the user changes it.
func answerEntry(q *answer.Question) (e *term.Entry) {
	placeholder, lines, typed := q.Placeholder, 3, q.Typed()
	if q.Chooses() {
		placeholder, lines = words.T("Your own answer"), 1
	}
	if typed == q.Default {
		return term.NewEntry(typed, placeholder).Tall(lines)
	}
	e = term.NewEntry("", placeholder).Tall(lines)
	e.Set(typed)
	return e
}

// note is the note to the answer, or to all answers on the review.
func (f *Form) note() string {
	q := f.set.Current()
	if q == nil {
		return f.set.Note()
	}
	return q.Note
}

// typeIn gives a key or a paste to the entry.
func (f *Form) typeIn(msg tea.Msg) {
	err := f.entry.Press(msg)
	f.takeOver()
	if err != nil {
		f.notice = question.Line(err.Error())
	}
}

// takeOver takes what was typed into the question set.
func (f *Form) takeOver() {
	q, text := f.set.Current(), f.entry.Text()
	switch {
	case f.field == ending:
		f.set.WriteReason(text)
	case f.field == noting && q == nil:
		f.set.WriteNote(text)
	case f.field == noting:
		q.WriteNote(text)
	case f.field == filtering:
		f.filter = text
		f.narrow(q)
	case q.Chooses(), term.Own(strings.TrimSpace(q.Typed())) != text:
		f.report(q.Type(text))
	default: // it is as the field shows it
		q.Touch()
	}
}

// report follows a change of the current question. Err is why it was not changed.
func (f *Form) report(err error) {
	if err != nil {
		f.notice = f.inWords(err)
	}
}

// questionChanged follows a change of the current question of the set from this one, if there was one. Err
// is why there was none, or why the review turned to a question.
func (f *Form) questionChanged(from *answer.Question, err error) {
	if f.set.Current() != from {
		f.showCurrent()
	}
	f.report(err)
}

// next confirms the question and turns to the next, or sends.
func (f *Form) next() tea.Cmd {
	from := f.set.Current()
	ready, err := f.set.Next()
	f.questionChanged(from, err)
	if ready {
		return f.sendReply(f.set.Reply)
	}
	return nil
}

func (f *Form) back() { f.questionChanged(f.set.Current(), f.set.Back()) }

// find returns what a key or a paste does on the page now; nil is nothing.
func (f *Form) find(msg tea.Msg) func() tea.Cmd {
	pressed, isKey := msg.(tea.KeyPressMsg)
	switch {
	case f.reader != nil && isKey:
		return term.Action(func() {
			if f.reader.Press(pressed) {
				f.reader = nil
			}
		})
	case f.reader != nil:
		return nil
	case isKey:
		binding := f.bindings().Find(pressed.String())
		if binding != nil {
			return binding.Do
		}
		if f.moves(pressed.String()) {
			return term.Action(func() { f.move(pressed) })
		}
	}
	q := f.set.Current()
	switch {
	case f.entry != nil:
		return term.Action(func() { f.typeIn(msg) })
	case isKey && q != nil:
		return f.named(q, pressed.String())
	}
	return nil
}

// moves reports whether a key moves the cursor of the list.
func (f *Form) moves(name string) bool {
	if f.field == filtering {
		return name == "up" || name == "down"
	}
	return f.field == choosing && slices.Contains(strings.Fields(moveKeys), name)
}

func (f *Form) move(pressed tea.KeyPressMsg) {
	q := f.set.Current()
	if q != nil {
		rows, _ := f.visible(q)
		to := f.list.target(pressed, f.at, rows)
		if to != f.at { // else the key did nothing, and is no act
			f.goTo(q, to)
		}
		return
	}
	rows := make([]int, len(f.set.Shown()))
	for i := range rows {
		rows[i] = i
	}
	if len(rows) > 0 {
		f.at = f.list.target(pressed, f.at, rows)
	}
}

// enter is what Enter does.
func (f *Form) enter() tea.Cmd {
	q := f.set.Current()
	switch f.field {
	case noting:
		f.focus(f.firstField())
		return nil
	case filtering:
		f.focus(choosing)
		return nil
	case ending:
		if f.discuss {
			return f.sendReply(f.set.Discussion)
		}
		return f.sendReply(f.set.Dismissal)
	case choosing, answering:
	}
	switch {
	case q == nil || !q.Chooses():
		return f.next()
	case f.field == answering:
		return f.takeOther(q)
	}
	return f.take(q)
}

// escape is what Esc does: it leaves a field, the filter, or the page for the one before, and the
// first page for the list of the host.
func (f *Form) escape() tea.Cmd {
	switch {
	case f.field == filtering:
		f.filter = ""
		f.focus(choosing)
	case f.field != f.firstField():
		f.focus(f.firstField())
	case f.filter != "":
		f.filter = ""
	case f.set.Previous() != nil:
		f.back()
	case f.options.List:
		return f.end(Aborted)
	default:
		f.notice = words.T(
			"%[1]s dismiss · %[2]s discuss first · esc does not close the question", term.DismissKey, term.DiscussKey,
		)
	}
	return nil
}

// ask asks whether to dismiss, or to discuss first, in place of the page. What is typed next
// is for that.
func (f *Form) ask(discuss bool) {
	f.discuss, f.reader = discuss, nil
	f.focus(ending)
}

// recall puts the earlier answer on the page. What was typed in Other, and is not part of it,
// stays.
func (f *Form) recall() {
	q := f.set.Current()
	f.report(q.Recall())
	f.filter = ""
	if q.Chooses() {
		f.point(first(q))
	}
	f.focus(f.firstField())
}

// delegate leaves the question to the agent, once Enter confirms it.
func (f *Form) delegate() {
	f.report(f.set.Current().Delegate())
	f.focus(f.firstField())
}

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

// page is one page of the form: a question, whose answer is chosen from a list or typed, or the
// review.
type page struct {
	form              *Form
	id                string       // of the question; empty on the review
	text, description string       // of the question, safe to show
	memory            string       // "You answered PostgreSQL on 3 Nov"; empty where nothing is remembered
	list              *list        // of the options, or of the answers on the review; nil where text is typed
	spelled           int          // the number of an option that the last keys spelled, see term.Spell
	entry             *term.Entry  // of the answer, or of the words of Other; nil on the review
	typed             string       // what the question holds of it
	filter            *term.Entry  // of the options; nil for none
	note              *term.Entry  // nil until it is wanted
	reader            *term.Reader // open while the user reads what does not fit
	previews          []preview    // by option; nil where none has one
	shortens          bool         // a label or a description is shown shortened
	scroll            term.Scroll  // of the preview

	tallest int  // lines of an option, when last drawn
	cut     bool // a text did not fit, when last drawn
}

// newPage returns the page of a question, or the review for an empty id.
func (f *Form) newPage(id string) *page {
	p := &page{form: f, id: id}
	s := p.question()
	if s == nil {
		p.list = newList(f)
		return p
	}
	p.text, p.description = term.Safe(s.Text), term.Safe(s.Description)
	if s.Memory != nil {
		p.memory = term.Line(words.Local.Remembered(*s.Memory, f.window.Now()), maxWidth)
	}
	if s.Chooses() {
		p.entry, p.list, p.previews = term.NewEntry("", words.T("Your own answer")), newList(f), newPreviews(s)
		p.list.at, p.shortens = first(s), shortens(s)
	} else {
		p.entry, p.typed = term.NewEntry(s.Default, s.Placeholder).Tall(3), s.Default
	}
	p.renew(s)
	return p
}

// question is the page's question; nil for the review.
func (p *page) question() *answer.Question { return p.form.set.Question(p.id) }

// did follows a change of the page's question. Err is why the question was not changed.
func (p *page) did(err error) {
	p.renew(p.question())
	if err != nil {
		p.form.notice = p.inWords(err)
	}
}

// renew puts into the entry what the question holds, unless it was typed there.
func (p *page) renew(q *answer.Question) {
	if q.Typed() != p.typed {
		p.typed = q.Typed()
		p.entry.Set(p.typed)
	}
}

// turn follows a turn to another page, if there was one. Err is why there was none, or why the
// review turned to a question.
func (p *page) turn(err error) {
	to := p.form.page()
	if to != p {
		p.blur()
		to.focus()
	}
	if err != nil {
		p.form.notice = to.inWords(err)
	}
}

// next confirms the question and turns to the next, or sends.
func (p *page) next() tea.Cmd {
	ready, err := p.form.set.Next()
	p.turn(err)
	if ready {
		return p.form.sendReply(p.form.set.Reply)
	}
	return nil
}

// mode says what has the keyboard of a page.
type mode int

const (
	choosing  mode = iota // the list of the options
	filtering             // the filter of that list
	writing               // the words of Other
	texting               // the answer to a text question
	noting                // the note
	reviewing             // the list of the answers
)

func (p *page) mode() mode {
	switch {
	case p.note != nil && p.note.Focused():
		return noting
	case p.id == "":
		return reviewing
	case p.filter != nil && p.filter.Focused():
		return filtering
	case p.list == nil:
		return texting
	case p.entry.Focused():
		return writing
	}
	return choosing
}

// focused is the text field with the keyboard, nil for none.
func (p *page) focused() *term.Entry {
	switch p.mode() {
	case noting:
		return p.note
	case filtering:
		return p.filter
	case writing, texting:
		return p.entry
	case choosing, reviewing:
	}
	return nil
}

// find returns what a key or a paste does on the page now; nil is nothing.
func (p *page) find(msg tea.Msg) func() tea.Cmd {
	pressed, isKey := msg.(tea.KeyPressMsg)
	if p.reader != nil {
		if !isKey {
			return nil
		}
		return term.Only(func() {
			if p.reader.Press(pressed) {
				p.reader = nil
			}
		})
	}
	if isKey {
		do := p.bindings().Find(pressed.String())
		if do != nil {
			return do
		}
	}
	if isKey && p.moves(pressed.String()) {
		return term.Only(func() { p.move(pressed) })
	}
	if p.focused() != nil {
		return term.Only(func() { p.typeIn(msg) })
	}
	if isKey && p.mode() == choosing {
		return p.named(pressed.String())
	}
	return nil
}

// moves reports whether a key moves the cursor of the page's list.
func (p *page) moves(name string) bool {
	if p.mode() == filtering {
		return name == "up" || name == "down"
	}
	return p.focused() == nil && slices.Contains(strings.Fields(moveKeys), name)
}

func (p *page) move(pressed tea.KeyPressMsg) {
	if p.id != "" {
		rows, _ := p.visible()
		p.goTo(p.list.target(pressed, rows))
		return
	}
	answers := make([]int, len(p.form.set.Shown()))
	for i := range answers {
		answers[i] = i
	}
	if len(answers) > 0 {
		p.list.at = p.list.target(pressed, answers)
	}
}

// typeIn gives a key or a paste to the text field with the keyboard.
func (p *page) typeIn(msg tea.Msg) {
	err := p.focused().Press(msg)
	p.takeOver()
	if err != nil {
		p.form.notice = question.Line(err.Error())
	}
}

// takeOver takes what was typed into the question set.
func (p *page) takeOver() {
	switch s := p.question(); p.mode() {
	case noting:
		if s == nil {
			p.form.set.WriteNote(p.note.Text())
		} else {
			s.WriteNote(p.note.Text())
		}
	case filtering:
		p.narrow()
	case texting, writing:
		if s.Chooses() || strings.TrimSpace(s.Typed()) != p.entry.Text() {
			p.typed = p.entry.Text()
			p.did(s.Type(p.typed))
			return
		}
		s.Touch()
	case choosing, reviewing:
	}
}

// enter is what Enter does.
func (p *page) enter() tea.Cmd {
	switch p.mode() {
	case noting:
		p.note.Blur()
		p.focus()
	case filtering:
		p.filter.Blur()
	case writing:
		return p.takeOther()
	case choosing:
		return p.take()
	case texting, reviewing:
		return p.next()
	}
	return nil
}

// escape is what Esc does.
func (p *page) escape() tea.Cmd {
	switch p.mode() {
	case noting:
		return p.enter()
	case writing:
		p.stopWriting()
	case filtering:
		p.filter = nil
	case choosing, texting, reviewing:
		if p.filter == nil {
			return p.form.escape()
		}
		p.filter = nil
	}
	return nil
}

// openNote gives the keyboard to the note to the answer, or to all answers on the review.
func (p *page) openNote() {
	p.blur()
	if p.note == nil {
		p.note = term.NewEntry("", words.T("Note to the agent, beside your answer"))
		p.note.Set(p.noteText())
	}
	p.note.Focus()
}

func (p *page) noteText() string {
	if s := p.question(); s != nil {
		return s.Note
	}
	return p.form.set.Note()
}

// recall puts the earlier answer on the page. What was typed in Other, and is not part of it,
// stays.
func (p *page) recall() {
	if p.list != nil {
		p.blur()
	}
	p.did(p.question().Recall())
	p.filter = nil
	if p.list != nil {
		p.point(first(p.question()))
	}
}

// focus gives the keyboard to the page.
func (p *page) focus() {
	if p.mode() == texting {
		p.entry.Focus()
	}
}

// blur takes it away.
func (p *page) blur() {
	if p.note != nil {
		p.note.Blur()
	}
	switch p.mode() {
	case writing:
		p.stopWriting()
	case texting:
		p.entry.Blur()
	case filtering:
		p.filter.Blur()
	case choosing, noting, reviewing:
	}
}

// place is what a page holds beside its question.
type place struct {
	at     int    // the row with the cursor
	filter string // of the options; empty for none
	reader *term.Reader
}

func (p *page) place() place {
	out := place{filter: p.filterText(), reader: p.reader}
	if p.list != nil {
		out.at = p.list.at
	}
	return out
}

// restore puts a page that was made anew in a place.
func (p *page) restore(to place) {
	p.reader = to.reader
	if p.list != nil {
		p.list.at = to.at
	}
	if to.filter != "" {
		p.filter = term.NewLineEntry(to.filter, "", "/")
	}
	p.focus()
}

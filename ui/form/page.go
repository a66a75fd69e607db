package form

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/dialogue"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// page is one page of the form: a step of the dialogue, whose answer is chosen from a list or
// typed, or the review.
type page struct {
	form              *Form
	id                string       // of the question; empty on the review
	text, description *term.Prose  // of the question
	memory            string       // "You answered PostgreSQL on 3 Nov"; empty where nothing is remembered
	list              *list        // of the options, or of the answers on the review; nil where text is typed
	spelled           int          // the number of an option that the last keys spelled, see term.Spell
	entry             *term.Entry  // of the answer, or of the words of Other; nil on the review
	typed             string       // what the step holds of it
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
	s := p.step()
	if s == nil {
		p.list = newList(f)
		return p
	}
	p.text, p.description = term.NewProse(s.Text), term.NewProse(s.Description)
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

// step is the page's step of the dialogue as it is now; nil for the review.
func (p *page) step() *dialogue.Step { return p.form.dialogue.Step(p.id) }

// act applies an act to the page's step. What is wrong with it is shown until the next
// key.
func (p *page) act(a dialogue.Act) dialogue.Change {
	change, err := p.form.dialogue.ActOn(p.id, a)
	if change.Turned {
		p.blur()
		p.form.page().focus()
	} else if s := p.step(); s != nil {
		p.renew(s)
	}
	if err != nil {
		p.form.notice = p.form.page().inWords(err) // Next at the review turns to what is missing
	}
	return change
}

// renew puts into the entry what the step holds, unless it was typed there.
func (p *page) renew(s *dialogue.Step) {
	if s.Typed != p.typed {
		p.typed = s.Typed
		p.entry.Set(s.Typed)
	}
}

// next confirms the step and turns to the next, or sends.
func (p *page) next() tea.Cmd {
	if p.act(dialogue.Next{}).Ready {
		return p.form.sendReply()
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
	steps := make([]int, len(p.form.dialogue.Steps()))
	for i := range steps {
		steps[i] = i
	}
	if len(steps) > 0 {
		p.list.at = p.list.target(pressed, steps)
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

// takeOver takes what was typed into the dialogue.
func (p *page) takeOver() {
	switch s := p.step(); p.mode() {
	case noting:
		p.act(dialogue.Note{Text: p.note.Text()})
	case filtering:
		p.narrow()
	case texting, writing:
		if s.Chooses() || strings.TrimSpace(s.Typed) != p.entry.Text() {
			p.typed = p.entry.Text()
			p.act(dialogue.Text{Text: p.typed})
			return
		}
		p.act(dialogue.Touch{})
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
	if s := p.step(); s != nil {
		return s.Note
	}
	return p.form.dialogue.Note()
}

// recall puts the earlier answer on the page. What was typed in Other, and is not part of it,
// stays.
func (p *page) recall() {
	if p.list != nil {
		p.blur()
	}
	p.act(dialogue.Recall{})
	p.filter = nil
	if p.list != nil {
		p.point(first(p.step()))
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

// keep remembers what the page holds beside its step; back goes back to that.
func (p *page) keep() (back func()) {
	was, at, backs := *p, 0, []func(){}
	if p.list != nil {
		at = p.list.at
	}
	for _, e := range []*term.Entry{p.entry, p.note, p.filter} {
		if e != nil {
			backs = append(backs, e.Keep())
		}
	}
	return func() {
		*p = was
		if p.list != nil {
			p.list.at = at
		}
		for _, back := range backs {
			back()
		}
	}
}

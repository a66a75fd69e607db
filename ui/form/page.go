package form

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/dialogue"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// body is what fills a page: a choice, a text, the review.
type body interface {
	// bindings are the keys that work now. Only says that no others of the page do. What
	// enter does is in them without a hint: the form knows.
	bindings(name string) (keys term.Bindings, only bool)
	// draw shows the body at this width; rows is a guide for what can grow.
	draw(s *term.Styles, width, rows int) term.Block
	// entry is where text is typed now, nil for nowhere.
	entry() *term.Entry
	// typed takes over what was typed there.
	typed()
	// focus gives the keyboard to the body, blur takes it away.
	focus()
	blur()
	// renew follows an act that was not typed: the step may hold something else.
	renew(s *dialogue.Step)
	// keep remembers what the body holds beside the step; back goes back to that.
	keep() (back func())
}

// page is one page of the form: a step of the dialogue, or the review. It is the one field
// of a huh form, which hands it its keys and draws it.
type page struct {
	form        *Form
	id          string // of the question; empty on the review
	huh         *huh.Form
	body        body
	text, about *term.Prose  // of the question, and its description
	memory      string       // "3 Nov: PostgreSQL, claude-code"; empty where nothing is remembered
	note        *term.Entry  // nil until it is wanted
	reader      *term.Reader // open while the human reads what does not fit
	fault       error        // of the last act, in words

	width, height int
	cut           bool        // a text does not fit: known once it is drawn
	cursor        *tea.Cursor // likewise
}

// newPage returns the page of a question, or the review for an empty id.
func (f *Form) newPage(id string) *page {
	p := &page{form: f, id: id}
	if s := p.step(); s == nil {
		p.body = &review{form: f}
	} else {
		p.text, p.about = term.NewProse(s.Text), term.NewProse(s.Description)
		if s.Memory != nil {
			m := *s.Memory
			m.Words = s.Words(&m.Answer) // which has our yes and no in the human's language
			p.memory = term.Line(words.Local.Remembered(m, f.window.Now()), maxWidth)
		}
		if s.Chooses() {
			p.body = newChoice(p, s)
		} else {
			p.body = newText(p, s)
		}
	}
	p.huh = huh.NewForm(huh.NewGroup(p).WithShowHelp(false).WithShowErrors(false)).WithTheme(f).WithLayout(layout{p})
	return p
}

// step is the page's step of the dialogue as it is now; nil for the review.
func (p *page) step() *dialogue.Step { return p.form.dialogue.Step(p.id) }

// act applies an act to the page's step. What is wrong with it is shown until the next
// key.
func (p *page) act(a dialogue.Act) dialogue.Change {
	change, err := p.form.dialogue.Act(a)
	if change.Turned {
		p.blur()
		p.form.page().focus()
	} else if s := p.step(); s != nil {
		p.body.renew(s)
	}
	if err != nil {
		now := p.form.page() // Next at the review turns to what is missing
		now.fault = now.inWords(err)
	}
	return change
}

// next confirms the step and turns to the next, or sends.
func (p *page) next() tea.Cmd {
	if p.act(dialogue.Next{}).Ready {
		return p.form.sendReply()
	}
	return nil
}

// inWords says to the human what is wrong with an answer.
func (p *page) inWords(err error) error {
	faults, refused := errors.AsType[question.Violations](err)
	switch {
	case errors.Is(err, dialogue.ErrUntouched):
		return errors.New(words.T("Enter alone answers nothing: %s", p.need()))
	case errors.Is(err, dialogue.ErrRequired), errors.Is(err, dialogue.ErrNoWords):
		return errors.New(words.T("This question needs an answer: %s", p.need()))
	case errors.Is(err, dialogue.ErrUnconfirmed):
		return errors.New(words.T("This answer is not confirmed yet: enter confirms it."))
	case refused:
		return errors.New(words.Local.Unfit(faults))
	}
	return nil // a key that leads nowhere
}

// need says how to give the answer that is missing.
func (p *page) need() string {
	s, c := p.step(), p.choice()
	switch {
	case c == nil && s.Untouched && strings.TrimSpace(s.Typed) != "":
		return words.T("press an arrow key to keep this text, then enter.")
	case c == nil && s.Untouched && !s.Required:
		return words.T("type a text, or press an arrow key to leave it open; then enter.")
	case c == nil:
		return words.T("type one, then press enter.")
	case s.Confirms() && s.Required:
		return words.T("press y or n, then enter.")
	case s.Confirms():
		return words.T("press y or n, or s to skip it, then enter.")
	case s.Several() && c.unset(s):
		return words.T("press an arrow key or a number first.")
	case s.Several():
		return words.T("space marks an option.")
	}
	return words.T("press an arrow key or a number, then enter.")
}

// find returns what a key or a paste does on the page now; nil is nothing.
func (p *page) find(msg tea.Msg) func() tea.Cmd {
	if pressed, isKey := msg.(tea.KeyPressMsg); isKey {
		if do, _ := p.bindings(pressed.String()).Find(pressed.String()); do != nil {
			return do
		}
	}
	if e := p.entry(); e != nil {
		return term.Only(func() {
			err := e.Press(msg)
			p.typed()
			p.fault = cmp.Or(err, p.fault)
		})
	}
	if c := p.choice(); c != nil {
		return c.search(msg)
	}
	return nil
}

// bindings are the keys that work on the page now. Name is the one that is pressed:
// options have other names than those in the hints.
func (p *page) bindings(name string) term.Bindings {
	f, typing := p.form, p.typing()
	if name == "tab" {
		f.View() // finds out whether something is cut
	}
	read := term.Binding{Keys: "tab", Hint: words.T("read all"), Off: p.id == "" || !p.cut, Do: term.Only(func() { p.reader = term.TextReader(p.everything()) })}
	back := term.Binding{Keys: "shift+tab left ctrl+b", Do: term.Only(func() { p.act(dialogue.Back{}) })}
	if f.dialogue.Previous() != nil {
		back.Hint = words.T("back")
	}
	if typing {
		back.Keys = "shift+tab"
	}
	discuss := term.Binding{Keys: "alt+d", Do: term.Only(func() { f.ask(f.discussion) })}
	if p.choice() == nil {
		discuss.Hint = words.T("discuss first")
	}
	looks := term.Bindings{
		{Keys: p.letter("h"), Hint: words.T("earlier rounds"), Off: !f.remembers(), Do: f.lookBack},
		{Keys: p.letter("L"), Hint: f.liftHint(), Off: f.options.Lift == nil, Do: f.lift},
	}
	other := term.Bindings{
		{Keys: "ctrl+n", Hint: words.T("note"), Do: term.Only(p.openNote)},
		{Keys: recallKey, Hint: words.T("the earlier answer; again puts back"), Off: p.memory == "", Do: term.Only(p.recall)},
		discuss,
	}
	if p.writesNote() {
		return slices.Concat(p.noteBindings(), append(looks, read).Hidden())
	}
	own, only := p.body.bindings(name)
	enter := slices.IndexFunc(own, func(b term.Binding) bool { return b.Keys == "enter" })
	own[enter].Hint = cmp.Or(own[enter].Hint, p.onward())
	if only {
		return slices.Concat(own, append(looks, read, back).Hidden(), other.Hidden())
	}
	return slices.Concat(own[:enter+1], term.Bindings{
		read,
		{Keys: "esc", Hint: words.T("dismiss"), Do: term.Only(func() { f.ask(f.dismissal) })},
		back,
		{Keys: "?", Hint: words.T("keys"), Off: typing, Do: term.Only(p.explain)},
	}, own[enter+1:], looks, other)
}

// noteBindings are the keys while the note is written.
func (p *page) noteBindings() term.Bindings {
	return append(term.Bindings{{Keys: "enter esc", Hint: words.T("done"), Do: term.Only(p.note.Blur)}}, writing()...)
}

// writing are the keys where text is typed.
func writing() term.Bindings {
	return term.Bindings{{Keys: "alt+enter", Hint: words.T("new line")}, {Keys: term.EditKey, Hint: words.T("editor")}}
}

// letter is the key for a command of every page that is called by a letter: with alt
// where letters are text.
func (p *page) letter(l string) string {
	if p.typing() {
		return "alt+" + strings.ToLower(l)
	}
	return l
}

// onward says what Enter does on the page.
func (p *page) onward() string {
	s, c, leads := p.step(), p.choice(), false
	if c != nil {
		leads = s.LeadsOn(c.cursor)
	}
	switch {
	case s != nil && s.Skipped:
		return words.T("skip")
	case c != nil && c.cursor == talk:
		return words.T("discuss first")
	case s == nil || !p.form.dialogue.Reviews() && !leads:
		return words.T("send")
	}
	return words.T("next")
}

// explain lists the keys.
func (p *page) explain() {
	f := p.form
	f.View() // finds out whether something is cut
	leaves := words.Local.Breaking(f.options.Interrupted)
	if f.options.Break {
		leaves = words.T("dismiss; twice leaves, and the question stays open")
	}
	keys := append(p.bindings("").Hints(), term.NewHint("ctrl+c", leaves))
	p.reader = term.KeysReader("", term.HintGroup{Title: words.T("Keys on this page"), Hints: keys})
}

// entry is where text is typed now, nil for nowhere.
func (p *page) entry() *term.Entry {
	if p.writesNote() {
		return p.note
	}
	return p.body.entry()
}

// typing reports whether letters are text now.
func (p *page) typing() bool {
	c := p.choice()
	return p.entry() != nil || c != nil && c.filtering
}

// typed takes over what was typed.
func (p *page) typed() {
	if p.writesNote() {
		p.act(dialogue.Note{Text: p.note.Text()})
	} else {
		p.body.typed()
	}
}

func (p *page) openNote() {
	p.body.blur()
	if p.note == nil {
		p.note = term.NewEntry("", words.T("A word to the agent beside the answer"))
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

// writesNote reports whether the note has the keyboard.
func (p *page) writesNote() bool { return p.note != nil && p.note.Focused() }

// recallKey takes over what the human answered before. It is the same on every
// page, and no sentence has it.
const recallKey = "ctrl+r"

// recall puts the earlier answer on the page. Once more puts back what stood
// there, unless it was changed since.
func (p *page) recall() {
	again := p.step().Recalled
	if c := p.choice(); c != nil {
		c.recall(again)
		return
	}
	p.act(dialogue.Recall{})
}

func (p *page) focus() {
	if !p.writesNote() {
		p.body.focus()
	}
}

func (p *page) blur() {
	if p.note != nil {
		p.note.Blur()
	}
	p.body.blur()
}

func (p *page) keep() (back func()) {
	was, body, note := *p, p.body.keep(), func() {}
	if p.note != nil {
		note = p.note.Keep()
	}
	return func() { *p = was; body(); note() }
}

// choice is the page's body if that is a choice, else nil.
func (p *page) choice() *choice {
	c, _ := p.body.(*choice)
	return c
}

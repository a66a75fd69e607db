package form

import (
	"errors"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/dialogue"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// page is one page of the form: a step of the dialogue, whose answer is picked from a
// list or typed, or the review. It is the one field of a huh form, which hands it its
// keys and draws it.
type page struct {
	huh.Field // an unused one, for the methods that a page has no use for

	form              *Form
	id                string // of the question; empty on the review
	huh               *huh.Form
	text, description *term.Prose  // of the question
	memory            string       // "You answered PostgreSQL on 3 Nov"; empty where nothing is remembered
	entry             *term.Entry  // of the answer, or of the words of Other; nil on the review
	typed             string       // what the step holds of it
	note              *term.Entry  // nil until it is wanted
	reader            *term.Reader // open while the human reads what does not fit
	list              list
	reviewed          int // on the review: the step with the cursor, of those that are shown

	width, height int
	cut           bool        // a text does not fit: known once it is drawn
	caret         *tea.Cursor // likewise
}

// newPage returns the page of a question, or the review for an empty id.
func (f *Form) newPage(id string) *page {
	p := &page{Field: huh.NewInput(), form: f, id: id}
	if s := p.step(); s != nil {
		p.text, p.description = term.NewProse(s.Text), term.NewProse(s.Description)
		if s.Memory != nil {
			p.memory = term.Line(words.Local.Remembered(*s.Memory, f.window.Now()), maxWidth)
		}
		if s.Chooses() {
			p.entry, p.list = term.NewEntry("", words.T("Your own answer")), f.newList(s)
		} else {
			p.entry, p.typed = term.NewEntry(s.Default, s.Placeholder).Tall(3), s.Default
		}
		p.renew(s)
	}
	p.huh = huh.NewForm(huh.NewGroup(p).WithShowHelp(false).WithShowErrors(false)).WithTheme(f).WithLayout(layout{p})
	return p
}

// Update implements huh.Field.
func (p *page) Update(msg tea.Msg) (huh.Model, tea.Cmd) {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg: // huh has messages of its own
		if do := p.find(msg); do != nil {
			return p, do()
		}
	}
	return p, nil
}

// View implements huh.Field.
func (p *page) View() string {
	if p.width == 0 {
		return "" // its size is not known yet
	}
	b := p.draw()
	p.caret = b.Cursor
	return strings.Join(b.Lines, "\n")
}

// KeyBinds implements huh.Field: the keys that work now, the most useful first.
func (p *page) KeyBinds() []key.Binding {
	switch f := p.form; {
	case f.sending:
		return []term.Hint{term.NewHint("…", words.T("sending"))}
	case f.window.Gate.Waiting():
		return term.WaitingHints(f.window.Width)
	case f.dismissal.Asks():
		return f.dismissal.Hints()
	case p.reader != nil:
		return p.reader.Hints()
	}
	return p.bindings("").Hints()
}

// WithWidth implements huh.Field.
func (p *page) WithWidth(cells int) huh.Field { p.width = cells; return p }

// WithHeight implements huh.Field.
func (p *page) WithHeight(lines int) huh.Field { p.height = lines; return p }

// step is the page's step of the dialogue as it is now; nil for the review.
func (p *page) step() *dialogue.Step { return p.form.dialogue.Step(p.id) }

// chooses reports whether the answer is picked from a list.
func (p *page) chooses() bool { s := p.step(); return s != nil && s.Chooses() }

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

// inWords says to the human what is wrong with an answer; empty for a key that leads
// nowhere.
func (p *page) inWords(err error) string {
	faults, refused := errors.AsType[question.Violations](err)
	switch {
	case errors.Is(err, dialogue.ErrUntouched):
		return words.T("Enter alone answers nothing: %s", p.need())
	case errors.Is(err, dialogue.ErrRequired), errors.Is(err, dialogue.ErrNoWords):
		return words.T("This question needs an answer: %s", p.need())
	case errors.Is(err, dialogue.ErrUnconfirmed):
		return words.T("This answer is not confirmed yet: enter confirms it.")
	case refused:
		return words.Local.Unfit(faults)
	}
	return ""
}

// need says how to give the answer that is missing.
func (p *page) need() string {
	switch s := p.step(); {
	case !s.Chooses() && s.Untouched && strings.TrimSpace(s.Typed) != "":
		return words.T("press an arrow key to keep this text, then enter.")
	case !s.Chooses() && s.Untouched && !s.Required:
		return words.T("type a text, or press an arrow key to skip it; then enter.")
	case !s.Chooses():
		return words.T("type one, then press enter.")
	case s.Confirms() && s.Required:
		return words.T("press y or n, then enter.")
	case s.Confirms():
		return words.T("press y or n, or s to skip it, then enter.")
	case s.Several() && s.Untouched && len(s.Marked()) > 0:
		return words.T("press an arrow key or a number first.")
	case s.Several():
		return words.T("space marks an option.")
	}
	return words.T("press an arrow key or a number, then enter.")
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
		if do, _ := p.bindings(pressed.String()).Find(pressed.String()); do != nil {
			return do
		}
	}
	if e := p.focused(); e != nil {
		return term.Only(func() {
			err := e.Press(msg)
			p.takeOver()
			if err != nil {
				p.form.notice = question.Line(err.Error())
			}
		})
	}
	if p.chooses() {
		return p.search(msg)
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
	escape := term.Binding{Keys: "esc", Off: p.chooses() && p.step().Filter != "", Do: f.escape}
	switch {
	case f.dialogue.Previous() != nil:
		escape.Hint = words.T("back")
	case f.options.List:
		escape.Hint = words.T("list")
	}
	back := term.Binding{Keys: "shift+tab left ctrl+b", Do: term.Only(func() { p.act(dialogue.Back{}) })}
	dismiss := term.Binding{Keys: term.DismissKey, Hint: words.T("dismiss"), Do: func() tea.Cmd { return f.ask(term.Dismiss) }}
	discuss := term.Binding{Keys: term.DiscussKey, Hint: words.T("discuss first"), Do: func() tea.Cmd { return f.ask(term.Discuss) }}
	if typing {
		back.Keys = "shift+tab"
	}
	looks := term.Bindings{
		{Keys: p.letter("h"), Hint: words.T("earlier questions"), Off: f.options.Rounds == nil || f.rec.Round <= 1, Do: f.lookBack},
		{Keys: p.letter("L"), Hint: words.T("lift the limit"), Off: f.options.Lift == nil || f.lifted, Do: f.lift},
	}
	other := term.Bindings{
		{Keys: "ctrl+n", Hint: words.T("note"), Do: term.Only(p.openNote)},
		{Keys: recallKey, Hint: words.T("use your earlier answer again; twice undoes it"), Off: p.memory == "", Do: term.Only(p.recall)},
		discuss,
	}
	if p.writesNote() {
		return slices.Concat(p.noteBindings(), append(looks, read, dismiss, discuss).Hidden())
	}
	own, only := p.ownBindings(name)
	enter := slices.IndexFunc(own, func(b term.Binding) bool { return b.Keys == "enter" })
	if own[enter].Hint == "" {
		own[enter].Hint = p.onward()
	}
	if only {
		return slices.Concat(own, append(looks, read, back, dismiss).Hidden(), other.Hidden())
	}
	return slices.Concat(own[:enter+1], term.Bindings{
		read, escape, dismiss, back,
		{Keys: "?", Hint: words.T("keys"), Off: typing, Do: term.Only(p.explain)},
	}, own[enter+1:], looks, other)
}

// ownBindings are the keys of the list, the text or the review. Only says that no others
// of the page work.
func (p *page) ownBindings(name string) (keys term.Bindings, only bool) {
	switch {
	case p.chooses():
		return p.listBindings(name)
	case p.id == "":
		return p.reviewBindings(name), false
	}
	return append(term.Bindings{{Keys: "enter", Do: p.next}}, writing()...), false
}

// noteBindings are the keys while the note is written.
func (p *page) noteBindings() term.Bindings {
	done := term.Only(func() { p.note.Blur(); p.focus() })
	return append(term.Bindings{{Keys: "enter esc", Hint: words.T("done"), Do: done}}, writing()...)
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
	switch s := p.step(); {
	case s != nil && s.Skipped:
		return words.T("skip")
	case s != nil && s.Chooses() && p.row(s).Kind == talk:
		return words.T("discuss first")
	case s == nil || !p.form.dialogue.Reviews() && !(s.Chooses() && s.LeadsOn(p.list.cursor)):
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

// focused is where text is typed now, nil for nowhere.
func (p *page) focused() *term.Entry {
	switch {
	case p.reader != nil:
	case p.writesNote():
		return p.note
	case p.entry != nil && p.entry.Focused():
		return p.entry
	}
	return nil
}

// typing reports whether letters are text now.
func (p *page) typing() bool { return p.focused() != nil || p.list.filtering }

// takeOver takes what was typed into the dialogue.
func (p *page) takeOver() {
	if p.writesNote() {
		p.act(dialogue.Note{Text: p.note.Text()})
		return
	}
	s := p.step()
	unchanged := strings.TrimSpace(s.Typed) == p.entry.Text()
	if unchanged && !s.Chooses() {
		p.act(dialogue.Touch{})
		return
	}
	p.typed = p.entry.Text()
	p.act(dialogue.Text{Text: p.typed})
}

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

// writesNote reports whether the note has the keyboard.
func (p *page) writesNote() bool { return p.note != nil && p.note.Focused() }

// recallKey takes over what the human answered before. It is the same on every
// page, and no sentence has it.
const recallKey = "ctrl+r"

// recall puts the earlier answer on the page. Once more puts back what the page held
// before, unless it was changed since. What was typed in Other, and is not part of it,
// stays.
func (p *page) recall() {
	again, before, l := p.step().Recalled, p.list.cursor, &p.list
	if p.chooses() {
		p.blur()
	}
	p.act(dialogue.Recall{})
	if again {
		l.cursor = l.before
		return
	}
	l.before = before
	if marked := p.step().Marked(); p.chooses() && len(marked) > 0 {
		p.goTo(marked[0])
	}
}

// focus gives the keyboard to the page.
func (p *page) focus() {
	if s := p.step(); s != nil && !s.Chooses() && !p.writesNote() {
		p.entry.Focus()
	}
}

// blur takes it away.
func (p *page) blur() {
	if p.note != nil {
		p.note.Blur()
	}
	switch p.list.filtering = false; {
	case p.chooses():
		p.stopWriting()
	case p.entry != nil:
		p.entry.Blur()
	}
}

// keep remembers what the page holds beside its step; back goes back to that.
func (p *page) keep() (back func()) {
	was, backs := *p, []func(){}
	for _, e := range []*term.Entry{p.entry, p.note} {
		if e != nil {
			backs = append(backs, e.Keep())
		}
	}
	return func() {
		*p = was
		for _, back := range backs {
			back()
		}
	}
}

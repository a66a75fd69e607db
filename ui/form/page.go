package form

import (
	"errors"
	"io"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"

	"mcp-askuser/question"
)

// wish is what the human asked of the form with the last key.
type wish int

const (
	stay    wish = iota
	take         // confirm this page and go on
	back         // to the page before
	leave        // close without answering
	edit         // from the review to the question under its cursor
	explain      // list the keys
)

// body is what a page is filled with: a choice, a text, the review.
type body interface {
	// press handles a key or a paste. An error is for the human.
	press(msg tea.Msg) (wish, tea.Cmd, error)
	// draw shows the body at this width; rows is a guide for what can grow.
	draw(l *look, width, rows int) sheet
	// hints are the keys that work now. The body that holds the keyboard, for
	// a filter or free text among options, says so: then only these work.
	hints() (keys []hint, holds bool)
	// focus puts the keyboard into the body, blur takes it away.
	focus()
	blur()
}

// answering is a body that answers a question.
type answering interface {
	body
	answer() question.Answer
	// draft is what the body holds, confirmed or not; restore puts it back.
	draft() question.Answer
	restore(question.Answer)
}

// page is one page of the form: a field of the huh form that keeps the pages.
// Huh decides which page is next; the form draws the page itself, since a huh
// group's view follows no cursor and has none of the terminal's (FACTS 7.6).
type page struct {
	body
	ask   *question.Question // nil on the review
	shown bool               // the present answers bring it up
	fresh question.Answer    // what the body held before the human came
	taken *question.Answer   // what the human last confirmed; nil before
	err   error
	wish  wish
	read  *reader // open while the human reads what does not fit
}

// settled reports whether the page needs no more of the human: it was
// confirmed and is still as it was then.
func (p *page) settled() bool {
	b, ok := p.body.(answering)
	return ok && p.taken != nil && same(*p.taken, b.answer())
}

func same(a, b question.Answer) bool {
	return a.Custom == b.Custom && slices.Equal(a.Selected, b.Selected)
}

// confirm takes the page's answer, unless the question does not allow it. The
// rules are the domain's own, applied to this question alone.
func (p *page) confirm() bool {
	a := p.body.(answering).answer()
	one := *p.ask
	one.Options = slices.Clone(one.Options)
	for i := range one.Options {
		one.Options[i].FollowUps = nil
	}
	set := question.Set{Questions: []question.Question{one}}
	_, err := set.Check(question.Reply{Answers: []question.Answer{a}})
	if err != nil {
		p.err = p.complaint(a, err)
		return false
	}
	p.taken = &a
	return true
}

// complaint puts the domain's refusal into words for this page.
func (p *page) complaint(a question.Answer, err error) error {
	var faults question.Violations
	switch {
	case a.Empty() && !p.ask.Chooses():
		return fault("This question needs an answer: type one, then press enter.")
	case a.Empty() && p.ask.Several():
		return fault("This question needs an answer: space marks an option.")
	case a.Empty():
		return fault("This question needs an answer: choose an option.")
	case errors.As(err, &faults):
		return refusal(faults)
	}
	return err
}

// fault is what is wrong, said to the human as a whole sentence.
type fault string

func (f fault) Error() string { return string(f) }

func refusal(faults question.Violations) fault {
	var words []string
	for _, v := range faults {
		words = append(words, v.Message)
	}
	return fault("This answer " + strings.Join(words, "; ") + ".")
}

// choice is the page's body if that is a choice, else nil.
func (p *page) choice() *choice {
	c, _ := p.body.(*choice)
	return c
}

// leadsOn reports whether the option under the cursor has follow-ups.
func (p *page) leadsOn() bool {
	c := p.choice()
	return c != nil && len(c.rows[c.cursor].option.FollowUps) > 0
}

// Update implements huh.Model: only keys and pastes matter to a page.
func (p *page) Update(msg tea.Msg) (huh.Model, tea.Cmd) {
	key, isKey := msg.(tea.KeyPressMsg)
	_, isPaste := msg.(tea.PasteMsg)
	var cmd tea.Cmd
	switch {
	case p.read != nil && isKey:
		if p.read.press(key) {
			p.read = nil
		}
	case p.read == nil && (isKey || isPaste):
		p.wish, cmd, p.err = p.press(msg)
	}
	return p, cmd
}

// Error implements huh.Field: huh lets nobody past a page that has one.
func (p *page) Error() error { return p.err }

// Focus implements huh.Field.
func (p *page) Focus() tea.Cmd { p.focus(); return nil }

// Blur implements huh.Field.
func (p *page) Blur() tea.Cmd { p.blur(); return nil }

// GetKey implements huh.Field: the question's id, empty on the review.
func (p *page) GetKey() string {
	if p.ask == nil {
		return ""
	}
	return p.ask.ID
}

// GetValue implements huh.Field: the confirmed answer, or nil.
func (p *page) GetValue() any { return p.taken }

var errNoTerminal = errors.New("a page of the form runs in the form only")

// The rest of huh.Field has no use here: the form draws and sizes its pages,
// styles them, lists their keys, and has a line form for accessible mode.

func (p *page) Init() tea.Cmd                            { return nil }
func (p *page) View() string                             { return "" }
func (p *page) Run() error                               { return errNoTerminal }
func (p *page) RunAccessible(io.Writer, io.Reader) error { return errNoTerminal }
func (p *page) Skip() bool                               { return false }
func (p *page) Zoom() bool                               { return true }
func (p *page) KeyBinds() []key.Binding                  { return nil }
func (p *page) WithTheme(huh.Theme) huh.Field            { return p }
func (p *page) WithKeyMap(*huh.KeyMap) huh.Field         { return p }
func (p *page) WithWidth(int) huh.Field                  { return p }
func (p *page) WithHeight(int) huh.Field                 { return p }
func (p *page) WithPosition(huh.FieldPosition) huh.Field { return p }

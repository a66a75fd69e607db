package form

import (
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// action is what the last key asked of the form.
type action int

const (
	none    action = iota
	confirm        // take the answer of this page and go on
	back           // to the page before
	dismiss        // close without answering
	discuss        // ask whether to discuss it first
	edit           // from the review to the question under its cursor
	explain        // list the keys
)

// body is what a page is filled with: a choice, a text, the review.
type body interface {
	// bind returns what a key or a paste does now; nil is nothing.
	bind(msg tea.Msg) does
	// draw shows the body at this width; rows is a guide for what can grow.
	draw(s *term.Styles, width, rows int) term.Block
	// hints are the keys that work now. A body in which a filter or a free text
	// is being typed says that only these do.
	hints() (keys []term.Hint, only bool)
	// entry is where text is typed now, nil for nowhere.
	entry() *term.Entry
	// focus puts the keyboard into the body, blur takes it away.
	focus()
	blur()
	// keep remembers what was marked and typed; back goes back to that.
	keep() (back func())
}

// does is what a key does, and what it asks of the form then. An error is for
// the human.
type does func() (action, error)

func asks(a action) does  { return func() (action, error) { return a, nil } }
func only(do func()) does { return func() (action, error) { do(); return none, nil } }

// answering is a body that answers a question.
type answering interface {
	body
	// begin readies it for the human, once what was typed before is restored. Where the
	// form is bare, it is unset until they have moved to something in it or typed.
	begin(bare bool)
	// unset reports that Enter would take what the human has not chosen.
	unset() bool
	answer() question.Answer
	// need says how to give the answer that is missing.
	need() string
	// draft is what the body holds, confirmed or not; restore puts it back.
	draft() question.Answer
	restore(question.Answer)
	// recall puts an answer to the same question there, which the human confirms.
	recall(question.Answer)
}

// newBody returns the body for a question: the one place where a type of
// question gets its page.
func newBody(q *question.Question) answering {
	if q.Chooses() {
		return newChoice(q)
	}
	return newText(q)
}

// page is one page of the form: a question, or the review. To huh, which turns
// the pages, it is the one field of a group; it is drawn here, since a group's
// view follows no cursor and has none of the terminal's.
type page struct {
	body
	ask       *question.Question // nil on the review
	text      *term.Prose        // of the question
	about     *term.Prose        // its description
	note      note
	before    before
	shown     bool             // the present answers bring it up
	untouched question.Answer  // what the body held before the human came
	taken     *question.Answer // what the human last confirmed; nil before
	err       error
	cut       bool         // a text does not fit: set when it is drawn
	reader    *term.Reader // open while the human reads what does not fit
}

// settled reports whether the page needs no more of the human: it was
// confirmed and is still as it was then.
func (p *page) settled() bool {
	return p.ask != nil && p.taken != nil && same(*p.taken, p.answer())
}

// answer is what the page of a question holds as its answer now.
func (p *page) answer() question.Answer { return p.noted(p.body.(answering).answer()) }

// draft is what it holds, confirmed or not.
func (p *page) draft() question.Answer { return p.noted(p.body.(answering).draft()) }

func (p *page) noted(a question.Answer) question.Answer {
	a.Note = p.note.text()
	return a
}

// The body and the note share the page: while the note is written, it has the
// keyboard.

func (p *page) bind(msg tea.Msg) does {
	key, _ := msg.(tea.KeyPressMsg)
	name := key.String()
	switch {
	case p.note.writing():
		return p.note.bind(msg)
	case name == "ctrl+n":
		return only(func() { p.body.blur(); p.note.open().Focus() })
	case name == "alt+d":
		return asks(discuss)
	case name == recallKey && p.before.words != "":
		return only(p.recall)
	}
	if do := p.body.bind(msg); do != nil {
		return do
	}
	switch name {
	case "enter":
		return asks(confirm)
	case "esc":
		return asks(dismiss)
	case "shift+tab", "left", "ctrl+b":
		return asks(back)
	case "?":
		return asks(explain)
	}
	return nil
}

// letter is the key for a command of every page that is called by a letter:
// with alt where letters are text, or mean something of the body's own.
func (p *page) letter(l string) string {
	code, _ := utf8.DecodeRuneInString(l)
	if p.typing() || p.body.bind(tea.KeyPressMsg{Code: code, Text: l}) != nil {
		return "alt+" + strings.ToLower(l)
	}
	return l
}

func (p *page) entry() *term.Entry {
	if p.note.writing() {
		return p.note.entry
	}
	return p.body.entry()
}

// typing reports whether letters are text now.
func (p *page) typing() bool {
	c := p.choice()
	return p.entry() != nil || c != nil && c.filtering
}

func (p *page) focus() {
	if !p.note.writing() {
		p.body.focus()
	}
}

func (p *page) blur() {
	p.note.stop()
	p.body.blur()
}

func (p *page) keep() (back func()) {
	body, text := p.body.keep(), p.note.keep()
	return func() { body(); text() }
}

func (p *page) draw(s *term.Styles, width, rows int) term.Block {
	b, note := p.body.draw(s, width, rows), p.note.draw(s, width, rows)
	switch {
	case p.note.writing():
		b.Lines = append(b.Lines, "")
		b.Add(note)
	case note.Lines != nil:
		b.Lines = append(append(b.Lines, ""), note.Lines...)
	}
	return b
}

func (p *page) hints() ([]term.Hint, bool) {
	if p.note.writing() {
		return writingHints(words.T("done")), true
	}
	return p.body.hints()
}

// Focus implements huh.Field.
func (p *page) Focus() tea.Cmd { p.focus(); return nil }

// The rest of huh.Field has no use here: the form draws its pages, hands them
// their keys and lists these, checks and keeps their answers, and never runs in
// huh's own program.

func (p *page) Update(tea.Msg) (huh.Model, tea.Cmd)      { return p, nil }
func (p *page) Blur() tea.Cmd                            { return nil }
func (p *page) Init() tea.Cmd                            { return nil }
func (p *page) View() string                             { return "" }
func (p *page) Error() error                             { return nil }
func (p *page) Run() error                               { return errors.ErrUnsupported }
func (p *page) RunAccessible(io.Writer, io.Reader) error { return errors.ErrUnsupported }
func (p *page) Skip() bool                               { return false }
func (p *page) Zoom() bool                               { return false }
func (p *page) GetKey() string                           { return "" }
func (p *page) GetValue() any                            { return nil }
func (p *page) KeyBinds() []key.Binding                  { return nil }
func (p *page) WithTheme(huh.Theme) huh.Field            { return p }
func (p *page) WithKeyMap(*huh.KeyMap) huh.Field         { return p }
func (p *page) WithWidth(int) huh.Field                  { return p }
func (p *page) WithHeight(int) huh.Field                 { return p }
func (p *page) WithPosition(huh.FieldPosition) huh.Field { return p }

func same(a, b question.Answer) bool {
	return a.Custom == b.Custom && a.Note == b.Note && slices.Equal(a.Selected, b.Selected)
}

// confirm takes the page's answer, unless the human has chosen none or the question
// does not allow it. The rules are the domain's own, applied to this question alone.
func (p *page) confirm() bool {
	b, a := p.body.(answering), p.answer()
	if b.unset() {
		p.err = errors.New(words.T("Enter alone answers nothing: %s", b.need()))
		return false
	}
	one := *p.ask
	one.Options = slices.Clone(one.Options)
	for i := range one.Options {
		one.Options[i].FollowUps = nil
	}
	set := question.Set{Questions: []question.Question{one}}
	_, err := set.Check(question.Reply{Answers: []question.Answer{a}})
	var faults question.Violations
	switch {
	case err == nil:
		p.taken = &a
		return true
	case a.Empty():
		err = errors.New(words.T("This question needs an answer: %s", b.need()))
	case errors.As(err, &faults):
		err = refusal(faults)
	}
	p.err = err
	return false
}

func refusal(faults question.Violations) error {
	var said []string
	for _, v := range faults {
		said = append(said, v.In(words.T))
	}
	return errors.New(words.T("This answer %s.", strings.Join(said, words.T("; "))))
}

// choice is the page's body if that is a choice, else nil.
func (p *page) choice() *choice {
	c, _ := p.body.(*choice)
	return c
}

// leadsOn reports whether the option under the cursor has follow-ups.
func (p *page) leadsOn() bool {
	c := p.choice()
	return c != nil && c.cursor != nowhere && len(c.rows[c.cursor].option.FollowUps) > 0
}

// heading is the page's question as lines of width cells; of those after n some
// may be missing.
func (p *page) heading(s *term.Styles, width, n int) []string {
	if p.ask == nil {
		return nil
	}
	lines := term.Each(s.Strong, p.text.First(n, width))
	if p.ask.Description != "" {
		lines = append(lines, term.Each(s.Muted, p.about.First(n, width))...)
	}
	switch c := p.choice(); {
	case c != nil && c.skipped:
		lines = append(lines, s.Cursor.Render("› "+term.LeftOpen()))
	case !p.ask.Required:
		lines = append(lines, s.Muted.Render(words.T("(optional)")))
	}
	return lines
}

// everything is all of the page as text, for reading.
func (p *page) everything() string {
	all := p.ask.Text
	if p.ask.Description != "" {
		all += "\n\n" + p.ask.Description
	}
	if c := p.choice(); c != nil {
		all += c.full()
	}
	return all
}

// The least width, in cells, at which a preview stands beside the options
// instead of below them, and the most that these take then.
const (
	wideEnough = 84
	leftMost   = 60
)

// columns is column for a page with previews.
func (p *page) columns(s *term.Styles, width, rows int) (b term.Block, more bool) {
	c := p.choice()
	if width >= wideEnough {
		left := min(max(40, width*2/5), leftMost)
		b, more = p.column(s, left, rows)
		right := c.preview().draw(s, &c.scroll, width-left-3, rows)
		return beside(s, b, right, left), more || c.preview().wide > width-left-3
	}
	below := c.preview().draw(s, &c.scroll, width, max(rows/3, min(3, rows/2)))
	b, more = p.column(s, width, rows-len(below))
	b.Lines = append(b.Lines, below...)
	return b, more || c.preview().wide > width
}

// column lays out question and body, one above the other, in at most rows lines.
// When they do not fit, the body scrolls and the question shows its beginning; more
// says that something was left out that reading would show.
func (p *page) column(s *term.Styles, width, rows int) (out term.Block, more bool) {
	head, foot := p.heading(s, width, rows+1), p.earlier(s, width, rows)
	rows -= len(foot)
	space := max(rows-len(head)-1, rows*3/5, 1) // what the body may claim
	b := p.draw(s, width, space)
	left := max(rows-min(len(b.Lines), space), 0)
	switch {
	case len(head) > left:
		head, more = term.Opening(head, left, width), true
	case len(head) > 0 && len(head)+len(b.Lines) < rows:
		foot = append(foot, "")
		rows-- // which the gap takes
	}
	space = rows - len(head)
	head = append(head, foot...)
	if c := p.choice(); c != nil {
		more = more || c.cutShort() || c.tallest > space-b.Pinned // not of the cursor's row alone: the hints stay put
	}
	out.Lines = head
	out.Add(b.Window(space, width))
	return out, more
}

// beside puts lines to the right of b, whose own are left cells wide, the marks
// of a window in one more.
func beside(s *term.Styles, b term.Block, right []string, left int) term.Block {
	rule := s.Border.Render("│") + " "
	for i := range max(len(b.Lines), len(right)) {
		if i == len(b.Lines) {
			b.Lines = append(b.Lines, "")
		}
		b.Lines[i] = term.Pad(b.Lines[i], left+1) + rule
		if i < len(right) {
			b.Lines[i] += right[i]
		}
	}
	return b
}

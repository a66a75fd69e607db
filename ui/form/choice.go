package form

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
	"mcp-askuser/ui/dialogue"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// choice answers a question by picking options: one, several, or yes and no. What is
// picked, the words of Other and the filter are in the dialogue.
type choice struct {
	page   *page
	rows   []row // those of the step, as they are drawn
	talk   row   // below them: Discuss first
	cursor int   // index of a row that the filter lets through, or talk, or nowhere
	before int   // the cursor when the earlier answer was taken over

	other     *term.Entry // the words of Other; may have the keyboard
	filtering bool        // the keyboard belongs to the filter

	tallest  int // lines of a row, when last drawn
	previews bool
	scroll   term.Scroll // of the preview
}

// Places of the cursor that are no row of the step.
const (
	// nowhere takes nothing: where it is at first in a bare form, on yes and no in any
	// form, and where the question is skipped.
	nowhere = -1
	talk    = 1 << 20
)

// row is how a row is drawn.
type row struct {
	label, about string // safe and short
	key          string // the shortcut shown, empty where there is none
	number       string // the other one
	preview      *preview
}

// The most characters of a label and a description shown: longer ones are kept
// whole in the record and can be read with Tab.
const (
	maxLabel       = 50
	maxDescription = 200
)

func newRow(o *question.Option, key string) row {
	return row{label: term.Line(o.Label, maxLabel), about: term.Line(o.Description, maxDescription), key: key}
}

// newChoice returns the choice of a page. The cursor begins on the row that matters,
// unless the form is bare; on a yes only where the human has marked it.
func newChoice(p *page, s *dialogue.Step) *choice {
	c := &choice{page: p, cursor: nowhere, other: term.NewEntry("", words.T("Your own answer"))}
	for _, r := range s.Rows {
		o := r.Option
		if r.Kind == dialogue.Other {
			other := words.Local.Other(s.Question)
			o = &other
		}
		if r.Kind == dialogue.LeaveOpen {
			continue
		}
		drawn := newRow(o, "0")
		switch r.Kind {
		case dialogue.Yes:
			drawn.key = "y"
		case dialogue.No:
			drawn.key = "n"
		case dialogue.Option:
			drawn.key = ""
		}
		if r.Offered() && r.Number <= 9 {
			drawn.number = strconv.Itoa(r.Number)
			drawn.key = cmp.Or(drawn.key, drawn.number)
		}
		c.previews = c.previews || r.Offered() && o.Preview != ""
		c.rows = append(c.rows, drawn)
	}
	c.talk = newRow(&question.Option{Label: words.T(words.DiscussFirst)}, "d")
	c.renew(s)
	home := c.home(s)
	if first := s.Rows[home]; !p.form.bare() && (!s.Confirms() || first.Marked || first.Default && first.Kind == dialogue.No) {
		c.cursor = home
	}
	return c
}

// home is the row where the cursor begins: the one that is marked, where only one may
// be, or else the declared default, or else the first.
func (c *choice) home(s *dialogue.Step) int {
	if i := slices.IndexFunc(s.Rows, func(r dialogue.Row) bool { return r.Marked && r.Kind != dialogue.LeaveOpen }); i >= 0 && !s.Several() {
		return i
	}
	return max(slices.IndexFunc(s.Rows, func(r dialogue.Row) bool { return r.Default }), 0)
}

// unset reports that Enter would take what the human has not chosen.
func (c *choice) unset(s *dialogue.Step) bool { return c.cursor == nowhere && !s.Skipped }

func (c *choice) renew(s *dialogue.Step) {
	if strings.TrimSpace(s.Typed) != c.other.Text() {
		c.other.Set(s.Typed)
	}
}

func (c *choice) entry() *term.Entry {
	if c.other.Focused() {
		return c.other
	}
	return nil
}

func (c *choice) typed() { c.page.act(dialogue.Text{Text: c.other.Text()}) }
func (c *choice) focus() {}
func (c *choice) blur()  { c.stopWriting(); c.filtering = false }

func (c *choice) keep() (back func()) {
	was, other := *c, c.other.Keep()
	return func() { *c = was; other() }
}

// take confirms the row under the cursor, or, where several may be picked, the rows that
// are marked.
func (c *choice) take() tea.Cmd {
	p, s := c.page, c.page.step()
	switch at := c.cursor; {
	case c.unset(s):
		p.fault = p.inWords(dialogue.ErrUntouched)
		return nil
	case at == talk:
		p.form.ask(p.form.discussion)
		return nil
	case at == nowhere:
	case s.Rows[at].Kind == dialogue.Other && (s.Several() && len(s.Marked()) == 0 || !s.Several() && (!s.Rows[at].Marked || c.other.Text() == "")):
		c.write()
		return nil
	case !s.Several():
		p.act(dialogue.Choose{Row: at})
	}
	return p.next()
}

// skip leaves the question open, once Enter confirms it.
func (c *choice) skip() {
	c.page.act(dialogue.Skip{})
	c.cursor, c.scroll = nowhere, term.Scroll{}
}

// pick marks a row; where several may be picked it unmarks a marked one.
func (c *choice) pick(at int) {
	if at == nowhere || at == talk {
		return
	}
	switch s := c.page.step(); {
	case s.Rows[at].Kind == dialogue.Other && !(s.Several() && s.Rows[at].Marked):
		c.write()
	case s.Several() && s.Rows[at].Marked:
		c.page.act(dialogue.Unchoose{Row: at})
	default:
		c.page.act(dialogue.Choose{Row: at})
	}
}

// recall puts the earlier answer there, or what stood there before again. What was typed
// in Other, and is not part of it, stays.
func (c *choice) recall(again bool) {
	c.blur()
	before := c.cursor
	c.page.act(dialogue.Recall{})
	s := c.page.step()
	if marked := s.Marked(); again {
		c.cursor = c.before
	} else if c.before = before; len(marked) > 0 {
		c.goTo(marked[0])
	}
}

// move takes the cursor over n rows of those that the filter lets through, past
// the end to the beginning; from nowhere home, if that is one of them.
func (c *choice) move(n int) {
	s := c.page.step()
	visible, home := c.visible(s), c.home(s)
	switch at := slices.Index(visible, c.cursor); {
	case at >= 0:
		c.goTo(visible[(at+n+len(visible))%len(visible)])
	case slices.Contains(visible, home):
		c.goTo(home)
	default:
		c.goTo(visible[0])
	}
}

// reach goes to a row, through the filter.
func (c *choice) reach(at int) {
	if at != talk && c.page.step().Rows[at].Hidden {
		c.narrow("")
	}
	c.goTo(at)
}

func (c *choice) goTo(at int) {
	if at == c.cursor {
		return
	}
	c.cursor, c.scroll = at, term.Scroll{}
	if s := c.page.step(); s.Skipped {
		c.page.act(dialogue.Unchoose{Row: s.Row(dialogue.LeaveOpen)})
	} else {
		c.page.act(dialogue.Touch{})
	}
}

// visible returns the places of the cursor: the rows that the filter lets through, and
// talk.
func (c *choice) visible(s *dialogue.Step) (at []int) {
	for i := range c.rows {
		if !s.Rows[i].Hidden {
			at = append(at, i)
		}
	}
	return append(at, talk)
}

// narrow sets the filter and keeps the cursor on a match; our own rows, which
// are always in view, only have it when nothing matches. From nowhere it moves only
// where the question was skipped: words are typed to other programs too.
func (c *choice) narrow(filter string) {
	c.page.act(dialogue.Filter{Text: filter})
	s, at := c.page.step(), c.cursor
	stays := at >= 0 && at != talk && s.Rows[at].Offered() && !s.Rows[at].Hidden && !s.NoMatch
	if filter != "" && !c.unset(s) && !stays {
		c.goTo(c.visible(s)[0])
	}
}

// write gives the keyboard to the words of Other.
func (c *choice) write() {
	c.goTo(c.page.step().Row(dialogue.Other))
	c.filtering = false
	c.other.Focus()
}

// stopWriting gives the keyboard back to the list. The text stays; an empty
// one is no answer.
func (c *choice) stopWriting() {
	if !c.other.Focused() {
		return
	}
	c.other.Blur()
	if s := c.page.step(); s.NeedsWords() {
		c.page.act(dialogue.Unchoose{Row: s.Row(dialogue.Other)})
	}
}

// takeOther ends the writing of Other with Enter.
func (c *choice) takeOther() tea.Cmd {
	c.stopWriting()
	if c.other.Text() == "" {
		return nil
	}
	s := c.page.step()
	c.page.act(dialogue.Choose{Row: s.Row(dialogue.Other)})
	if s.Several() {
		return nil
	}
	return c.page.next()
}

// leaveOther goes up from the first line of Other.
func (c *choice) leaveOther() {
	if !c.other.Moves(tea.KeyPressMsg{Code: tea.KeyUp}) {
		c.stopWriting()
		c.move(-1)
	}
}

// search returns what text does that is no key: it begins a filter or goes on with it,
// where the human has opened the form.
func (c *choice) search(msg tea.Msg) func() tea.Cmd {
	pressed, isKey := msg.(tea.KeyPressMsg)
	text := pressed.Text
	if paste, ok := msg.(tea.PasteMsg); ok {
		text = paste.Content
	}
	letter := isKey && text != "" && unicode.IsLetter(pressed.Code) && c.page.form.options.Origin == act.Opened
	if !c.filtering && !letter {
		return nil
	}
	return term.Only(func() {
		c.filtering = true
		c.narrow(c.page.step().Filter + question.Line(text))
	})
}

// called returns the row with that shortcut, nowhere for none. The options of a
// yes-or-no question have numbers as well, and what an input method has for y
// and n.
func (c *choice) called(s *dialogue.Step, name string) int {
	said := ""
	if s.Confirms() {
		said = question.YesOrNo(name)
	}
	if name == c.talk.key {
		return talk
	}
	for i, r := range c.rows {
		if name != "" && (name == r.key || name == r.number) || said != "" && s.Rows[i].Offered() && said == s.Rows[i].Option.ID {
			return i
		}
	}
	return nowhere
}

func (c *choice) bindings(name string) (keys term.Bindings, only bool) {
	s := c.page.step()
	switch {
	case c.other.Focused():
		enter := term.Binding{Keys: "enter", Do: c.takeOther}
		if s.Several() {
			enter.Hint = words.T("mark")
		}
		return append(append(term.Bindings{enter}, writing()...),
			term.Binding{Keys: "esc", Hint: words.T("to the options"), Do: term.Only(c.stopWriting)},
			term.Binding{Keys: "up", Do: term.Only(c.leaveOther)}), true
	case c.filtering:
		return c.filterBindings(s), true
	}
	unset := c.unset(s)
	choose := term.Binding{Keys: "1", Name: "y/n", Hint: words.T("choose")}
	if !s.Confirms() {
		first := "1"
		if s.AllowCustom {
			first = "0"
		}
		choose.Name = fmt.Sprintf("%s–%d", first, min(len(s.Options), 9))
	}
	chooseLater, shortcut := choose, term.Binding{}
	choose.Off, chooseLater.Off = !unset, unset
	if at := c.called(s, strings.ToLower(name)); at != nowhere {
		shortcut = term.Binding{Keys: name, Do: term.Only(func() { c.reach(at); c.pick(at) })}
	}
	mark := term.Binding{Keys: "space", Do: term.Only(func() { c.pick(c.cursor) })}
	if s.Several() && !unset {
		mark.Hint = words.T("mark")
	}
	return term.Bindings{
		{Keys: "esc", Off: s.Filter == "", Do: term.Only(func() { c.narrow("") })},
		choose, mark,
		{Keys: "enter", Do: c.take},
		{Keys: "up k", Name: "↑↓", Hint: words.T("move"), Do: term.Only(func() { c.move(-1) })},
		{Keys: "down j", Do: term.Only(func() { c.move(1) })},
		{Keys: "home g", Do: term.Only(func() { c.goTo(c.visible(s)[0]) })},
		{Keys: "end G", Do: term.Only(func() { c.goTo(talk) })},
		shortcut,
		{Keys: "s", Hint: words.T("skip"), Off: s.Required, Do: term.Only(c.skip)},
		{Keys: "pgup pgdown ctrl+u ctrl+d", Name: "pgup/pgdn", Hint: words.T("scroll preview"), Off: !c.previews, Do: term.Only(func() { c.scroll.Press(name) })},
		chooseLater,
		{Keys: "/", Hint: words.T("filter"), Off: s.Confirms(), Do: term.Only(func() { c.filtering = true })},
	}, false
}

// filterBindings are bindings while the filter is typed.
func (c *choice) filterBindings(s *dialogue.Step) term.Bindings {
	done := func(filter string) func() tea.Cmd {
		return term.Only(func() { c.filtering = false; c.narrow(filter) })
	}
	return term.Bindings{
		{Keys: "enter", Hint: words.T("keep"), Do: term.Only(func() { c.filtering = false })},
		{Keys: "esc", Hint: words.T("show all"), Do: done("")},
		{Keys: "up", Name: "↑↓", Hint: words.T("move"), Do: term.Only(func() { c.move(-1) })},
		{Keys: "down", Do: term.Only(func() { c.move(1) })},
		{Keys: "backspace ctrl+h", Do: term.Only(func() { c.narrow(question.Cut(s.Filter, question.Count(s.Filter)-1)) })},
		{Keys: "ctrl+u ctrl+w", Do: term.Only(func() { c.narrow("") })},
	}
}

func (c *choice) draw(s *term.Styles, width, rows int) term.Block {
	var b term.Block
	step := c.page.step()
	if c.filtering || step.Filter != "" {
		b = c.drawFilter(s, step, width)
	}
	c.tallest = 0
	seen := c.cursor // the row that is always in view
	if seen == nowhere {
		seen = c.home(step)
	}
	for _, at := range c.visible(step) {
		r := c.drawRow(s, step, at, width, rows-b.Pinned)
		c.tallest = max(c.tallest, len(r.Lines))
		if at != seen {
			b.Lines = append(b.Lines, r.Lines...)
			continue
		}
		typed := b.Cursor // of the filter
		b.Add(r)
		b.Cursor = cmp.Or(b.Cursor, typed)
	}
	return b
}

func (c *choice) drawFilter(s *term.Styles, step *dialogue.Step, width int) term.Block {
	line := ansi.TruncateLeft("/ "+step.Filter, max(0, ansi.StringWidth(step.Filter)+3-width), "")
	b := term.Block{Pinned: 1}
	if c.filtering {
		b.Cursor = tea.NewCursor(ansi.StringWidth(line), 0)
		b.Cursor.Shape = tea.CursorBar
	}
	if step.NoMatch {
		line += "   " + words.T("no match")
	}
	b.Lines = []string{s.Cursor.Render(term.Cut(line, width))}
	return b
}

// drawRow draws one row: cursor, shortcut, mark and label on the first line,
// the description or the words of Other below, all with a hanging indent.
func (c *choice) drawRow(s *term.Styles, step *dialogue.Step, at, width, rows int) term.Block {
	r, mark, other, below := c.talk, term.Pad("", ansi.StringWidth(term.Mark(step.Several(), false))), false, term.Block{}
	if at != talk {
		of := step.Rows[at]
		r, mark, other = c.rows[at], term.Mark(step.Several(), of.Marked), of.Kind == dialogue.Other
		if of.Default && !step.Several() {
			r.label = words.T("%s (default)", r.label)
		}
	}
	lead, style := s.Row(at == c.cursor)
	lead += term.Pad(r.key, 1) + " " + mark + " "
	indent := ansi.StringWidth(lead)
	b := term.Block{Lines: term.RenderLines(style, term.Hang(lead, r.label, width))}
	switch text := c.other.Text(); {
	case other && c.other.Focused():
		below = c.other.Draw(s, width-indent, rows-len(b.Lines))
	case other && text != "":
		below.Lines = term.Text(s.Plain, "“"+question.Block(text)+"”", width-indent)
	case r.about != "":
		below.Lines = term.Text(s.Muted, r.about, width-indent)
	}
	b.Cursor = term.Shift(below.Cursor, indent, len(b.Lines))
	for _, line := range below.Lines {
		b.Lines = append(b.Lines, strings.Repeat(" ", indent)+line)
	}
	b.Bottom = len(b.Lines) - 1
	return b
}

// full is everything of the choice, for reading.
func (c *choice) full(s *dialogue.Step) string {
	var b strings.Builder
	add := func(key string, o *question.Option) {
		b.WriteString("\n\n" + strings.TrimSpace(key+" "+question.Line(o.Label)))
		if o.Description != "" {
			b.WriteString("\n" + o.Description)
		}
		if o.Preview != "" {
			b.WriteString("\n\n" + o.Preview)
		}
	}
	for i, r := range c.rows {
		o := s.Rows[i].Option
		if s.Rows[i].Kind == dialogue.Other {
			other := words.Local.Other(s.Question)
			o = &other
		}
		add(r.key, o)
	}
	add(c.talk.key, &question.Option{Label: words.T(words.DiscussFirst)})
	return b.String()
}

// cutShort reports whether a text is shown shortened.
func (c *choice) cutShort() bool {
	return slices.ContainsFunc(c.rows, func(r row) bool { return strings.HasSuffix(r.label, "…") || strings.HasSuffix(r.about, "…") })
}

// preview returns that of the option under the cursor. It is nil only when no
// option has one, so that the page keeps its shape as the cursor moves.
func (c *choice) preview() *preview {
	switch {
	case !c.previews:
		return nil
	case c.cursor == nowhere:
		return &preview{lines: []string{}}
	case c.cursor == talk:
		return &preview{}
	}
	r := &c.rows[c.cursor]
	if r.preview == nil {
		text := ""
		if of := c.page.step().Rows[c.cursor]; of.Offered() {
			text = of.Option.Preview
		}
		r.preview = newPreview(text)
	}
	return r.preview
}

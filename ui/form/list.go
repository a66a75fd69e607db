package form

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/dialogue"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// list is what a page keeps whose answer is picked from rows: options, yes and no. What
// is picked, the words of Other and the filter are in the dialogue.
type list struct {
	cursor    int         // index of a row that the filter lets through, or nowhere
	spelled   int         // the number of an option that the last keys spelled, see term.Spell
	before    int         // the cursor when the earlier answer was taken over
	filtering bool        // the keyboard belongs to the filter
	texts     []rowTexts  // of the rows
	tallest   int         // lines of a row, when last drawn
	previews  bool        // an option has one
	scroll    term.Scroll // of the preview
}

// rowTexts are the texts of a row as they are shown: safe and short.
type rowTexts struct {
	label, description string
	preview            []string // lines
	widest             int      // cells of the longest of them
}

// nowhere is a cursor that takes nothing: where it is at first in a bare form if only one
// row may be marked, on yes and no in any form, and where the question is skipped.
const nowhere = -1

// talk is the kind of the last row: Discuss first.
const talk dialogue.Kind = 100

// rows returns the rows that the list shows: those of the step but for LeaveOpen, which
// is its last and has a key, and talk. Each has an option.
func rows(s *dialogue.Step) []dialogue.Row {
	out := slices.DeleteFunc(slices.Clone(s.Rows), func(r dialogue.Row) bool { return r.Kind == dialogue.LeaveOpen })
	for i := range out {
		if out[i].Kind == dialogue.Other {
			out[i].Option = new(words.Local.Other(s.Question))
		}
	}
	return append(out, dialogue.Row{Kind: talk, Option: &question.Option{Label: words.T(words.DiscussFirst)}})
}

// shortcut is the key of a row; empty for none.
func (f *Form) shortcut(r dialogue.Row) string {
	if r.Kind == talk {
		return ""
	}
	return r.Key()
}

// newList returns the list of a step. The cursor begins on the row that matters; in a bare
// form only where several may be marked, and on a yes only where the human has marked it.
func (f *Form) newList(s *dialogue.Step) list {
	l, at := list{cursor: nowhere}, home(s)
	for _, r := range rows(s) {
		text := rowTexts{label: term.Line(r.Option.Label, maxLabel), description: term.Line(r.Option.Description, maxDescription)}
		if preview := strings.TrimRight(term.Safe(r.Option.Preview), "\n"); r.Offered() && r.Option.Preview != "" {
			text.preview, text.widest = strings.Split(preview, "\n"), lipgloss.Width(preview)
			l.previews = true
		}
		l.texts = append(l.texts, text)
	}
	first := s.Rows[at]
	safe := !s.Confirms() || first.Marked || first.Default && first.Kind == dialogue.No
	if s.Several() || !f.bare() && safe {
		l.cursor = at
	}
	return l
}

// home is the row where the cursor begins: the first where several may be marked, or else
// the one that is marked, or else the declared default, or else the first.
func home(s *dialogue.Step) int {
	if s.Several() {
		return 0
	}
	marked := func(r dialogue.Row) bool { return r.Marked && r.Kind != dialogue.LeaveOpen }
	if i := slices.IndexFunc(s.Rows, marked); i >= 0 {
		return i
	}
	return max(slices.IndexFunc(s.Rows, func(r dialogue.Row) bool { return r.Default }), 0)
}

// row is the row with the cursor; one without an option where that is nowhere.
func (p *page) row(s *dialogue.Step) dialogue.Row {
	if p.list.cursor == nowhere {
		return dialogue.Row{Kind: nowhere}
	}
	return rows(s)[p.list.cursor]
}

// unset reports that Enter would take what the human has not chosen.
func (p *page) unset(s *dialogue.Step) bool { return p.list.cursor == nowhere && !s.Skipped }

// take confirms the row under the cursor, or, where several may be picked, the rows that
// are marked.
func (p *page) take() tea.Cmd {
	s := p.step()
	switch r := p.row(s); {
	case p.unset(s), s.Untouched:
		p.form.notice = p.inWords(dialogue.ErrUntouched)
		return nil
	case r.Kind == talk:
		return p.form.ask(term.Discuss)
	case r.Kind == nowhere:
	case r.Kind == dialogue.Other && (s.Several() && len(s.Marked()) == 0 || !s.Several() && (!r.Marked || p.entry.Text() == "")):
		p.write()
		return nil
	case !s.Several():
		p.act(dialogue.Choose{Row: p.list.cursor})
	}
	return p.next()
}

// skip leaves the question open, once Enter confirms it.
func (p *page) skip() {
	p.act(dialogue.Skip{})
	p.list.cursor, p.list.scroll = nowhere, term.Scroll{}
}

// pick marks the row with the cursor; where several may be picked it unmarks a marked
// one.
func (p *page) pick() {
	p.list.spelled = 0
	s := p.step()
	switch r := p.row(s); {
	case r.Kind == talk || r.Kind == nowhere:
	case s.Several() && r.Marked:
		p.act(dialogue.Unchoose{Row: p.list.cursor})
	case r.Kind == dialogue.Other:
		p.write()
	default:
		p.act(dialogue.Choose{Row: p.list.cursor})
	}
}

// move takes the cursor over n rows of those that the filter lets through, past
// the end to the beginning; from nowhere home, if that is one of them.
func (p *page) move(n int) {
	s := p.step()
	visible, home := visible(s), home(s)
	switch at := slices.Index(visible, p.list.cursor); {
	case at >= 0:
		p.goTo(visible[(at+n+len(visible))%len(visible)])
	case slices.Contains(visible, home):
		p.goTo(home)
	default:
		p.goTo(visible[0])
	}
}

// leap takes the cursor over five rows, and not past the ends.
func (p *page) leap(by int) {
	visible := visible(p.step())
	at := max(0, slices.Index(visible, p.list.cursor))
	p.goTo(visible[min(max(0, at+5*by), len(visible)-1)])
}

// spell goes to the option of this number, and marks nothing: another digit may follow.
func (p *page) spell(number int) {
	p.reach(number - 1)
	p.list.spelled = number
}

// reach goes to a row, through the filter.
func (p *page) reach(at int) {
	if rows(p.step())[at].Hidden {
		p.narrow("")
	}
	p.goTo(at)
}

func (p *page) goTo(at int) {
	p.list.spelled = 0
	p.point(at)
	if s := p.step(); s.Skipped {
		p.act(dialogue.Unchoose{Row: s.Row(dialogue.LeaveOpen)})
	} else {
		p.act(dialogue.Touch{})
	}
}

// point takes the cursor to a row, which is no act of the human's.
func (p *page) point(at int) {
	if at != p.list.cursor {
		p.list.cursor, p.list.scroll = at, term.Scroll{}
	}
}

// visible returns the indexes of the rows that the filter lets through.
func visible(s *dialogue.Step) (at []int) {
	for i, r := range rows(s) {
		if !r.Hidden {
			at = append(at, i)
		}
	}
	return at
}

// narrow sets the filter and keeps the cursor on a match; our own rows, which
// are always in view, only have it when nothing matches. Where the human has done nothing
// yet, only a filter that leaves one option of a single choice names it: words are typed to other
// programs too.
func (p *page) narrow(filter string) {
	p.act(dialogue.Filter{Text: filter})
	s := p.step()
	r := p.row(s)
	stays := r.Option != nil && r.Offered() && !r.Hidden && !s.NoMatch
	found := slices.DeleteFunc(rows(s), func(r dialogue.Row) bool { return r.Hidden || !r.Offered() })
	names := len(found) == 1 && !s.NoMatch && !s.Several()
	switch first := visible(s)[0]; {
	case filter == "", stays && !names:
	case names, !p.unset(s) && !s.Untouched:
		p.goTo(first)
	case !p.unset(s):
		p.point(first)
	}
}

// write gives the keyboard to the words of Other.
func (p *page) write() {
	p.goTo(p.step().Row(dialogue.Other))
	p.list.filtering = false
	p.entry.Focus()
}

// stopWriting gives the keyboard back to the list. The text stays; an empty
// one is no answer.
func (p *page) stopWriting() {
	if !p.entry.Focused() {
		return
	}
	p.entry.Blur()
	if s := p.step(); s.NeedsWords() {
		p.act(dialogue.Unchoose{Row: s.Row(dialogue.Other)})
	}
}

// takeOther ends the writing of Other with Enter.
func (p *page) takeOther() tea.Cmd {
	p.stopWriting()
	if p.entry.Text() == "" {
		return nil
	}
	s := p.step()
	p.act(dialogue.Choose{Row: s.Row(dialogue.Other)})
	if s.Several() {
		return nil
	}
	return p.next()
}

// leaveOther goes up from the first line of Other.
func (p *page) leaveOther() {
	if !p.entry.Moves(tea.KeyPressMsg{Code: tea.KeyUp}) {
		p.stopWriting()
		p.move(-1)
	}
}

// search returns what text does that is no key: it begins or extends a filter,
// where the human has opened the form.
func (p *page) search(msg tea.Msg) func() tea.Cmd {
	pressed, isKey := msg.(tea.KeyPressMsg)
	text := pressed.Text
	if paste, ok := msg.(tea.PasteMsg); ok {
		text = paste.Content
	}
	letter := isKey && text != "" && unicode.IsLetter(pressed.Code) &&
		p.form.options.Origin == act.Opened && !p.step().Confirms()
	if !p.list.filtering && !letter {
		return nil
	}
	return term.Only(func() {
		p.list.filtering = true
		p.narrow(p.step().Filter + question.Line(text))
	})
}

// called returns the row with that key or number, nowhere for none. Yes and no have no
// number, but also what an input method has for y and n.
func called(s *dialogue.Step, name string) int {
	id := ""
	if s.Confirms() {
		id = question.YesOrNo(name)
	}
	return slices.IndexFunc(rows(s), func(r dialogue.Row) bool {
		return r.Kind != talk && name == r.Key() || id != "" && r.Offered() && id == r.Option.ID
	})
}

func (p *page) listBindings(name string) (keys term.Bindings, only bool) {
	s, l := p.step(), &p.list
	switch {
	case p.entry.Focused():
		enter := term.Binding{Keys: "enter", Do: p.takeOther}
		if s.Several() {
			enter.Hint = words.T("mark")
		}
		return append(append(term.Bindings{enter}, writing()...),
			term.Binding{Keys: "esc", Hint: words.T("to the options"), Do: term.Only(p.stopWriting)},
			term.Binding{Keys: "up", Do: term.Only(p.leaveOther)}), true
	case l.filtering:
		return p.filterBindings(s), true
	}
	unset := p.unset(s)
	choose := term.Binding{Keys: "1", Name: "y/n", Hint: words.T("choose")}
	if !s.Confirms() {
		choose.Name = "1"
		if s.AllowCustom {
			choose.Name = "0"
		}
		if len(s.Options) > 9 {
			choose.Hint = words.T("go to")
		}
		if last := strconv.Itoa(len(s.Options)); last != choose.Name {
			choose.Name += "–" + last
		}
	}
	chooseLater, shortcut := choose, term.Binding{}
	choose.Off, chooseLater.Off = !unset, unset
	if number := term.Spell(l.spelled, name, len(s.Options)); number > 0 {
		shortcut = term.Binding{Keys: name, Do: term.Only(func() { p.spell(number) })}
	} else if at := called(s, strings.ToLower(name)); at != nowhere {
		shortcut = term.Binding{Keys: name, Do: term.Only(func() { p.reach(at); p.pick() })}
	}
	mark := term.Binding{Keys: "space", Do: term.Only(p.pick)}
	if s.Several() && !unset {
		mark.Hint = words.T("mark")
	}
	return term.Bindings{
		{Keys: "esc", Hint: words.T("show all"), Off: s.Filter == "", Do: term.Only(func() { p.narrow("") })},
		choose, mark,
		{Keys: "enter", Do: p.take},
		chooseLater,
		{Keys: "up k", Name: "↑↓", Hint: words.T("move"), Do: term.Only(func() { p.move(-1) })},
		{Keys: "down j", Do: term.Only(func() { p.move(1) })},
		{Keys: "home g", Do: term.Only(func() { p.goTo(visible(s)[0]) })},
		{Keys: "end G", Do: term.Only(func() { p.goTo(len(rows(s)) - 1) })},
		shortcut,
		{Keys: "s", Hint: words.T("skip"), Off: s.Required, Do: term.Only(p.skip)},
		{Keys: "pgup pgdown", Name: "pgup/pgdn", Hint: words.T("scroll preview"), Off: !l.previews, Do: term.Only(func() { l.scroll.Press(name) })},
		{Keys: "pgup", Do: term.Only(func() { p.leap(-1) })},
		{Keys: "pgdown", Do: term.Only(func() { p.leap(1) })},
		{Keys: "/", Hint: words.T("filter"), Off: s.Confirms(), Do: term.Only(func() { l.filtering = true })},
	}, false
}

// filterBindings are the keys while the filter is typed.
func (p *page) filterBindings(s *dialogue.Step) term.Bindings {
	return term.Bindings{
		{Keys: "enter", Hint: words.T("keep"), Do: term.Only(func() { p.list.filtering = false })},
		{Keys: "esc", Hint: words.T("show all"), Do: term.Only(func() { p.list.filtering = false; p.narrow("") })},
		{Keys: "up", Name: "↑↓", Hint: words.T("move"), Do: term.Only(func() { p.move(-1) })},
		{Keys: "down", Do: term.Only(func() { p.move(1) })},
		{Keys: "backspace ctrl+h", Do: term.Only(func() { p.narrow(question.Cut(s.Filter, question.Count(s.Filter)-1)) })},
		{Keys: "ctrl+u ctrl+w", Do: term.Only(func() { p.narrow("") })},
	}
}

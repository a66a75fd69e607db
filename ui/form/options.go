package form

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/dialogue"
	"mcp-askuser/ui/term"
)

// first is the row where the cursor begins: the first where several may be marked, or else
// the one that is marked, or else the declared default; on a yes only where the user has
// marked it.
func first(s *dialogue.Step) int {
	if s.Several() {
		return 0
	}
	for i, r := range s.Rows {
		if r.Marked && r.Kind != dialogue.LeaveOpen {
			return i
		}
	}
	if s.Confirms() {
		return s.Row(dialogue.No)
	}
	return max(slices.IndexFunc(s.Rows, func(r dialogue.Row) bool { return r.Default }), 0)
}

// visible returns the rows that the filter leaves, by their places in the step; none says that
// it leaves no option: then Other remains, or else all. LeaveOpen, the last one, is none of
// the list: it has a key.
func (p *page) visible() (at []int, none bool) {
	none = true
	var all []int
	for i, r := range p.step().Rows {
		if r.Kind == dialogue.LeaveOpen {
			continue
		}
		all = append(all, i)
		fits := !r.Offered() || matches(r.Option, p.filterText())
		if fits {
			at = append(at, i)
		}
		none = none && !(fits && r.Offered())
	}
	if len(at) == 0 {
		at = all
	}
	return at, none
}

// filterText is the text that options have to contain; empty for none.
func (p *page) filterText() string {
	if p.filter == nil {
		return ""
	}
	return p.filter.Text()
}

// matches reports whether an option contains a text, in any case, in its label or description
// as they are shown.
func matches(o *question.Option, text string) bool {
	in := func(s string) bool { return strings.Contains(strings.ToLower(question.Line(s)), strings.ToLower(text)) }
	return text == "" || in(o.Label) || in(o.Description)
}

// take confirms the row with the cursor or, where several may be marked, the marked rows.
func (p *page) take() tea.Cmd {
	s := p.step()
	onOther, empty := s.Rows[p.list.at].Kind == dialogue.Other, p.entry.Text() == ""
	if s.Several() {
		empty = len(s.Marked()) == 0
	}
	switch {
	case s.Untouched:
		p.form.notice = p.inWords(dialogue.ErrUntouched)
		return nil
	case s.Skipped:
	case onOther && empty:
		p.write()
		return nil
	case !s.Several():
		p.act(dialogue.Choose{Row: p.list.at})
	}
	return p.next()
}

// goTo takes the cursor to a row, through the filter. Where one row is chosen, that one is.
func (p *page) goTo(at int) {
	rows, _ := p.visible()
	if !slices.Contains(rows, at) {
		p.filter = nil
	}
	p.point(at)
	s := p.step()
	switch {
	case !s.Several():
		p.act(dialogue.Choose{Row: at})
	case s.Skipped:
		p.act(dialogue.Unchoose{Row: s.Row(dialogue.LeaveOpen)})
	default:
		p.act(dialogue.Touch{})
	}
}

// point takes the cursor to a row, which is no act of the user's.
func (p *page) point(at int) {
	if at != p.list.at {
		p.list.at, p.scroll = at, term.Scroll{}
	}
	p.spelled = 0
}

// pick marks the row with the cursor; where several may be marked it unmarks a marked one.
func (p *page) pick() {
	at := p.list.at
	p.goTo(at)
	s := p.step()
	switch {
	case s.Several() && s.Rows[at].Marked:
		p.act(dialogue.Unchoose{Row: at})
	case s.Rows[at].Kind == dialogue.Other:
		p.write()
	default:
		p.act(dialogue.Choose{Row: at})
	}
}

// skip leaves the question open, once Enter confirms it.
func (p *page) skip() { p.act(dialogue.Skip{}) }

// named returns what a key does that names a row: a number, 0 for Other, or y and n and what
// an input method has for them; nil for no row. In a list of more than nine options digits
// spell a number, and mark nothing: another digit may follow.
func (p *page) named(name string) func() tea.Cmd {
	s, name := p.step(), strings.ToLower(name)
	number := term.Spell(p.spelled, name, len(s.Options))
	if number > 0 {
		return term.Only(func() { p.goTo(number - 1); p.spelled = number })
	}
	id := ""
	if s.Confirms() {
		id = question.YesOrNo(name)
	}
	at := slices.IndexFunc(s.Rows, func(r dialogue.Row) bool {
		return name == r.Key() || id != "" && r.Offered() && id == r.Option.ID
	})
	if at < 0 {
		return nil
	}
	return term.Only(func() { p.point(at); p.pick() })
}

// numbers names the keys that choose a row.
func (p *page) numbers() string {
	s := p.step()
	if s.Confirms() {
		return "y/n"
	}
	from, to := "1", strconv.Itoa(len(s.Options))
	if s.AllowCustom {
		from = "0"
	}
	if from == to {
		return from
	}
	return from + "–" + to
}

// narrow follows a change of the filter. The one option that it leaves gets the cursor, and
// is chosen where one row is; else the cursor only moves when its row is hidden: words are
// typed to other programs too.
func (p *page) narrow() {
	s := p.step()
	at, none := p.visible()
	found := slices.DeleteFunc(slices.Clone(at), func(i int) bool { return !s.Rows[i].Offered() })
	switch {
	case p.filterText() != "" && !none && len(found) == 1 && !s.Several():
		p.goTo(found[0])
	case !slices.Contains(at, p.list.at):
		p.point(at[0])
	}
}

// write gives the keyboard to the words of Other.
func (p *page) write() {
	p.goTo(p.step().Row(dialogue.Other))
	p.entry.Focus()
}

// stopWriting gives the keyboard back to the list. The text stays; an empty one is no answer.
func (p *page) stopWriting() {
	p.entry.Blur()
	s := p.step()
	if s.NeedsWords() {
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

// everything is all of the question as text, for reading.
func (p *page) everything() string {
	s := p.step()
	var b strings.Builder
	add := func(before, text string) {
		if text != "" {
			b.WriteString(before + text)
		}
	}
	add("", s.Text)
	add("\n\n", s.Description)
	if !s.Chooses() {
		return b.String()
	}
	for _, r := range s.Rows {
		if r.Kind == dialogue.LeaveOpen {
			continue
		}
		o := optionOf(s, r)
		add("\n\n", strings.TrimSpace(r.Key()+" "+question.Line(o.Label)))
		add("\n", o.Description)
		add("\n\n", strings.TrimRight(o.Preview, "\n"))
	}
	return b.String()
}

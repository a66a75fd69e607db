package form

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/term"
)

// first is the row where the cursor begins: the first where several may be marked, or else
// the one that is marked, or else the declared default; on a yes only where the user has
// marked it.
func first(s *answer.Question) int {
	if s.Several() {
		return 0
	}
	for i, r := range s.Choices() {
		if r.Marked && r.Kind != answer.LeaveOpen {
			return i
		}
	}
	if s.Confirms() {
		return s.Choice(answer.No)
	}
	return max(slices.IndexFunc(s.Choices(), func(r answer.Choice) bool { return r.Default }), 0)
}

// visible returns the rows that the filter leaves, by their places among the choices; none says that
// it leaves no option: then Other remains, or else all. LeaveOpen, the last one, is none of
// the list: it has a key.
func (p *page) visible() (at []int, none bool) {
	none = true
	var all []int
	for i, r := range p.question().Choices() {
		if r.Kind == answer.LeaveOpen {
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
	s := p.question()
	onOther, empty := s.Choices()[p.list.at].Kind == answer.Other, p.entry.Text() == ""
	if s.Several() {
		empty = !s.Marks()
	}
	switch {
	case s.Untouched():
		p.form.notice = p.inWords(answer.ErrUntouched)
		return nil
	case s.Skipped, s.Delegated:
	case onOther && empty:
		p.write()
		return nil
	case !s.Several():
		p.did(s.Choose(p.list.at))
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
	s := p.question()
	switch {
	case !s.Several():
		p.did(s.Choose(at))
	case s.Skipped, s.Delegated:
		p.did(s.Put(nil, ""))
	default:
		s.Touch()
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
	s := p.question()
	switch {
	case s.Several() && s.Choices()[at].Marked:
		p.did(s.Unchoose(at))
	case s.Choices()[at].Kind == answer.Other:
		p.write()
	default:
		p.did(s.Choose(at))
	}
}

// skip leaves the question open, once Enter confirms it.
func (p *page) skip() { p.did(p.question().Skip()) }

// delegate leaves the question to the agent, once Enter confirms it.
func (p *page) delegate() {
	p.blur()
	p.did(p.question().Delegate())
	p.focus()
}

// named returns what a key does that names a row: a number, 0 for Other, or y and n and what
// an input method has for them; nil for no row. In a list of more than nine options digits
// spell a number, and mark nothing: another digit may follow.
func (p *page) named(name string) func() tea.Cmd {
	s, name := p.question(), strings.ToLower(name)
	number := term.Spell(p.spelled, name, len(s.Options))
	if number > 0 {
		return term.Only(func() { p.goTo(number - 1); p.spelled = number })
	}
	id := ""
	if s.Confirms() {
		id = question.YesOrNo(name)
	}
	at := slices.IndexFunc(s.Choices(), func(r answer.Choice) bool {
		return name == r.Key() || id != "" && r.Offered() && id == r.Option.ID
	})
	if at < 0 {
		return nil
	}
	return term.Only(func() { p.point(at); p.pick() })
}

// numbers names the keys that choose a row.
func (p *page) numbers() string {
	s := p.question()
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
	s := p.question()
	at, none := p.visible()
	found := slices.DeleteFunc(slices.Clone(at), func(i int) bool { return !s.Choices()[i].Offered() })
	switch {
	case p.filterText() != "" && !none && len(found) == 1 && !s.Several():
		p.goTo(found[0])
	case !slices.Contains(at, p.list.at):
		p.point(at[0])
	}
}

// write gives the keyboard to the words of Other.
func (p *page) write() {
	p.goTo(p.question().Choice(answer.Other))
	p.entry.Focus()
}

// stopWriting gives the keyboard back to the list. The text stays; an empty one is no answer.
func (p *page) stopWriting() {
	p.entry.Blur()
	s := p.question()
	if s.NeedsWords() {
		p.did(s.Unchoose(s.Choice(answer.Other)))
	}
}

// takeOther ends the writing of Other with Enter.
func (p *page) takeOther() tea.Cmd {
	p.stopWriting()
	if p.entry.Text() == "" {
		return nil
	}
	s := p.question()
	p.did(s.Choose(s.Choice(answer.Other)))
	if s.Several() {
		return nil
	}
	return p.next()
}

// everything is all of the question as text, for reading.
func (p *page) everything() string {
	s := p.question()
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
	for _, r := range s.Choices() {
		if r.Kind == answer.LeaveOpen {
			continue
		}
		o := optionOf(s, r)
		add("\n\n", strings.TrimSpace(r.Key()+" "+question.Line(o.Label)))
		add("\n", o.Description)
		add("\n\n", strings.TrimRight(o.Preview, "\n"))
	}
	return b.String()
}

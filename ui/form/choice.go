package form

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/dialogue"
	"mcp-askuser/ui/term"
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
		default:
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

package form

import (
	"slices"
	"strconv"
	"strings"

	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// choice answers a question by picking options: one, several, or yes and no.
type choice struct {
	ask    *question.Question
	rows   []row // the options in order, Other where it is allowed, and Discuss first
	cursor int   // index into rows, of one that the filter lets through; or nowhere

	other *term.Entry // the text of Other; stays when the choice changes; may have the keyboard

	skipped   bool // the human wants to leave it open
	yesNo     bool // y and n pick; there is nothing to filter
	filter    string
	filtering bool // the keyboard belongs to filter

	tallest int         // lines of a row, when last drawn
	scroll  term.Scroll // of the preview
}

// nowhere is the cursor where Enter takes no row: at first where the form is bare, of
// yes and no in any form, and where the question is skipped.
const nowhere = -1

// row is one line of the choice.
type row struct {
	option *question.Option
	label  string // safe and short, as the description
	about  string
	words  string // what the filter looks in
	key    string // the shortcut shown, empty where there is none
	number string // the other one
	preset bool   // declared as the default, where only one may be picked
	other  bool
	talk   bool // leads to the question whether to discuss first
	picked bool

	preview *preview // nil until the cursor was on it
}

// own reports whether the row is no option of the asker's.
func (r *row) own() bool { return r.other || r.talk }

func newChoice(q *question.Question) *choice {
	c := &choice{ask: q, cursor: nowhere, other: term.NewEntry("", words.T("Your own answer")), yesNo: q.Confirms()}
	for i := range q.Options {
		o := &q.Options[i]
		r := newRow(o)
		r.picked, r.preset = q.Several() && o.Default, !q.Several() && o.Default
		if i < 9 {
			r.number = strconv.Itoa(i + 1)
		}
		switch r.key = r.number; {
		case c.yesNo && o.ID == question.YesID:
			r.key = "y"
		case c.yesNo:
			r.key = "n"
		}
		c.rows = append(c.rows, r)
	}
	if q.AllowCustom {
		o := words.Local.Other(q)
		r := newRow(&o)
		r.key, r.other = "0", true
		c.rows = append(c.rows, r)
	}
	talk := newRow(&question.Option{Label: words.T(words.DiscussFirst)})
	talk.key, talk.talk = "d", true
	c.rows = append(c.rows, talk)
	return c
}

// begin puts the cursor on the first row that matters, unless the form is bare. A yes
// has it only where the human has marked it.
func (c *choice) begin(bare bool) {
	if home := c.home(); !bare && (!c.yesNo || c.rows[home].picked || c.rows[home].preset && c.rows[home].option.ID == question.NoID) {
		c.goTo(home)
	}
}

// home is the row where the cursor begins: the one that is picked, where only one may
// be, or else the declared default, or else the first.
func (c *choice) home() int {
	if i := slices.IndexFunc(c.rows, func(r row) bool { return r.picked }); i >= 0 && !c.ask.Several() {
		return i
	}
	return max(slices.IndexFunc(c.ask.Options, func(o question.Option) bool { return o.Default }), 0)
}

func (c *choice) unset() bool { return c.cursor == nowhere && !c.skipped }

func newRow(o *question.Option) row {
	return row{
		option: o, label: term.Line(o.Label, maxLabel), about: term.Line(o.Description, maxDescription),
		words: strings.ToLower(term.Line(o.Label, 500) + "\n" + term.Line(o.Description, 2000)),
	}
}

func (c *choice) answer() question.Answer {
	a := question.Answer{QuestionID: c.ask.ID, By: question.ByUser}
	for _, r := range c.rows {
		switch {
		case r.picked && r.other:
			a.Custom = c.other.Text()
		case r.picked:
			a.Selected = append(a.Selected, r.option.ID)
		}
	}
	return a
}

func (c *choice) need() string {
	switch {
	case c.yesNo && c.ask.Required:
		return words.T("press y or n, then enter.")
	case c.yesNo:
		return words.T("press y or n, or s to skip it, then enter.")
	case c.ask.Several() && c.unset():
		return words.T("press an arrow key or a number first.")
	case c.ask.Several():
		return words.T("space marks an option.")
	}
	return words.T("press an arrow key or a number, then enter.")
}

func (c *choice) entry() *term.Entry {
	if c.other.Focused() {
		return c.other
	}
	return nil
}

func (c *choice) focus() {}
func (c *choice) blur()  { c.stopWriting(); c.filtering = false }

func (c *choice) keep() (back func()) {
	was, other := *c, c.other.Keep()
	was.rows = slices.Clone(c.rows)
	return func() {
		*c = was
		c.rows = slices.Clone(was.rows) // it may be gone back to once more
		other()
	}
}

// take confirms the row under the cursor, or, where several may be picked,
// the rows that are marked.
func (c *choice) take() (action, error) {
	if c.cursor == nowhere {
		return confirm, nil
	}
	r := &c.rows[c.cursor]
	switch {
	case r.talk:
		return discuss, nil
	case r.other && c.ask.Several() && !c.picked(), r.other && !c.ask.Several() && (!r.picked || c.other.Text() == ""):
		c.write()
		return none, nil
	case !c.ask.Several():
		c.only(c.cursor)
	}
	return confirm, nil
}

// skip leaves the question open, once Enter confirms it.
func (c *choice) skip() {
	c.clear()
	c.goTo(nowhere)
	c.skipped = true
}

// pick marks a row; where several may be picked it unmarks a marked one.
func (c *choice) pick(i int) {
	switch {
	case i == nowhere || c.rows[i].talk:
	case c.rows[i].other && !(c.ask.Several() && c.rows[i].picked):
		c.write()
	case c.ask.Several():
		c.rows[i].picked = !c.rows[i].picked
	default:
		c.only(i)
	}
}

func (c *choice) only(i int) {
	c.clear()
	c.rows[i].picked = true
}

// picked reports whether any row is.
func (c *choice) picked() bool {
	return slices.ContainsFunc(c.rows, func(r row) bool { return r.picked })
}

func (c *choice) clear() {
	for i := range c.rows {
		c.rows[i].picked = false
	}
}

// move takes the cursor over n rows of those that the filter lets through, past
// the end to the beginning; from nowhere home, if that is one of them.
func (c *choice) move(n int) {
	visible, home := c.visible(), c.home()
	switch at := slices.Index(visible, c.cursor); {
	case at >= 0:
		c.goTo(visible[(at+n+len(visible))%len(visible)])
	case slices.Contains(visible, home):
		c.goTo(home)
	default:
		c.first()
	}
}

// first and last take the cursor to the ends of what the filter lets through.
func (c *choice) first() { c.goTo(c.visible()[0]) }
func (c *choice) last()  { visible := c.visible(); c.goTo(visible[len(visible)-1]) }

// search begins or goes on with a filter.
func (c *choice) search(text string) {
	c.filtering = true
	c.narrow(c.filter + question.Line(text))
}

// reach goes to a row, through the filter.
func (c *choice) reach(i int) {
	if !c.passes(c.rows[i]) {
		c.narrow("")
	}
	c.goTo(i)
}

func (c *choice) goTo(i int) {
	if i != c.cursor {
		c.cursor, c.scroll, c.skipped = i, term.Scroll{}, false
	}
}

// visible returns the indexes of the rows to show: those that match the
// filter, and our own. When nothing matches and there is no Other, every row
// stays.
func (c *choice) visible() []int {
	var some, all []int
	for i, r := range c.rows {
		all = append(all, i)
		if c.passes(r) {
			some = append(some, i)
		}
	}
	if len(some) == 1 && !c.ask.AllowCustom {
		return all
	}
	return some
}

func (c *choice) passes(r row) bool {
	return r.own() || strings.Contains(r.words, strings.ToLower(c.filter))
}

// narrow sets the filter and keeps the cursor on a match; our own rows, which
// are always in view, only have it when nothing matches. From nowhere it moves only
// where the question was skipped: words are typed to other programs too.
func (c *choice) narrow(filter string) {
	c.filter = filter
	if filter == "" || c.unset() || c.cursor != nowhere && !c.rows[c.cursor].own() && c.passes(c.rows[c.cursor]) {
		return
	}
	c.goTo(c.visible()[0])
}

// otherRow is the index of Other, where it is allowed.
func (c *choice) otherRow() int { return len(c.rows) - 2 }

// write gives the keyboard to the text of Other.
func (c *choice) write() {
	c.goTo(c.otherRow())
	c.filtering = false
	c.other.Focus()
}

// stopWriting gives the keyboard back to the list. The text stays; an empty
// one is no answer.
func (c *choice) stopWriting() {
	if c.other.Focused() && c.other.Text() == "" {
		c.rows[c.otherRow()].picked = false
	}
	c.other.Blur()
}

// takeOther ends the writing of Other with Enter.
func (c *choice) takeOther() (action, error) {
	c.stopWriting()
	switch last := c.otherRow(); {
	case c.other.Text() == "":
	case c.ask.Several():
		c.rows[last].picked = true
	default:
		c.only(last)
		return confirm, nil
	}
	return none, nil
}

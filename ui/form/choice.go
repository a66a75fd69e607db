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
	rows   []row // the options in order, then Other where it is allowed
	cursor int   // index into rows; always a row that the filter lets through

	other   *term.Entry // the text of Other; stays when the choice changes
	writing bool        // the keyboard belongs to other

	yesNo     bool // y and n pick; there is nothing to filter
	filter    string
	filtering bool // the keyboard belongs to filter

	scroll term.Scroll // of the preview
}

// row is one line of the choice.
type row struct {
	option *question.Option
	key    string // the shortcut shown, empty where there is none
	other  bool
	picked bool
}

func newChoice(q *question.Question) *choice {
	c := &choice{ask: q, other: term.NewEntry("", "Your own answer"), yesNo: q.Type == question.Boolean}
	for i := range q.Options {
		o := &q.Options[i]
		c.rows = append(c.rows, row{option: o, key: c.keyOf(i), picked: q.Several() && o.Default})
	}
	if q.AllowCustom {
		o := words.Other(q)
		c.rows = append(c.rows, row{option: &o, key: "0", other: true})
	}
	if at := slices.IndexFunc(q.Options, func(o question.Option) bool { return o.Default }); at >= 0 {
		c.cursor = at
	}
	return c
}

// keyOf is the key that picks option i: y or n, or its number.
func (c *choice) keyOf(i int) string {
	switch {
	case c.yesNo && c.ask.Options[i].ID == question.YesID:
		return "y"
	case c.yesNo:
		return "n"
	case i < 9:
		return strconv.Itoa(i + 1)
	}
	return ""
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
	if c.ask.Several() {
		return "space marks an option."
	}
	return "choose an option."
}

func (c *choice) focus() {}
func (c *choice) blur()  { c.stopWriting(); c.filtering = false }

func (c *choice) typing() bool { return c.writing || c.filtering }

// take confirms the row under the cursor, or, where several may be picked,
// the rows that are marked.
func (c *choice) take() action {
	r := &c.rows[c.cursor]
	switch {
	case c.ask.Several() && r.other && !c.picked():
		c.write()
		return none
	case c.ask.Several():
		return confirm
	case r.other && (!r.picked || c.other.Text() == ""):
		c.write()
		return none
	}
	c.only(c.cursor)
	return confirm
}

// pick marks a row; where several may be picked it unmarks a marked one.
func (c *choice) pick(i int) {
	r := &c.rows[i]
	switch {
	case r.other && c.ask.Several() && r.picked:
		r.picked = false
	case r.other:
		c.write()
	case c.ask.Several():
		r.picked = !r.picked
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

// move takes the cursor over n rows of those that the filter lets through.
func (c *choice) move(n int) {
	visible := c.visible()
	at := max(0, slices.Index(visible, c.cursor))
	c.goTo(visible[min(max(at+n, 0), len(visible)-1)])
}

func (c *choice) goTo(i int) {
	if i != c.cursor {
		c.cursor, c.scroll = i, term.Scroll{}
	}
}

// visible returns the indexes of the rows to show: those that match the
// filter, and Other. It is empty only when nothing matches and there is no
// Other; then every row stays.
func (c *choice) visible() []int {
	var some, all []int
	for i, r := range c.rows {
		all = append(all, i)
		if c.passes(r) {
			some = append(some, i)
		}
	}
	if len(some) == 0 {
		return all
	}
	return some
}

func (c *choice) passes(r row) bool {
	text := strings.ToLower(r.option.Label + "\n" + r.option.Description)
	return r.other || strings.Contains(text, strings.ToLower(c.filter))
}

// narrow sets the filter and keeps the cursor on a match; Other, which is
// always in view, only has it when nothing matches.
func (c *choice) narrow(filter string) {
	c.filter = filter
	if r := c.rows[c.cursor]; filter == "" || !r.other && c.passes(r) {
		return
	}
	c.goTo(c.visible()[0])
}

// write gives the keyboard to the text of Other.
func (c *choice) write() {
	c.goTo(len(c.rows) - 1)
	c.writing, c.filtering = true, false
	c.other.Focus()
}

// stopWriting gives the keyboard back to the list. The text stays; an empty
// one is no answer (A11).
func (c *choice) stopWriting() {
	if !c.writing {
		return
	}
	c.writing = false
	c.other.Blur()
	if c.other.Text() == "" {
		c.rows[len(c.rows)-1].picked = false
	}
}

// takeOther ends the writing of Other with Enter.
func (c *choice) takeOther() action {
	c.stopWriting()
	if c.other.Text() == "" {
		return none
	}
	if c.ask.Several() {
		c.rows[len(c.rows)-1].picked = true
		return none
	}
	c.only(len(c.rows) - 1)
	return confirm
}

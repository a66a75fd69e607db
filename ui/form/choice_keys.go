package form

import (
	"fmt"
	"strings"
	"unicode"

	"mcp-askuser/question"
	"mcp-askuser/ui/dialogue"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"

	tea "charm.land/bubbletea/v2"
)

// search returns what text does that is no key: it begins or extends a filter,
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

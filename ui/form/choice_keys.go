package form

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

func (c *choice) bind(msg tea.Msg) does {
	key, isKey := msg.(tea.KeyPressMsg)
	paste, _ := msg.(tea.PasteMsg)
	switch {
	case c.other.Focused():
		return c.bindWriting(msg, key.String())
	case c.filtering && isKey:
		return c.bindFiltering(key)
	case c.filtering:
		return only(func() { c.search(paste.Content) })
	}
	return c.bindList(key.String())
}

// bindList is bind while the list has the keyboard.
func (c *choice) bindList(key string) does {
	switch key {
	case "up", "k":
		return only(func() { c.move(-1) })
	case "down", "j":
		return only(func() { c.move(1) })
	case "home", "g":
		return only(c.first)
	case "end", "G":
		return only(c.last)
	case "space":
		return only(func() { c.pick(c.cursor) })
	case "enter":
		return c.take
	}
	var moved term.Scroll
	switch i := c.called(strings.ToLower(key)); {
	case i >= 0:
		return only(func() { c.reach(i); c.pick(i) })
	case key == "s" && !c.ask.Required:
		return only(c.skip)
	case key == "esc" && c.filter != "":
		return only(func() { c.narrow("") })
	case key == "/" && !c.yesNo:
		return only(func() { c.filtering = true })
	case c.preview() != nil && moved.Press(key):
		return only(func() { c.scroll.Press(key) })
	}
	return nil
}

// called returns the row with that shortcut, -1 for none. The options of a
// yes-or-no question have numbers as well, and what an input method has for y
// and n.
func (c *choice) called(key string) int {
	said := ""
	if c.yesNo {
		said = question.YesOrNo(key)
	}
	return slices.IndexFunc(c.rows, func(r row) bool {
		return key != "" && (key == r.key || key == r.number) || said != "" && said == r.option.ID
	})
}

// bindFiltering is bind while the filter is typed.
func (c *choice) bindFiltering(key tea.KeyPressMsg) does {
	return only(func() {
		switch key.String() {
		case "enter":
			c.filtering = false
		case "esc":
			c.filtering = false
			c.narrow("")
		case "up":
			c.move(-1)
		case "down":
			c.move(1)
		case "backspace", "ctrl+h":
			c.narrow(question.Cut(c.filter, question.Count(c.filter)-1))
		case "ctrl+u", "ctrl+w":
			c.narrow("")
		default:
			c.search(key.Text)
		}
	})
}

// bindWriting is bind while the text of Other is typed.
func (c *choice) bindWriting(msg tea.Msg, key string) does {
	switch {
	case key == "enter":
		return c.takeOther
	case key == "esc":
		return only(c.stopWriting)
	case key == "shift+tab":
		return nil
	case key == "up":
		return func() (action, error) {
			if c.other.Moves(msg) {
				return none, nil
			}
			c.stopWriting()
			c.move(-1)
			return none, nil
		}
	}
	return types(c.other, msg)
}

func (c *choice) hints() ([]term.Hint, bool) {
	switch {
	case c.other.Focused() && c.ask.Several():
		return append(writingHints(words.T("mark")), term.Hint{"esc", words.T("to the options")}), true
	case c.other.Focused():
		return append(writingHints(onward), term.Hint{"esc", words.T("to the options")}), true
	case c.filtering:
		return []term.Hint{{"enter", words.T("keep")}, {"esc", words.T("show all")}, {"↑↓", words.T("move")}}, true
	}
	unset, choose := c.unset(), term.Hint{"y/n", words.T("choose")}
	if !c.yesNo {
		first := "1"
		if c.ask.AllowCustom {
			first = "0"
		}
		choose[0] = fmt.Sprintf("%s–%d", first, min(len(c.ask.Options), 9))
	}
	return slices.Concat(
		term.If(unset, choose),
		term.If(c.ask.Several() && !unset, term.Hint{"space", words.T("mark")}),
		[]term.Hint{{"enter", onward}, {"↑↓", words.T("move")}},
		term.If(!c.ask.Required, term.Hint{"s", words.T("skip")}),
		term.If(c.preview() != nil, term.Hint{"pgup/pgdn", words.T("scroll preview")}),
		term.If(!unset, choose),
		term.If(!c.yesNo, term.Hint{"/", words.T("filter")}),
	), false
}

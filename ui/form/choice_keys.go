package form

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/term"
)

func (c *choice) press(msg tea.Msg) (action, tea.Cmd, error) {
	if c.writing {
		return c.pressWriting(msg)
	}
	key, ok := msg.(tea.KeyPressMsg)
	switch {
	case !ok: // a paste goes into text only
		if p, ok := msg.(tea.PasteMsg); ok && c.filtering {
			c.narrow(c.filter + question.Line(p.Content))
		}
		return none, nil, nil
	case c.filtering:
		return c.pressFiltering(key), nil, nil
	}
	return c.pressList(key), nil, nil
}

// pressList handles a key while the list has the keyboard.
func (c *choice) pressList(key tea.KeyPressMsg) action {
	switch s := key.String(); s {
	case "up", "k":
		c.move(-1)
	case "down", "j":
		c.move(1)
	case "home", "g":
		c.move(-len(c.rows))
	case "end", "G":
		c.move(len(c.rows))
	case "space":
		c.pick(c.cursor)
	case "enter":
		return c.take()
	case "s":
		if !c.ask.Required {
			c.clear()
			return confirm
		}
	case "/":
		c.filtering = !c.yesNo
	case "esc":
		if c.filter == "" {
			return dismiss
		}
		c.narrow("")
	case "shift+tab", "left", "ctrl+b":
		return back
	case "?":
		return explain
	default:
		if !c.scroll.Press(s) {
			c.shortcut(strings.ToLower(s))
		}
	}
	return none
}

// shortcut picks the row with that key. The options of a yes-or-no question
// have numbers as well.
func (c *choice) shortcut(key string) {
	for i, r := range c.rows {
		number := i < 9 && key == string(rune('1'+i)) && !r.other
		if !number && (r.key == "" || key != r.key) {
			continue
		}
		if !c.passes(r) {
			c.narrow("")
		}
		c.goTo(i)
		c.pick(i)
		return
	}
}

// pressFiltering handles a key while the filter is typed.
func (c *choice) pressFiltering(key tea.KeyPressMsg) action {
	switch s := key.String(); s {
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
		c.narrow(c.filter + question.Line(key.Text))
	}
	return none
}

// pressWriting handles a key or a paste while the text of Other is typed.
func (c *choice) pressWriting(msg tea.Msg) (action, tea.Cmd, error) {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "enter":
			return c.takeOther(), nil, nil
		case "esc":
			c.stopWriting()
			return none, nil, nil
		case "shift+tab":
			return back, nil, nil
		case "up":
			if c.other.AtTop() {
				c.stopWriting()
				c.move(-1)
				return none, nil, nil
			}
		}
	}
	cmd, err := c.other.Press(msg)
	return none, cmd, err
}

func (c *choice) hints() ([]term.Hint, bool) {
	switch {
	case c.writing && c.ask.Several():
		return []term.Hint{{"enter", "mark"}, {"esc", "to the options"}, {"alt+enter", "new line"}}, true
	case c.writing:
		return []term.Hint{{"enter", onward}, {"esc", "to the options"}, {"alt+enter", "new line"}}, true
	case c.filtering:
		return []term.Hint{{"enter", "keep"}, {"esc", "show all"}, {"↑↓", "move"}}, true
	}
	keys := []term.Hint{{"enter", onward}, {"↑↓", "move"}}
	if c.ask.Several() {
		keys = []term.Hint{{"space", "mark"}, {"enter", onward}, {"↑↓", "move"}}
	}
	if !c.ask.Required {
		keys = append(keys, term.Hint{"s", "skip"})
	}
	if c.preview() != nil {
		keys = append(keys, term.Hint{"pgup/pgdn", "scroll preview"}, term.Hint{"</>", "shift preview"})
	}
	if c.yesNo {
		return append(keys, term.Hint{"y/n", "choose"}), false
	}
	first, last := "1", min(len(c.ask.Options), 9)
	if c.ask.AllowCustom {
		first = "0"
	}
	return append(keys, term.Hint{fmt.Sprintf("%s–%d", first, last), "choose"}, term.Hint{"/", "filter"}), false
}

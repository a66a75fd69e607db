package form

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"

	"mcp-askuser/ui/term"
)

// list is rows of which one has the cursor: a huh Select. huh moves the cursor and draws it
// beside the rows. It gets all rows at their full height, as they are now, before each key
// and each drawing; the window around them is the page's, from which the question scrolls
// away first.
//
// A list in which several rows may be marked is a Select too. The marks are in the question set;
// huh's MultiSelect would keep them a second time, and moves its cursor when its rows change.
type list struct {
	field *huh.Select[int]
	at    int // the number of the row with the cursor
	width int // of the last drawing; a change costs
}

// row is a row of a list, drawn in a width without the cursor.
type row struct {
	number int
	lines  []string
	cursor *tea.Cursor // of a text field in it; nil for none
}

// newList returns a list without rows.
func newList(theme huh.Theme) *list {
	l := &list{field: huh.NewSelect[int]()}
	on := func(names ...string) key.Binding { return key.NewBinding(key.WithKeys(names...)) }
	l.field.WithKeyMap(&huh.KeyMap{Select: huh.SelectKeyMap{
		Up: on("up", "k"), Down: on("down", "j"), GotoTop: on("home", "g"), GotoBottom: on("end", "G"),
	}})
	l.field.WithTheme(theme)
	l.field.Value(&l.at)
	return l
}

// moveKeys are the keys that move the cursor of a list.
const moveKeys = "up down k j home end g G"

// show gives huh the rows.
func (l *list) show(rows []row, width int) {
	options := make([]huh.Option[int], len(rows))
	for i, r := range rows {
		options[i] = huh.NewOption(strings.Join(r.lines, "\n"), r.number)
	}
	if width != l.width {
		l.width = width
		l.field.WithWidth(width)
	}
	l.field.Options(options...)
}

// target returns the row to which a key moves the cursor from one row among these. It stops at the
// first and the last, where huh goes round: the yes that is behind a no must not be reached by a key
// that leads away from it.
func (l *list) target(pressed tea.KeyPressMsg, from int, numbers []int) int {
	rows := make([]row, len(numbers))
	for i, n := range numbers {
		rows[i].number = n
	}
	l.at = from
	l.show(rows, l.width)
	l.field.Update(pressed)
	to, _ := l.field.Hovered()
	name := pressed.String()
	ahead := slices.Index(numbers, to) > slices.Index(numbers, from)
	if ahead && (name == "up" || name == "k") || !ahead && (name == "down" || name == "j") {
		return from
	}
	return to
}

// draw draws the rows, with the cursor on one. Without the keyboard the list has no cursor.
func (l *list) draw(rows []row, at, width int, keyboard bool) term.Block {
	l.field.Blur()
	if keyboard {
		l.field.Focus()
	}
	l.at = at
	l.show(rows, width)
	b := term.Block{Lines: strings.Split(l.field.View(), "\n")}
	y := 0
	for _, r := range rows {
		if r.number == at {
			b.Top, b.Bottom = y, y+len(r.lines)-1
			b.Cursor = term.Shift(r.cursor, term.SelectorWide, y)
		}
		y += len(r.lines)
	}
	return b
}

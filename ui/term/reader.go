package term

import (
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/words"
)

// Reader shows a long text in place of a page.
type Reader struct {
	Title string // of the panel; empty keeps the page's

	lines   func(s *Styles, width int) []string
	drawn   []string // in these styles and this width
	styles  *Styles
	width   int
	y, rows int // the first line in view, and how many are
}

// NewReader shows lines, which are requested once for a width.
func NewReader(title string, lines func(s *Styles, width int) []string) *Reader {
	return &Reader{Title: title, lines: lines}
}

// TextReader shows a text that is safe to show.
func TextReader(text string) *Reader {
	return NewReader("", func(_ *Styles, width int) []string { return Wrap(text, width) })
}

// Press handles a key and reports whether the user has done reading.
func (r *Reader) Press(key tea.KeyPressMsg) (done bool) {
	name := key.String()
	if name == "space" {
		name = "pgdown"
	}
	by, moves := Step(name, max(r.rows-1, 1))
	r.y += by
	return !moves
}

// Step is how far a key moves in a list or a text with pages of this many lines; ok is
// false for a key that does not.
func Step(key string, page int) (by int, ok bool) {
	const all = 1 << 24
	by, ok = map[string]int{
		"up": -1, "k": -1, "down": 1, "j": 1, "pgup": -page, "ctrl+b": -page, "pgdown": page, "ctrl+f": page,
		"home": -all, "g": -all, "end": all, "G": all,
	}[key]
	return by, ok
}

// Hints are the keys that work in it.
func (r *Reader) Hints() []Hint {
	return []Hint{NewHint("↑↓", words.T("scroll")), NewHint(words.T("any other key"), words.T("back"))}
}

// Draw shows the lines in view.
func (r *Reader) Draw(s *Styles, width, rows int) Block {
	if s != r.styles || width != r.width {
		r.drawn, r.styles, r.width = r.lines(s, width), s, width
	}
	r.rows, r.y = rows, max(min(r.y, len(r.drawn)-rows), 0)
	return Block{Lines: r.drawn, Top: r.y, Bottom: min(r.y+rows, len(r.drawn)) - 1}.Window(rows, width)
}

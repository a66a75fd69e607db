package term

import (
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/words"
)

// Reader shows something long to be read, in place of what it was called from.
type Reader struct {
	Title string // of the panel; empty keeps the one that is there
	More  bool   // than fits, when it was last drawn

	text   *Prose // nil: lines
	lines  func(s *Styles, width int) []string
	drawn  []string // by lines, as these and so wide
	as     *Styles
	wide   int
	scroll Scroll
}

// NewReader shows lines, which are asked for once for a width.
func NewReader(title string, lines func(s *Styles, width int) []string) *Reader {
	return &Reader{Title: title, lines: lines}
}

// TextReader shows a text as it came from outside.
func TextReader(text string) *Reader { return &Reader{text: NewProse(text)} }

// Redraw has the lines asked for once more.
func (r *Reader) Redraw() { r.as = nil }

// Press handles a key and reports whether the human has done reading.
func (r *Reader) Press(key tea.KeyPressMsg) (done bool) {
	name := key.String()
	if name == "space" {
		name = "pgdown"
	}
	by, moves := Step(name, max(r.scroll.rows-1, 1))
	r.scroll.Y += by
	return !moves && !r.scroll.Press(name)
}

// Step is how far a key moves in a list or a text, of which so many rows or lines
// are a page; ok is false for a key that does not.
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

// Draw shows what fits into rows lines.
func (r *Reader) Draw(s *Styles, width, rows int) Block {
	if r.text != nil {
		r.drawn = r.text.First(max(r.scroll.Y, 0)+2*rows, width) // so that what is in view is never the end by mistake
	} else if s != r.as || width != r.wide {
		r.drawn, r.as, r.wide = r.lines(s, width), s, width
	}
	r.More = len(r.drawn) > rows
	r.scroll.Limit(len(r.drawn)-rows, rows)
	y := r.scroll.Y
	return Block{Lines: r.drawn, Top: y, Bottom: min(y+rows, len(r.drawn)) - 1}.Window(rows, width)
}

// Scroll is how far a text is moved, in lines.
type Scroll struct {
	Y    int
	rows int // lines in view when it was last drawn
}

// Press moves the text and reports whether the key was one that does.
func (c *Scroll) Press(key string) bool {
	page := max(c.rows-1, 1)
	by, ok := map[string]int{"pgdown": page, "ctrl+d": page, "pgup": -page, "ctrl+u": -page}[key]
	c.Y += by
	return ok
}

// Limit keeps the text in view: so many lines of it do not fit, and rows lines do.
func (c *Scroll) Limit(lines, rows int) {
	c.Y = min(max(c.Y, 0), max(lines, 0))
	c.rows = rows
}

package form

import (
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// text answers a question in free text.
type text struct {
	ask   *question.Question
	area  *term.Entry
	found string // what stood in it at first, while Enter does not take that
	bare  bool   // Enter does not
}

func newText(q *question.Question) *text {
	return &text{ask: q, area: term.NewEntry(q.Default, q.Placeholder).Tall(3)}
}

func (t *text) begin(bare bool) { t.found, t.bare = t.area.Text(), bare }
func (t *text) unset() bool     { return t.bare && t.area.Text() == t.found }

func (t *text) answer() question.Answer {
	return question.Answer{QuestionID: t.ask.ID, Custom: t.area.Text(), By: question.ByUser}
}

func (t *text) need() string {
	switch {
	case t.unset() && t.found != "":
		return words.T("press an arrow key to keep this text, then enter.")
	case t.unset() && !t.ask.Required:
		return words.T("type a text, or press an arrow key to leave it open; then enter.")
	}
	return words.T("type one, then press enter.")
}

func (t *text) draft() question.Answer    { return t.answer() }
func (t *text) restore(a question.Answer) { t.area.Set(a.Custom) }
func (t *text) focus()                    { t.area.Focus() }
func (t *text) blur()                     { t.area.Blur() }
func (t *text) entry() *term.Entry        { return t.area }

func (t *text) keep() (back func()) {
	bare, area := t.bare, t.area.Keep()
	return func() { t.bare = bare; area() }
}

func (t *text) draw(s *term.Styles, width, rows int) term.Block { return t.area.Draw(s, width, rows) }

func (t *text) bind(msg tea.Msg) does {
	key, _ := msg.(tea.KeyPressMsg)
	switch key.String() {
	case "enter", "esc", "shift+tab":
		return nil
	}
	return func() (action, error) { t.bare = false; return none, t.area.Press(msg) }
}

func (t *text) hints() ([]term.Hint, bool) { return writingHints(onward), false }

// note is a word to the agent: on a question's page beside its answer, on the
// review beside all of them.
type note struct {
	entry *term.Entry // nil until it is wanted: entries cost, and there may be hundreds of pages
}

func (n *note) open() *term.Entry {
	if n.entry == nil {
		n.entry = term.NewEntry("", words.T("A word to the agent beside the answer"))
	}
	return n.entry
}

func (n *note) text() string {
	if n.entry == nil {
		return ""
	}
	return n.entry.Text()
}

// writing reports whether it has the keyboard.
func (n *note) writing() bool { return n.entry != nil && n.entry.Focused() }

func (n *note) stop() {
	if n.entry != nil {
		n.entry.Blur()
	}
}

func (n *note) keep() (back func()) {
	if n.entry == nil {
		return func() {}
	}
	return n.entry.Keep()
}

func (n *note) bind(msg tea.Msg) does {
	if key, _ := msg.(tea.KeyPressMsg); key.String() == "enter" || key.String() == "esc" {
		return only(n.stop)
	}
	return types(n.entry, msg)
}

// draw shows the note; one that nobody wrote is nothing.
func (n *note) draw(s *term.Styles, width, rows int) term.Block {
	title := words.T("Note to the agent")
	switch text := n.text(); {
	case n.writing():
		b := term.Block{Lines: []string{s.Cursor.Render(title)}}
		b.Add(n.entry.Draw(s, width, rows-1))
		b.Top = 0
		return b
	case text != "":
		return term.Block{Lines: append([]string{s.Muted.Render(title)}, term.Hang("  ", question.Block(text), width)...)}
	}
	return term.Block{}
}

// types is what a key or a paste does where text is typed.
func types(e *term.Entry, msg tea.Msg) does {
	return func() (action, error) { return none, e.Press(msg) }
}

// writingHints are the keys where text is typed, in which Enter does this.
func writingHints(enter string) []term.Hint {
	return []term.Hint{{"enter", enter}, {"alt+enter", words.T("new line")}, {term.EditKey, words.T("editor")}}
}

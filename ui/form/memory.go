package form

import (
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// recallKey takes over what the human answered before. It is the same on every
// page, and no sentence has it.
const recallKey = "ctrl+r"

// before is an earlier answer to a page's question.
type before struct {
	words  string // "3 Nov: PostgreSQL, claude-code"; empty where there is none
	answer question.Answer
	taken  question.Answer // what the page held once it was taken over
	back   func()          // to what the page held until then; nil unless taken over
}

// remember gives the page of a question its earlier answer.
func (f *Form) remember(p *page) {
	if m, ok := f.options.Memory[p.ask.ID]; ok {
		m.Words = p.ask.Words(&m.Answer) // which has our yes and no in the human's language
		p.before = before{words: term.Line(words.Local.Remembered(m, f.window.Now()), maxWidth), answer: m.Answer}
	}
}

// recall puts the earlier answer on the page. Once more puts back what stood
// there, unless it was changed since.
func (p *page) recall() {
	b, was := p.body.(answering), p.before.back
	if p.before.back = nil; was != nil && same(b.answer(), p.before.taken) {
		was()
		return
	}
	p.before.back = p.body.keep()
	b.recall(p.before.answer)
	p.before.taken = b.answer()
}

// enough is the least number of lines for a page in which one is spared for the
// earlier answer.
const enough = 6

// earlier is the line below the question that says what was answered before.
func (p *page) earlier(s *term.Styles, width, rows int) []string {
	if p.before.words == "" || rows < enough {
		return nil
	}
	key := " · " + recallKey
	full := " · " + words.T("%s takes it over", recallKey)
	switch {
	case p.note.writing(): // which has the keyboard
		key = ""
	case ansi.StringWidth(p.before.words+full) <= width:
		key = full
	}
	return []string{s.Muted.Render(term.Cut(p.before.words, width-ansi.StringWidth(key)) + key)}
}

// recall marks an earlier answer. A text of Other that is not part of it stays.
func (c *choice) recall(a question.Answer) {
	c.blur()
	c.narrow("")
	typed := c.other.Text()
	c.restore(a)
	if a.Custom == "" {
		c.other.Set(typed)
	}
	for i, r := range c.rows {
		if r.picked {
			c.goTo(i)
			return
		}
	}
}

func (t *text) recall(a question.Answer) { t.restore(a); t.bare = false }

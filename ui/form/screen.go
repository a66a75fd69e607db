package form

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// maxWidth keeps lines readable on wide terminals, in cells of the panel. Only
// previews use more: then the panels of all pages are as wide as the terminal.
const maxWidth = 88

// View implements tea.Model. The screen is empty before its size is known and
// after the end.
func (f *Form) View() tea.View {
	w := f.window
	if f.state != Open {
		w.Width = 0
	}
	return w.View(f.screen)
}

func (f *Form) screen() term.Block {
	p := f.page()
	width := f.window.Width
	if !f.wide {
		width = min(width, maxWidth)
	}
	inner := min(width, maxWidth) - term.EdgesWide
	notice := append(f.remarkLines(inner), f.noticeLines(inner)...)
	rows := max(f.window.Height-term.EdgesHigh-len(notice), 1)

	var b term.Block
	p.cut = false
	switch c := p.choice(); {
	case f.asking != nil:
		b = f.asking.Draw(f.window.Styles, inner, rows)
	case p.reader != nil:
		b = p.reader.Draw(f.window.Styles, inner, rows)
	case c != nil && c.preview() != nil:
		b, p.cut = p.columns(f.window.Styles, width-term.EdgesWide, rows)
	default:
		b, p.cut = p.column(f.window.Styles, inner, rows)
	}
	if notice != nil && len(b.Lines) < rows {
		b.Lines = append(b.Lines, "")
	}
	b.Lines = append(b.Lines, notice...)
	return f.panel(p).Draw(f.window.Styles, b, width, f.window.Width, f.window.Height)
}

// panel is the frame of a page.
func (f *Form) panel(p *page) term.Panel {
	by := f.by
	if f.more > 0 {
		by += " · " + words.Local.MoreWait(f.more)
	}
	out := term.Panel{Title: words.T("Question"), Note: f.window.Styles.Muted.Render(by), Hints: f.hints()}
	if clock := f.countdown.text(); clock != "" && (f.countdown.left > 0 || !f.detached) { // else nobody ends it
		out.Clock = f.window.Styles.Muted.Render(clock)
		if f.countdown.left <= urgent {
			out.Clock = f.window.Styles.Fault.Render(clock)
		}
	}
	asked := f.asked()
	switch {
	case p.reader != nil && p.reader.Title != "":
		out.Title = p.reader.Title
		return out
	case p.ask == nil:
		out.Title, out.Place = words.T("Review"), words.N(len(asked), "%d answer", "%d answers")
		return out
	case p.ask.Header != "":
		out.Title = term.Line(p.ask.Header, maxWidth)
	}
	if len(asked) > 1 {
		out.Place = words.T("%[1]d of %[2]d", slices.Index(asked, p)+1, len(asked))
	}
	return out
}

// asker says who asks, where, and in which round, as far as known.
func (f *Form) asker() string {
	by := f.rec.Asker
	by.Client, by.Directory = term.Line(by.Client, maxWidth), by.Directory[max(0, len(by.Directory)-1000):]
	parts := []string{words.Local.Client(by)}
	if p := term.Line(words.Project(by), maxWidth); p != "" {
		parts = append(parts, p)
	}
	if f.rec.Round > 1 {
		parts = append(parts, words.T("round %d", f.rec.Round))
	}
	return strings.Join(parts, " · ")
}

// noticeLines are what went wrong, in at most three lines.
func (f *Form) noticeLines(width int) []string {
	text := f.notice
	if err := f.page().err; err != nil && f.asking == nil {
		text = question.Line(err.Error())
	}
	if text == "" {
		return nil
	}
	return term.Each(f.window.Styles.Fault, term.Opening(term.Wrap("! "+text, width), 3, width))
}

// onward stands for what Enter does on a page: only the form knows whether it
// sends or turns to the next page.
const onward = ""

// hints are the keys that work now, the most useful first.
func (f *Form) hints() []term.Hint {
	p := f.page()
	switch {
	case f.sending:
		return []term.Hint{{"…", words.T("sending")}}
	case f.window.Gate.Waiting():
		return term.WaitingHints(f.window.Width)
	case f.asking != nil:
		return f.asking.Hints()
	case p.reader != nil:
		return p.reader.Hints()
	}
	keys, only := p.hints()
	enter := slices.Index(keys, term.Hint{"enter", onward})
	if enter >= 0 {
		keys[enter][1] = f.onward(p)
	}
	if only {
		return keys
	}
	return slices.Concat(
		keys[:enter+1],
		term.If(p.cut, term.Hint{"tab", words.T("read all")}),
		[]term.Hint{{"esc", words.T("dismiss")}},
		term.If(slices.Index(f.asked(), p) != 0, term.Hint{"shift+tab", words.T("back")}),
		term.If(!p.typing(), term.Hint{"?", words.T("keys")}),
		keys[enter+1:],
		term.If(f.remembers(), term.Hint{p.letter("h"), words.T("earlier rounds")}),
		term.If(f.options.Lift != nil && !f.lifted, term.Hint{p.letter("L"), words.T("lift the limit")}),
		[]term.Hint{{"ctrl+n", words.T("note")}},
		term.If(p.before.words != "", term.Hint{recallKey, words.T("the earlier answer; again puts back")}),
		term.If(p.choice() == nil, term.Hint{"alt+d", words.T("discuss first")}),
	)
}

// onward says what Enter does on a page.
func (f *Form) onward(p *page) string {
	switch c := p.choice(); {
	case c != nil && c.skipped:
		return words.T("skip")
	case c != nil && c.cursor == len(c.rows)-1:
		return words.T("discuss first")
	}
	if p.ask == nil || !f.reviews() && !p.leadsOn() {
		return words.T("send")
	}
	return words.T("next")
}

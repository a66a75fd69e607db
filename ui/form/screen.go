package form

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
)

// View implements tea.Model. The screen is empty before its size is known and
// after the end.
func (f *Form) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	if f.state == Open && f.width > 0 && f.height > 0 {
		s := f.screen()
		v.Content, v.Cursor = strings.Join(s.lines, "\n"), s.cursor
	}
	return v
}

// screen draws the panel and the line of hints below it.
func (f *Form) screen() sheet {
	p := f.page()
	width := f.panelWidth(p)
	inner := max(width-edgesWide, 2)
	notice := append(f.remarkLines(inner), f.noticeLines(inner)...)
	rows := max(f.height-edgesHigh-1-len(notice), 1)

	var s sheet
	var more bool
	if f.asking {
		s = f.dismissal.draw(f.look, inner, rows)
	} else {
		s, more = p.draw(f.look, inner, rows)
	}
	if notice != nil && len(s.lines) < rows {
		s.lines = append(s.lines, "")
	}
	lines := f.panel(p).draw(f.look, append(s.lines, notice...), width)
	lines = append(lines, " "+hintLine(f.look, f.hints(more), f.width-2))
	return f.clip(sheet{lines: lines, cursor: shift(s.cursor, edgesWide/2, 1)})
}

// clip keeps a screen within the terminal, however small that is.
func (f *Form) clip(s sheet) sheet {
	s.lines = s.lines[:min(len(s.lines), f.height)]
	for i, line := range s.lines {
		s.lines[i] = ansi.Truncate(line, f.width, "")
	}
	if c := s.cursor; c != nil && (c.X >= f.width || c.Y >= len(s.lines)) {
		s.cursor = nil
	}
	return s
}

func (f *Form) panelWidth(p *page) int {
	widest := maxWidth
	if c := p.choice(); c != nil && c.preview() != nil {
		widest = maxPreviewWidth
	}
	return min(f.width, widest)
}

func (f *Form) panel(p *page) panel {
	out := panel{title: "Question", asker: asker(f.rec), clock: f.countdown.words()}
	asked := f.asked()
	switch {
	case p.read != nil && p.read.title != "":
		out.title = p.read.title
		return out
	case p.ask == nil:
		out.title, out.place = "Review", fmt.Sprintf("%d answers", len(asked))
		if len(asked) == 1 {
			out.place = "1 answer"
		}
		return out
	case p.ask.Header != "":
		out.title = question.Line(p.ask.Header)
	}
	if len(asked) > 1 {
		out.place = fmt.Sprintf("%d of %d", slices.Index(asked, p)+1, len(asked))
	}
	return out
}

// noticeLines are what went wrong, in at most three lines.
func (f *Form) noticeLines(width int) []string {
	text := f.notice
	if err := f.page().err; err != nil && !f.asking {
		text = question.Line(err.Error())
	}
	if text == "" {
		return nil
	}
	return each(f.look.fault, opening(wrap("! "+text, width), 3, width))
}

// hints are the keys that work now, the most useful first; more says that
// something of the page does not fit.
func (f *Form) hints(more bool) []hint {
	p := f.page()
	switch {
	case f.sending:
		return []hint{{"…", "sending"}}
	case f.asking:
		return f.dismissal.hints()
	case p.read != nil:
		return p.read.hints()
	}
	keys, holds := p.hints()
	enter := slices.Index(keys, hint{"enter", onward})
	if enter >= 0 {
		keys[enter].does = f.onward(p)
	}
	if holds {
		return keys
	}
	keys = slices.Insert(keys, enter+1, f.general(p, more)...)
	if f.remembers() {
		keys = append(keys, hint{f.letter("h"), "earlier rounds"})
	}
	if f.limit.lift != nil && !f.limit.lifted {
		keys = append(keys, hint{f.letter("L"), "lift the limit"})
	}
	if _, ok := p.body.(*text); !ok {
		keys = append(keys, hint{"?", "keys"})
	}
	return keys
}

// general are the keys that work on every page that does not hold the keyboard.
func (f *Form) general(p *page, more bool) []hint {
	var keys []hint
	if more {
		keys = append(keys, hint{"tab", "read all"})
	}
	keys = append(keys, hint{"esc", "close"})
	if slices.Index(f.asked(), p) != 0 {
		keys = append(keys, hint{"shift+tab", "back"})
	}
	return keys
}

// onward says what Enter does on a page.
func (f *Form) onward(p *page) string {
	if p.ask == nil || !f.reviews() && !p.leadsOn() {
		return "send"
	}
	return "next"
}

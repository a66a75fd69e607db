package inbox

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// pane shows the selected record whole beside the list. It is drawn anew when
// it is of another row, or fresh says that what is known has changed.
type pane struct {
	of     *row
	fresh  bool
	width  int
	styles *term.Styles
	lines  []string
	scroll term.Scroll
	more   bool // than fits
}

func (p *pane) draw(r *row, s *term.Styles, width, rows int, zone *time.Location) term.Block {
	if r != p.of {
		*p = pane{of: r}
	}
	if !p.fresh || width != p.width || s != p.styles {
		p.lines, p.width, p.styles, p.fresh = account(*r, s, width, false, zone), width, s, true
	}
	p.more = len(p.lines) > rows
	p.scroll.Limit(len(p.lines)-rows, 0, rows)
	y := p.scroll.Y
	return term.Block{Lines: p.lines, Top: y, Bottom: min(y+rows, len(p.lines)) - 1}.Window(rows, width)
}

// title is what stands over a record.
func title(rec desk.Record) string {
	if rec.Outcome != nil {
		return words.T("Past question")
	}
	header := ""
	if len(rec.Questions) > 0 {
		header = term.Line(words.Local.Shown(rec).Questions[0].Header, maxWidth)
	}
	return cmp.Or(header, words.T("Question"))
}

// account is what there is to know of a record: what was asked and what became
// of it; in full also who asked, and where it was shown.
func account(r row, s *term.Styles, width int, full bool, zone *time.Location) []string {
	lines := term.DrawRecord(s, r.rec, true, width)
	return append(lines, table(s, r.more(full, zone), width)...)
}

// table is names, one below the other, and beside them what they stand for.
func table(s *term.Styles, pairs [][2]string, width int) (lines []string) {
	column := 9
	for _, p := range pairs {
		column = max(column, ansi.StringWidth(p[0])+1)
	}
	for _, p := range pairs {
		lines = append(lines, term.Hang(s.Muted.Render(term.Pad(p[0], column)), p[1], width)...)
	}
	return lines
}

// more are names and what they stand for.
func (r *row) more(full bool, zone *time.Location) [][2]string {
	rec := r.rec
	at := func(t time.Time) string { return t.In(zone).Format(words.T("2 Jan 2006 15:04:05")) }
	out := [][2]string{{words.T("Asked"), at(rec.CreatedAt)}}
	add := func(name, value string) {
		if value != "" {
			out = append(out, [2]string{name, value})
		}
	}
	switch o := rec.Outcome; {
	case o != nil:
		add(words.T("Ended"), words.T("%[1]s, %[2]s", words.Local.Outcome(o), at(o.At)))
		add(words.T("Reason"), words.Local.Reason(o))
		add(words.T("Later"), words.Local.Overruled(rec))
	case rec.Attended:
		add(words.T("State"), words.T("the agent waits for the answer"))
	default:
		add(words.T("State"), words.T(words.AgentAway))
	}
	if rec.Outcome == nil {
		add(words.T("Kept"), words.Local.Home(rec))
	}
	if rec.Outcome == nil && !r.deadline.IsZero() {
		add(words.T("Closes"), at(r.deadline))
	}
	if !full {
		return out
	}
	add(words.T("By"), strings.TrimSpace(words.Local.Client(rec.Asker)+" "+question.Line(rec.Asker.Version)))
	add(words.T("In"), question.Line(rec.Asker.Directory))
	add(words.T("Branch"), question.Line(r.branch))
	if rec.SessionID != "" {
		add(words.T("Session"), question.Line(rec.SessionID))
		add(words.T("Round"), fmt.Sprint(rec.Round))
	}
	for _, s := range rec.ShownOn {
		shown := words.Local.Surface(s.Surface)
		if s.Why != "" {
			shown = words.T("not %[1]s: %[2]s", shown, question.Line(s.Why))
		}
		add(words.T("Shown"), shown)
	}
	add(words.T("Id"), rec.ID)
	return out
}

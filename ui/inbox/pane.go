package inbox

import (
	"cmp"
	"fmt"
	"strings"
	"time"

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
		return "Past question"
	}
	if len(rec.Questions) > 0 {
		return cmp.Or(term.Line(rec.Questions[0].Header, maxWidth), "Question")
	}
	return "Question"
}

// account is what there is to know of a record: what was asked and what became
// of it; in full also who asked, and where it was shown.
func account(r row, s *term.Styles, width int, full bool, zone *time.Location) []string {
	lines := term.DrawRecord(s, r.rec, true, width)
	for _, f := range r.more(full, zone) {
		lines = append(lines, term.Hang(s.Muted.Render(term.Pad(f[0], 9)), f[1], width)...)
	}
	return lines
}

// more are names and what they stand for.
func (r *row) more(full bool, zone *time.Location) [][2]string {
	rec := r.rec
	at := func(t time.Time) string { return t.In(zone).Format("2 Jan 2006 15:04:05") }
	out := [][2]string{{"Asked", at(rec.CreatedAt)}}
	add := func(name, value string) {
		if value != "" {
			out = append(out, [2]string{name, value})
		}
	}
	switch o := rec.Outcome; {
	case o != nil:
		add("Ended", words.Local.Outcome(o)+", "+at(o.At))
		add("Reason", words.Reason(o))
		add("Later", words.Local.Overruled(rec))
	case rec.Attended:
		add("State", "the agent waits for the answer")
	default:
		add("State", words.T(words.AgentAway))
	}
	if rec.Outcome == nil {
		add("Kept", words.Local.Home(rec))
	}
	if rec.Outcome == nil && !r.deadline.IsZero() {
		add("Closes", at(r.deadline))
	}
	if !full {
		return out
	}
	add("By", strings.TrimSpace(words.Local.Client(rec.Asker)+" "+question.Line(rec.Asker.Version)))
	add("In", question.Line(rec.Asker.Directory))
	add("Branch", question.Line(r.branch))
	if rec.SessionID != "" {
		add("Session", question.Line(rec.SessionID))
		add("Round", fmt.Sprint(rec.Round))
	}
	for _, s := range rec.ShownOn {
		shown := words.Local.Surface(s.Surface)
		if s.Why != "" {
			shown = "not " + shown + ": " + question.Line(s.Why)
		}
		add("Shown", shown)
	}
	add("Id", rec.ID)
	return out
}

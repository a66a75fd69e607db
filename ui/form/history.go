package form

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
)

// WithHistory lets the human look at the earlier rounds of the session (D8).
// Rounds returns its records in any order and may take its time; the record of
// the form itself may be among them.
func WithHistory(rounds func() []desk.Record) Option {
	return func(f *Form) { f.history = rounds }
}

// earlier is the message that the history has been read.
type earlier struct{ rounds []desk.Record }

// remembers reports whether there are earlier rounds to look at.
func (f *Form) remembers() bool { return f.history != nil && f.rec.Round > 1 }

func (f *Form) lookBack() tea.Cmd {
	history := f.history
	return func() tea.Msg { return earlier{history()} }
}

// openHistory shows the earlier rounds, the latest first, in place of the page.
func (f *Form) openHistory(rounds []desk.Record) {
	p := f.page()
	if f.asking || f.sending || p.read != nil {
		return
	}
	before, zone := f.before(rounds), f.now().Location()
	p.read = &reader{title: "Earlier rounds", lines: func(l *look, width int) []string {
		if len(before) == 0 {
			return each(l.muted, wrap("No earlier round of this session is kept.", width))
		}
		var lines []string
		for i, rec := range before {
			if i > 0 {
				lines = append(lines, "", l.border.Render(strings.Repeat("─", width)), "")
			}
			lines = append(lines, drawRound(l, rec, zone, width)...)
		}
		return lines
	}}
}

// before returns the rounds that came before the form's own, latest first.
func (f *Form) before(rounds []desk.Record) []desk.Record {
	var out []desk.Record
	for _, rec := range rounds {
		if rec.ID != f.rec.ID && rec.Round < f.rec.Round {
			out = append(out, rec)
		}
	}
	slices.SortStableFunc(out, func(a, b desk.Record) int { return b.Round - a.Round })
	return out
}

func drawRound(l *look, rec desk.Record, zone *time.Location, width int) []string {
	lines := each(l.title, wrap(fmt.Sprintf("Round %d · %s", rec.Round, fate(rec, zone)), width))
	var reply question.Reply
	if rec.Outcome != nil && rec.Outcome.Reply != nil {
		reply = *rec.Outcome.Reply
	}
	for _, q := range rec.Shown(reply.Answers) {
		lines = append(lines, "")
		lines = append(lines, each(l.question, wrap(question.Block(q.Text), width))...)
		a := reply.Answer(q.ID)
		open := a == nil && rec.State == desk.Answered
		if a == nil {
			a = &question.Answer{}
		}
		lines = append(lines, drawTaken(l, q.Question, a, width)...)
		if open {
			lines = append(lines, "  "+l.muted.Render("(left open)"))
		}
	}
	if reply.Note != "" {
		lines = append(lines, "")
		lines = append(lines, hang(l.muted.Render("Note: "), question.Block(reply.Note), width)...)
	}
	return lines
}

// drawTaken shows the options of a question with those marked that were taken,
// and what was answered in words.
func drawTaken(l *look, q *question.Question, a *question.Answer, width int) []string {
	var lines []string
	for _, o := range q.Options {
		lead := "  " + mark(q.Several(), slices.Contains(a.Selected, o.ID)) + " "
		lines = append(lines, hang(lead, question.Line(o.Label), width)...)
	}
	if a.Custom != "" {
		lines = append(lines, hang("  "+l.muted.Render("→ "), question.Block(a.Custom), width)...)
	}
	if a.By == question.ByTimeout {
		lines = append(lines, "  "+l.muted.Render("(taken by the timeout)"))
	}
	return lines
}

// fate says how a record ended, when and where.
func fate(rec desk.Record, zone *time.Location) string {
	o := rec.Outcome
	if o == nil {
		return "still open"
	}
	words := string(o.Status) + ui.Place(o.Surface) + ", " + o.At.In(zone).Format("2 Jan 15:04")
	reason := o.Reason
	if o.Reply != nil {
		reason = o.Reply.Reason
	}
	if reason != "" {
		words += ": " + question.Line(reason)
	}
	return words
}

// hang wraps a text after a lead, with the other lines under its text.
func hang(lead, text string, width int) []string {
	cells := ansi.StringWidth(lead)
	lines := wrap(text, width-cells)
	for i := range lines {
		if i > 0 {
			lead = strings.Repeat(" ", cells)
		}
		lines[i] = lead + lines[i]
	}
	return lines
}

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

func (a *app) show() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show one question: who asked, what, and what became of it",
		Example: "  mcp-askuser show 01JD6Z00\n  mcp-askuser show 01JD6Z00 --json",
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the record as JSON")
	return a.aboutOne(cmd, true, func(ctx context.Context, d *desk.Desk, rec desk.Record) error {
		if asJSON {
			return a.printJSON(rec)
		}
		p := page{width: a.out.width()}
		p.record(rec)
		if at, ok := d.Deadline(ctx, rec); ok && rec.Outcome == nil {
			p.line(0, "It closes at %s unless somebody works on it until then.", clock(at))
		}
		_, err := io.WriteString(a.out, p.String())
		return err
	})
}

// page is a record in words.
type page struct {
	strings.Builder
	width     int                 // in cells, 0 for any
	responses []question.Response // not written yet
}

// How much deeper a level is, and a further line of the same text, in cells.
const (
	indent  = 3
	hanging = 2
)

// line writes a text of one or more lines at a level; further lines hang deeper,
// so that no text from outside passes for a line of ours. Arguments are safe
// to show, or go through question first.
func (p *page) line(level int, format string, args ...any) {
	margin := strings.Repeat(" ", level*indent)
	text := fmt.Sprintf(format, args...)
	if p.width > len(margin)+20 {
		text = ansi.Wrap(text, p.width-len(margin)-hanging, " ")
	}
	for line := range strings.SplitSeq(text, "\n") {
		p.WriteString(strings.TrimRight(margin+line, " ") + "\n")
		margin = strings.Repeat(" ", level*indent+hanging)
	}
}

func (p *page) record(rec desk.Record) {
	state := string(rec.State)
	if rec.Outcome == nil {
		state += ", " + attention(rec)
	}
	p.line(0, "%s (%s)", rec.ID, state)
	p.origin(rec)
	for _, s := range rec.ShownOn {
		if s.Why == "" {
			p.line(0, "Shown%s", words.Local.Place(s.Surface))
		} else {
			p.line(0, "Not shown%s: %s", words.Local.Place(s.Surface), question.Line(s.Why))
		}
	}
	p.responses = rec.Responses()
	for range rec.Questions {
		p.line(0, "")
		p.question(0)
	}
	p.line(0, "")
	p.outcome(rec)
}

// origin says who asked, from where and when (D22).
func (p *page) origin(rec desk.Record) {
	by := rec.Asker
	who := strings.TrimSpace(question.Line(by.Client + " " + by.Version))
	if by.Directory != "" {
		who += " in " + question.Line(by.Directory)
	}
	p.line(0, "Asked at %s by %s (%s)", clock(rec.CreatedAt), who, question.Line(by.Via))
	round := fmt.Sprintf("Round %d", rec.Round)
	if rec.SessionID != "" {
		round += " of session " + question.Line(rec.SessionID)
	}
	p.line(0, "%s", round)
	if rec.Earlier != "" {
		p.line(0, "Goes back to %s", question.Line(rec.Earlier))
	}
}

// question writes the next response, and those of its follow-ups below the
// options that bring them up.
func (p *page) question(level int) {
	q := p.responses[0]
	p.responses = p.responses[1:]
	title := question.Block(q.Question.Text)
	if q.Header != "" {
		title = question.Line(q.Header) + ": " + title
	}
	p.line(level, "%s", title)
	p.line(level, "%s", facts(q.Question))
	if q.Description != "" {
		p.line(level, "%s", question.Block(q.Description))
	}
	for i := range q.Options {
		p.option(&q.Options[i], level+1, q.Answer)
	}
	switch q.By() {
	case "":
	case question.ByCaller:
		p.line(level, "Answer, which the asker brought along: %s", question.Block(q.Text()))
	case question.ByTimeout:
		p.line(level, "Answer, the default after the timeout: %s", question.Block(q.Text()))
	case question.ByProgram:
		p.line(level, "Answer, by a program: %s", question.Block(q.Text()))
	default:
		p.line(level, "Answer: %s", question.Block(q.Text()))
	}
	if q.Note != "" {
		p.line(level, "Beside it: %s", question.Block(q.Note))
	}
}

// facts says in brackets what kind of question it is, and its id.
func facts(q *question.Question) string {
	parts := []string{question.Line(q.ID), string(q.Type)}
	if !q.Required {
		parts = append(parts, "optional")
	}
	if q.AllowCustom {
		parts = append(parts, "or an answer of one's own")
	}
	if q.Default != "" {
		parts = append(parts, fmt.Sprintf("proposed: %s", question.Line(q.Default)))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (p *page) option(o *question.Option, level int, answer *question.Answer) {
	mark := "- "
	if answer != nil && slices.Contains(answer.Selected, o.ID) {
		mark = "* "
	}
	text := mark + question.Line(o.Label)
	if o.Default {
		text += " (proposed)"
	}
	if o.Description != "" {
		text += ": " + question.Block(o.Description)
	}
	p.line(level, "%s", text)
	for range o.FollowUps {
		p.question(level + 1)
	}
}

func (p *page) outcome(rec desk.Record) {
	o := rec.Outcome
	if o == nil {
		p.line(0, "Still open.")
		return
	}
	end, reason, reply := capital(words.Local.Outcome(o))+" at "+clock(o.At), words.Reason(o), rec.Reply()
	if reason != "" && reply == nil {
		end, reason = end+": "+reason, ""
	}
	p.line(0, "%s", end)
	if reason != "" {
		p.line(0, "Reason: %s", reason)
	}
	if reply != nil && reply.Note != "" {
		p.line(0, "Note: %s", question.Block(reply.Note))
	}
	p.hosted(rec)
}

// hosted says what the host has made of a reply to a question that its own
// dialog shows too.
func (p *page) hosted(rec desk.Record) {
	if rec.Outcome.Unsettled {
		p.line(0, "Whether %s took it is not known.", words.Local.Client(rec.Asker))
	}
	if rec.Later == nil {
		return
	}
	p.line(0, "%s", words.Local.Overruled(rec))
	given := rec
	given.State, given.Outcome = rec.Later.Status, rec.Later
	if given.State == desk.Answered {
		p.line(0, "What was said there: %s", words.Local.Decision(given))
	}
}

// capital begins words of ours with a capital letter.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// clock is a time for people, in their own zone.
func clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

func (a *app) show() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show one question: who asked, what, and what became of it",
		Example: "  mcp-askuser show 01JD6Z00\n  mcp-askuser show 01JD6Z00 --json",
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	return a.withRecord(cmd, true, func(ctx context.Context, d *desk.Desk, rec desk.Record) error {
		if *asJSON {
			return a.printJSON(rec)
		}
		p := page{width: a.out.width()}
		p.record(view.Local(rec))
		if at, ok := d.Deadline(ctx, rec); ok && rec.Outcome == nil {
			p.line(0, fmt.Sprintf("It closes at %s unless somebody works on it until then.", clock(at)))
		}
		a.print(p.String())
		return nil
	})
}

// page is the text of a record.
type page struct {
	strings.Builder
	width     int                 // in cells, 0 for any
	responses []question.Response // not written yet
}

// The cells by which a level, and a further line of the same text, are indented.
const (
	indent  = 3
	hanging = 2
)

// line writes a text at a level. Its further lines are indented deeper, so that a text
// of the agent's cannot pass for a line of ours. Callers must make such texts safe.
func (p *page) line(level int, text string) {
	margin := strings.Repeat(" ", level*indent)
	if p.width > len(margin)+20 {
		text = ansi.Wrap(text, p.width-len(margin)-hanging, " ")
	}
	for line := range strings.SplitSeq(text, "\n") {
		p.WriteString(strings.TrimRight(margin+line, " ") + "\n")
		margin = strings.Repeat(" ", level*indent+hanging)
	}
}

func (p *page) record(rec view.Record) {
	state := rec.Status()
	if rec.Outcome == nil {
		state = fmt.Sprintf("%[1]s, %[2]s", state, rec.Attention())
	}
	p.line(0, rec.ID+" ("+state+")")
	p.origin(rec)
	for _, s := range rec.Surfaces() {
		if s.Why == "" {
			p.line(0, fmt.Sprintf("Shown %s", s.Where))
		} else {
			p.line(0, fmt.Sprintf("Not shown %[1]s: %[2]s", s.Where, s.Why))
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

func (p *page) origin(rec view.Record) {
	program := rec.Program()
	if rec.Asker.Directory != "" {
		program = fmt.Sprintf("%[1]s in %[2]s", program, question.Line(rec.Asker.Directory))
	}
	p.line(0, fmt.Sprintf("Asked at %s by %s (%s)", clock(rec.CreatedAt), program, question.Line(rec.Asker.Via)))
	if rec.SessionID != "" {
		p.line(0, fmt.Sprintf("Session %s", question.Line(rec.SessionID)))
	}
	if round := rec.RoundText(); round != "" {
		p.line(0, round)
	}
	if rec.Earlier != "" {
		p.line(0, fmt.Sprintf("Goes back to %s", question.Line(rec.Earlier)))
	}
}

// question writes the next response, and its follow-ups below their options.
func (p *page) question(level int) {
	q := p.responses[0]
	p.responses = p.responses[1:]
	title := question.Block(q.Question.Text)
	if q.Header != "" {
		title = fmt.Sprintf("%[1]s: %[2]s", question.Line(q.Header), title)
	}
	p.line(level, title)
	p.line(level, properties(q.Question))
	if q.Description != "" {
		p.line(level, question.Block(q.Description))
	}
	for i := range q.Options {
		p.option(&q.Options[i], level+1, q.Answer)
	}
	switch q.By() {
	case "":
	case question.ByCaller:
		p.line(level, fmt.Sprintf("Answer, which the agent brought along: %s", question.Block(q.Text())))
	case question.ByTimeout:
		p.line(level, fmt.Sprintf("Answer, the default after the timeout: %s", question.Block(q.Text())))
	case question.ByProgram:
		p.line(level, fmt.Sprintf("Answer, by a program: %s", question.Block(q.Text())))
	default:
		p.line(level, fmt.Sprintf("Answer: %s", question.Block(q.Text())))
	}
	if q.Note != "" {
		p.line(level, fmt.Sprintf("Note: %s", question.Block(q.Note)))
	}
}

// properties are the id and the type of a question, in brackets.
func properties(q *question.Question) string {
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
		text = fmt.Sprintf("%s (proposed)", text)
	}
	if o.Description != "" {
		text = fmt.Sprintf("%[1]s: %[2]s", text, question.Block(o.Description))
	}
	p.line(level, text)
	for range o.FollowUps {
		p.question(level + 1)
	}
}

func (p *page) outcome(rec view.Record) {
	if rec.Outcome == nil {
		p.line(0, "Still open.")
		return
	}
	end, reason := fmt.Sprintf("%[1]s at %[2]s", capital(rec.Ended()), clock(rec.Since())), rec.Reason()
	if reason != "" && rec.Reply() == nil {
		end, reason = fmt.Sprintf("%[1]s: %[2]s", end, reason), ""
	}
	p.line(0, end)
	if reason != "" {
		p.line(0, fmt.Sprintf("Reason: %s", reason))
	}
	if note := rec.Note(); note != "" {
		p.line(0, fmt.Sprintf("Note: %s", note))
	}
	if rec.Outcome.Unsettled { // also in the host's own dialog
		p.line(0, fmt.Sprintf("Whether %s took it is not known.", words.English.Client(rec.Asker)))
	}
	if rec.Later != nil {
		p.line(0, rec.Overruled())
	}
	if answer := rec.OverruledAnswer(); answer != "" {
		p.line(0, fmt.Sprintf("What was said there: %s", answer))
	}
}

// capital begins a text with a capital letter.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

func clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

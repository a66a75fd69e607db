package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

func (a *app) show() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show one question: who asked, what, and what became of it",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, _, err := a.openDesk(cmd)
			if err != nil {
				return err
			}
			rec, err := find(cmd, d, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(rec)
			}
			p := page{width: a.out.width()}
			p.record(rec)
			if at, ok := d.Deadline(cmd.Context(), rec); ok && rec.Outcome == nil {
				p.line(0, "It closes at %s unless somebody works on it until then.", clock(at))
			}
			_, err = io.WriteString(a.out, p.String())
			return err
		},
	}
	a.addFlags(cmd, "dir")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the record as JSON")
	return cmd
}

// page is a record in words.
type page struct {
	strings.Builder
	width int // in cells, 0 for any
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
			p.line(0, "Shown%s", place(s.Surface))
		} else {
			p.line(0, "Not shown%s: %s", place(s.Surface), question.Line(s.Why))
		}
	}
	var reply question.Reply
	if rec.Outcome != nil && rec.Outcome.Reply != nil {
		reply = *rec.Outcome.Reply
	}
	for i := range rec.Questions {
		p.line(0, "")
		p.question(&rec.Questions[i], 0, &reply)
	}
	p.line(0, "")
	p.outcome(rec.Outcome)
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
}

func (p *page) question(q *question.Question, level int, reply *question.Reply) {
	title := question.Block(q.Text)
	if q.Header != "" {
		title = question.Line(q.Header) + ": " + title
	}
	p.line(level, "%s", title)
	p.line(level, "%s", facts(q))
	if q.Description != "" {
		p.line(level, "%s", question.Block(q.Description))
	}
	answer := q.Collected
	if answer == nil {
		answer = reply.Answer(q.ID)
	}
	for i := range q.Options {
		p.option(&q.Options[i], level+1, answer, reply)
	}
	switch {
	case answer != nil && answer.By == question.ByCaller:
		p.line(level, "Answer, which the asker brought along: %s", spoken(q, answer))
	case answer != nil && answer.By == question.ByTimeout:
		p.line(level, "Answer, the default after the timeout: %s", spoken(q, answer))
	case answer != nil:
		p.line(level, "Answer: %s", spoken(q, answer))
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

func (p *page) option(o *question.Option, level int, answer *question.Answer, reply *question.Reply) {
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
	for i := range o.FollowUps {
		p.question(&o.FollowUps[i], level+1, reply)
	}
}

func (p *page) outcome(o *desk.Outcome) {
	switch {
	case o == nil:
		p.line(0, "Still open.")
		return
	case o.Reply == nil:
		p.line(0, "%s at %s: %s", fate(o), clock(o.At), question.Block(o.Reason))
		return
	}
	p.line(0, "%s at %s", fate(o), clock(o.At))
	if o.Reply.Reason != "" {
		p.line(0, "Reason: %s", question.Block(o.Reply.Reason))
	}
	if o.Reply.Note != "" {
		p.line(0, "Note: %s", question.Block(o.Reply.Note))
	}
}

// spoken is an answer in words.
func spoken(q *question.Question, a *question.Answer) string {
	return question.Block(strings.Join(q.Words(a), ", "))
}

// clock is a time for people, in their own zone.
func clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

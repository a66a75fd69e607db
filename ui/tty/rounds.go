package tty

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// known does what a command asks that concerns the session, not the question.
// It reports whether the command was one of these.
func (c *conversation) known(ctx context.Context, what command) bool {
	switch what {
	case history:
		c.rounds(ctx)
	case lift:
		c.lift(ctx)
	default:
		return false
	}
	return true
}

// rounds shows the earlier rounds of the session, oldest first, so that the
// latest stands right above the prompt (D8).
func (c *conversation) rounds(ctx context.Context) {
	var before []desk.Record
	if c.desk.remembers() {
		before = c.desk.rounds(ctx)
	}
	before = slices.DeleteFunc(slices.Clone(before), func(rec desk.Record) bool {
		return rec.ID == c.record.ID || rec.Round >= c.record.Round
	})
	if len(before) == 0 {
		c.text("", "There are no earlier rounds.")
		return
	}
	slices.SortStableFunc(before, func(a, b desk.Record) int { return a.Round - b.Round })
	for _, rec := range before {
		c.round(rec)
	}
	c.blank()
}

func (c *conversation) round(rec desk.Record) {
	c.blank()
	var reply question.Reply
	if rec.Outcome == nil {
		c.text("", fmt.Sprintf("Round %d, still open", rec.Round))
	} else {
		c.text("", fmt.Sprintf("Round %d, %s %s", rec.Round, rec.Outcome.Status, rec.Outcome.At.Local().Format("2 Jan 15:04")))
		if rec.Outcome.Reply != nil {
			reply = *rec.Outcome.Reply
		}
	}
	for _, q := range rec.Shown(reply.Answers) {
		c.text("  ", question.Block(q.Text))
		if labels := labels(q.Question); labels != "" {
			c.text("    Options: ", labels)
		}
		if a := reply.Answer(q.ID); a != nil {
			c.text("    Answer: ", spoken(q.Question, a))
		}
	}
	if reply.Reason != "" {
		c.text("  Reason: ", question.Block(reply.Reason))
	}
	if reply.Note != "" {
		c.text("  Note: ", question.Block(reply.Note))
	}
}

func labels(q *question.Question) string {
	var out []string
	for _, o := range q.Options {
		out = append(out, question.Line(o.Label))
	}
	return strings.Join(out, ", ")
}

// lift lifts the round limit for the session (D9).
func (c *conversation) lift(ctx context.Context) {
	if !c.desk.atLimit(ctx) {
		c.text("", "No limit has been reached.")
		return
	}
	if err := storing(ctx, func() error { return c.desk.lift(ctx) }); err != nil {
		c.text("", "The limit stays: "+strings.TrimRight(question.Line(err.Error()), ".")+".")
		return
	}
	c.text("", "The limit is lifted: the agent may go on asking in this session.")
}

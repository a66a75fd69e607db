package tty

import (
	"context"
	"slices"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// showRounds shows the earlier rounds of the session, the latest last, above the prompt.
func (c *conversation) showRounds(ctx context.Context) {
	before := c.desk.Rounds(ctx)
	if len(before) == 0 {
		c.text("", words.T("There are no earlier questions."))
		return
	}
	for _, rec := range slices.Backward(before) {
		c.showRound(rec)
	}
	c.blank()
}

// showRound shows one round in words: a screen reader would spell marks.
func (c *conversation) showRound(rec desk.Record) {
	c.blank()
	past := view.Local(rec)
	c.text("", past.Ending(time.Local))
	for _, x := range past.Asked() {
		c.text("  ", question.Block(x.Question.Text))
		var labels []string
		for _, o := range x.Options {
			labels = append(labels, question.Line(o.Label))
		}
		if labels != nil {
			c.text("    "+words.T("Options: "), strings.Join(labels, ", "))
		}
		if x.Answer != nil {
			c.text("    "+words.T("Answer: "), question.Block(x.Text()))
		}
	}
	if note := past.Note(); note != "" {
		c.text("  "+words.T("Note: "), note)
	}
}

func (c *conversation) liftLimit(ctx context.Context) {
	if !c.desk.AtLimit(ctx) {
		c.text("", words.T("No limit has been reached."))
		return
	}
	if err := awaitStore(ctx, func() error { return c.desk.Lift(ctx) }); err != nil {
		c.text("", words.Local.LimitStays(err))
		return
	}
	c.text("", words.T(words.LimitLifted))
}

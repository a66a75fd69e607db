package tty

import (
	"context"
	"slices"
	"strings"

	"mcp-askuser/question"
	"mcp-askuser/ui/dialogue"
	"mcp-askuser/ui/words"
)

// open begins the dialogue: it says what there is to know before the first question,
// and offers what was typed before.
func (c *conversation) open(ctx context.Context) error {
	if !c.desk.Attended(ctx) {
		c.text("", words.T(words.AgentAway))
	}
	if n := c.desk.More(ctx); n > 0 {
		c.text("", words.Local.Sentence(words.Local.MoreWait(n)))
	}
	if at := c.deadline(ctx); !at.IsZero() {
		c.text("", words.T("The question %s; every line you enter starts the time anew.", timeLeft(at)))
	}
	c.begin(ctx, c.desk.Draft(ctx))
	c.kept = c.Clone()
	c.sayKeys()
	if c.desk.AtLimit(ctx) {
		c.text("", words.Local.LastRound(":"+string(lift)))
	}
	return c.offer(ctx)
}

// sayKeys names what can be entered beside answers.
func (c *conversation) sayKeys() {
	colon := ""
	if slices.ContainsFunc(c.All(), func(s dialogue.Step) bool { return !s.Chooses() || s.Confirms() }) {
		colon = ":" // a letter alone is an answer
	}
	var keys []string
	if len(c.All()) > 1 {
		keys = append(keys, words.T("b goes back"))
	}
	if c.desk.Remembers() {
		keys = append(keys, words.T("h shows the earlier rounds"))
	}
	keys = append(keys, words.T("%sn adds a note", colon), words.T("%sd is to discuss it first", colon), words.T("q dismisses"), words.T("? helps"))
	c.text("", words.Local.Sentence(strings.Join(keys, words.T(", "))))
}

// offer asks whether a draft is to be kept. Kept answers stand in the brackets
// of their prompts: each needs its Enter, and all of them the review.
func (c *conversation) offer(ctx context.Context) error {
	for c.Restored() {
		line, err := c.prompt(ctx, words.T("A draft exists: Enter keeps it, n starts over: "))
		if err != nil || line == "" {
			return err
		}
		if question.YesOrNo(line) == question.NoID {
			c.begin(ctx, question.Reply{})
			return nil
		}
		c.foreign()
		c.text("", words.T("Press Enter to go on from what you had, or enter n."))
	}
	return nil
}

// save keeps what was answered so far as a draft, if that has changed. A draft that
// cannot be kept is lost only if this process is; the answers are still here.
func (c *conversation) save(ctx context.Context) {
	if c.touched {
		c.keep(ctx)
	}
}

func (c *conversation) keep(ctx context.Context) {
	c.touched = false
	_ = storing(ctx, func() error { return c.desk.Save(ctx, c.Draft()) })
}

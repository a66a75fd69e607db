package tty

import (
	"context"
	"slices"
	"strings"

	"mcp-askuser/question"
	"mcp-askuser/ui/dialogue"
	"mcp-askuser/ui/words"
)

// start makes the dialogue, writes the notices before the first question, and offers the
// draft.
func (c *conversation) start(ctx context.Context) error {
	if !c.desk.Attended(ctx) {
		c.text("", words.T(words.AgentNotWaiting))
	}
	if n := c.desk.More(ctx); n > 0 {
		c.text("", words.Local.Sentence(words.Local.MoreWait(n)))
	}
	if at := c.deadline(ctx); !at.IsZero() {
		c.text("", words.T("The question %s; every line you enter starts the time anew.", timeLeft(at)))
	}
	c.newDialogue(ctx, c.desk.Draft(ctx))
	c.beforeBurst = c.Clone()
	c.showKeys()
	if c.desk.AtLimit(ctx) {
		c.text("", words.Local.LastRound(":"+string(lift)))
	}
	return c.offerDraft(ctx)
}

// showKeys names the commands.
func (c *conversation) showKeys() {
	colon := ""
	if slices.ContainsFunc(c.All(), func(s dialogue.Step) bool { return !s.Chooses() || s.Confirms() }) {
		colon = ":" // a letter alone is an answer
	}
	var keys []string
	if len(c.All()) > 1 {
		keys = append(keys, words.T("b goes back"))
	}
	if c.desk.Remembers() {
		keys = append(keys, words.T("h shows the earlier questions"))
	}
	keys = append(keys, words.T("%sn adds a note", colon), words.T("%sd is to discuss it first", colon), words.T("x dismisses"), words.T("? helps"))
	c.text("", words.Local.Sentence(strings.Join(keys, words.T(", "))))
}

// offerDraft asks whether to keep a draft. Its answers are then in the brackets of their
// prompts: each needs its Enter, and all of them the review.
func (c *conversation) offerDraft(ctx context.Context) error {
	for c.Restored() {
		line, err := c.prompt(ctx, words.T("A draft exists: Enter keeps it, n starts over: "))
		if err != nil || line == "" {
			return err
		}
		if question.YesOrNo(line) == question.NoID {
			c.newDialogue(ctx, question.Reply{})
			return nil
		}
		c.takeBackForeign()
		c.text("", words.T("Press Enter to go on from what you had, or enter n."))
	}
	return nil
}

// saveChanges saves the draft if it has changed. One that cannot be saved is lost only with
// this process.
func (c *conversation) saveChanges(ctx context.Context) {
	if c.draftChanged {
		c.saveDraft(ctx)
	}
}

// saveDraft saves the draft, which also restarts the timeout.
func (c *conversation) saveDraft(ctx context.Context) {
	c.draftChanged = false
	draft := c.Draft()
	_ = awaitStore(ctx, func() error { return c.desk.Save(ctx, draft) })
}

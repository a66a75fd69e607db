package tty

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/text/width"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// showReview shows the answers and the notes.
func (c *conversation) showReview() {
	shown := c.Shown()
	mark := words.T("Your answer: ")
	if len(shown) > 1 {
		c.text("", words.T("Your answers"))
		mark = "     "
	}
	for i, q := range shown {
		if len(shown) > 1 {
			c.text(fmt.Sprintf("%3d. ", i+1), question.Line(q.Text))
		}
		text := term.LeftOpen()
		switch {
		case q.Delegated:
			text = words.T(words.LeftToAgent)
		case hasAnswer(q):
			text = answerText(q)
		}
		c.text(mark, text)
		c.showNote("     "+words.T("Note: "), q.Note)
	}
	c.showNote(words.T("Note to the agent: "), c.Note())
}

// showNote shows a note, where there is one.
func (c *conversation) showNote(mark, text string) {
	if text != "" {
		c.text(mark, question.Block(text))
	}
}

// review carries out one line at the review. Only an empty one sends.
func (c *conversation) review(ctx context.Context) error {
	line, err := c.prompt(ctx, words.T("Enter sends, a number changes an answer, ? helps: "))
	if err != nil {
		return err
	}
	if line == "" {
		return c.send(ctx)
	}
	typed := width.Fold.String(line)
	does, _ := parseCommand(typed)
	n, isNumber := number(strings.TrimPrefix(typed, ":"))
	shown := c.Shown()
	switch {
	case isNumber && n >= 1 && n <= len(shown):
		c.shown = false
		return c.Goto(shown[n-1].ID)
	case does == "", does == leaveOpen, does == recall, does == delegate:
		c.refuse(words.T("%s is none of these.", quoted(line)))
		if c.appeared { // one more answer is needed, or the next Enter for another program would send
			return c.command(ctx, nil, goBack)
		}
		return nil
	}
	return c.command(ctx, nil, does)
}

// command carries out a command at a question, or at the review, where q is nil.
func (c *conversation) command(ctx context.Context, q *answer.Question, does command) error {
	switch does {
	case help:
		c.showHelp(q)
	case leaveOpen:
		c.goOn(q.Skip())
	case delegate:
		c.goOn(q.Delegate())
	case recall:
		if recalls(q) {
			_ = q.Recall() // an earlier answer exists
		}
		c.goOn(q.Accept())
	case goBack:
		err := c.Back()
		c.shown = err != nil
		if err != nil {
			c.text("", words.T("This is the first question."))
		}
	case note:
		text, err := c.prompt(ctx, words.T("Note to the agent (Enter for none): "))
		if err != nil {
			return err
		}
		if q == nil {
			c.WriteNote(text)
		} else {
			q.WriteNote(text)
		}
		c.shown = q != nil
	case dismiss:
		return c.endEarly(ctx, words.AskDismiss, words.T("Reason for the agent (optional, Enter for none): "),
			c.Dismissal, words.Dismissed)
	case discuss:
		return c.endEarly(ctx, words.AskDiscuss, words.T("What it is about (optional, Enter for none): "),
			c.Discussion, words.Discussed)
	}
	return nil
}

// showHelp lists the possible entries.
func (c *conversation) showHelp(q *answer.Question) {
	c.blank()
	switch {
	case q == nil:
		c.text("", words.T("Nothing is sent yet. Enter sends these answers to the agent; "+
			"the number of a question lets you change its answer."))
	case c.appeared:
		c.text("", instruction(q.Question))
		c.text("", words.T("An empty line answers nothing here."))
	default:
		c.text("", instruction(q.Question))
		c.text("", words.T("An empty line takes what stands in brackets, if anything does."))
	}
	c.showKeys()
	c.text("", words.T(":- skips an optional question, := takes your earlier answer or what is proposed."))
	c.text("", words.T("Where a command cannot be an answer, it needs no colon."))
	c.shown = false
}

// endEarly asks whether to end the questions without all of their answers, asks for a word
// on that, and commits the reply. The closing line confirms it.
func (c *conversation) endEarly(ctx context.Context, ask, askWord string, reply replying, closing string) error {
	line, err := c.prompt(ctx, words.T("%s Enter y or n [n]: ", words.T(ask)))
	if err != nil {
		return err
	}
	if yesOrNo(line) != question.YesID {
		c.text("", words.T("Still open."))
		return nil
	}
	word, err := c.prompt(ctx, askWord)
	if err != nil {
		return err
	}
	c.WriteReason(word)
	return c.commitReply(ctx, reply, words.T(closing))
}

// send commits the answers, unless more is typed at once: then Enter was held down, or
// pasted.
func (c *conversation) send(ctx context.Context) error {
	typed, err := c.in.pause(ctx, gate.Settle, func() {})
	switch {
	case err != nil:
		return err
	case typed:
		c.text("", words.T("Lines that come so fast one after the other are no answer."))
		return nil
	}
	_, err = c.Next()
	if err != nil {
		c.shown = false // a question that needs an answer is current
		return nil      //nolint:nilerr // and is shown
	}
	return c.commitReply(ctx, c.Reply, words.T(words.Sent))
}

// commitReply commits a reply. If that fails while the question is still open, it says why.
func (c *conversation) commitReply(ctx context.Context, reply replying, closing string) error {
	err := c.tryCommit(ctx, reply)
	faults, refused := errors.AsType[question.Violations](err)
	switch {
	case err == nil:
		c.ended = true
		c.text("", closing)
		return nil
	case errors.As(err, new(*desk.ClosedError)), ctx.Err() != nil:
		return err
	case refused:
		c.text("", words.T("Not sent yet:"))
		for _, f := range faults {
			c.text("  - ", c.faultText(f))
		}
	default:
		c.text("", words.Local.Kept(err))
	}
	c.unsaved = true                     // the desk may keep the reply in place of the draft
	c.shown, c.quiet = false, gate.Quiet // lines that arrived meanwhile were typed unaware of that
	return nil
}

// faultText is the sentence of a fault, with the text of its question.
func (c *conversation) faultText(f question.Violation) string {
	id, _ := strings.CutPrefix(f.Path, "answers.")
	q := c.Question(id)
	if q == nil {
		return words.Local.Refused(f)
	}
	return words.T("%[1]s: %[2]s", question.Shorten(question.Line(q.Text), 40), question.Line(f.In(words.T)))
}

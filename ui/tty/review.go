package tty

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/dialogue"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// showReview shows the answers and the notes.
func (c *conversation) showReview() {
	c.blank()
	c.text("", words.T("Your answers"))
	for i, s := range c.Steps() {
		c.text(fmt.Sprintf("%3d. ", i+1), question.Line(s.Text))
		answer := term.LeftOpen()
		if hasAnswer(&s) {
			answer = answerText(&s)
		}
		c.text("     ", answer)
		c.showNote("     "+words.T("Note: "), s.Note)
	}
	c.showNote(words.T("Note to the agent: "), c.Note())
}

// review shows the answers, until the human sends them or turns back.
func (c *conversation) review(ctx context.Context) (to move, err error) {
	steps := c.Steps()
	c.showReview()
	for to == stay && err == nil {
		line, err := c.prompt(ctx, words.T("Enter sends, a number edits, n adds a note, d is to discuss first, x dismisses: "))
		if err != nil {
			return stay, err
		}
		word := strings.ToLower(strings.TrimPrefix(strings.Map(halfWidth, line), ":"))
		n, isNumber := number(word)
		does := commands[word]
		switch {
		case word == "":
			return c.send(ctx)
		case isNumber && n >= 1 && n <= len(steps):
			_, err = c.do(dialogue.Goto{ID: steps[n-1].ID})
			return turned, err
		case does == help:
			c.text("", words.T("Nothing is sent yet. Enter sends these answers to the agent; the number of a question lets you change its answer; b goes back to the last one."))
		case does == "", does == leaveOpen, does == recall:
			to = c.refuse(words.T("%s is none of these.", question.Shorten(question.Line(line), 40)))
		default:
			to, err = c.command(ctx, does)
		}
		if err != nil {
			return stay, err
		}
	}
	return to, err
}

// command carries out a command that questions and the review share.
func (c *conversation) command(ctx context.Context, does command) (move, error) {
	switch does {
	case goBack:
		if _, err := c.do(dialogue.Back{}); err != nil {
			c.text("", words.T("This is the first question."))
		}
		return turned, nil
	case dismiss:
		return c.endEarly(ctx, words.AskDismiss, words.T("Reason for the agent (optional, Enter for none): "),
			func(reason string) dialogue.Act { return dialogue.Dismiss{Reason: reason} }, words.Dismissed)
	case discuss:
		return c.endEarly(ctx, words.AskDiscuss, words.T("What it is about (optional, Enter for none): "),
			func(topic string) dialogue.Act { return dialogue.Discuss{Topic: topic} }, words.Discussed)
	case note:
		s := c.Current()
		text, err := c.prompt(ctx, words.T("Note to the agent (Enter for none): "))
		if err != nil {
			return stay, err
		}
		if _, err = c.do(dialogue.Note{Text: text}); s == nil {
			return turned, err
		}
	case history:
		c.showRounds(ctx)
	case lift:
		c.liftLimit(ctx)
	case help, leaveOpen, preview, recall: // only at a question
	}
	return stay, nil
}

// endEarly asks whether to end the questions without all of their answers, asks for a word
// on that, and commits the end. The closing line confirms it.
func (c *conversation) endEarly(ctx context.Context, ask, askWord string, end func(word string) dialogue.Act, closing string) (move, error) {
	line, err := c.prompt(ctx, words.T("%s Enter y or n [n]: ", words.T(ask)))
	if err == nil && yesOrNo(line) != question.YesID {
		c.text("", words.T("Still open."))
		return stay, nil
	}
	var word string
	if err == nil {
		word, err = c.prompt(ctx, askWord)
	}
	if err == nil {
		_, err = c.do(end(word))
	}
	if err != nil {
		return stay, err
	}
	return c.commitReply(ctx, words.T(closing), stay)
}

// showNote shows a note, where there is one.
func (c *conversation) showNote(mark, text string) {
	if text != "" {
		c.text(mark, question.Block(text))
	}
}

// send commits the answers. If that fails, they are shown for review: the human decides on
// a second try.
func (c *conversation) send(ctx context.Context) (move, error) {
	c.saveChanges(ctx)
	to, err := c.commitReply(ctx, words.T(words.Sent), turned)
	if to == turned && err == nil {
		_, err = c.do(dialogue.Review{})
	}
	return to, err
}

// commitReply commits the reply. If that fails while the question is still open, it says
// why, and returns failed.
func (c *conversation) commitReply(ctx context.Context, closing string, failed move) (move, error) {
	err := c.tryCommit(ctx)
	faults, refused := errors.AsType[question.Violations](err)
	switch {
	case err == nil:
		c.text("", closing)
		return done, nil
	case errors.As(err, new(*desk.ClosedError)), ctx.Err() != nil:
		return stay, err
	case refused:
		c.text("", words.T("Not sent yet:"))
		for _, f := range faults {
			c.text("  - ", c.faultText(f))
		}
	default:
		c.text("", words.Local.Kept(err))
	}
	return failed, nil
}

// faultText is the sentence of a fault, with the text of its question.
func (c *conversation) faultText(f question.Violation) string {
	id, _ := strings.CutPrefix(f.Path, "answers.")
	if s := c.Step(id); s != nil {
		return words.T("%[1]s: %[2]s", question.Shorten(question.Line(s.Text), 40), question.Line(f.In(words.T)))
	}
	return words.Local.Refused(f)
}

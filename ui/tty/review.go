package tty

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// finish sends the reply. More than one answer is shown for review first
// (A12), and so is one that could not be sent.
func (c *conversation) finish(ctx context.Context, shown []question.Shown) (move, error) {
	if len(shown) == 1 && !c.review {
		return c.send(ctx, shown)
	}
	c.blank()
	c.text("", "Your answers")
	for i, q := range shown {
		c.text(fmt.Sprintf("%3d. ", i+1), question.Line(q.Text))
		answer := term.LeftOpen
		if a := c.answer(q.Question); a != nil {
			answer = inWords(q.Question, a)
		}
		c.text("     ", answer)
	}
	if c.note != "" {
		c.text("Note to the agent: ", question.Line(c.note))
	}
	for {
		line, err := c.prompt(ctx, "Enter sends, a number edits, n adds a note, q closes: ")
		if err != nil {
			return onward, err
		}
		word := strings.ToLower(strings.TrimPrefix(strings.Map(narrow, line), ":"))
		n, isNumber := number(word)
		switch {
		case word == "":
			return c.send(ctx, shown)
		case isNumber && n >= 1 && n <= len(shown):
			c.asked[shown[n-1].ID] = false
			return onward, nil
		case word == "n" || word == "note":
			return onward, c.takeNote(ctx)
		case c.ofSession(ctx, commands[word]), word == string(lift) && c.ofSession(ctx, lift):
		case commands[word] == goBack:
			return back, nil
		case commands[word] == closing:
			if to, err := c.dismiss(ctx); err != nil || to == done {
				return to, err
			}
		case commands[word] == help:
			c.text("", "Nothing is sent yet. Enter sends these answers to the agent; the number of a question lets you change its answer; b goes back to the last one.")
		default:
			c.text("", fmt.Sprintf("%s is none of these.", question.Shorten(question.Line(line), 40)))
			if c.foreign() {
				return onward, nil
			}
		}
	}
}

func (c *conversation) takeNote(ctx context.Context) error {
	note, err := c.prompt(ctx, "Note to the agent (Enter for none): ")
	if err == nil {
		c.note, c.touched = note, true
	}
	return err
}

// send commits the answers to the questions that are shown.
func (c *conversation) send(ctx context.Context, shown []question.Shown) (move, error) {
	reply := question.Reply{Note: c.note}
	for _, q := range shown {
		if a := c.answer(q.Question); a != nil && !a.Empty() {
			reply.Answers = append(reply.Answers, *a)
		}
	}
	c.review = true // from here on, a second try is the human's word
	err := c.deliver(ctx, reply)
	var faults question.Violations
	switch {
	case err == nil:
		c.text("", words.Sent)
		return done, nil
	case errors.As(err, &faults):
		c.text("", "Not sent yet:")
		for _, f := range faults {
			c.text("  - ", c.fault(f))
		}
		return onward, nil
	}
	return onward, c.unsaved(ctx, err)
}

// fault says what is wrong with an answer, naming the question by its text.
func (c *conversation) fault(f question.Violation) string {
	id, _ := strings.CutPrefix(f.Path, "answers.")
	if q := c.desk.Rec.Find(id); q != nil {
		return fmt.Sprintf("%s: %s", question.Shorten(question.Line(q.Text), 40), question.Line(f.Message))
	}
	return question.Line(f.String())
}

// unsaved tells the human that the store has failed, and swallows the error:
// what the human said is kept for another try. A question that is closed or
// withdrawn is the end, and passed on.
func (c *conversation) unsaved(ctx context.Context, err error) error {
	var closed *desk.ClosedError
	if errors.As(err, &closed) || ctx.Err() != nil {
		return err
	}
	c.text("", words.Kept(err))
	return nil
}

// dismiss closes the question without an answer if the human confirms it.
func (c *conversation) dismiss(ctx context.Context) (move, error) {
	line, err := c.prompt(ctx, words.AskDismiss+" Enter y or n [n]: ")
	if err != nil {
		return onward, err
	}
	if question.YesOrNo(line) != question.YesID {
		c.text("", "Still open.")
		return onward, nil
	}
	reason, err := c.prompt(ctx, "Reason for the agent (optional, Enter for none): ")
	if err != nil {
		return onward, err
	}
	if err := c.deliver(ctx, question.Reply{Dismissed: true, Reason: reason}); err != nil {
		return onward, c.unsaved(ctx, err)
	}
	c.text("", words.Dismissed)
	return done, nil
}

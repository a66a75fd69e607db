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

// finish sends the reply. More than one answer is shown for review
// first, and so is one that could not be sent.
func (c *conversation) finish(ctx context.Context, shown []*question.Question) (move, error) {
	if len(shown) == 1 && !c.review {
		return c.send(ctx, shown)
	}
	c.blank()
	c.text("", words.T("Your answers"))
	for i, q := range shown {
		c.text(fmt.Sprintf("%3d. ", i+1), question.Line(q.Text))
		answer := term.LeftOpen()
		if a := c.answer(q); a != nil {
			answer = inWords(q, a)
		}
		c.text("     ", answer)
		c.sayNote("     "+words.T("Note: "), q.ID)
	}
	c.sayNote(words.T("Note to the agent: "), "")
	for {
		line, err := c.prompt(ctx, words.T("Enter sends, a number edits, n adds a note, d is to discuss first, q dismisses: "))
		if err != nil {
			return onward, err
		}
		word := strings.ToLower(strings.TrimPrefix(strings.Map(narrow, line), ":"))
		n, isNumber := number(word)
		does := commands[word]
		switch {
		case word == "":
			return c.send(ctx, shown)
		case isNumber && n >= 1 && n <= len(shown):
			c.asked[shown[n-1].ID] = false
			return onward, nil
		case does == note:
			return onward, c.takeNote(ctx, "")
		case does == history:
			c.rounds(ctx)
		case does == lift:
			c.lift(ctx)
		case does == goBack:
			return back, nil
		case does == closing, does == discuss:
			if to, err := c.part(ctx, does); err != nil || to == done {
				return to, err
			}
		case does == help:
			c.text("", words.T("Nothing is sent yet. Enter sends these answers to the agent; the number of a question lets you change its answer; b goes back to the last one."))
		default:
			c.text("", words.T("%s is none of these.", question.Shorten(question.Line(line), 40)))
			if c.foreign() {
				return onward, nil
			}
		}
	}
}

// takeNote asks for the note beside one answer, or beside all.
func (c *conversation) takeNote(ctx context.Context, id string) error {
	text, err := c.promptText(ctx, words.T("Note to the agent (Enter for none, :e for your editor): "), c.notes[id])
	if err == nil {
		c.notes[id], c.touched = text, true
	}
	return err
}

// sayNote shows the note beside one answer, or beside all.
func (c *conversation) sayNote(mark, id string) {
	if text := c.notes[id]; text != "" {
		c.text(mark, question.Block(text))
	}
}

// send commits the answers to the questions that are shown.
func (c *conversation) send(ctx context.Context, shown []*question.Question) (move, error) {
	reply := c.reply(shown)
	c.review = true // from here on, a second try is the human's word
	err := c.deliver(ctx, reply)
	faults, refused := errors.AsType[question.Violations](err)
	switch {
	case err == nil:
		c.text("", words.T(words.Sent))
		return done, nil
	case refused:
		c.text("", words.T("Not sent yet:"))
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
	if q := c.rec.Find(id); q != nil {
		return words.T("%[1]s: %[2]s", question.Shorten(question.Line(q.Text), 40), question.Line(f.In(words.T)))
	}
	return words.Local.Refused(f)
}

// unsaved tells the human that the store has failed, and swallows the error:
// what the human said is kept for another try. A question that is closed or
// withdrawn is the end, and passed on.
func (c *conversation) unsaved(ctx context.Context, err error) error {
	if errors.As(err, new(*desk.ClosedError)) || ctx.Err() != nil {
		return err
	}
	c.text("", words.Local.Kept(err))
	return nil
}

// part dismisses the question, or puts it back to be discussed first, if the
// human confirms it.
func (c *conversation) part(ctx context.Context, what command) (move, error) {
	ask, why, said, typed := words.T(words.AskDismiss), words.T("Reason for the agent (optional, Enter for none): "), words.T(words.Dismissed), c.typed.Reason
	if what == discuss {
		ask, why, said, typed = words.T(words.AskDiscuss), words.T("What it is about (optional, Enter for none): "), words.T(words.Discussed), ""
	}
	line, err := c.prompt(ctx, words.T("%s Enter y or n [n]: ", ask))
	if err != nil {
		return onward, err
	}
	if yesOrNo(line) != question.YesID {
		c.text("", words.T("Still open."))
		return onward, nil
	}
	word, err := c.promptText(ctx, why, typed)
	if err != nil {
		return onward, err
	}
	reply := question.Reply{Dismissed: true, Reason: word}
	if what == discuss {
		reply = c.reply(c.shown())
		reply.Discuss = true
		reply.Note = strings.TrimSpace(reply.Note + "\n" + word)
	}
	if err := c.deliver(ctx, reply); err != nil {
		return onward, c.unsaved(ctx, err)
	}
	c.text("", said)
	return done, nil
}

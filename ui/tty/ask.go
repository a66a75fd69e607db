package tty

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/words"
)

// promptWords is the most characters of a proposal that a prompt has.
const promptWords = 40

// askOnce shows the current question, or the review, unless it is in view, and carries out
// one line.
func (c *conversation) askOnce(ctx context.Context) error {
	if !c.shown {
		c.show()
	}
	q := c.Current()
	if q == nil {
		return c.review(ctx)
	}
	line, err := c.prompt(ctx, c.promptFor(q))
	switch {
	case err != nil:
		return err
	case line != "":
		return c.carryOut(ctx, q, parseLine(q.Question, line))
	case c.appeared:
		c.text("", words.T("Enter alone answers nothing here. %s", instruction(q.Question)))
	case proposal(q) != "":
		c.goOn(q.Accept())
	default:
		c.goOn(q.Skip())
	}
	return nil
}

// carryOut does what a line at a question says.
func (c *conversation) carryOut(ctx context.Context, q *answer.Question, r reading) error {
	switch {
	case r.command != "":
		return c.command(ctx, q, r.command)
	case r.fault != "":
		c.refuse(r.fault)
		return nil
	}
	var choices []int
	for _, id := range r.selected {
		choices = append(choices, q.OptionChoice(id))
	}
	text := r.custom
	if r.other {
		var err error
		text, err = c.prompt(ctx, words.T("Your own answer: "))
		switch {
		case err != nil:
			return err
		case text == "":
			c.text("", words.T("Nothing was entered. Back to the options."))
			c.shown = false
			return nil
		}
	}
	c.goOn(q.Put(choices, text))
	return nil
}

// refuse says why a line is nothing. Where the form appeared by itself, the line may have
// been meant for another program.
func (c *conversation) refuse(fault string) {
	c.text("", fault)
	if c.appeared {
		c.quiet = gate.Quiet
	}
}

// goOn turns to the next question, or to the review, which is the last also where one question
// was asked. Err is why the current question did not take the user's answer.
func (c *conversation) goOn(err error) {
	q, ready := c.Current(), false
	if err == nil {
		ready, err = c.Next()
	}
	if ready {
		c.Review()
	}
	faults, refused := errors.AsType[question.Violations](err)
	switch {
	case err == nil:
		c.shown = false
	case refused:
		c.text("", words.Local.AnswerFaults(faults))
	case errors.Is(err, answer.ErrNothing):
		c.text("", words.T("There is no earlier answer to this question."))
	default:
		c.text("", words.T("An answer is needed here. %s", instruction(q.Question)))
	}
}

// show shows the current question, or the review.
func (c *conversation) show() {
	c.shown = true
	c.blank()
	q := c.Current()
	if q == nil {
		c.showReview()
		return
	}
	title := question.Line(q.Header)
	n, of := c.Place(q)
	if of > 1 {
		place := words.T("Question %[1]d of %[2]d", n, of)
		if title != "" {
			place = words.T("%[1]s: %[2]s", place, title)
		}
		title = place
	}
	for _, text := range []string{title, question.Block(q.Text), question.Block(q.Description)} {
		if text != "" {
			c.text("", text)
		}
	}
	if recalls(q) {
		remembered := question.Shorten(words.Local.Remembered(*q.Memory, time.Now()), 300)
		c.text("", remembered+" · "+words.Local.UseAgain(":"+string(recall)))
	}
	c.showOptions(q)
	if q.Placeholder != "" {
		c.text(words.T("For example: "), question.Line(q.Placeholder))
	}
	proposed := proposal(q)
	switch {
	case hasAnswer(q):
		c.text(words.T("Your answer so far: "), proposed)
	case proposed != inPrompt(proposed):
		c.text(words.T("Proposed: "), proposed)
	}
}

// showOptions lists the options by number, and 0 for an answer in own words.
func (c *conversation) showOptions(q *answer.Question) {
	for i := range q.Options {
		c.showOption(i+1, &q.Options[i])
	}
	if q.AllowCustom {
		other := words.Local.Other(q.Question)
		c.showOption(0, &other)
	}
}

func (c *conversation) showOption(n int, o *question.Option) {
	mark := fmt.Sprintf("%3d. ", n)
	margin := strings.Repeat(" ", len(mark))
	label := question.Line(o.Label)
	if o.Default {
		label = words.T("%s (default)", label)
	}
	c.text(mark, label)
	if o.Description != "" {
		c.text(margin, question.Block(o.Description))
	}
	if o.Preview != "" {
		c.lines(margin+"| ", question.Block(o.Preview))
	}
}

// hasAnswer reports whether the user has entered an answer, confirmed or not.
func hasAnswer(q *answer.Question) bool {
	held := q.Answer()
	return q.Entered && !held.Empty()
}

// recalls reports whether the command recall takes an answer to an earlier round.
func recalls(q *answer.Question) bool { return q.Memory != nil && !hasAnswer(q) }

// proposal is what an empty line takes, in words: the answer so far, or the declared default;
// empty for none.
func proposal(q *answer.Question) string {
	if hasAnswer(q) {
		return answerText(q)
	}
	declared := q.Declared()
	return question.Block(strings.Join(q.Words(&declared), ", "))
}

// answerText returns the answer of a step in words for the user.
func answerText(q *answer.Question) string {
	held := q.Answer()
	return question.Block(strings.Join(append(q.Words(&held), held.FileWords()...), ", "))
}

// inPrompt returns as much of an answer as a prompt has place for.
func inPrompt(answer string) string { return question.Shorten(question.Line(answer), promptWords) }

// promptFor returns the prompt of a question. It names the answer that an empty line takes in
// brackets; in a form that appeared by itself it names the command that does.
func (c *conversation) promptFor(q *answer.Question) string {
	prompt := words.T("Enter a number")
	switch {
	case !q.Chooses():
		prompt = words.T("Your answer")
	case q.Confirms():
		prompt = words.T("Enter y or n")
	case q.Several():
		prompt = words.T("Enter numbers, like 1,2")
	}
	proposed := inPrompt(proposal(q))
	switch {
	case c.appeared && recalls(q), proposed == "":
	case c.appeared:
		prompt = words.T("%[1]s (:= takes %[2]s)", prompt, proposed)
	default:
		prompt += " [" + proposed + "]"
	}
	switch {
	case q.Required:
	case c.appeared || proposed != "":
		prompt = words.T("%s (optional, :- to skip)", prompt)
	default:
		prompt = words.T("%s (optional, Enter to skip)", prompt)
	}
	return words.T("%s: ", prompt)
}

// instruction tells in a sentence how to answer q.
func instruction(q *question.Question) string {
	n := len(q.Options)
	switch {
	case !q.Chooses():
		return words.T("Enter a text, or :x to dismiss the question.")
	case q.Confirms():
		return words.T("Enter y or n.")
	case q.Several() && q.AllowCustom:
		return words.T("Enter numbers from 1 to %d, like 1,2, or 0 for an answer of your own.", n)
	case q.Several():
		return words.T("Enter numbers from 1 to %d, like 1,2.", n)
	case q.AllowCustom:
		return words.T("Enter a number from 1 to %d, or 0 for an answer of your own.", n)
	default:
		return words.T("Enter a number from 1 to %d.", n)
	}
}

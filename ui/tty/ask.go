package tty

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcp-askuser/question"
	"mcp-askuser/ui/dialogue"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

const (
	previewLines = 12 // the most lines of a preview that are shown without the command preview
	promptWords  = 40 // the most characters of a proposal that a prompt has
)

// askOnce shows the current question, or the review, unless it is in view, and carries out
// one line.
func (c *conversation) askOnce(ctx context.Context) error {
	if !c.shown {
		c.show()
	}
	s := c.Current()
	if s == nil {
		return c.review(ctx)
	}
	line, err := c.prompt(ctx, c.promptFor(s))
	switch {
	case err != nil:
		return err
	case line != "":
		return c.carryOut(ctx, s, parseLine(s.Question, line))
	case c.appeared:
		c.text("", words.T("Enter alone answers nothing here. %s", instruction(s.Question)))
	case proposal(s) != "":
		c.enter(dialogue.Accept{})
	default:
		c.enter(dialogue.Skip{})
	}
	return nil
}

// carryOut does what a line at a question says.
func (c *conversation) carryOut(ctx context.Context, s *dialogue.Step, r reading) error {
	switch {
	case r.command != "":
		return c.command(ctx, s, r)
	case r.fault != "":
		c.refuse(r.fault)
		return nil
	}
	answer := dialogue.Fill{Text: r.custom}
	for _, id := range r.selected {
		answer.Rows = append(answer.Rows, s.OptionRow(id))
	}
	if r.other {
		text, err := c.prompt(ctx, words.T("Your own answer: "))
		switch {
		case err != nil:
			return err
		case text == "":
			c.text("", words.T("Nothing was entered. Back to the options."))
			c.shown = false
			return nil
		}
		answer.Text = text
	}
	c.enter(answer)
	return nil
}

// refuse says why a line is nothing. Where the form appeared by itself, the line may have
// been meant for another program.
func (c *conversation) refuse(fault string) {
	c.text("", fault)
	if c.appeared {
		c.quiet = act.Quiet
	}
}

// enter answers the current question, and goes on to the next or to the review, which comes
// last also where one question was asked.
func (c *conversation) enter(answer dialogue.Act) {
	s := c.Current()
	_, err := c.Act(answer)
	var change dialogue.Change
	if err == nil {
		change, err = c.Act(dialogue.Next{})
	}
	if change.Ready {
		_, err = c.Act(dialogue.Review{})
	}
	faults, unfit := errors.AsType[question.Violations](err)
	switch {
	case err == nil:
		c.shown = false
	case unfit:
		c.text("", words.Local.Unfit(faults))
	case errors.Is(err, dialogue.ErrNothing):
		c.text("", words.T("There is no earlier answer to this question."))
	default:
		c.text("", words.T("An answer is needed here. %s", instruction(s.Question)))
	}
}

// show shows the current question, or the review.
func (c *conversation) show() {
	c.shown = true
	c.blank()
	s := c.Current()
	if s == nil {
		c.showReview()
		return
	}
	title := question.Line(s.Header)
	if s.Of > 1 {
		place := words.T("Question %[1]d of %[2]d", s.Place, s.Of)
		if title != "" {
			place = words.T("%[1]s: %[2]s", place, title)
		}
		title = place
	}
	for _, text := range []string{title, question.Block(s.Text), question.Block(s.Description)} {
		if text != "" {
			c.text("", text)
		}
	}
	if recalls(s) {
		c.text("", question.Shorten(words.Local.Remembered(*s.Memory, time.Now()), 300)+" · "+words.Local.UseAgain(spelled(recall, s)))
	}
	c.showOptions(s)
	if s.Placeholder != "" {
		c.text(words.T("For example: "), question.Line(s.Placeholder))
	}
	proposed := proposal(s)
	switch {
	case hasAnswer(s):
		c.text(words.T("Your answer so far: "), proposed)
	case proposed != inPrompt(proposed):
		c.text(words.T("Proposed: "), proposed)
	}
}

// showOptions lists the options by number, and 0 for an answer in own words.
func (c *conversation) showOptions(s *dialogue.Step) {
	for i := range s.Options {
		c.showOption(i+1, &s.Options[i])
	}
	if s.AllowCustom {
		other := words.Local.Other(s.Question)
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
	if o.Preview == "" {
		return
	}
	lines := strings.Split(strings.TrimRight(question.Block(o.Preview), "\n"), "\n")
	c.lines(margin+"| ", strings.Join(lines[:min(len(lines), previewLines)], "\n"))
	more := len(lines) - previewLines
	if more > 0 {
		c.text(margin, words.N(more, "(%[1]d more line: v%[2]d shows it all)", "(%[1]d more lines: v%[2]d shows them all)", n))
	}
}

// hasAnswer reports whether the user has entered an answer, confirmed or not.
func hasAnswer(s *dialogue.Step) bool { return s.Entered && !s.Answer.Empty() }

// recalls reports whether the command recall takes an answer to an earlier round.
func recalls(s *dialogue.Step) bool { return s.Memory != nil && !hasAnswer(s) }

// proposal is what an empty line takes, in words: the answer so far, or the declared default;
// empty for none.
func proposal(s *dialogue.Step) string {
	if hasAnswer(s) {
		return answerText(s)
	}
	return question.Block(strings.Join(s.Words(&s.Declared), ", "))
}

// answerText returns the answer of a step in words for the user.
func answerText(s *dialogue.Step) string {
	return question.Block(strings.Join(append(s.Words(&s.Answer), s.Answer.FileWords()...), ", "))
}

// inPrompt returns as much of an answer as a prompt has place for.
func inPrompt(answer string) string { return question.Shorten(question.Line(answer), promptWords) }

// spelled is how a command is written at a question.
func spelled(does command, s *dialogue.Step) string {
	if s.OwnOptions() {
		return string(does)
	}
	return ":" + string(does)
}

// promptFor returns the prompt of a question. It names the answer that an empty line takes in
// brackets; in a form that appeared by itself it names the command that does.
func (c *conversation) promptFor(s *dialogue.Step) string {
	prompt := words.T("Enter a number")
	switch {
	case !s.Chooses():
		prompt = words.T("Your answer")
	case s.Confirms():
		prompt = words.T("Enter y or n")
	case s.Several():
		prompt = words.T("Enter numbers, like 1,2")
	}
	proposed := inPrompt(proposal(s))
	switch {
	case c.appeared && recalls(s), proposed == "":
	case c.appeared:
		prompt = words.T("%[1]s (%[2]s takes %[3]s)", prompt, spelled(recall, s), proposed)
	default:
		prompt += " [" + proposed + "]"
	}
	switch {
	case s.Required:
	case c.appeared || proposed != "":
		prompt = words.T("%[1]s (optional, %[2]s to skip)", prompt, spelled(leaveOpen, s))
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

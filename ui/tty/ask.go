package tty

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
	"mcp-askuser/ui/dialogue"
	"mcp-askuser/ui/words"
)

// previewLines is the most lines of a preview that are shown without the command preview.
const previewLines = 12

// ask shows the current question, and takes lines until another is current or the reply is
// committed.
func (c *conversation) ask(ctx context.Context) (to move, err error) {
	c.showQuestion()
	for to == stay && err == nil {
		s := c.Current()
		proposed, bracket := proposal(s)
		var line string
		if line, err = c.prompt(ctx, promptFor(s, bracket)); err != nil {
			return stay, err
		}
		switch {
		case line != "":
			to, err = c.apply(ctx, s, parseLine(s.Question, line))
		case s.Untouched:
			c.text("", words.T("Enter alone answers nothing here. %s", instruction(s.Question)))
		case proposed:
			to, err = c.answer(ctx, dialogue.Accept{})
		case !s.Required:
			to, err = c.answer(ctx, dialogue.Skip{})
		default:
			c.text("", words.T("An answer is needed here. %s", instruction(s.Question)))
		}
	}
	return to, err
}

// apply carries out a line at a question.
func (c *conversation) apply(ctx context.Context, s *dialogue.Step, r reading) (move, error) {
	switch r.command {
	case "":
	case recall:
		return c.recall(ctx, s)
	case help:
		c.showHelp(s)
		c.showQuestion()
		return stay, nil
	case preview:
		c.lines("| ", question.Block(s.Options[r.option].Preview))
		return stay, nil
	case leaveOpen:
		if s.Required {
			c.text("", words.T("This question cannot be skipped. %s", instruction(s.Question)))
			return stay, nil
		}
		return c.answer(ctx, dialogue.Skip{})
	case goBack, dismiss, discuss, note, history, lift:
		return c.command(ctx, r.command)
	}
	var rows []int
	for _, id := range r.selected {
		rows = append(rows, s.OptionRow(id))
	}
	switch {
	case r.fault != "":
		return c.refuse(r.fault), nil
	case r.other:
		text, err := c.prompt(ctx, words.T("Your own answer: "))
		if err != nil {
			return stay, err
		}
		if r.custom = text; text == "" {
			c.text("", words.T("Nothing was entered. Back to the options."))
			c.showOptions(s)
			return stay, nil
		}
	}
	return c.answer(ctx, dialogue.Fill{Rows: rows, Text: r.custom})
}

// refuse says why a line is no answer.
func (c *conversation) refuse(fault string) move {
	c.text("", fault)
	if c.takeBackForeign() {
		return turned
	}
	return stay
}

// answer answers the current question, and turns to the next or sends.
func (c *conversation) answer(ctx context.Context, answer dialogue.Act) (move, error) {
	_, err := c.do(answer)
	var ready bool
	if err == nil {
		ready, err = c.do(dialogue.Next{})
	}
	faults, refused := errors.AsType[question.Violations](err)
	switch {
	case refused:
		c.text("", words.Local.Unfit(faults))
		return stay, nil
	case err != nil:
		c.text("", instruction(c.Current().Question))
		return stay, nil //nolint:nilerr // the human reads it
	case ready:
		return c.send(ctx)
	}
	return turned, nil
}

// recall takes the proposal, or fills in the earlier answer, for an empty line to take.
func (c *conversation) recall(ctx context.Context, s *dialogue.Step) (move, error) {
	switch proposed, _ := proposal(s); {
	case s.Untouched && proposed:
		return c.answer(ctx, dialogue.Accept{})
	case s.Memory == nil:
		c.text("", words.T("There is no earlier answer to this question."))
		return stay, nil
	case !s.Recalled:
		_, _ = c.do(dialogue.Recall{}) // an earlier answer exists
	}
	return turned, nil
}

// showQuestion shows the current question.
func (c *conversation) showQuestion() {
	s := c.Current()
	c.blank()
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
	remembered, answered := s.Memory != nil, hasAnswer(s)
	if remembered && !answered {
		c.text("", question.Shorten(words.Local.Remembered(*s.Memory, time.Now()), 300)+" · "+words.Local.UseAgain(":="))
	}
	c.showOptions(s)
	if s.Placeholder != "" {
		c.text(words.T("For example: "), question.Line(s.Placeholder))
	}
	switch proposed := s.Declared.Custom; {
	case answered:
		c.text(words.T("Your answer so far: "), answerText(s))
	case proposed != "" && (!fitsPrompt(proposed) || s.Untouched && remembered): // else the prompt has it
		c.text(words.T("Proposed: "), question.Block(proposed))
	}
}

// hasAnswer reports whether the human has entered an answer, confirmed or not.
func hasAnswer(s *dialogue.Step) bool { return s.Entered && !s.Answer.Empty() }

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
	if o.Default && c.appeared { // else the prompt says so
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
	if more := len(lines) - previewLines; more > 0 {
		c.text(margin, words.N(more, "(%[1]d more line: v%[2]d shows it all)", "(%[1]d more lines: v%[2]d shows them all)", n))
	}
}

// proposal reports whether an empty line, or the command = in its place, takes an answer,
// and how the prompt names it: the answer so far, or the declared default.
func proposal(s *dialogue.Step) (exists bool, bracket string) {
	_, unfit := s.Check(s.Answer)
	switch declared := s.Declared; {
	case unfit != nil && s.Fault != nil: // which was said
		return false, ""
	case hasAnswer(s) && s.Untouched:
		return true, words.T("your answer so far")
	case hasAnswer(s):
		return true, words.T("keep")
	case declared.Empty(), s.Untouched && s.Memory != nil: // the command takes that over
		return false, ""
	case s.Chooses():
		return true, bracketFor(s.Question, declared.Selected)
	case fitsPrompt(declared.Custom):
		return true, question.Line(declared.Custom)
	}
	return true, words.T("the proposed text")
}

// bracketFor names options as the human enters them.
func bracketFor(q *question.Question, ids []string) string {
	var names []string
	for i, o := range q.Options {
		switch {
		case !slices.Contains(ids, o.ID):
		case !q.Confirms():
			names = append(names, strconv.Itoa(i+1))
		case o.ID == question.YesID:
			names = append(names, words.T("y"))
		default:
			names = append(names, words.T("n"))
		}
	}
	return strings.Join(names, ",")
}

// fitsPrompt reports whether a proposed text fits into the brackets of a prompt.
func fitsPrompt(s string) bool {
	return !strings.ContainsAny(s, "\n\r") && ansi.StringWidth(question.Line(s)) <= 40
}

// recallCommand is how the command recall is written at q.
func recallCommand(q *question.Question) string {
	if q.Chooses() {
		return string(recall)
	}
	return ":" + string(recall)
}

// promptFor returns the prompt of a question. At an untouched one an empty line takes nothing.
func promptFor(s *dialogue.Step, bracket string) string {
	prompt := words.T("Enter a number")
	switch {
	case !s.Chooses():
		prompt = words.T("Your answer")
	case s.Confirms():
		prompt = words.T("Enter y or n")
	case s.Several():
		prompt = words.T("Enter numbers, like 1,2")
	}
	switch {
	case bracket != "" && s.Untouched:
		prompt = words.T("%[1]s (%[2]s takes %[3]s)", prompt, recallCommand(s.Question), bracket)
	case bracket != "":
		prompt += " [" + bracket + "]"
	}
	switch {
	case !s.Required && bracket == "" && !s.Untouched:
		prompt = words.T("%s (optional, Enter to skip)", prompt)
	case !s.Required:
		prompt = words.T("%s (optional, - to skip)", prompt)
	}
	return words.T("%s: ", prompt)
}

// instruction tells in a sentence how to answer q.
func instruction(q *question.Question) string {
	switch n := len(q.Options); {
	case !q.Chooses():
		return words.T("Enter a text, or x to dismiss the question.")
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

// showHelp lists the possible entries at a question.
func (c *conversation) showHelp(s *dialogue.Step) {
	c.blank()
	if s.Chooses() {
		c.text("", instruction(s.Question))
	} else {
		c.text("", words.T("Enter your answer in one line."))
	}
	if s.Untouched {
		c.text("", words.T("An empty line answers nothing here."))
	} else {
		c.text("", words.T("An empty line takes what stands in brackets, if anything does."))
	}
	c.text("", words.T("b goes back to the question before, h shows the earlier questions, :n adds a note to the agent beside the answer, :d is to discuss it first, x dismisses it, ? shows this. If one of these is itself an answer here, write :b, :h, :x or :? for the command."))
	if s.Memory != nil {
		c.text("", words.T(":= uses your earlier answer again; an empty line then confirms it."))
	}
	if !s.Chooses() {
		c.text("", words.T(`To answer with a single b, h, x, - or ?, put it in quotes: "b".`))
	}
}

// answerText returns the answer of a step in words for the human.
func answerText(s *dialogue.Step) string {
	return question.Block(strings.Join(append(s.Words(&s.Answer), s.Answer.FileWords()...), ", "))
}

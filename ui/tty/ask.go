package tty

import (
	"cmp"
	"context"
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

// previewLines is how much of an option's preview is shown before the human
// asks for all of it.
const previewLines = 12

// ask puts the question that is due until it is answered, left open, or left.
func (c *conversation) ask(ctx context.Context) (to move, err error) {
	c.put()
	for to == stay && err == nil {
		s := c.Current()
		proposed, bracket := proposal(s)
		var line string
		if line, err = c.prompt(ctx, promptFor(s, bracket)); err != nil {
			return stay, err
		}
		switch {
		case line != "":
			to, err = c.enter(ctx, s, understand(s.Question, line))
		case s.Untouched:
			c.text("", words.T("Enter alone answers nothing here. %s", need(s.Question)))
		case proposed:
			to, err = c.take(ctx, dialogue.Accept{})
		case !s.Required:
			to, err = c.take(ctx, dialogue.Skip{})
		default:
			c.text("", words.T("An answer is needed here. %s", need(s.Question)))
		}
	}
	return to, err
}

// enter does what a line means at a question.
func (c *conversation) enter(ctx context.Context, s *dialogue.Step, r reading) (move, error) {
	switch r.command {
	case "":
	case editText:
		if s.Chooses() {
			c.text("", words.T("There is no text here to edit."))
			return stay, nil
		}
		if r.custom = c.edited(ctx, cmp.Or(s.Typed, s.Declared.Custom)); r.custom == "" {
			return stay, nil
		}
	case recall:
		return c.recall(ctx, s)
	case help:
		c.help(s)
		c.put()
		return stay, nil
	case view:
		c.lines("| ", question.Block(s.Options[r.option].Preview))
		return stay, nil
	case leaveOpen:
		if s.Required {
			c.text("", words.T("This question cannot be left open. %s", need(s.Question)))
			return stay, nil
		}
		return c.take(ctx, dialogue.Skip{})
	case goBack, closing, discuss, note, history, lift:
		return c.command(ctx, r.command)
	}
	var rows []int
	for _, id := range r.selected {
		rows = append(rows, s.OptionRow(id))
	}
	switch {
	case r.fault != "":
		return c.unread(r.fault), nil
	case r.other:
		text, err := c.promptText(ctx, words.T("Your own answer: "), s.Answer.Custom)
		if err != nil {
			return stay, err
		}
		if r.custom = text; text == "" {
			c.text("", words.T("Nothing was entered. Back to the options."))
			c.options(s)
			return stay, nil
		}
	}
	return c.take(ctx, dialogue.Fill{Rows: rows, Text: r.custom})
}

// unread says why a line cannot be taken.
func (c *conversation) unread(fault string) move {
	c.text("", fault)
	if c.foreign() {
		return turned
	}
	return stay
}

// take answers the question that is due, and goes on.
func (c *conversation) take(ctx context.Context, answer dialogue.Act) (move, error) {
	_, err := c.act(answer)
	var ready bool
	if err == nil {
		ready, err = c.act(dialogue.Next{})
	}
	switch {
	case err != nil: // no line that can be read is refused
		c.text("", need(c.Current().Question))
		return stay, nil
	case ready:
		return c.send(ctx)
	}
	return turned, nil
}

// recall takes what is proposed, or has the earlier answer stand as the one so far,
// which an empty line takes.
func (c *conversation) recall(ctx context.Context, s *dialogue.Step) (move, error) {
	switch proposed, _ := proposal(s); {
	case s.Untouched && proposed:
		return c.take(ctx, dialogue.Accept{})
	case s.Memory == nil:
		c.text("", words.T("There is no earlier answer to this question."))
		return stay, nil
	case !s.Recalled:
		_, _ = c.act(dialogue.Recall{}) // which it knows
	}
	return turned, nil
}

// put shows the question that is due.
func (c *conversation) put() {
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
	remembered, answered := s.Memory != nil, entered(s)
	if remembered && !answered {
		m := *s.Memory
		m.Words = s.Words(&m.Answer) // which has our yes and no in the human's language
		c.text("", words.T("%s (:= takes it over)", question.Shorten(words.Local.Remembered(m, time.Now()), 300)))
	}
	c.options(s)
	if s.Placeholder != "" {
		c.text(words.T("For example: "), question.Line(s.Placeholder))
	}
	switch proposed := s.Declared.Custom; {
	case answered:
		c.text(words.T("Your answer so far: "), inWords(s))
	case proposed != "" && (!brief(proposed) || s.Untouched && remembered): // else the prompt has it
		c.text(words.T("Proposed: "), question.Block(proposed))
	}
}

// entered reports whether an answer of the human's stands in a step.
func entered(s *dialogue.Step) bool { return s.Entered && !s.Answer.Empty() }

// options shows the numbered options of q, and 0 for the human's own
// words.
func (c *conversation) options(s *dialogue.Step) {
	for i := range s.Options {
		c.option(i+1, &s.Options[i])
	}
	if s.AllowCustom {
		other := words.Local.Other(s.Question)
		c.option(0, &other)
	}
}

func (c *conversation) option(n int, o *question.Option) {
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

// proposal reports whether an empty line, or in place of that a command, takes an answer,
// and how the prompt calls that: what the human answered before, or what the asker declared as
// the default.
func proposal(s *dialogue.Step) (exists bool, bracket string) {
	switch declared := s.Declared; {
	case entered(s) && s.Untouched:
		return true, words.T("your answer so far")
	case entered(s):
		return true, words.T("keep")
	case declared.Empty(), s.Untouched && s.Memory != nil: // which the command takes over
		return false, ""
	case s.Chooses():
		return true, bracketFor(s.Question, declared.Selected)
	case brief(declared.Custom):
		return true, question.Line(declared.Custom)
	}
	return true, words.T("the proposed text")
}

// bracketFor names options as the human would.
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

// brief reports whether a proposed text fits into the brackets of a prompt.
func brief(s string) bool {
	return !strings.ContainsAny(s, "\n\r") && ansi.StringWidth(question.Line(s)) <= 40
}

// takes is the command that takes what is proposed for q, or was answered to it
// before.
func takes(q *question.Question) string {
	if q.Chooses() {
		return string(recall)
	}
	return ":" + string(recall)
}

// promptFor returns the line at which the human answers a question. An untouched one takes
// nothing on an empty line.
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
		prompt = words.T("%[1]s (%[2]s takes %[3]s)", prompt, takes(s.Question), bracket)
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

// need is one sentence that says what to enter for q.
func need(q *question.Question) string {
	switch n := len(q.Options); {
	case !q.Chooses():
		return words.T("Enter a text, or q to dismiss the question.")
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

// help says what can be entered at a question.
func (c *conversation) help(s *dialogue.Step) {
	c.blank()
	if s.Chooses() {
		c.text("", words.T("%s The name of an option does as well as its number.", need(s.Question)))
	} else {
		c.text("", words.T("Enter your answer in one line, or :e to write it in your editor."))
	}
	if s.Untouched {
		c.text("", words.T("An empty line answers nothing here."))
	} else {
		c.text("", words.T("An empty line takes what stands in brackets, if anything does."))
	}
	c.text("", words.T("b goes back to the question before, h shows the earlier rounds, :n adds a note to the agent beside the answer, :d puts the question back to discuss it first, q dismisses it, ? shows this. If one of these is itself an answer here, write :b, :h, :q or :? for the command."))
	if s.Memory != nil {
		c.text("", words.T(":= takes over what you answered before; an empty line then confirms it."))
	}
	if !s.Chooses() {
		c.text("", words.T(`To answer with a single b, h, q, - or ?, put it in quotes: "b".`))
	}
}

// inWords returns the answer of a step in words for the human.
func inWords(s *dialogue.Step) string {
	return question.Block(strings.Join(s.Words(&s.Answer), ", "))
}

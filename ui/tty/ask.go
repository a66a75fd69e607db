package tty

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// previewLines is how much of an option's preview is shown before the human
// asks for all of it.
const previewLines = 12

// ask puts one question until it is answered, left open, or left.
func (c *conversation) ask(ctx context.Context, q *question.Question, n, of int) (move, error) {
	c.put(q, n, of)
	empty, bracket := c.emptyLine(q)
	for {
		untouched := c.untouched(q)
		line, err := c.prompt(ctx, promptFor(q, bracket, untouched))
		if err != nil {
			return onward, err
		}
		if line == "" && !untouched && (empty != nil || !q.Required) {
			c.take(q, empty)
			return onward, nil
		}
		switch r := understand(q, line); {
		case line == "":
			c.text("", missing(q, untouched))
		case r.fault != "":
			c.text("", r.fault)
			if c.foreign() {
				return onward, nil
			}
		case r.command == history:
			c.rounds(ctx)
		case r.command == lift:
			c.lift(ctx)
		case r.command == goBack:
			return back, nil
		case r.command == closing, r.command == discuss:
			if to, err := c.part(ctx, r.command); err != nil || to == done {
				return to, err
			}
		case r.command == note:
			if err := c.takeNote(ctx, q.ID); err != nil {
				return onward, err
			}
		case r.command == editText && q.Chooses():
			c.text("", words.T("There is no text here to edit."))
		case r.command == editText:
			if own := c.edited(ctx, c.proposed(q)); own != "" {
				c.take(q, &question.Answer{QuestionID: q.ID, Custom: own, By: question.ByUser})
				return onward, nil
			}
		case r.command == recall && untouched && empty != nil:
			c.take(q, empty)
			return onward, nil
		case r.command == recall && c.remembers(q):
			c.recall(q)
			return onward, nil
		case r.command == recall:
			c.text("", words.T("There is no earlier answer to this question."))
		case r.command == help:
			c.help(q)
			c.put(q, n, of)
		case r.command == view:
			c.lines("| ", question.Block(q.Options[r.option].Preview))
		case r.command == leaveOpen && q.Required:
			c.text("", words.T("This question cannot be left open. %s", need(q)))
		case r.command == leaveOpen:
			c.take(q, nil)
			return onward, nil
		case r.other:
			if taken, err := c.own(ctx, q, r.selected); taken || err != nil {
				return onward, err
			}
		default:
			c.take(q, &question.Answer{QuestionID: q.ID, Selected: r.selected, Custom: r.custom, By: question.ByUser})
			return onward, nil
		}
	}
}

// own takes an answer in the human's own words beside what was selected, and
// reports whether there is one.
func (c *conversation) own(ctx context.Context, q *question.Question, selected []string) (taken bool, err error) {
	text, err := c.promptText(ctx, words.T("Your own answer: "), c.answers[q.ID].Custom)
	if err != nil {
		return false, err
	}
	if text == "" {
		c.text("", words.T("Nothing was entered. Back to the options."))
		c.options(q)
		return false, nil
	}
	c.take(q, &question.Answer{QuestionID: q.ID, Selected: selected, Custom: text, By: question.ByUser})
	return true, nil
}

// put shows a question: the nth of those that are shown now.
func (c *conversation) put(q *question.Question, n, of int) {
	c.blank()
	title := question.Line(q.Header)
	if of > 1 {
		place := words.T("Question %[1]d of %[2]d", n, of)
		if title != "" {
			place = words.T("%[1]s: %[2]s", place, title)
		}
		title = place
	}
	if title != "" {
		c.text("", title)
	}
	c.text("", question.Block(q.Text))
	if q.Description != "" {
		c.text("", question.Block(q.Description))
	}
	if c.remembers(q) && c.answer(q) == nil {
		m := c.memory[q.ID]
		m.Words = q.Words(&m.Answer) // which has our yes and no in the human's language
		c.text("", words.T("%s (:= takes it over)", question.Shorten(words.Local.Remembered(m, time.Now()), 300)))
	}
	c.options(q)
	if q.Placeholder != "" {
		c.text(words.T("For example: "), question.Line(q.Placeholder))
	}
	if a := c.answer(q); a != nil {
		c.text(words.T("Your answer so far: "), inWords(q, a))
	} else if strings.TrimSpace(q.Default) != "" && (!brief(q.Default) || c.untouched(q) && c.remembers(q)) { // else the prompt has it
		c.text(words.T("Proposed: "), question.Block(q.Default))
	}
}

// remembers reports whether there is an earlier answer to q.
func (c *conversation) remembers(q *question.Question) bool { _, ok := c.memory[q.ID]; return ok }

// untouched reports whether an empty line answers nothing: the form appeared by
// itself, and nothing was entered for q in it.
func (c *conversation) untouched(q *question.Question) bool {
	_, touched := c.asked[q.ID]
	return c.appeared && !touched
}

// recall has the earlier answer to q stand as the one so far, which an empty line
// takes.
func (c *conversation) recall(q *question.Question) {
	a := c.memory[q.ID].Answer
	a.By = question.ByUser
	c.take(q, &a)
	c.asked[q.ID] = false
}

// options shows the numbered options of q, and 0 for the human's own
// words.
func (c *conversation) options(q *question.Question) {
	for i := range q.Options {
		c.option(i+1, &q.Options[i])
	}
	if !q.AllowCustom {
		return
	}
	other := words.Local.Other(q)
	c.option(0, &other)
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

// emptyLine returns the answer that an empty line takes, or in place of that a
// command, and how the prompt calls it: what the human answered before, or what the
// asker declared as the default. Nil is none.
func (c *conversation) emptyLine(q *question.Question) (*question.Answer, string) {
	untouched := c.untouched(q)
	switch a := c.answer(q); {
	case a != nil && untouched:
		return a, words.T("your answer so far")
	case a != nil:
		return a, words.T("keep")
	case untouched && c.remembers(q): // the command takes that over
		return nil, ""
	}
	if !q.Chooses() {
		if strings.TrimSpace(q.Default) == "" {
			return nil, ""
		}
		bracket := words.T("the proposed text")
		if brief(q.Default) {
			bracket = question.Line(q.Default)
		}
		return &question.Answer{QuestionID: q.ID, Custom: q.Default, By: question.ByUser}, bracket
	}
	ids := q.Defaults()
	if !q.Several() {
		ids = ids[:min(len(ids), 1)]
	}
	if len(ids) == 0 {
		return nil, ""
	}
	return &question.Answer{QuestionID: q.ID, Selected: ids, By: question.ByUser}, bracketFor(q, ids)
}

// proposed is the text that q's answer starts from in an editor.
func (c *conversation) proposed(q *question.Question) string {
	if a := c.answer(q); a != nil {
		return a.Custom
	}
	return q.Default
}

// bracketFor names options as the human would.
func bracketFor(q *question.Question, ids []string) string {
	var names []string
	for i, o := range q.Options {
		switch {
		case !slices.Contains(ids, o.ID):
		case q.Type != question.Boolean:
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

// promptFor returns the line at which the human answers q. An untouched one takes
// nothing on an empty line.
func promptFor(q *question.Question, bracket string, untouched bool) string {
	prompt := words.T("Enter a number")
	switch {
	case !q.Chooses():
		prompt = words.T("Your answer")
	case q.Type == question.Boolean:
		prompt = words.T("Enter y or n")
	case q.Several():
		prompt = words.T("Enter numbers, like 1,2")
	}
	switch {
	case bracket != "" && untouched:
		prompt = words.T("%[1]s (%[2]s takes %[3]s)", prompt, takes(q), bracket)
	case bracket != "":
		prompt += " [" + bracket + "]"
	}
	switch {
	case !q.Required && bracket == "" && !untouched:
		prompt = words.T("%s (optional, Enter to skip)", prompt)
	case !q.Required:
		prompt = words.T("%s (optional, - to skip)", prompt)
	}
	return words.T("%s: ", prompt)
}

// missing says that an empty line is no answer to q.
func missing(q *question.Question, untouched bool) string {
	if untouched {
		return words.T("Enter alone answers nothing here. %s", need(q))
	}
	return words.T("An answer is needed here. %s", need(q))
}

// need is one sentence that says what to enter for q.
func need(q *question.Question) string {
	switch n := len(q.Options); {
	case !q.Chooses():
		return words.T("Enter a text, or q to dismiss the question.")
	case q.Type == question.Boolean:
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

// help says what can be entered for q.
func (c *conversation) help(q *question.Question) {
	c.blank()
	if q.Chooses() {
		c.text("", words.T("%s The name of an option does as well as its number.", need(q)))
	} else {
		c.text("", words.T("Enter your answer in one line, or :e to write it in your editor."))
	}
	if c.untouched(q) {
		c.text("", words.T("An empty line answers nothing here."))
	} else {
		c.text("", words.T("An empty line takes what stands in brackets, if anything does."))
	}
	c.text("", words.T("b goes back to the question before, h shows the earlier rounds, :n adds a note to the agent beside the answer, :d puts the question back to discuss it first, q dismisses it, ? shows this. If one of these is itself an answer here, write :b, :h, :q or :? for the command."))
	if c.remembers(q) {
		c.text("", words.T(":= takes over what you answered before; an empty line then confirms it."))
	}
	if !q.Chooses() {
		c.text("", words.T(`To answer with a single b, h, q, - or ?, put it in quotes: "b".`))
	}
}

// inWords returns an answer in words for the human.
func inWords(q *question.Question, a *question.Answer) string {
	return question.Block(strings.Join(q.Words(a), ", "))
}

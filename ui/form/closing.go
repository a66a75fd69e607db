package form

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
)

// Closing is one line to print on the normal screen once the form has gone:
// how it ended, safe to show. It is empty while the form is open.
func (f *Form) Closing() string {
	switch f.state {
	case Sent:
		if f.dismissed {
			return "Dismissed."
		}
		return "Answer sent."
	case Aborted:
		return "Nothing was sent; the question stays open."
	case Withdrawn:
		return Withdrawal(f.cause)
	}
	return ""
}

// Withdrawal is one sentence, safe to show, that says who was first, if cause
// is a *desk.ClosedError, or else why the question went away.
func Withdrawal(cause error) string {
	var closed *desk.ClosedError
	if !errors.As(cause, &closed) {
		if cause == nil {
			return "The question was withdrawn; nothing was sent."
		}
		return stop("The question was withdrawn; nothing was sent: " + question.Line(cause.Error()))
	}
	o := closed.Outcome
	reason := ""
	if o.Reason != "" {
		reason = ": " + question.Line(o.Reason)
	}
	switch o.Status {
	case desk.Answered:
		return fmt.Sprintf("Already answered%s.", ui.Place(o.Surface))
	case desk.Dismissed:
		return fmt.Sprintf("Already dismissed%s.", ui.Place(o.Surface))
	case desk.Cancelled:
		return stop("The agent withdrew the question" + reason)
	case desk.Timeout:
		return "The time to answer is over; the question is closed."
	}
	return stop("The question is closed" + reason)
}

// stop ends a sentence that ends in words from outside.
func stop(s string) string {
	if strings.ContainsRune(".!?…。！？", lastRune(s)) {
		return s
	}
	return s + "."
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

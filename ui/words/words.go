// Package words says what people read in more than one room: who asked, what,
// how a record ended and where, how long ago and how long still. Every text
// from outside comes out safe to show on one line, unless it says otherwise.
//
// It may import desk and question. It must not know any surface, nor how
// anything is drawn. Texts for the model stand in tools/askuser/texts, shapes
// for programs in ui/api.
package words

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Shell is the surface of what was answered by a command without a form.
const Shell = "shell"

// surfaces names each surface as the human knows it, after a verb: answered
// "in a terminal".
var surfaces = map[string]string{ //nolint:gochecknoglobals // a table, never written to
	"elicit":  "in the agent's own form",
	"tty":     "in a terminal",
	"plain":   "in a terminal",
	"pane":    "in a pane",
	"inbox":   "in the inbox",
	"web":     "on the web page",
	"ntfy":    "on the phone",
	"timeout": "by the timeout",
	Shell:     "by a command",

	// The hosts whose own dialogs are mirrored.
	"claude-code": "in Claude Code",
	"opencode":    "in OpenCode",
	"codex":       "in Codex",
}

// Knows reports whether a surface has words of its own.
func Knows(surface string) bool { return surfaces[surface] != "" }

// Surface names a surface as the human knows it: "in a terminal". It is empty
// for none.
func Surface(name string) string {
	switch where, known := surfaces[name]; {
	case known:
		return where
	case name == "":
		return ""
	}
	return "on " + question.Line(name)
}

// Place is [Surface] with a blank before it, to follow a verb.
func Place(surface string) string {
	if surface == "" {
		return ""
	}
	return " " + Surface(surface)
}

// By says where a record was ended, and by whom if the desk has seen their
// credential: " by alice on the page".
func By(o *desk.Outcome) string {
	where := Place(o.Surface)
	if o.Answerer == nil || o.Answerer.Name == "" {
		return where
	}
	return " by " + question.Line(o.Answerer.Name) + strings.Replace(where, " by a command", " with a command", 1)
}

// Client names the program that asked, after the agent whose token it showed.
func Client(a desk.Asker) string {
	name, agent := strings.TrimSpace(question.Line(a.Client)), strings.TrimSpace(question.Line(a.Agent))
	switch {
	case agent != "" && name != "":
		return agent + " (" + name + ")"
	case agent+name != "":
		return agent + name
	}
	return "an agent"
}

// Project is the last part of the directory that the asker works in, in either
// way of writing one; empty where it names none.
func Project(a desk.Asker) string {
	dir := strings.TrimRight(strings.ReplaceAll(a.Directory, `\`, "/"), "/")
	if dir == "" {
		return ""
	}
	return question.Line(path.Base(dir))
}

// Asker names who asked: the program, and the project it works in.
func Asker(a desk.Asker) string {
	if p := Project(a); p != "" {
		return Client(a) + " in " + p
	}
	return Client(a)
}

// Subject is what a record asks, in one line: its first question, and how many
// there are beside it.
func Subject(rec desk.Record) string {
	if len(rec.Questions) == 0 {
		return "(no question)"
	}
	q := &rec.Questions[0]
	text := q.Text
	if q.Header != "" {
		text = q.Header + ": " + text
	}
	if more := len(rec.Questions) - 1; more > 0 {
		text = fmt.Sprintf("[+%d] %s", more, text)
	}
	return onOneLine([]string{text})
}

// Decision is what the human said to a record in one line, or how it ended
// without.
func Decision(rec desk.Record) string {
	if rec.State != desk.Answered {
		return Outcome(rec.Outcome)
	}
	var said []string
	for _, x := range rec.Asked() {
		if x.Answer != nil {
			said = append(said, x.Text())
		}
	}
	return onOneLine(said)
}

// onOneLine lists texts from outside.
func onOneLine(texts []string) string {
	return question.Line(strings.Join(strings.Fields(strings.Join(texts, "; ")), " "))
}

// Outcome says how a record ended, and where: "answered in a terminal". Of one
// that has not it says so.
func Outcome(o *desk.Outcome) string {
	if o == nil {
		return "still open"
	}
	if o.Refused() {
		return "refused, because the limit of rounds in a row was reached"
	}
	switch o.Status {
	case desk.Discuss:
		return "put back to be discussed first" + By(o)
	case desk.Cancelled:
		return "withdrawn" + Place(o.Surface)
	case desk.Timeout:
		return "closed, because the time was up"
	case desk.Unavailable:
		return "closed, because nobody could be reached"
	default:
		return string(o.Status) + By(o)
	}
}

// Reason is why a record ended without an answer, if somebody said so. Its
// lines stay lines.
func Reason(o *desk.Outcome) string {
	switch {
	case o == nil, o.Status == desk.Timeout, o.Refused(): // Outcome has said it all
		return ""
	case o.Reply != nil:
		return question.Block(o.Reply.Reason)
	}
	return question.Block(o.Reason)
}

// Withdrawal is one sentence for somebody whose question went away, for this
// cause, before they had answered it: who was first, if that is a
// *desk.ClosedError, or else what has become of the question. Nil is a form that
// went away by itself.
func Withdrawal(cause error) string {
	var closed *desk.ClosedError
	switch {
	case errors.As(cause, &closed):
	case cause == nil:
		return "Nothing was sent; the question stays open."
	case errors.Is(cause, desk.ErrNotFound), errors.Is(cause, desk.ErrDamaged):
		return Sentence("Nothing was sent: " + question.Line(cause.Error()))
	default:
		return Sentence("Nothing was sent; the question stays open: " + question.Line(cause.Error()))
	}
	o := closed.Outcome
	reason := ""
	if o.Reason != "" {
		reason = ": " + question.Line(o.Reason)
	}
	switch o.Status {
	case desk.Answered, desk.Dismissed, desk.Discuss:
		return "Already " + Outcome(&o) + "."
	case desk.Cancelled:
		return Sentence("The agent withdrew the question" + reason)
	case desk.Timeout:
		return "The time to answer is over; the question is closed."
	default:
		return Sentence("The question is closed" + reason)
	}
}

// Overruled is one sentence for those who gave, or saw, a reply to a record that
// its host did not take; empty for any other record.
func Overruled(rec desk.Record) string {
	if rec.Later == nil || rec.Outcome == nil {
		return ""
	}
	return Sentence("Not " + Outcome(rec.Later) + ": it was " + Outcome(rec.Outcome) + " first")
}

// Sentence ends words that may end in words from outside with a full stop,
// unless they end in one of their own.
func Sentence(s string) string {
	if last, _ := utf8.DecodeLastRuneInString(s); strings.ContainsRune(".!?…。！？", last) {
		return s
	}
	return s + "."
}

// Count counts: "1 question", "2 questions".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

package inbox

import (
	"fmt"
	"path/filepath"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// project names the directory that the asker works in, and its git branch if
// there is one.
func project(rec desk.Record, branch string) string {
	if rec.Asker.Directory == "" {
		return ""
	}
	name := question.Line(filepath.Base(rec.Asker.Directory))
	if branch != "" {
		name += " (" + question.Line(branch) + ")"
	}
	return name
}

// shortSession is enough of a session's id to tell it from the others here.
func shortSession(id string) string { return question.Cut(question.Line(id), 8) }

// place names a surface as the human knows it.
func place(surface string) string {
	switch surface {
	case "elicit":
		return "in the agent's own form"
	case "tty", "plain":
		return "in a terminal"
	case "pane":
		return "in a pane"
	case "inbox":
		return "in an inbox"
	case "web":
		return "on the web page"
	}
	return "on " + question.Line(surface)
}

// ended says how a record ended, and where: "answered in a terminal".
func ended(o *desk.Outcome) string {
	if o.Surface == "" {
		return string(o.Status)
	}
	return string(o.Status) + " " + place(o.Surface)
}

// subject is what a record asks, in one line: its first question, and how many
// there are beside it.
func subject(rec desk.Record) string {
	if len(rec.Questions) == 0 {
		return "(no question)"
	}
	q := rec.Questions[0]
	words := question.Line(q.Text)
	if q.Header != "" {
		words = question.Line(q.Header) + ": " + words
	}
	if more := len(rec.Questions) - 1; more > 0 {
		words = fmt.Sprintf("[+%d] %s", more, words)
	}
	return words
}

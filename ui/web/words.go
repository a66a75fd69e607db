package web

import (
	"fmt"
	"path"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// where names a surface as the human knows it, after a verb.
func where(surface string) string {
	switch surface {
	case "":
		return ""
	case "elicit":
		return " in the agent's own form"
	case "tty", "plain":
		return " in a terminal"
	case "pane":
		return " in a pane"
	case "inbox":
		return " in the inbox"
	case surfaceName:
		return " on this page"
	}
	return " (" + question.Line(surface) + ")"
}

// fate says in a few words how a record ended, and where.
func fate(o *desk.Outcome) string {
	if o == nil {
		return "still open"
	}
	switch o.Status {
	case desk.Answered, desk.Dismissed:
		return string(o.Status) + where(o.Surface)
	case desk.Cancelled:
		return "withdrawn by the agent"
	case desk.Timeout:
		return "closed, because the time was up"
	}
	return "closed (" + string(o.Status) + ")"
}

// reason is what was said with an outcome.
func reason(o *desk.Outcome) string {
	switch {
	case o == nil:
		return ""
	case o.Reply != nil:
		return question.Block(o.Reply.Reason)
	case o.Status == desk.Timeout:
		return "" // how long it waited, which the record says better
	}
	return question.Block(o.Reason)
}

// asker names who asked: the program, and the project it works in.
func asker(a desk.Asker) string {
	words := client(a)
	if p := project(a); p != "" {
		words += " in " + p
	}
	return words
}

func client(a desk.Asker) string {
	if c := strings.TrimSpace(question.Line(a.Client)); c != "" {
		return c
	}
	return "an agent"
}

// project is the last part of the asker's directory, in either way of writing
// one.
func project(a desk.Asker) string {
	dir := strings.TrimRight(strings.ReplaceAll(a.Directory, `\`, "/"), "/")
	if dir == "" {
		return ""
	}
	return question.Line(path.Base(dir))
}

// ago says how long something is past, roughly.
func ago(d time.Duration) string {
	if d < time.Minute {
		return "just now"
	}
	return span(d) + " ago"
}

// span is a duration of at least a minute in its largest unit.
func span(d time.Duration) string {
	switch {
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d days", d/(24*time.Hour))
}

// left says how long is left, rounded up: seconds in the last two minutes.
func left(d time.Duration) string {
	switch {
	case d <= 0:
		return "time is up"
	case d <= 2*time.Minute:
		return fmt.Sprintf("%d s left", (d+time.Second-1)/time.Second)
	}
	return span(d+time.Minute-1) + " left"
}

// plural counts: "1 question", "2 questions".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

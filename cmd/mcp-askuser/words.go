package main

import (
	"fmt"
	"path"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
)

// The words for people about records. Texts from outside come out safe.

// asker names who asked: the program, and the project it works in.
func asker(by desk.Asker) string {
	name := strings.TrimSpace(question.Line(by.Client))
	if name == "" {
		name = "an agent"
	}
	if dir := strings.TrimRight(strings.ReplaceAll(by.Directory, `\`, "/"), "/"); dir != "" {
		name += " in " + question.Line(path.Base(dir))
	}
	return name
}

// subject is what a record asks: its first question, and how many there are
// beside it.
func subject(rec desk.Record) string {
	if len(rec.Questions) == 0 {
		return ""
	}
	text := strings.Join(strings.Fields(rec.Questions[0].Text), " ")
	if more := len(rec.Questions) - 1; more > 0 {
		text = fmt.Sprintf("[+%d] %s", more, text)
	}
	return question.Line(text)
}

// attention says whether somebody waits for the answer.
func attention(rec desk.Record) string {
	if rec.Attended {
		return "attended"
	}
	return "detached"
}

// decision is what the human said to a record, or how it ended without.
func decision(rec desk.Record) string {
	o := rec.Outcome
	if o.Status != desk.Answered {
		return string(o.Status)
	}
	var said []string
	for _, q := range rec.Shown(o.Reply.Answers) {
		if a := o.Reply.Answer(q.ID); a != nil {
			said = append(said, strings.Join(q.Words(a), ", "))
		}
	}
	return question.Line(strings.Join(strings.Fields(strings.Join(said, "; ")), " "))
}

// ago says roughly how long something is past. A clock that was set back makes
// nothing happen in the future.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d d", d/(24*time.Hour))
}

// fate says how a record ended, and where: "Answered in a terminal".
func fate(o *desk.Outcome) string {
	return strings.ToUpper(string(o.Status[:1])) + string(o.Status[1:]) + place(o.Surface)
}

// place names a surface as the human knows it, after a verb.
func place(surface string) string {
	if surface == shellSurface {
		return " by a command"
	}
	return ui.Place(surface)
}

// shellSurface is the surface of what was answered by a command without a form.
const shellSurface = "shell"

// shortened returns the least beginnings of the ids by which they are told
// apart, of the same length each, and no shorter than least.
func shortened(records []desk.Record, least int) []string {
	n := least
	for i := 1; i < len(records); i++ { // sorted by id, in either direction
		a, b := records[i-1].ID, records[i].ID
		same := 0
		for same < len(a) && same < len(b) && a[same] == b[same] {
			same++
		}
		n = max(n, same+1)
	}
	out := make([]string, len(records))
	for i, rec := range records {
		out[i] = rec.ID[:min(n, len(rec.ID))]
	}
	return out
}

// The least lengths of shortened ids. The first characters of an id are its
// time: eight tell seconds apart, which is enough for what is open, ten tell
// milliseconds.
const (
	shortOpen = 8
	shortPast = 10
)

package notify

import (
	"fmt"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
	"mcp-askuser/ui/words"
)

// newRequest returns what is told of a record of which the human was told this
// many times before.
func newRequest(rec desk.Record, before int) *api.Request {
	e := api.NewRequest(rec)
	e.Directory, e.Reminder = rec.Asker.Directory, before
	return e
}

// The most that a notification says, in characters as a reader counts them.
const (
	maxTitle = 60
	maxBody  = 160
)

// title and body are the event in words, safe to show on one line each
// (DESIGN, promise 7). The title always starts with the same word, so that no
// asker's name can be read as something else.
func title(e *api.Request) string {
	text := "Question"
	if e.AgentID != "" {
		text += " from " + e.AgentID
	}
	if project := words.Project(desk.Asker{Directory: e.Directory}); project != "" {
		text += " in " + project
	}
	return question.Shorten(question.Line(text), maxTitle)
}

func body(e *api.Request) string {
	text, more := "", ""
	if len(e.Questions) > 0 {
		text = e.Questions[0].Text
	}
	if n := len(e.Questions) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return question.Shorten(question.Line(text), maxBody-len(more)) + more
}

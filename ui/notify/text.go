package notify

import (
	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
	"mcp-askuser/ui/words"
)

// told is what is told of a record: to programs, and to people.
type told struct {
	*api.Request
	shown []question.Question // as people read them
}

// newRequest returns what is told of a record of which the human was told this
// many times before.
func newRequest(rec desk.Record, before int) *told {
	e := &told{api.NewRequest(rec), words.Local.Shown(rec).Questions}
	e.Directory, e.Reminder = rec.Asker.Directory, before
	return e
}

// The most that a notification says, in characters as a reader counts them.
const (
	maxTitle = 60
	maxBody  = 160
)

// title and body are the event in words, safe to show on one line each. The title
// always starts with the same word, so that no asker's name can be read as
// something else.
func title(e *told) string {
	text, asker := words.T("Question"), desk.Asker{Client: e.AgentID, Directory: e.Directory}
	switch project := words.Project(asker); {
	case e.AgentID != "":
		text = words.T("Question from %s", words.Local.Asker(asker))
	case project != "":
		text = words.T("Question in %s", project)
	}
	return question.Shorten(question.Line(text), maxTitle)
}

func body(e *told) string {
	text, more := "", len(e.shown)-1
	if more >= 0 {
		text = question.Line(e.shown[0].Text)
	}
	room := maxBody - question.Count(words.Local.AndMore("", more))
	return words.Local.AndMore(question.Shorten(text, room), more)
}

package notify

import (
	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
	"mcp-askuser/ui/words"
)

// notice is the content of one notification.
type notice struct {
	api.Event
	shown []question.Question // for people
	pid   int                 // of the asker on this machine; 0 where unknown
}

// newNotice returns the notice of a record after so many earlier ones.
func newNotice(rec desk.Record, before int) *notice {
	e := &notice{api.NewRequest(rec), words.Local.Shown(rec).Questions, rec.Asker.Process()}
	e.Directory, e.Reminder = rec.Asker.Directory, before
	return e
}

// The longest texts of a notification, in characters as a reader counts them.
const (
	maxTitle = 60
	maxBody  = 160
)

// title and body return one line each, safe to show. The title always starts with
// the same word, so that no asker's name can imitate another notification.
func title(e *notice) string {
	asker := desk.Asker{Client: e.AgentID, Directory: e.Directory}
	return question.Shorten(question.Line(words.T("Question from %s", words.Local.Asker(asker))), maxTitle)
}

func body(e *notice) string {
	text, more := question.Line(e.shown[0].Text), len(e.shown)-1
	room := maxBody - question.Count(words.Local.AndMore("", more))
	return words.Local.AndMore(question.Shorten(text, room), more)
}

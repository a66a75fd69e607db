package notify

import (
	"fmt"
	"path/filepath"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Request is the name of the event of a question that waits (B3).
const Request = "ask:question:request"

// Event is what the user's command reads on its standard input: a question
// that waits. Its texts are the asker's own and as hostile as that.
type Event struct {
	Event     string              `json:"event"` // Request
	ID        string              `json:"id"`
	AgentID   string              `json:"agentId"` // the asking program, as it calls itself
	SessionID string              `json:"sessionId,omitempty"`
	Round     int                 `json:"round"`
	Directory string              `json:"directory,omitempty"` // the project it works in
	Questions []question.Question `json:"questions"`
	Metadata  map[string]any      `json:"metadata,omitempty"`
	At        time.Time           `json:"at"`                 // when it was asked
	Reminder  int                 `json:"reminder,omitempty"` // how many times it was told before
}

// NewEvent returns the event of a record that has been told this many times
// before.
func NewEvent(rec desk.Record, told int) Event {
	return Event{
		Event: Request, ID: rec.ID, AgentID: rec.Asker.Client, SessionID: rec.SessionID, Round: rec.Round,
		Directory: rec.Asker.Directory, Questions: rec.Questions, Metadata: rec.Metadata, At: rec.CreatedAt, Reminder: told,
	}
}

// The most that a notification says, in characters as a reader counts them.
const (
	maxTitle = 60
	maxBody  = 160
)

// title and body are the event in words, safe to show on one line each
// (DESIGN, promise 7). The title always starts with the same word, so that no
// asker's name can be read as something else.
func (e Event) title() string {
	title := "Question"
	if e.AgentID != "" {
		title += " from " + e.AgentID
	}
	if e.Directory != "" {
		title += " in " + filepath.Base(e.Directory)
	}
	return question.Shorten(question.Line(title), maxTitle)
}

func (e Event) body() string {
	body := ""
	if len(e.Questions) > 0 {
		body = e.Questions[0].Text
	}
	more := ""
	if n := len(e.Questions) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return question.Shorten(question.Line(body), maxBody-len(more)) + more
}

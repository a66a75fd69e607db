package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// The names of events.
const (
	RequestEvent  = "ask:question:request"  // a question was asked
	ResponseEvent = "ask:question:response" // the user answered or dismissed it
	CancelEvent   = "ask:question:cancel"   // it ended without the user
	ChangeEvent   = "ask:question:change"   // a draft was saved, an asker connected or left, or as desk.Touched says
)

// Event is an event as programs read it.
type Event struct {
	Name    string      `json:"event,omitempty"` // left out where the transport names events itself
	ID      string      `json:"id"`              // of the record
	AgentID string      `json:"agentId"`         // the asking program, as it calls itself
	Status  desk.Status `json:"status,omitempty"`
	*Request
	*Response
	Reason string    `json:"reason,omitempty"` // of a cancel
	At     time.Time `json:"at"`
}

// Request is a question that waits. Its texts are the asker's own and as hostile as that.
type Request struct {
	SessionID string              `json:"sessionId"`
	Round     int                 `json:"round"`
	Directory string              `json:"directory,omitempty"` // the project of the asker; in notifications only
	Questions []question.Question `json:"questions"`
	Metadata  map[string]any      `json:"metadata,omitempty"`
	Reminder  int                 `json:"reminder,omitempty"` // in notifications: how many there were before
}

// Response is what the user has answered, or nothing where they dismissed the question.
type Response struct {
	Answers map[string]string `json:"answers"` // by question-N
	Surface string            `json:"surface"`
	By      string            `json:"by"`             // user, program, front end, asker, host or timeout
	User    string            `json:"name,omitempty"` // the front end, or the user by their credential
	Proof   *question.Proof   `json:"proof,omitempty"`
	// Later is the surface of a reply that an earlier event announced, and that does not
	// count: the dialog of its host was first.
	Later string `json:"later,omitempty"`
}

// NewRequest returns the event of a record that waits.
func NewRequest(rec desk.Record) Event {
	r := &Request{SessionID: rec.SessionID, Round: rec.Round, Questions: rec.Questions, Metadata: rec.Metadata}
	return Event{Name: RequestEvent, ID: rec.ID, AgentID: rec.Asker.Client, Request: r, At: rec.CreatedAt}
}

// NewEvent returns an event of the desk as programs read it.
func NewEvent(ev desk.Event) Event {
	rec, o := view.Of(ev.Record, words.English), ev.Record.Outcome
	out := Event{Name: ChangeEvent, ID: rec.ID, AgentID: rec.Asker.Client, At: time.Now()}
	switch {
	case ev.Type == desk.Asked:
		return NewRequest(ev.Record)
	case ev.Type != desk.Ended && (ev.Type != desk.Settled || rec.Later == nil) || o == nil:
		return out
	}
	out.Status, out.At = o.Status, o.At
	if o.Reply == nil {
		out.Name, out.Reason = CancelEvent, o.Reason
		return out
	}
	out.Name = ResponseEvent
	out.Response = &Response{Answers: ByKey(rec.Asked()), Surface: o.Surface, Proof: o.Proof.Public()}
	out.By, out.User = rec.Answerer()
	if rec.Later != nil {
		out.Later = rec.Later.Surface
	}
	return out
}

// Frame returns an event as one of a stream of server-sent events.
func Frame(e Event) ([]byte, error) {
	name := e.Name
	e.Name = ""
	data, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", name, err)
	}
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, data), nil
}

// ByKey returns the answers by question-N; several labels are joined with commas.
func ByKey(asked []question.Response) map[string]string {
	out := map[string]string{}
	for _, x := range asked {
		if x.Answer != nil {
			out[x.Key()] = strings.Join(x.Words(), ",")
		}
	}
	return out
}

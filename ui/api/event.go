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
	ChangeEvent   = "ask:question:change"   // a draft was saved, or an asker connected or left
)

// header is the beginning of every event.
type header struct {
	Event   string `json:"event,omitempty"` // its name; left out where the transport names events itself
	ID      string `json:"id"`              // of the record
	AgentID string `json:"agentId"`         // the asking program, as it calls itself
}

// Request is the event of a question that waits. Its texts are the asker's own
// and as hostile as that.
type Request struct {
	header
	SessionID string              `json:"sessionId"`
	Round     int                 `json:"round"`
	Directory string              `json:"directory,omitempty"` // the project of the asker; in notifications only
	Questions []question.Question `json:"questions"`
	Metadata  map[string]any      `json:"metadata,omitempty"`
	At        time.Time           `json:"at"`                 // when it was asked
	Reminder  int                 `json:"reminder,omitempty"` // in notifications: how many there were before
}

// Response is the event of a question that its user ended.
type Response struct {
	header
	Status  desk.Status       `json:"status"`  // answered or dismissed
	Answers map[string]string `json:"answers"` // by question-N
	Surface string            `json:"surface"`
	By      string            `json:"by"`             // user, program, front end, asker, host or timeout
	Name    string            `json:"name,omitempty"` // of the front end, or of the user by their credential
	Proof   *question.Proof   `json:"proof,omitempty"`
	At      time.Time         `json:"at"`
	// Later is the surface of a reply that an earlier event announced, and that does not
	// count: the dialog of its host was first.
	Later string `json:"later,omitempty"`
}

// Cancel is the event of a question that ended without its user.
type Cancel struct {
	header
	Status desk.Status `json:"status"` // cancelled, timeout, unavailable or failed
	Reason string      `json:"reason,omitempty"`
	At     time.Time   `json:"at"`
}

// Change is the event of an open question whose circumstances changed.
type Change struct {
	header
	At time.Time `json:"at"`
}

// NewRequest returns the event of a record that waits.
func NewRequest(rec desk.Record) *Request {
	return &Request{
		header: newHeader(RequestEvent, rec), SessionID: rec.SessionID, Round: rec.Round,
		Questions: rec.Questions, Metadata: rec.Metadata, At: rec.CreatedAt,
	}
}

func newHeader(event string, rec desk.Record) header { return header{event, rec.ID, rec.Asker.Client} }

// Event is one of the events above, to be written as JSON.
type Event interface {
	// takeName takes the name out of the event.
	takeName() string
}

func (h *header) takeName() string {
	name := h.Event
	h.Event = ""
	return name
}

// NewEvent returns an event of the desk as programs read it.
func NewEvent(ev desk.Event) Event {
	rec, o := view.Of(ev.Record, words.English), ev.Record.Outcome
	switch {
	case ev.Type == desk.Asked:
		return NewRequest(ev.Record)
	case ev.Type != desk.Ended && (ev.Type != desk.Settled || rec.Later == nil) || o == nil:
		return &Change{newHeader(ChangeEvent, ev.Record), time.Now()}
	case o.Reply != nil:
		r := &Response{header: newHeader(ResponseEvent, ev.Record), Status: o.Status, Answers: ByKey(rec.Asked()), Surface: o.Surface, Proof: o.Proof.Public(), At: o.At}
		r.By, r.Name = rec.Answerer()
		if rec.Later != nil {
			r.Later = rec.Later.Surface
		}
		return r
	}
	return &Cancel{newHeader(CancelEvent, ev.Record), o.Status, o.Reason, o.At}
}

// Frame returns an event as one of a stream of server-sent events.
func Frame(e Event) ([]byte, error) {
	name := e.takeName()
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

package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// The events of B3, and one of our own: a draft was saved, or an asker came or
// went, which changes what a list shows but not what is asked.
const (
	eventRequest  = "ask:question:request"
	eventResponse = "ask:question:response"
	eventCancel   = "ask:question:cancel"
	eventChange   = "ask:question:change"
)

// requestEvent is the event of a question that was asked.
type requestEvent struct {
	ID        string              `json:"id"`
	AgentID   string              `json:"agentId"`
	SessionID string              `json:"sessionId"`
	Round     int                 `json:"round"`
	Questions []question.Question `json:"questions"`
	Metadata  map[string]any      `json:"metadata,omitempty"`
	At        time.Time           `json:"at"`
}

// responseEvent is the event of a question that its human ended: Status is answered
// or dismissed.
type responseEvent struct {
	ID      string            `json:"id"`
	AgentID string            `json:"agentId"`
	Status  desk.Status       `json:"status"`
	Answers map[string]string `json:"answers"` // by question-N (B4)
	Surface string            `json:"surface"`
	At      time.Time         `json:"at"`
}

// cancelEvent is the event of a question that ended without its human: Status is
// cancelled, timeout, unavailable or failed.
type cancelEvent struct {
	ID      string      `json:"id"`
	AgentID string      `json:"agentId"`
	Status  desk.Status `json:"status"`
	Reason  string      `json:"reason,omitempty"`
	At      time.Time   `json:"at"`
}

// changeEvent is the event of a question that is still what it was, in new
// circumstances.
type changeEvent struct {
	ID      string    `json:"id"`
	AgentID string    `json:"agentId"`
	At      time.Time `json:"at"`
}

// frame returns an event as it goes over a stream.
func frame(ev desk.Event, now time.Time) ([]byte, error) {
	name, body := told(ev, now)
	data, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, data), nil
}

func told(ev desk.Event, now time.Time) (name string, body any) {
	rec, o := ev.Record, ev.Record.Outcome
	switch {
	case ev.Type == desk.Asked:
		return eventRequest, requestEvent{rec.ID, rec.Asker.Client, rec.SessionID, rec.Round, rec.Questions, rec.Metadata, rec.CreatedAt}
	case ev.Type != desk.Ended || o == nil:
		return eventChange, changeEvent{rec.ID, rec.Asker.Client, now}
	case o.Reply != nil:
		return eventResponse, responseEvent{rec.ID, rec.Asker.Client, o.Status, indexed(&rec, o.Reply), o.Surface, o.At}
	}
	return eventCancel, cancelEvent{rec.ID, rec.Asker.Client, o.Status, o.Reason, o.At}
}

// indexed returns the answers of a reply by question-N, where N is the place
// of the question in its set, and of follow-ups by question id; several labels
// are joined with commas (B4).
func indexed(rec *desk.Record, r *question.Reply) map[string]string {
	out := map[string]string{}
	for _, a := range r.Answers {
		q := rec.Find(a.QuestionID)
		if q == nil {
			continue
		}
		key := q.ID
		if i := slices.IndexFunc(rec.Questions, func(x question.Question) bool { return x.ID == q.ID }); i >= 0 {
			key = fmt.Sprintf("question-%d", i)
		}
		out[key] = strings.Join(q.Words(&a), ",")
	}
	return out
}

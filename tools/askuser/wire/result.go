package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Result is the machine part of a tool result (C6): what structuredContent
// holds, in this order.
type Result struct {
	Status desk.Status `json:"status" jsonschema:"required"`
	// Message is the sentence for the model, the same as the text content: some
	// hosts, Claude Code among them, show their model the structured content
	// instead of the text.
	Message   string     `json:"message"`
	ID        string     `json:"id,omitempty"`
	Round     int        `json:"round,omitempty"`
	Answers   ordered    `json:"answers"`
	Responses []Response `json:"responses"`
	Response  *bool      `json:"response,omitempty"` // to a set of one yes-or-no question, as confirm_action asks it (E7)
	Note      string     `json:"note"`
	Reason    string     `json:"reason,omitempty"`
	Summary   string     `json:"summary"`
	Surface   string     `json:"surface,omitempty"`
}

// Response is what became of one question.
type Response struct {
	QuestionID string      `json:"question_id"`
	Question   string      `json:"question"`
	Header     string      `json:"header,omitempty"`
	State      string      `json:"state"` // answered, unanswered, not_shown
	Selected   []Selected  `json:"selected"`
	Text       string      `json:"text"`
	Response   anyResponse `json:"response"`
	By         question.By `json:"by,omitempty"`
}

// anyResponse is a string, several strings, or yes or no; nil where there is no
// answer (E6).
type anyResponse struct{ any }

// MarshalJSON writes the response itself.
func (r anyResponse) MarshalJSON() ([]byte, error) { return json.Marshal(r.any) }

// Selected is a chosen option.
type Selected struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// The states of a response.
const (
	stateAnswered   = "answered"
	stateUnanswered = "unanswered"
	stateNotShown   = "not_shown"
)

// IsError reports whether the result is an error result: no human can be
// reached, or something broke. The other outcomes are no errors (DESIGN,
// promise 4).
func (r *Result) IsError() bool { return r.Status == desk.Unavailable || r.Status == desk.Failed }

// NewResult puts a record's state into a result.
func NewResult(rec desk.Record) *Result {
	r := &Result{Status: rec.State, ID: rec.ID, Round: rec.Round, Responses: []Response{}}
	o := rec.Outcome
	if o == nil {
		r.Status = desk.Pending
		r.Summary = "Waiting for the user"
		r.Message = fmt.Sprintf("The question is still open: the user has not answered yet, and still can. Call await_answer with id %q to get the answer. Assume nothing until then.", rec.ID)
		return r
	}
	r.Surface = o.Surface
	switch o.Status {
	case desk.Answered:
		r.answered(rec)
	case desk.Dismissed:
		r.dismissed(o.Reply)
	case desk.Timeout:
		r.Summary = "No answer in time"
		r.Message = fmt.Sprintf("The user did not answer within %s. Silence is not consent: no option may be treated as chosen.", waited(o.Reason))
	case desk.Cancelled:
		r.Summary, r.Reason = "Question withdrawn", o.Reason
		r.Message = "The question was withdrawn: " + o.Reason + ". Assume no answer."
	case desk.Unavailable:
		r.Summary, r.Reason = "No way to reach the user", o.Reason
		r.Message = "There is no way to show the question to the user here (" + o.Reason + "). Do not call this tool again; ask the user in plain text in your reply instead."
	default:
		r.Summary = "The question failed"
		r.Message = "Asking failed inside the server; its log says why. Assume no answer; ask the user in plain text in your reply instead."
	}
	return r
}

func (r *Result) dismissed(reply *question.Reply) {
	r.Summary = "User dismissed the question"
	r.Note = "User dismissed the question without answering."
	r.Message = r.Note
	if reply != nil && reply.Reason != "" {
		r.Reason = reply.Reason
		r.Message += fmt.Sprintf(" Their reason: %q.", reply.Reason)
	}
	r.Message += " Go on without assuming that any option was chosen."
}

// answered says what the user answered, and apart from it what they did not
// (B1, D1).
func (r *Result) answered(rec desk.Record) {
	reply := rec.Outcome.Reply
	var said, open, brought, taken []string
	shown := map[string]bool{}
	for _, q := range rec.Shown(reply.Answers) {
		shown[q.ID] = true
	}
	for _, q := range rec.All() {
		a := answerTo(&rec, q)
		resp := Response{QuestionID: q.ID, Question: q.Text, Header: q.Header, State: stateAnswered, Selected: []Selected{}}
		switch {
		case a == nil && !shown[q.ID]:
			resp.State = stateNotShown
		case a == nil:
			resp.State = stateUnanswered
			open = append(open, fmt.Sprintf(`"%s"`, q.Text))
		default:
			words := strings.Join(q.Words(a), ", ")
			pair := fmt.Sprintf(`"%s"="%s"`, q.Text, words)
			switch a.By {
			case question.ByCaller:
				brought = append(brought, pair)
			case question.ByTimeout:
				taken = append(taken, pair)
			default:
				said = append(said, pair)
			}
			resp.take(q, a)
			r.Answers.put(q.Text, quote(words))
		}
		r.Responses = append(r.Responses, resp)
	}
	if yes, ok := r.Responses[0].Response.any.(bool); ok && len(rec.Questions) == 1 {
		r.Response = &yes
	}
	r.Note = reply.Note
	r.Summary = count(len(said))
	r.Message = join(
		sentence(said, "User has answered your questions: %s. You can now continue with the user's answers in mind."),
		sentence(open, "Left open by the user: %s."),
		sentence(taken, "Nobody answered in time; as you asked, the default stands, not confirmed by the user: %s."),
		sentence(brought, "Not asked, because you brought the answer yourself; the user has not confirmed it: %s."),
	)
	if reply.Note != "" {
		r.Message = join(r.Message, fmt.Sprintf("The user adds: %q.", reply.Note))
	}
}

// take puts the answer into the response (E6, D5).
func (resp *Response) take(q *question.Question, a *question.Answer) {
	resp.By = a.By
	if resp.By == "" {
		resp.By = question.ByUser
	}
	for _, id := range a.Selected {
		if o := q.Option(id); o != nil {
			resp.Selected = append(resp.Selected, Selected{o.ID, o.Label})
		}
	}
	resp.Text = a.Custom
	switch {
	case q.Type == question.Boolean:
		resp.Response.any = len(a.Selected) == 1 && a.Selected[0] == question.YesID
	case q.Several():
		resp.Response.any = q.Words(a)
	default:
		resp.Response.any = strings.Join(q.Words(a), ", ")
	}
}

// quote writes a string as JSON.
func quote(s string) json.RawMessage {
	out, err := encode(s)
	if err != nil { // a string has no reason to fail
		panic(err)
	}
	return json.RawMessage(out)
}

func count(n int) string {
	switch n {
	case 0:
		return "User answered no question"
	case 1:
		return "User answered 1 question"
	}
	return fmt.Sprintf("User answered %d questions", n)
}

// sentence puts the items into a sentence; no items, no sentence.
func sentence(items []string, format string) string {
	if len(items) == 0 {
		return ""
	}
	return fmt.Sprintf(format, strings.Join(items, ", "))
}

func join(sentences ...string) string {
	var out []string
	for _, s := range sentences {
		if s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, " ")
}

// waited writes a duration for people: 1m30s is "1 minute 30 seconds".
func waited(duration string) string {
	d, err := time.ParseDuration(duration)
	if err != nil {
		return "the time given"
	}
	var parts []string
	for _, u := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		n := d / u.size
		d -= n * u.size
		if n == 1 {
			parts = append(parts, "1 "+u.name)
		} else if n > 1 {
			parts = append(parts, fmt.Sprintf("%d %ss", n, u.name))
		}
	}
	if parts == nil {
		return d.String()
	}
	return strings.Join(parts, " ")
}

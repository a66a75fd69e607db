package wire

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/texts"
	"mcp-askuser/ui/words"
)

// Result is the machine part of a tool result: what structuredContent
// holds, in this order.
type Result struct {
	Status desk.Status `json:"status" jsonschema:"required"`
	// Message is the sentence for the model, the same as the text content: some
	// hosts, Claude Code among them, show their model the structured content
	// instead of the text.
	Message string `json:"message"`
	// By is the answerer in one word, where it is not the user in a surface of ours:
	// program, front end, asker, host or timeout.
	By        string     `json:"by,omitempty"`
	Answerer  *Answerer  `json:"answerer,omitempty"`
	ID        string     `json:"id,omitempty"`
	Round     int        `json:"round,omitempty"`
	Answers   ordered    `json:"answers"`
	Responses []Response `json:"responses"`
	Response  *bool      `json:"response,omitempty"` // to a set of one yes-or-no question, as confirm_action asks it
	Note      string     `json:"note"`               // the user's own word, about the answers or why there are none
	Reason    string     `json:"reason,omitempty"`
	Summary   string     `json:"summary"`
	Surface   string     `json:"surface,omitempty"`
	// When it was answered, and how many milliseconds the user had the questions
	// in front of them; 0 is unknown.
	AnsweredAt string `json:"answered_at,omitempty"`
	Took       int64  `json:"took_ms,omitempty"`
	Earlier    string `json:"earlier,omitempty"` // the record that this one goes back to
}

// Answerer says what gave the reply, and how.
type Answerer struct {
	Kind desk.AnswererKind `json:"kind"`
	How  desk.How          `json:"how"`
	Name string            `json:"name,omitempty"` // of the user's credential, or of their front end
}

// Response is what became of one question.
type Response struct {
	QuestionID string         `json:"question_id"`
	Question   string         `json:"question"`
	Header     string         `json:"header,omitempty"`
	State      question.State `json:"state"`
	Selected   []Selected     `json:"selected"`
	Text       string         `json:"text"`
	Response   anyResponse    `json:"response"`
	By         question.By    `json:"by,omitempty"`
	Note       string         `json:"note,omitempty"` // the user's own word beside the answer
}

// anyResponse is a string, several strings, or yes or no; nil where there is no
// answer.
type anyResponse struct{ any }

// MarshalJSON writes the response itself.
func (r anyResponse) MarshalJSON() ([]byte, error) { return json.Marshal(r.any) }

// Selected is a chosen option.
type Selected struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// IsError reports whether the result is an error result: no human can be
// reached, or something broke. The other outcomes are no errors.
func (r *Result) IsError() bool { return r.Status == desk.Unavailable || r.Status == desk.Failed }

// NewResult puts a record's state into a result.
func NewResult(rec desk.Record) *Result {
	r := &Result{Status: rec.State, ID: rec.ID, Round: rec.Round, Responses: []Response{}, Earlier: rec.Earlier}
	r.fill(rec)
	if rec.Later != nil {
		var later []string
		for _, x := range rec.Set.Asked(rec.Later.Reply) {
			if x.Answer != nil {
				later = append(later, x.Pair())
			}
		}
		r.Message += " " + texts.Fill("later", map[string]string{"where": words.English.Surface(rec.Later.Surface), "later": list(later)})
	}
	if rec.Earlier != "" && rec.Reply() != nil {
		r.Message += " " + texts.Fill("reopened", map[string]string{"id": strconv.Quote(rec.Earlier)})
	}
	if r.Answerer != nil && r.Answerer.Name != "" {
		named := "named"
		if r.Answerer.How == desk.HowFrontEnd {
			named = "through"
		}
		r.Message += " " + texts.Fill(named, map[string]string{"name": r.Answerer.Name})
	}
	return r
}

func (r *Result) fill(rec desk.Record) {
	o := rec.Outcome
	if o == nil {
		r.Status = desk.Pending
		r.Summary = "Waiting for the user"
		r.Message = texts.Fill("pending", map[string]string{"id": strconv.Quote(rec.ID)})
		return
	}
	r.Surface = o.Surface
	if a := o.Answerer; a != nil {
		r.Answerer = &Answerer{a.Kind, a.How, a.Name}
		if r.By = a.By(); r.By == string(desk.UserAnswerer) {
			r.By = ""
		}
	}
	switch o.Status {
	case desk.Answered, desk.Discuss:
		r.answered(rec)
	case desk.Dismissed:
		r.dismissed(o)
	case desk.Timeout:
		r.Summary = "No answer in time"
		r.Message = texts.Fill("timeout", map[string]string{"time": waited(o.Reason)})
	case desk.Cancelled:
		r.Summary, r.Reason = "Question withdrawn", o.Reason
		who := words.English.Surface(o.Surface)
		if who == "" {
			who = "by " + words.English.Client(rec.Asker)
		}
		r.Message = texts.Fill("cancelled", map[string]string{"who": who, "reason": o.Reason})
	case desk.Unavailable:
		r.Summary, r.Reason = "No way to reach the user", o.Reason
		r.Message = texts.Fill("unavailable", map[string]string{"reason": cmp.Or(o.Reason, "no reason was given")})
	default:
		r.Summary = "The question failed"
		r.Message = texts.Text("failed")
	}
}

// NewUntold returns the result of a question that no surface could show: the
// ticket, and what the model must tell the user, a command and perhaps an address.
func NewUntold(rec desk.Record, command, address, reason string) *Result {
	r := NewResult(rec)
	r.Summary, r.Reason = "Nobody was shown the question", reason
	values := map[string]string{"command": command, "address": address, "id": strconv.Quote(rec.ID)}
	if rec.Secret() != nil {
		values["secret"] = "a secret"
	}
	r.Message = texts.Fill("untold", values)
	return r
}

// Age adds to a reply that is delivered late how old it is.
func (r *Result) Age(rec desk.Record, now time.Time) {
	if rec.Reply() == nil || now.Sub(rec.Outcome.At) <= time.Minute {
		return
	}
	name := "age_other"
	if rec.State == desk.Answered && slices.ContainsFunc(r.Responses, func(x Response) bool { return x.By == question.ByUser }) {
		name = "age"
	}
	r.AnsweredAt = rec.Outcome.At.UTC().Format(time.RFC3339)
	r.Message += " " + texts.Fill(name, map[string]string{"ago": words.English.Ago(now.Sub(rec.Outcome.At))})
}

func (r *Result) dismissed(o *desk.Outcome) {
	program := o.FromProgram()
	r.Summary = "User dismissed the question"
	r.Reason, r.Note = o.Reply.Reason, o.Reply.Reason
	if program {
		r.Summary, r.Note = "A program dismissed the question", ""
	}
	r.Message = texts.Reply("dismissed", program, map[string]string{"who": words.Program(o), "reason": texts.Quoted(r.Reason)})
}

// answered fills in the answers, and separately what the user left open.
func (r *Result) answered(rec desk.Record) {
	pairs := map[question.By][]string{}
	var open, notes []string
	for _, x := range rec.Responses() {
		text := `"` + x.Question.Text + `"`
		switch x.State {
		case question.StateAnswered:
			pairs[x.By()] = append(pairs[x.By()], x.Pair())
			r.Answers.set(x.Question.Text, x.Text())
		case question.StateUnanswered:
			open = append(open, text)
		case question.StateNotShown:
		}
		if x.Note != "" {
			notes = append(notes, text+": "+texts.Quoted(x.Note))
		}
		r.Responses = append(r.Responses, responseOf(x))
	}
	if len(rec.Questions) == 1 {
		if yes, confirms := r.Responses[0].Response.any.(bool); confirms && r.Responses[0].By == question.ByUser {
			r.Response = &yes
		}
	}
	o := rec.Outcome
	byProgram, who := o.FromProgram(), words.Program(o)
	r.AnsweredAt, r.Took = o.At.UTC().Format(time.RFC3339), o.Took
	user, program := pairs[question.ByUser], pairs[question.ByProgram]
	r.Note = o.Reply.Note
	switch {
	case len(user) > 0:
		r.Summary = "User answered " + words.English.N(len(user), "%d question", "%d questions")
	case len(program) > 0:
		r.Summary = "A program answered " + words.English.N(len(program), "%d question", "%d questions")
	default:
		r.Summary = "User answered no question"
	}
	if o.Status == desk.Discuss {
		r.Summary = "User wants to discuss this first"
		if byProgram {
			r.Summary = "A program put the question back to be discussed"
			user, program = slices.Concat(user, program), nil
		}
		r.Message = texts.Reply("discuss", byProgram, map[string]string{"who": who, "answers": list(user), "program": list(program), "note": texts.Quoted(r.Note), "notes": list(notes)})
		return
	}
	notePlace, notesPlace, openPlace, answersPlace := "note", "notes", "open", "answers"
	if r.Response != nil && !*r.Response && rec.AsksLeave() {
		answersPlace = "refused"
	}
	if byProgram {
		notePlace, notesPlace, openPlace = "remark", "remarks", "left"
	}
	r.Message = texts.Fill("answered", map[string]string{
		answersPlace: list(user),
		"program":    list(program),
		"who":        who,
		openPlace:    list(open),
		"defaults":   list(pairs[question.ByTimeout]),
		"collected":  list(pairs[question.ByCaller]),
		notesPlace:   list(notes),
		notePlace:    texts.Quoted(r.Note),
	})
}

// responseOf returns one question of a set with its answer, for programs and models.
func responseOf(x question.Response) Response {
	r := Response{
		QuestionID: x.ID, Question: x.Question.Text, Header: x.Header,
		State: x.State, Selected: []Selected{}, Response: anyResponse{x.Value()}, By: x.By(), Note: x.Note,
	}
	if x.Answer == nil {
		return r
	}
	for _, id := range x.Answer.Selected {
		if o := x.Option(id); o != nil {
			r.Selected = append(r.Selected, Selected{o.ID, o.Label})
		}
	}
	r.Text = x.Answer.Custom
	return r
}

func list(items []string) string { return strings.Join(items, ", ") }

// waited is a duration, as the outcome of a timeout has it, in words.
func waited(duration string) string {
	switch d, err := time.ParseDuration(duration); {
	case err != nil:
		return "the time given"
	case d < time.Second:
		return duration
	default:
		return words.English.Span(d)
	}
}

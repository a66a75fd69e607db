package wire

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/texts"
	"mcp-askuser/ui/words"
)

// Result is all that a record says to a program, in this order: of a command, and in a
// transcript. The result of a tool is [Structured].
type Result struct {
	Status  desk.Status `json:"status"`
	Message string      `json:"message"` // the sentence for the model: the text content of a tool's result
	// By is the answerer in one word, where it is not the user in a surface of ours:
	// program, front end, asker, host or timeout.
	By        string          `json:"by,omitempty"`
	Answerer  *Answerer       `json:"answerer,omitempty"`
	Proof     *question.Proof `json:"proof,omitempty"` // the user's signature under the answers
	ID        string          `json:"id,omitempty"`
	Round     int             `json:"round,omitempty"`
	Answers   ordered         `json:"answers"`
	Responses []Response      `json:"responses"`
	Response  *bool           `json:"response,omitempty"` // to a set of one yes-or-no question, as confirm_action asks it
	Note      string          `json:"note"`               // the user's own word, about the answers or why there are none
	Reason    string          `json:"reason,omitempty"`
	Summary   string          `json:"summary"`
	Surface   string          `json:"surface,omitempty"`
	// When it was answered, and how many milliseconds the user had the questions
	// in front of them; 0 is unknown.
	AnsweredAt string `json:"answered_at,omitempty"`
	Took       int64  `json:"took_ms,omitempty"`
	Earlier    string `json:"earlier,omitempty"` // the record that this one reopens

	// For Structured alone:

	more  []*Result // of several records that are awaited, further ones that have ended
	open  []string  // and the ids of those that are open
	notes ordered   // the user's, by question
	named bool      // the caller gave ids
	late  bool      // the reply is delivered late
	rest  string    // the part of Message that the other members of Structured do not say
}

// Structured is the structured content of a tool's result, for every client: some hosts,
// Claude Code among them, show their model this in place of the text. It has each answer
// once, and nothing that the model does not need: each byte costs the user's context.
type Structured struct {
	Status     desk.Status     `json:"status" jsonschema:"required"`
	By         string          `json:"by,omitempty"`   // as in Result
	Name       string          `json:"name,omitempty"` // of the answerer
	Proof      *question.Proof `json:"proof,omitempty"`
	Answers    ordered         `json:"answers,omitzero"`
	Response   anyResponse     `json:"response,omitzero"`     // to the only question, where Answers does not say it: yes or no, several strings
	Responses  []NamedResponse `json:"responses,omitempty"`   // of the questions shown, where the caller gave ids
	Notes      ordered         `json:"notes,omitzero"`        // by question
	Note       string          `json:"note,omitempty"`        // as in Result; of a dismissal its reason
	AnsweredAt string          `json:"answered_at,omitempty"` // of a reply that is delivered late
	ID         string          `json:"id,omitempty"`          // to await, or one of several that were awaited
	Code       string          `json:"code,omitempty"`        // why the call was refused
	Summary    string          `json:"summary,omitempty"`     // a line for people
	Message    string          `json:"message,omitempty"`     // what the model must know beside all that
	// Of several records that are awaited, further ones that have ended, and the ids of
	// those that are open. They are not in the schema: few calls await several.
	More []*Structured `json:"more,omitempty" jsonschema:"-"`
	Open []string      `json:"open,omitempty" jsonschema:"-"`
}

// NamedResponse is the answer to one question by the ids that the caller gave.
type NamedResponse struct {
	QuestionID string         `json:"question_id"`
	State      question.State `json:"state"`
	Selected   []Selected     `json:"selected,omitempty"`
	Text       string         `json:"text,omitempty"`
}

// The codes of refused calls.
const (
	CodeValidation = "validation"
	CodeRoundLimit = "round_limit"
)

// MarshalJSON writes the result with every text in it as [question.Readable] shows it: hosts
// show it to their model, and print it.
func (r *Result) MarshalJSON() ([]byte, error) { return encodeShown((*original)(r)) }

// original is a result with its texts as they are.
type original Result

// MarshalJSON is as of [Result.MarshalJSON].
func (r *Structured) MarshalJSON() ([]byte, error) {
	type members Structured
	return encodeShown((*members)(r))
}

// Refused returns the result of a call that asked nothing.
func Refused(code, message string) *Structured {
	summary := map[string]string{CodeValidation: "The call was not valid", CodeRoundLimit: "Too many questions in a row"}
	return &Structured{Status: desk.Failed, Code: code, Summary: summary[code], Message: message}
}

// Structured returns the result of a tool.
func (r *Result) Structured() *Structured {
	out := &Structured{
		Status: r.Status, By: r.By, Proof: r.Proof, Answers: r.Answers, Notes: r.notes, Note: r.Note,
		Summary: r.Summary, Message: r.rest, Open: r.open,
	}
	for _, more := range r.more {
		out.More = append(out.More, more.Structured())
		out.More[len(out.More)-1].ID = more.ID
	}
	if r.Answerer != nil {
		out.Name = r.Answerer.Name
	}
	if r.Status == desk.Pending || r.more != nil || r.open != nil {
		out.ID = r.ID
	}
	if r.Status == desk.Dismissed {
		out.Note = r.Reason
	}
	if r.late {
		out.AnsweredAt = r.AnsweredAt
	}
	if r.named {
		for _, x := range r.Responses {
			if x.State != question.StateNotShown {
				out.Responses = append(out.Responses, NamedResponse{x.QuestionID, x.State, x.Selected, x.Text})
			}
		}
	}
	if len(r.Responses) == 1 {
		if _, several := r.Responses[0].Response.any.([]string); several || r.Response != nil {
			out.Response = r.Responses[0].Response
		}
	}
	return out
}

// Add adds a text to the message.
func (r *Result) Add(name string, values map[string]string) { r.add(name, values, nil) }

// Replace makes a text the message.
func (r *Result) Replace(name string, values map[string]string) {
	r.Message, r.rest = "", ""
	r.Add(name, values)
}

// add adds a text to the message. Some values differ in [Structured], which leaves out the
// lines of the empty ones: its members say them.
func (r *Result) add(name string, values, structured map[string]string) {
	fill := func(to *string, values map[string]string) {
		*to = strings.TrimSpace(*to + " " + texts.Fill(name, values))
	}
	fill(&r.Message, values)
	values = maps.Clone(values)
	maps.Copy(values, structured)
	fill(&r.rest, values)
}

// Answerer says what gave the reply, and how.
type Answerer struct {
	Kind desk.AnswererKind `json:"kind"`
	How  desk.How          `json:"how"`
	Name string            `json:"name,omitempty"` // of the user's credential, or of their front end
}

// Response is the state of one question and its answer.
type Response struct {
	QuestionID string          `json:"question_id"`
	Question   string          `json:"question"`
	Header     string          `json:"header,omitempty"`
	State      question.State  `json:"state"`
	Selected   []Selected      `json:"selected"`
	Text       string          `json:"text"`
	Response   anyResponse     `json:"response"`
	By         question.By     `json:"by,omitempty"`
	Note       string          `json:"note,omitempty"` // the user's own word beside the answer
	Files      []question.File `json:"files,omitempty"`
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
	r.named = callerNamed(rec.Questions, "q")
	r.fill(rec)
	if rec.Earlier != "" && rec.Reply() != nil {
		r.Add("reopened", map[string]string{"id": strconv.Quote(rec.Earlier)})
	}
	if r.Answerer != nil && r.Answerer.Name != "" {
		named := "named"
		if r.Answerer.How == desk.HowFrontEnd {
			named = "through"
		}
		r.add(named, map[string]string{"name": r.Answerer.Name}, map[string]string{"name": ""})
	}
	if o := rec.Outcome; o != nil && o.Proof.Public() != nil {
		r.Proof = o.Proof.Public()
		r.Add("proven_"+string(o.Proof.Kind), nil)
	}
	return r
}

func (r *Result) fill(rec desk.Record) {
	o := rec.Outcome
	if o == nil {
		r.Status = desk.Pending
		r.Summary = "Waiting for the user"
		r.add("pending", map[string]string{"id": "id " + strconv.Quote(rec.ID)}, map[string]string{"id": "this id"})
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
		r.Add("timeout", map[string]string{"time": waited(o.Reason)})
	case desk.Cancelled:
		r.Summary, r.Reason = "Question withdrawn", o.Reason
		who := words.English.Surface(o.Surface)
		if who == "" {
			who = "by " + words.English.Client(rec.Asker)
		}
		r.Add("cancelled", map[string]string{"who": who, "reason": o.Reason})
	case desk.Unavailable:
		r.Summary, r.Reason = "No way to reach the user", words.English.Remedy(o)
		r.Add("unavailable", map[string]string{"reason": r.Reason})
	default:
		r.Summary = "The question failed"
		r.Add("failed", nil)
	}
}

// NewOpen returns the result of records that are open: the text of this name, pending,
// asked or untold, which sends the model to await_answer with their ids, and has values.
func NewOpen(name string, values map[string]string, recs ...desk.Record) *Result {
	r := NewResult(recs[0])
	r.Message, r.rest = "", ""
	full, lean := map[string]string{"id": "id " + strconv.Quote(r.ID)}, "this id"
	if len(recs) > 1 {
		for _, rec := range recs {
			r.open = append(r.open, rec.ID)
		}
		r.ID, full["id"], lean = "", "ids "+quoted(r.open), "these ids"
	}
	maps.Copy(full, values)
	r.add(name, full, map[string]string{"id": lean})
	return r
}

// Join makes one result of those of several records that are awaited. At least one has
// ended; open are the ids of the others.
func Join(ended []*Result, open []string) *Result {
	r := ended[0]
	r.more, r.open = ended[1:], open
	var messages []string
	for _, x := range ended {
		messages = append(messages, texts.Fill("one", map[string]string{"id": strconv.Quote(x.ID), "message": x.Message}))
	}
	r.Message = strings.Join(messages, "\n")
	if open != nil {
		r.add("open", map[string]string{"ids": quoted(open)}, map[string]string{"ids": ""})
	}
	return r
}

func quoted(ids []string) string { return `"` + strings.Join(ids, `", "`) + `"` }

// NewUntold returns the result of records the first of which no surface could show: the
// ids, and what the model must tell the user, a command and perhaps an address.
func NewUntold(command, address string, recs ...desk.Record) *Result {
	values := map[string]string{"command": command, "address": address}
	if recs[0].Secret() != nil {
		values["secret"] = "a secret"
	}
	if recs[0].Prove {
		values["page"] = strings.Replace(command, " inbox", " web --open", 1)
	}
	r := NewOpen("untold", values, recs...)
	r.Summary = "Nobody was shown the question"
	return r
}

// AddFiles adds the files of a reply, with their paths on the agent's machine; path returns an
// empty one for none.
func (r *Result) AddFiles(reply *question.Reply, path func(question.File) string) {
	var files []string
	for _, f := range reply.Files() {
		text := "file: " + f.String()
		if path := path(f); path != "" {
			text = strings.TrimSuffix(text, ")") + "; " + path + ")"
		}
		files = append(files, text)
	}
	r.Add("files", map[string]string{"files": strings.Join(files, "; ")})
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
	r.AnsweredAt, r.late = rec.Outcome.At.UTC().Format(time.RFC3339), true
	r.Add(name, map[string]string{"ago": words.English.Ago(now.Sub(rec.Outcome.At))})
}

func (r *Result) dismissed(o *desk.Outcome) {
	program := o.FromProgram()
	r.Summary = "User dismissed the question"
	r.Reason, r.Note = o.Reply.Reason, o.Reply.Reason
	if program {
		r.Summary, r.Note = "A program dismissed the question", ""
	}
	r.add(texts.ReplyName("dismissed", program), map[string]string{"who": words.Program(o), "reason": texts.Quoted(r.Reason)}, map[string]string{"reason": ""})
}

// answered fills in the answers, and separately what the user left open.
func (r *Result) answered(rec desk.Record) {
	pairs, asked := map[question.By][]string{}, map[question.By][]string{}
	var open, notes []string
	for _, x := range rec.Responses() {
		text := `"` + x.Question.Text + `"`
		switch x.State {
		case question.StateAnswered:
			pairs[x.By()] = append(pairs[x.By()], x.Pair())
			asked[x.By()] = append(asked[x.By()], text)
			r.Answers.set(x.Question.Text, x.Text())
		case question.StateUnanswered:
			open = append(open, text)
		case question.StateNotShown:
		}
		if x.Note != "" {
			notes = append(notes, text+": "+texts.Quoted(x.Note))
			r.notes.set(x.Question.Text, x.Note)
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
			user, program, asked[question.ByProgram] = slices.Concat(user, program), nil, nil
		}
		r.add(texts.ReplyName("discuss", byProgram),
			map[string]string{"who": who, "answers": list(user), "program": list(program), "note": texts.Quoted(r.Note), "notes": list(notes)},
			map[string]string{"answers": "", "program": list(asked[question.ByProgram]), "note": "", "notes": ""})
		return
	}
	values := map[string]string{
		"answers":   list(user),
		"program":   list(program),
		"who":       who,
		"defaults":  list(pairs[question.ByTimeout]),
		"collected": list(pairs[question.ByCaller]),
	}
	lean := map[string]string{
		"answers": "", "continue": "", "notes": "", "note": "", "remarks": "", "remark": "",
		"program":   list(asked[question.ByProgram]),
		"defaults":  list(asked[question.ByTimeout]),
		"collected": list(asked[question.ByCaller]),
	}
	switch no := r.Response != nil && !*r.Response && rec.AsksLeave(); {
	case no:
		values["no"] = "no"
	case len(user) > 0:
		values["continue"] = "continue"
	}
	if byProgram {
		values["remark"], values["remarks"], values["left"] = texts.Quoted(r.Note), list(notes), list(open)
	} else {
		values["note"], values["notes"], values["open"] = texts.Quoted(r.Note), list(notes), list(open)
	}
	r.add("answered", values, lean)
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
	r.Text, r.Files = x.Answer.Custom, x.Answer.Files
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

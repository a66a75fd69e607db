package wire

import (
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

// Result is what a call ends with, for every client and for commands: some hosts, Claude
// Code among them, show their model this in place of the text. It has each answer once, and
// nothing that the model does not need: each byte costs the user's context. Who asked, and
// the surface of the answer, only the record has. The schemas of the tools are in genschema.
type Result struct {
	Status desk.Status `json:"status" jsonschema:"required"`
	// By is the answerer in one word, where it is not the user in a surface of ours:
	// program, front end, asker, host or timeout.
	By      string          `json:"by,omitempty"`
	Name    string          `json:"name,omitempty"`   // of the answerer
	Proof   *question.Proof `json:"proof,omitempty"`  // the user's signature under the answers
	Answers ordered         `json:"answers,omitzero"` // by question: true or false, a list of several, or a text
	// Response is the answer to the only question. A text, which may be long, only Answers has.
	Response any `json:"response,omitempty"` // a string, several, yes or no

	Responses  []Response `json:"responses,omitempty"`   // of the questions shown, where the caller gave ids
	Notes      ordered    `json:"notes,omitzero"`        // the user's, by question
	Note       string     `json:"note,omitempty"`        // the user's own word on the whole; of a dismissal its reason
	AnsweredAt string     `json:"answered_at,omitempty"` // of a reply that is delivered late
	ID         string     `json:"id,omitempty"`          // to await, or one of several that were awaited
	Code       string     `json:"code,omitempty"`        // why the call was refused
	Summary    string     `json:"summary,omitempty"`     // a line for people
	Message    string     `json:"message,omitempty"`     // what the model must know beside all that
	// Of several records that are awaited, further ones that have ended, and the ids of
	// those that are open. They are not in the schema: few calls await several.
	More []*Result `json:"more,omitempty" jsonschema:"-"`
	Open []string  `json:"open,omitempty" jsonschema:"-"`

	// Text is the sentence for the model: the text content of a tool's result.
	Text string `json:"-"`
}

// Response is the answer to one question by the ids that the caller gave.
type Response struct {
	QuestionID string         `json:"question_id"`
	State      question.State `json:"state"`
	Selected   []Selected     `json:"selected,omitempty"`
	Text       string         `json:"text,omitempty"`
}

// Selected is a chosen option.
type Selected struct {
	ID    string `json:"id"`
	Label string `json:"label"`
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

// Refused returns the result of a call that asked nothing.
func Refused(code, message string) *Result {
	summary := map[string]string{CodeValidation: "The call was not valid", CodeRoundLimit: "Too many questions in a row"}
	return &Result{Status: desk.Failed, Code: code, Summary: summary[code], Message: message, Text: message}
}

// Add adds a sentence to the text and the message.
func (r *Result) Add(name string, values map[string]string) { r.add(name, values, nil) }

// Replace makes a sentence the text and the message.
func (r *Result) Replace(name string, values map[string]string) {
	r.Text, r.Message = "", ""
	r.Add(name, values)
}

// add is Add where some values differ in the message, which leaves out the lines of the empty
// ones: other members say them.
func (r *Result) add(name string, values, message map[string]string) {
	fill := func(to *string, values map[string]string) {
		*to = strings.TrimSpace(*to + " " + texts.Fill(name, values))
	}
	fill(&r.Text, values)
	values = maps.Clone(values)
	maps.Copy(values, message)
	fill(&r.Message, values)
}

// IsError reports whether the result is an error result: no user can be
// reached, or something broke. The other outcomes are no errors.
func (r *Result) IsError() bool { return r.Status == desk.Unavailable || r.Status == desk.Failed }

// NewResult puts a record's state into a result.
func NewResult(rec desk.Record) *Result {
	if rec.Outcome == nil {
		return NewOpen("pending", nil, rec)
	}
	r := &Result{Status: rec.State}
	r.fill(rec)
	if rec.Earlier != "" && rec.Reply() != nil {
		r.Add("reopened", map[string]string{"id": strconv.Quote(rec.Earlier)})
	}
	if r.Name != "" {
		named := "named"
		if r.By == string(desk.HowFrontEnd) {
			named = "through"
		}
		r.add(named, map[string]string{"name": r.Name}, map[string]string{"name": ""})
	}
	r.Proof = rec.Outcome.Proof.Public()
	if r.Proof != nil {
		r.Add("proven_"+string(r.Proof.Kind), nil)
	}
	return r
}

func (r *Result) fill(rec desk.Record) {
	o := rec.Outcome
	if by := o.Answerer.By(); by != string(desk.UserAnswerer) {
		r.By = by
	}
	if o.Answerer != nil {
		r.Name = o.Answerer.Name
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
		r.Summary = "Question withdrawn"
		who := words.English.Surface(o.Surface)
		if who == "" {
			who = "by " + words.English.Client(rec.Asker)
		}
		r.Add("cancelled", map[string]string{"who": who, "reason": o.Reason})
	case desk.Unavailable:
		if o.Refused() {
			*r = *Refused(CodeRoundLimit, "No question was asked: "+o.Reason+".")
			return
		}
		r.Summary = "No way to reach the user"
		r.Add("unavailable", map[string]string{"reason": words.English.Remedy(o)})
	default:
		r.Summary = "The question failed"
		r.Add("failed", nil)
	}
}

// NewOpen returns the result of records that are open: the text of this name, pending,
// asked or untold, which sends the model to await_answer with their ids, and has values.
func NewOpen(name string, values map[string]string, recs ...desk.Record) *Result {
	r := &Result{Status: desk.Pending, ID: recs[0].ID, Summary: "Waiting for the user"}
	full, lean := map[string]string{"id": "id " + strconv.Quote(r.ID)}, "this id"
	if len(recs) > 1 {
		for _, rec := range recs {
			r.Open = append(r.Open, rec.ID)
		}
		r.ID, full["id"], lean = "", "ids "+quoted(r.Open), "these ids"
	}
	maps.Copy(full, values)
	r.add(name, full, map[string]string{"id": lean})
	return r
}

// Join makes one result of those of several records that are awaited, which have their ids.
// At least one has ended; open are the ids of the others.
func Join(ended []*Result, open []string) *Result {
	r := ended[0]
	r.More, r.Open = ended[1:], open
	var all []string
	for _, x := range ended {
		all = append(all, texts.Fill("one", map[string]string{"id": strconv.Quote(x.ID), "message": x.Text}))
	}
	r.Text = strings.Join(all, "\n")
	if open != nil {
		r.add("open", map[string]string{"ids": quoted(open)}, map[string]string{"ids": ""})
	}
	return r
}

func quoted(ids []string) string { return `"` + strings.Join(ids, `", "`) + `"` }

// NewUntold returns the result of records the first of which no surface could show: the
// ids, and what the model must tell the user, a command.
func NewUntold(command string, recs ...desk.Record) *Result {
	values := map[string]string{"command": command}
	if recs[0].Secret() != nil {
		values["secret"] = "a secret"
	}
	if recs[0].Prove {
		values["key"] = "a passkey"
		if recs[0].Home != "" {
			values["key"] = "their credential of the desk"
		}
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

// Age adds to a reply that is delivered late how old it is: no older than its question, where the
// answerer's machine has another clock.
func (r *Result) Age(rec desk.Record, now time.Time) {
	if rec.Reply() == nil {
		return
	}
	age := min(now.Sub(rec.Outcome.At), now.Sub(rec.CreatedAt))
	if age <= time.Minute {
		return
	}
	name := "age_other"
	if rec.State == desk.Answered && slices.ContainsFunc(rec.Responses(),
		func(x question.Response) bool { return x.By() == question.ByUser }) {
		name = "age"
	}
	r.AnsweredAt = now.Add(-age).UTC().Format(time.RFC3339)
	r.Add(name, map[string]string{"ago": words.English.Ago(age)})
}

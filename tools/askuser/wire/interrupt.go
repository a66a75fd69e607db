package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Interrupts is the format of LangChain's Agent Inbox: a program that waits for
// its human writes a HumanInterrupt and reads a HumanResponse
// (langchain-ai/agent-inbox, README). Such a call is one choice here.
const Interrupts = "agent-inbox"

// interrupt is a HumanInterrupt.
type interrupt struct {
	ID      string          `json:"id,omitempty"` // the record's; ours
	Request actionRequest   `json:"action_request"`
	Config  map[string]bool `json:"config"`
	Text    string          `json:"description,omitempty"`
}

// actionRequest is what the program wants to do.
type actionRequest struct {
	Action string         `json:"action"`
	Args   map[string]any `json:"args"`
}

// response is a HumanResponse: args is null, a text, or an action request.
type response struct {
	Type string `json:"type"`
	Args any    `json:"args"`
}

// The responses that there are, and what in the configuration allows each.
const (
	accept  = "accept"
	edit    = "edit"
	respond = "response"
	ignore  = "ignore"
)

// kept is where the metadata of a set has the interrupt.
const kept = "human_interrupt"

// interrupt reads a HumanInterrupt into a set of one question.
func (d *decoder) interrupt(m ordered) question.Set {
	in := interrupt{Text: strings.TrimSpace(d.text("description", m.get("description")))}
	in.Config, _ = question.Read[map[string]bool](&d.found, "config", m.get("config"), "an object of true and false")
	request, _ := d.object("action_request", m.get("action_request"), "an object")
	in.Request.Action = strings.TrimSpace(d.text("action_request.action", request.get("action")))
	in.Request.Args, _ = question.Read[map[string]any](&d.found, "action_request.args", request.get("args"), "an object")
	if in.Request.Action == "" {
		d.found.Add("action_request.action", "is required: what is to be done")
	}
	q := question.Question{
		ID: "q1", Text: question.Cut("Allow "+in.Request.Action+"?", d.limits.Question), Type: question.SingleChoice, Required: true,
		Header: question.Cut(in.Request.Action, d.limits.Header),
	}
	args, _ := json.MarshalIndent(in.Request.Args, "", "  ")
	q.Description = strings.TrimSpace(in.Text + "\n\n```json\n" + string(args) + "\n```")
	below := func(id, text, before string) []question.Question {
		return []question.Question{{ID: "q1." + id, Text: text, Type: question.Text, Required: true, Default: before}}
	}
	for _, way := range []struct {
		allowed string
		option  question.Option
	}{
		{"allow_accept", question.Option{ID: accept, Label: "Accept", Description: "Do it as it stands"}},
		{"allow_edit", question.Option{ID: edit, Label: "Edit", Description: "Do it with other arguments", FollowUps: below(edit, "With which arguments? (JSON)", string(args))}},
		{"allow_respond", question.Option{ID: respond, Label: "Respond", Description: "Say something instead", FollowUps: below(respond, "What do you say?", "")}},
		{"allow_ignore", question.Option{ID: ignore, Label: "Ignore", Description: "Do not do it"}},
	} {
		if in.Config[way.allowed] {
			q.Options = append(q.Options, way.option)
		}
	}
	switch {
	case len(q.Options) == 0:
		d.found.Add("config", "must allow something: allow_accept, allow_edit, allow_respond, allow_ignore")
	case len(q.Options) == 1 && q.Options[0].ID == respond: // it is a question, and the text its answer
		q.Type, q.Options, q.Text = question.Text, nil, question.Cut(in.Request.Action, d.limits.Question)
	case len(q.Options) == 1:
		q.Options = append(q.Options, question.Option{ID: ignore, Label: "Ignore", Description: "Do not do it"})
	}
	var plain map[string]any // as it is read from a record
	_ = json.Unmarshal([]byte(encoded(in)), &plain)
	return question.Set{Questions: []question.Question{q}, Metadata: map[string]any{kept: plain}}
}

// interruptOf returns the interrupt that a record was asked with, or the record
// as one: its questions as the arguments, to which the human responds.
func interruptOf(rec *desk.Record) (in interrupt, theirs bool) {
	if data, err := json.Marshal(rec.Metadata[kept]); err == nil && json.Unmarshal(data, &in) == nil && in.Request.Action != "" {
		in.ID = rec.ID
		return in, true
	}
	var text strings.Builder
	for _, x := range rec.Asked() {
		if x.Place < 0 {
			continue
		}
		text.WriteString("**" + question.Block(x.Question.Text) + "**\n\n")
		for _, o := range x.Options {
			text.WriteString("- " + question.Line(o.Label) + "\n")
		}
	}
	return interrupt{
		ID:      rec.ID,
		Request: actionRequest{Action: "ask_user_question", Args: map[string]any{"questions": rec.Questions}},
		Config:  map[string]bool{"allow_accept": false, "allow_edit": false, "allow_respond": len(rec.Questions) == 1, "allow_ignore": true},
		Text:    strings.TrimSpace(text.String()),
	}, false
}

// Interrupt returns a record as a HumanInterrupt.
func Interrupt(rec desk.Record) any {
	in, _ := interruptOf(&rec)
	return in
}

// humanResponse returns the reply to a record as a HumanResponse. The error says
// that it is none: what they wrote is no JSON object.
func humanResponse(rec *desk.Record) (response, error) {
	in, theirs := interruptOf(rec)
	switch {
	case rec.State == desk.Dismissed:
		return response{Type: ignore}, nil
	case rec.State == desk.Discuss:
		return response{respond, rec.Outcome.Reply.Note}, nil
	}
	reply := rec.Outcome.Reply
	answer := reply.Answer(rec.Questions[0].ID)
	if !theirs || answer == nil || len(answer.Selected) == 0 {
		var said []string
		for _, x := range rec.Asked() {
			if x.Answer != nil {
				said = append(said, x.Text())
			}
		}
		return response{respond, strings.Join(said, "; ")}, nil
	}
	text := ""
	if below := reply.Answer("q1." + answer.Selected[0]); below != nil {
		text = below.Custom
	}
	switch chosen := answer.Selected[0]; chosen {
	case accept:
		return response{accept, in.Request}, nil
	case edit:
		request := actionRequest{Action: in.Request.Action}
		if err := json.Unmarshal([]byte(text), &request.Args); err != nil {
			return response{}, fmt.Errorf("the user's arguments are no JSON object (%w): %s", err, text)
		}
		return response{edit, request}, nil
	case respond:
		return response{respond, text}, nil
	}
	return response{Type: ignore}, nil
}

// ReadResponse reads a HumanResponse to a record into a reply; ok is false where
// data is none. The error says what of it does not fit.
func ReadResponse(rec desk.Record, data []byte) (reply question.Reply, ok bool, err error) {
	var r struct {
		Type string          `json:"type"`
		Args json.RawMessage `json:"args"`
	}
	if opens(data, '[') { // as interrupts are resumed
		if list, _ := elements(data); len(list) == 1 {
			data = list[0]
		}
	}
	if json.Unmarshal(data, &r) != nil || r.Type == "" || r.Args == nil && r.Type != ignore {
		return reply, false, nil //nolint:nilerr // it may be a reply in another form
	}
	if r.Type == ignore {
		return question.Reply{Dismissed: true}, true, nil
	}
	in, theirs := interruptOf(&rec)
	q := &rec.Questions[0]
	text := ""
	_ = json.Unmarshal(r.Args, &text)
	chosen := question.Answer{QuestionID: q.ID, Selected: []string{r.Type}}
	switch {
	case r.Type != accept && r.Type != edit && r.Type != respond:
		return reply, true, fmt.Errorf("the type is %q; it is accept, edit, response or ignore", r.Type)
	case r.Type == respond && text == "":
		return reply, true, errors.New("the args of a response are a text")
	case !theirs || q.Type == question.Text:
		if r.Type != respond || len(rec.Questions) > 1 {
			return reply, true, errors.New("this question takes a response, or the answers by their names")
		}
		answers, err := rec.ParseAnswers([]byte(encoded(map[string]string{q.ID: text})))
		return question.Reply{Answers: answers}, true, err
	case q.Option(r.Type) == nil:
		return reply, true, fmt.Errorf("%q is not allowed here", r.Type)
	case r.Type == edit:
		var request actionRequest
		if err := json.Unmarshal(r.Args, &request); err != nil || request.Args == nil {
			return reply, true, errors.New("the args of an edit are an action request: its action and its args")
		}
		if request.Action != "" && request.Action != in.Request.Action {
			return reply, true, fmt.Errorf("the action is %q and stays so", in.Request.Action)
		}
		text = encoded(request.Args)
	case r.Type == accept:
		return question.Reply{Answers: []question.Answer{chosen}}, true, nil
	}
	return question.Reply{Answers: []question.Answer{chosen, {QuestionID: "q1." + r.Type, Custom: text}}}, true, nil
}

// encoded is a value as JSON.
func encoded(v any) string {
	s, _ := encode(v)
	return s
}

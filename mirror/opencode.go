package mirror

import (
	"encoding/json"
	"strconv"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

const openCodeName = "opencode"

func openCode() Host { return Host{Name: openCodeName, read: readOpenCode} }

// requestKey is where a record keeps the id that its host has for it.
const requestKey = "request"

// openCodeEvent is an event of OpenCode's bus, as our plugin hands it on.
type openCodeEvent struct {
	Type       string `json:"type"`
	Directory  string `json:"directory"` // this and pid are put in by the plugin
	PID        int    `json:"pid"`
	Properties struct {
		ID        string          `json:"id"`        // with question.asked
		Request   string          `json:"requestID"` // with the others
		Session   string          `json:"sessionID"`
		Questions json.RawMessage `json:"questions"`
		Answers   [][]string      `json:"answers"`
	} `json:"properties"`
}

type openCodeQuestion struct {
	Question string `json:"question"`
	Header   string `json:"header"`
	Several  bool   `json:"multiple"`
	Custom   *bool  `json:"custom"` // true where it is not there
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	} `json:"options"`
}

func readOpenCode(data []byte, _ func(string) string) (event, bool) {
	var in openCodeEvent
	if json.Unmarshal(data, &in) != nil || in.Properties.Session == "" {
		return event{}, false
	}
	p := &in.Properties
	out := event{session: p.Session, directory: in.Directory, host: in.PID, once: true}
	out.concerns = func(rec desk.Record) bool { return p.Request != "" && rec.Metadata[requestKey] == p.Request }
	switch in.Type {
	case "question.asked":
		var ok bool
		if out.set, ok = openCodeSet(p.Questions); !ok || p.ID == "" {
			return event{}, false
		}
		out.set.Metadata = map[string]any{requestKey: p.ID}
		out.print = printOpenCode
	case "question.replied":
		out.end = func(rec desk.Record) (desk.Outcome, bool) { return openCodeEnd(rec, p.Answers), true }
	case "question.rejected":
		out.end = func(desk.Record) (desk.Outcome, bool) { return dismissed(openCodeName, ""), true }
	default:
		return event{}, false
	}
	return out, true
}

// openCodeSet maps questions to a set, one to one.
func openCodeSet(data json.RawMessage) (*question.Set, bool) {
	var asked []openCodeQuestion
	if !strictly(data, &asked) {
		return nil, false
	}
	set := &question.Set{}
	for i, x := range asked {
		q := question.Question{
			ID: "q" + strconv.Itoa(i+1), Text: x.Question, Header: x.Header, Type: question.SingleChoice,
			Required: len(asked) == 1, AllowCustom: x.Custom == nil || *x.Custom,
		}
		if x.Several {
			q.Type = question.MultiChoice
		}
		for _, o := range x.Options {
			q.Options = append(q.Options, option(o.Label, o.Description, ""))
		}
		if len(q.Options) == 0 && q.AllowCustom {
			q.Type, q.AllowCustom = question.Text, false
		}
		set.Questions = append(set.Questions, q)
	}
	return set, len(set.Validate(limits())) == 0
}

// printOpenCode writes a reply as our plugin reads it: the answers to every
// question in order, or that the question is rejected.
func printOpenCode(rec desk.Record) []byte {
	r := rec.Reply()
	if r == nil {
		return nil
	}
	var out any = map[string]bool{"reject": true}
	if !r.Dismissed {
		answers, said := [][]string{}, false
		for _, x := range rec.Asked() {
			words := x.Words()
			if words == nil {
				words = []string{}
			}
			said = said || len(words) > 0
			answers = append(answers, words)
		}
		if !said {
			return nil
		}
		out = map[string]any{"answers": answers}
	}
	data, err := marshal(out)
	if err != nil {
		return nil
	}
	return data
}

func openCodeEnd(rec desk.Record, answers [][]string) desk.Outcome {
	var r question.Reply
	for i := range rec.Questions {
		if i < len(answers) && len(answers[i]) > 0 {
			r.Answers = append(r.Answers, fromList(&rec.Questions[i], answers[i]))
		}
	}
	return answered(openCodeName, &rec.Set, r)
}

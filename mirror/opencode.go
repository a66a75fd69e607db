package mirror

import (
	"encoding/json"
	"slices"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/texts"
)

const openCodeName = "opencode"

// requestKey is the metadata key of the host's id of a question.
const requestKey = "request"

// openCodeEvent is an event of OpenCode's bus, as our plugin forwards it.
type openCodeEvent struct {
	Type string `json:"type"`
	// Added by the plugin; the input is a tool's, with a permission.
	Directory  string          `json:"directory"`
	PID        int             `json:"pid"`
	Input      json.RawMessage `json:"input"`
	Properties struct {
		ID        string          `json:"id"`        // with question.asked
		Request   string          `json:"requestID"` // with the others
		Session   string          `json:"sessionID"`
		Questions json.RawMessage `json:"questions"`
		Answers   [][]string      `json:"answers"`

		Permission string   `json:"permission"` // with permission.asked: mostly the tool's name
		Patterns   []string `json:"patterns"`
		Reply      string   `json:"reply"` // with permission.replied
	} `json:"properties"`
}

func readOpenCode(data []byte, _ func(string) string) (event, bool) {
	var in openCodeEvent
	if json.Unmarshal(data, &in) != nil || in.Properties.Session == "" {
		return event{}, false
	}
	p := &in.Properties
	out := event{session: p.Session, directory: in.Directory, host: in.PID, single: true}
	out.concerns = func(rec desk.Record) bool { return p.Request != "" && rec.Metadata[requestKey] == p.Request }
	ok := true
	switch in.Type {
	case "question.asked":
		out.set, ok = setOf(p.Questions)
		out.print = printOpenCode
	case "permission.asked":
		out.set, ok = openCodePermission(p.Permission, p.Patterns, in.Input)
		out.permission, out.print = true, permissionPrinter(openCodeReply{Reply: "once"}, func(message string) any {
			return openCodeReply{Reply: "reject", Message: message}
		})
	case "permission.replied":
		out.end = func(rec desk.Record) (desk.Outcome, bool) { return openCodeDecided(rec, p.Reply), true }
	case "question.replied":
		out.end = func(rec desk.Record) (desk.Outcome, bool) { return openCodeReplied(rec, p.Answers), true }
	case "question.rejected":
		out.end = func(rec desk.Record) (desk.Outcome, bool) { return openCodeRejected(rec), true }
	default:
		return event{}, false
	}
	if ok && out.set != nil {
		out.set.Metadata, ok = map[string]any{requestKey: p.ID}, p.ID != ""
	}
	return out, ok
}

// openCodePermission asks whether the agent may use a tool, for OpenCode's patterns and
// with all of the tool's input.
func openCodePermission(name string, patterns []string, input json.RawMessage) (*question.Set, bool) {
	if name == "" || ourTool(name) {
		return nil, false
	}
	set, ok := toolPermission("OpenCode", name, input)
	head, _ := literal(marshal(map[string]any{"for": patterns}))
	if ok {
		set.Questions[0].Description = head + "\n" + set.Questions[0].Description
	}
	return set, ok && len(set.Validate(limits())) == 0
}

// openCodeReply is what our plugin posts: one of the three.
type openCodeReply struct {
	Answers [][]string `json:"answers,omitempty"` // to every question in order
	Reject  bool       `json:"reject,omitempty"`
	Reply   string     `json:"reply,omitempty"` // to a permission, with a message beside a no
	Message string     `json:"message,omitempty"`
}

// printOpenCode writes a reply as our plugin reads it.
func printOpenCode(rec desk.Record) []byte {
	answers, complete := openCodeAnswers(rec)
	if rec.State == desk.Dismissed || !complete {
		return marshal(openCodeReply{Reject: true})
	}
	return marshal(openCodeReply{Answers: answers})
}

// openCodeAnswers returns the answers of a reply, and whether they contain all of it. The
// protocol has no notes and no wish to talk first: they become texts of the user's own,
// the wish that of an open question.
func openCodeAnswers(rec desk.Record) (answers [][]string, complete bool) {
	r := rec.Reply()
	talk, last := "", -1
	if r.Discuss {
		talk = refusal(rec)
	}
	for i, x := range rec.Asked() {
		words := []string{}
		switch {
		case x.Answer != nil:
			words, last = append(words, x.Words()...), i
		case x.State == question.StateDelegated:
			words, last = append(words, leftToYou), i
		case talk != "" && x.TakesText():
			words, talk, last = append(words, talk), "", i
		}
		if x.Note != "" && !r.Discuss {
			words, last = append(words, note(x.Note)), i
		}
		answers = append(answers, words)
	}
	if r.Note != "" && !r.Discuss && last >= 0 { // about all questions
		answers[last] = append(answers[last], note(r.Note))
	}
	return answers, last >= 0 && talk == ""
}

func note(text string) string { return "Note of the user: " + texts.Quoted(text) }

// openCodeDecided is the outcome of a permission's dialog: that of the record, if its
// reply is the one that the host reports.
func openCodeDecided(rec desk.Record, reply string) desk.Outcome {
	switch {
	case rec.Reply() != nil && granted(rec) == (reply == "once") && reply != "always":
		return *rec.Outcome
	case reply == "once" || reply == "always":
		return decided(openCodeName, &rec.Set, question.YesID)
	}
	return decided(openCodeName, &rec.Set, question.NoID)
}

func openCodeReplied(rec desk.Record, answers [][]string) desk.Outcome {
	if rec.Reply() != nil {
		if ours, complete := openCodeAnswers(rec); complete && slices.EqualFunc(ours, answers, slices.Equal) {
			return *rec.Outcome
		}
	}
	var r question.Reply
	for i := range rec.Questions {
		if i < len(answers) && len(answers[i]) > 0 {
			r.Answers = append(r.Answers, answerFromList(&rec.Questions[i], answers[i]))
		}
	}
	return answered(openCodeName, &rec.Set, r)
}

// openCodeRejected is the outcome of a dialog that was closed, perhaps by our reply.
func openCodeRejected(rec desk.Record) desk.Outcome {
	if rec.Reply() != nil && rec.State != desk.Answered {
		return *rec.Outcome
	}
	return dismissed(openCodeName, "")
}

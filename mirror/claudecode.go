package mirror

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/texts"
)

// The events of Claude Code that tell of dialogs. PermissionRequest comes with
// the dialog, PostToolUse when it was answered; the others come when a dialog
// that is still open here must have ended otherwise.
const (
	permissionRequest = "PermissionRequest"
	postToolUse       = "PostToolUse"
	postToolBatch     = "PostToolBatch"
	stopEvent         = "Stop"
	sessionEnd        = "SessionEnd"
)

// ClaudeCodeEvents are the events for which Claude Code has to run us.
func ClaudeCodeEvents() []string {
	return []string{permissionRequest, postToolUse, postToolBatch, stopEvent, sessionEnd}
}

// claudeTool is the tool with which Claude Code asks.
const claudeTool = "AskUserQuestion"

const claudeName = "claude-code"

func claudeCode() Host { return Host{Name: claudeName, read: readClaude} }

// claudeEvent is what all events have.
type claudeEvent struct {
	Session  string          `json:"session_id"`
	Dir      string          `json:"cwd"`
	Event    string          `json:"hook_event_name"`
	Agent    string          `json:"agent_id"`
	Tool     string          `json:"tool_name"`
	Input    json.RawMessage `json:"tool_input"`
	Response json.RawMessage `json:"tool_response"`
	Calls    []struct {
		Tool  string          `json:"tool_name"`
		Input json.RawMessage `json:"tool_input"`
	} `json:"tool_calls"`
}

// readClaude makes out an event. A subagent's question would be hidden from the
// human while we wait, and a session that nobody sits at has no dialog.
func readClaude(data []byte, getenv func(string) string) (event, bool) {
	var in claudeEvent
	if json.Unmarshal(data, &in) != nil || in.Session == "" || in.Agent != "" {
		return event{}, false
	}
	out := event{session: in.Session, directory: in.Dir}
	out.host, _ = strconv.Atoi(getenv("CLAUDE_PID"))
	if dir := getenv("CLAUDE_PROJECT_DIR"); dir != "" {
		out.directory = dir
	}
	ok := false
	switch in.Event {
	case permissionRequest:
		if in.Tool == claudeTool && getenv("CLAUDE_CODE_SESSION_ATTENDED") == "1" {
			ok = in.asks(&out)
		}
	case postToolUse:
		if in.Tool == claudeTool {
			ok = in.answers(&out)
		}
	case postToolBatch:
		ok = in.batch(&out)
	case stopEvent:
		ok = true
		out.concerns = anyRecord
		out.end = claudeLeft
	case sessionEnd:
		ok = true
		out.concerns = anyRecord
		out.end = func(rec desk.Record) (desk.Outcome, bool) {
			return gone(claudeName, "the session has ended"), rec.Outcome == nil
		}
	}
	return out, ok
}

func anyRecord(desk.Record) bool { return true }

// claudeLeft is the end of a dialog that was left without an answer: its human
// chose to talk about it. Of a reply of ours that closed the dialog it says that
// the host has taken it; of one that answers it says nothing, as that is told by
// PostToolUse.
func claudeLeft(rec desk.Record) (desk.Outcome, bool) {
	switch {
	case rec.Outcome == nil:
		return dismissed(claudeName, "the user wants to discuss it first"), true
	case rec.State == desk.Dismissed:
		return *rec.Outcome, true
	}
	return desk.Outcome{}, false
}

// claudeInput is what the tool is called with. What else is there may mean
// something, and is not mirrored.
type claudeInput struct {
	Questions   json.RawMessage `json:"questions"`
	Answers     map[string]any  `json:"answers"`
	Annotations map[string]any  `json:"annotations"`
	Metadata    map[string]any  `json:"metadata"`
}

type claudeQuestion struct {
	Question string `json:"question"`
	Header   string `json:"header"`
	Kind     string `json:"kind"`
	Several  bool   `json:"multiSelect"`
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
		Preview     string `json:"preview"`
	} `json:"options"`
}

// strictly decodes what has no member that v has not.
func strictly(data []byte, v any) bool {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	return dec.Decode(v) == nil && !dec.More()
}

// claudeSet maps the tool's input to a set, one to one.
func claudeSet(input json.RawMessage) (claudeInput, *question.Set, bool) {
	var in claudeInput
	var asked []claudeQuestion
	if !strictly(input, &in) || !strictly(in.Questions, &asked) {
		return in, nil, false
	}
	set := &question.Set{}
	for i, x := range asked {
		q := question.Question{
			ID: "q" + strconv.Itoa(i+1), Text: x.Question, Header: x.Header, Type: question.SingleChoice,
			// In a dialog with several questions some may be left open.
			Required: len(asked) == 1, AllowCustom: true,
		}
		if x.Kind != "" && x.Kind != "choice" {
			return in, nil, false
		}
		if x.Several {
			q.Type = question.MultiChoice
		}
		for _, o := range x.Options {
			q.Options = append(q.Options, option(o.Label, o.Description, o.Preview))
		}
		set.Questions = append(set.Questions, q)
	}
	return in, set, len(set.Validate(limits())) == 0
}

// asks is the event of a dialog.
func (in *claudeEvent) asks(out *event) bool {
	input, set, ok := claudeSet(in.Input)
	if !ok || len(input.Answers) > 0 || len(input.Annotations) > 0 {
		return false
	}
	raw := map[string]json.RawMessage{}
	if json.Unmarshal(in.Input, &raw) != nil {
		return false
	}
	out.set = set
	out.print = func(rec desk.Record) []byte { return printClaude(raw, rec) }
	return true
}

// claudeDecision is what the hook prints.
type claudeDecision struct {
	Behavior string                     `json:"behavior"`
	Message  string                     `json:"message,omitempty"`
	Updated  map[string]json.RawMessage `json:"updatedInput,omitempty"`
}

// printClaude writes a reply as Claude Code reads it: its own input, with the
// answers in it.
func printClaude(raw map[string]json.RawMessage, rec desk.Record) []byte {
	r := rec.Reply()
	if r == nil {
		return nil
	}
	d := claudeDecision{Behavior: "allow"}
	if r.Dismissed {
		d = claudeDecision{Behavior: "deny", Message: texts.Fill("dismissed", map[string]string{"reason": r.Reason})}
	} else if d.Updated = claudeAnswers(raw, rec); d.Updated == nil {
		return nil
	}
	out, err := marshal(map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": permissionRequest, "decision": d}})
	if err != nil {
		return nil
	}
	return out
}

// claudeAnswers is the tool's input with the answers in it; nil where they would
// not be read as what the human said.
func claudeAnswers(raw map[string]json.RawMessage, rec desk.Record) map[string]json.RawMessage {
	answers, last := map[string]string{}, ""
	for _, x := range rec.Asked() {
		if x.Answer == nil {
			continue
		}
		meant := plain(x.Question, *x.Answer)
		text := join(x.Question, &meant)
		if read := split(x.Question, text); text == "" || !slices.Equal(x.Question.Words(&read), x.Question.Words(&meant)) {
			return nil
		}
		answers[x.Question.Text], last = text, x.Question.Text
	}
	if len(answers) == 0 {
		return nil
	}
	out := map[string]json.RawMessage{}
	for name, value := range raw {
		out[name] = value
	}
	var err error
	if out["answers"], err = marshal(answers); err != nil {
		return nil
	}
	delete(out, "annotations")
	if note := rec.Reply().Note; note != "" { // about all of them; it goes with the last
		if out["annotations"], err = marshal(map[string]any{last: map[string]string{"notes": note}}); err != nil {
			return nil
		}
	}
	return out
}

// marshal writes JSON as JavaScript does.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// sameSet has an event concern the records that ask what it tells of.
func sameSet(set *question.Set) func(desk.Record) bool {
	return func(rec desk.Record) bool { return reflect.DeepEqual(rec.Questions, set.Questions) }
}

// answers is the event of a dialog that was answered.
func (in *claudeEvent) answers(out *event) bool {
	_, set, ok := claudeSet(in.Input)
	if !ok {
		return false
	}
	out.concerns, out.once = sameSet(set), true
	end, ok := claudeEnd(set, in.Response)
	out.end = func(desk.Record) (desk.Outcome, bool) { return end, true }
	return ok
}

// claudeEnd is how a dialog ended, as the tool's response has it.
func claudeEnd(set *question.Set, response json.RawMessage) (desk.Outcome, bool) {
	var said struct {
		Answers     map[string]json.RawMessage `json:"answers"`
		Response    string                     `json:"response"`
		Annotations map[string]struct {
			Notes      string `json:"notes"`
			Unanswered any    `json:"unanswered"`
		} `json:"annotations"`
		Away float64 `json:"afkTimeoutMs"` // nobody answered: the host went on by itself
	}
	if json.Unmarshal(response, &said) != nil {
		return desk.Outcome{}, false
	}
	if said.Away > 0 {
		return desk.Outcome{Status: desk.Timeout, Surface: claudeName, Reason: "Claude Code went on without an answer"}, true
	}
	var r question.Reply
	var notes []string
	for i := range set.Questions {
		q := &set.Questions[i]
		beside := said.Annotations[q.Text]
		if how, ok := beside.Unanswered.(string); ok && how != "" {
			continue
		}
		a, ok := claudeAnswer(q, said.Answers[q.Text])
		if ok && a.Custom == notesOnly && beside.Notes != "" {
			a.Custom, beside.Notes = beside.Notes, ""
		}
		if ok {
			r.Answers = append(r.Answers, a)
		}
		if beside.Notes != "" {
			notes = append(notes, beside.Notes)
		}
	}
	r.Note = strings.Join(notes, "\n")
	if said.Response != "" && len(r.Answers) == 0 && len(set.Questions) == 1 {
		r.Answers = []question.Answer{{QuestionID: set.Questions[0].ID, Custom: said.Response, By: question.ByUser}}
	} else if said.Response != "" {
		r.Note = strings.TrimSpace(r.Note + "\n" + said.Response)
	}
	return answered(claudeName, set, r), true
}

// notesOnly is what the dialog has as the answer where there are only notes.
const notesOnly = "(notes only)"

// claudeAnswer reads one answer: a string, or a list that the host joins.
func claudeAnswer(q *question.Question, raw json.RawMessage) (question.Answer, bool) {
	var one string
	if json.Unmarshal(raw, &one) == nil && strings.TrimSpace(one) != "" {
		return split(q, one), true
	}
	var several []string
	if json.Unmarshal(raw, &several) != nil || len(several) == 0 {
		return question.Answer{}, false
	}
	return fromList(q, several), true
}

// fromList reads answers that stand apart.
func fromList(q *question.Question, words []string) question.Answer {
	a := question.Answer{QuestionID: q.ID, By: question.ByUser}
	var own []string
	for _, word := range words {
		if choose(q, &a, word); a.Custom != "" {
			own, a.Custom = append(own, a.Custom), ""
		}
	}
	a.Custom = strings.Join(own, separator)
	return a
}

// batch is the event of calls that have all come to their ends.
func (in *claudeEvent) batch(out *event) bool {
	var sets []func(desk.Record) bool
	for _, call := range in.Calls {
		if call.Tool != claudeTool {
			continue
		}
		if _, set, ok := claudeSet(call.Input); ok {
			sets = append(sets, sameSet(set))
		}
	}
	out.concerns = func(rec desk.Record) bool {
		return slices.ContainsFunc(sets, func(same func(desk.Record) bool) bool { return same(rec) })
	}
	out.end = claudeLeft
	return len(sets) > 0
}

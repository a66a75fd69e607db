package mirror

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
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

// claudeEvent is what all events have.
type claudeEvent struct {
	Session  string          `json:"session_id"`
	Dir      string          `json:"cwd"`
	Event    string          `json:"hook_event_name"`
	Agent    string          `json:"agent_id"`
	Tool     string          `json:"tool_name"`
	Input    json.RawMessage `json:"tool_input"`
	Response json.RawMessage `json:"tool_response"`
	Calls    []claudeCall    `json:"tool_calls"`
}

// claudeCall is a call of a tool that has come to its end.
type claudeCall struct {
	Tool     string          `json:"tool_name"`
	Input    json.RawMessage `json:"tool_input"`
	Response json.RawMessage `json:"tool_response"` // the text that the model reads
}

// readClaude makes out an event. A subagent's question would be hidden from the
// human while we wait, and an unattended session has no dialog.
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
	attended := getenv("CLAUDE_CODE_SESSION_ATTENDED") == "1"
	switch in.Event {
	case permissionRequest:
		switch {
		case in.Tool != claudeTool:
			// Others that run such hooks say nothing of themselves: they may have
			// a dialog of which we know nothing.
			ok = (attended || out.host > 0) && in.permission(&out)
			out.unattended = !attended
		case attended:
			ok = in.asks(&out)
		}
	case postToolUse:
		if in.Tool == claudeTool {
			ok = in.answers(&out)
		}
	case postToolBatch:
		ok = in.batch(&out)
	case stopEvent:
		ok, out.last = true, true
		out.end = claudeStopped
	case sessionEnd:
		ok = true
		out.end = func(rec desk.Record) (desk.Outcome, bool) {
			return gone(claudeName, words.Mark("the session has ended")), rec.Outcome == nil
		}
	}
	return out, ok
}

// claudeStopped is the end of a dialog that is still open here when the agent's
// turn is over. Of a question it is that its human chose to talk about it: for
// all else there are events. A reply of ours that closed the dialog was taken;
// of one that answers, PostToolUse and PostToolBatch tell.
func claudeStopped(rec desk.Record) (desk.Outcome, bool) {
	switch {
	case rec.Outcome != nil:
		return *rec.Outcome, rec.State != desk.Answered
	case rec.Asker.Permission():
		return gone(claudeName, words.Mark("decided there")), true
	}
	return discussed(claudeName), true
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
	hostQuestion
	Kind    string `json:"kind"`
	Several bool   `json:"multiSelect"`
}

// claudeSet maps the tool's input to a set.
func claudeSet(input json.RawMessage) (in claudeInput, set *question.Set, ok bool) {
	if !strictly(input, &in) {
		return in, nil, false
	}
	set, ok = setOf(in.Questions, func(x claudeQuestion, q *question.Question) bool {
		if x.Several {
			q.Type = question.MultiChoice
		}
		return x.Kind == "" || x.Kind == "choice"
	})
	return in, set, ok
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
	if r.Dismissed || r.Discuss {
		d = claudeDecision{Behavior: "deny", Message: refusal(rec)}
	} else if d.Updated = claudeAnswers(raw, rec); d.Updated == nil {
		return nil
	}
	return marshal(d.output())
}

func (d claudeDecision) output() any {
	return map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": permissionRequest, "decision": d}}
}

// permission is the event of a dialog that asks whether a tool may be used.
func (in *claudeEvent) permission(out *event) (ok bool) {
	out.permission, out.print = true, permissionPrinter(claudeDecision{Behavior: "allow"}.output(), func(message string) any {
		return claudeDecision{Behavior: "deny", Message: message}.output()
	})
	out.set, ok = claudePermission(in.Tool, in.Input)
	return ok
}

// claudePlan is the tool with which Claude Code has a plan approved.
const claudePlan = "ExitPlanMode"

// claudePermission is the question whether a tool may be used; that of our own
// tools is whether we may ask, and is not asked.
func claudePermission(tool string, input json.RawMessage) (*question.Set, bool) {
	switch {
	case tool == "", tool == claudeTool, strings.HasPrefix(tool, "mcp__") && ourTool(tool):
		return nil, false
	case tool != claudePlan:
		return toolPermission("Claude Code", tool, input)
	}
	var members map[string]json.RawMessage
	var plan string
	if json.Unmarshal(input, &members) != nil || json.Unmarshal(members["plan"], &plan) != nil || strings.TrimSpace(plan) == "" {
		return nil, false
	}
	delete(members, "plan")
	return permission(words.AllowPlan, words.GoOn, words.KeepPlanning, plan, marshal(members))
}

// claudeAnswers is the tool's input with the answers in it; nil where they would
// not be read as what the human said.
func claudeAnswers(raw map[string]json.RawMessage, rec desk.Record) map[string]json.RawMessage {
	answers, notes, last := map[string]string{}, map[string]claudeNote{}, ""
	for _, x := range rec.Asked() {
		if x.Note != "" {
			notes[x.Question.Text] = claudeNote{x.Note}
		}
		if x.Answer == nil && x.Note != "" {
			answers[x.Question.Text], last = notesOnly, x.Question.Text
		}
		if x.Answer == nil {
			continue
		}
		if rec.Outcome.FromProgram() { // the host says of every answer that it is the user's
			notes[x.Question.Text] = claudeNote{strings.TrimSpace("Answered by " + words.Program(rec.Outcome) + ", not by the user themselves. " + x.Note)}
		}
		meant := normalized(x.Question, *x.Answer)
		text := joinAnswers(x.Question, &meant)
		if read := splitAnswers(x.Question, text); text == "" || !slices.Equal(x.Question.Words(&read), x.Question.Words(&meant)) {
			return nil
		}
		answers[x.Question.Text], last = text, x.Question.Text
	}
	if len(answers) == 0 {
		return nil
	}
	out := maps.Clone(raw)
	out["answers"] = marshal(answers)
	delete(out, "annotations")
	if note := rec.Reply().Note; note != "" { // about all of them; it goes with the last
		notes[last] = claudeNote{strings.TrimSpace(notes[last].Notes + "\n" + note)}
	}
	if len(notes) > 0 {
		out["annotations"] = marshal(notes)
	}
	return out
}

// claudeNote is what the dialog has beside an answer.
type claudeNote struct {
	Notes string `json:"notes"`
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
	out.concerns, out.single = sameSet(set), true
	end, ok := claudeOutcome(set, in.Response)
	out.end = func(desk.Record) (desk.Outcome, bool) { return end, true }
	return ok
}

// claudeOutcome is how a dialog ended, as the tool's response has it.
func claudeOutcome(set *question.Set, response json.RawMessage) (desk.Outcome, bool) {
	var said struct {
		Answers     map[string]json.RawMessage `json:"answers"`
		Response    string                     `json:"response"`
		Annotations map[string]struct {
			Notes      string `json:"notes"`
			Unanswered any    `json:"unanswered"`
		} `json:"annotations"`
		Away float64 `json:"afkTimeoutMs"` // the host continued without an answer
	}
	if json.Unmarshal(response, &said) != nil {
		return desk.Outcome{}, false
	}
	if said.Away > 0 {
		return desk.Outcome{Status: desk.Timeout, Surface: claudeName, Reason: "Claude Code went on without an answer"}, true
	}
	var r question.Reply
	for i := range set.Questions {
		q := &set.Questions[i]
		beside := said.Annotations[q.Text]
		if how, ok := beside.Unanswered.(string); ok && how != "" {
			continue
		}
		a, ok := claudeAnswer(q, said.Answers[q.Text])
		if ok && a.Custom == notesOnly && beside.Notes != "" {
			if a.Custom = ""; q.Required {
				a.Custom, beside.Notes = beside.Notes, ""
			}
		}
		if a.QuestionID, a.Note = q.ID, beside.Notes; ok || a.Note != "" {
			r.Answers = append(r.Answers, a)
		}
	}
	if said.Response != "" && len(r.Answers) == 0 && len(set.Questions) == 1 {
		r.Answers = []question.Answer{{QuestionID: set.Questions[0].ID, Custom: said.Response, By: question.ByUser}}
	} else if said.Response != "" {
		r.Note = said.Response
	}
	return answered(claudeName, set, r), true
}

// notesOnly is what the dialog has as the answer where there are only notes.
const notesOnly = "(notes only)"

// claudeAnswer reads one answer: a string, or a list that the host joins.
func claudeAnswer(q *question.Question, raw json.RawMessage) (question.Answer, bool) {
	var one string
	if json.Unmarshal(raw, &one) == nil && strings.TrimSpace(one) != "" {
		return splitAnswers(q, one), true
	}
	var several []string
	if json.Unmarshal(raw, &several) != nil || len(several) == 0 {
		return question.Answer{}, false
	}
	return answerFromList(q, several), true
}

// batch is the event of calls that have all come to their ends.
func (in *claudeEvent) batch(out *event) bool {
	type call struct {
		set  *question.Set
		said string
	}
	var calls []call
	for _, c := range in.Calls {
		set, ok := claudePermission(c.Tool, c.Input)
		if c.Tool == claudeTool {
			_, set, ok = claudeSet(c.Input)
		}
		var said string
		if ok && json.Unmarshal(c.Response, &said) == nil {
			calls = append(calls, call{set, said})
		}
	}
	find := func(rec desk.Record) int {
		return slices.IndexFunc(calls, func(c call) bool { return sameSet(c.set)(rec) })
	}
	out.concerns = func(rec desk.Record) bool { return find(rec) >= 0 }
	out.end = func(rec desk.Record) (desk.Outcome, bool) { return claudeCallOutcome(rec, calls[find(rec)].said) }
	return len(calls) > 0
}

// What the model reads of a call whose dialog ended without a yes or an answer.
const (
	claudeRejected = "The user doesn't want to proceed with this tool use."
	claudeClarify  = "wants to clarify these questions"
)

// claudeCallOutcome is how a dialog ended, by what the model reads of its call. Of an
// answer PostToolUse tells, and better: its process may be the slower one.
func claudeCallOutcome(rec desk.Record, said string) (desk.Outcome, bool) {
	rejected := strings.HasPrefix(said, claudeRejected)
	switch {
	case rec.Reply() != nil && !granted(rec) && (rec.Asker.Permission() || rec.State != desk.Answered) && strings.Contains(said, refusal(rec)):
		return *rec.Outcome, true
	case rec.Asker.Permission() && rejected:
		return decided(claudeName, &rec.Set, question.NoID), true
	case granted(rec):
		return *rec.Outcome, true
	case rec.Asker.Permission(): // allowed there, or refused by something else
		return gone(claudeName, words.Mark("decided there")), true
	case rejected && strings.Contains(said, claudeClarify):
		return discussed(claudeName), true
	case rejected:
		return dismissed(claudeName, ""), true
	}
	return desk.Outcome{}, false
}

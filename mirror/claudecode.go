package mirror

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// The events of Claude Code. PermissionRequest opens a dialog, PostToolUse follows its
// answer; after PostToolBatch, Stop and SessionEnd a dialog that is still open here must have
// ended otherwise. UserPromptSubmit is a prompt of the user's.
const (
	permissionRequest = "PermissionRequest"
	postToolUse       = "PostToolUse"
	postToolBatch     = "PostToolBatch"
	stopEvent         = "Stop"
	userPrompt        = "UserPromptSubmit"
	sessionEnd        = "SessionEnd"
)

// ClaudeCodeEvents are the events for which Claude Code runs hook.
func ClaudeCodeEvents() []string {
	return []string{permissionRequest, postToolUse, postToolBatch, stopEvent, sessionEnd, userPrompt}
}

// claudeTool is the tool with which Claude Code asks.
const claudeTool = "AskUserQuestion"

const claudeName = "claude-code"

// claudeEvent is an event as JSON.
type claudeEvent struct {
	Session string `json:"session_id"`
	Dir     string `json:"cwd"`
	Event   string `json:"hook_event_name"`
	Agent   string `json:"agent_id"`
	claudeCall
	Calls []claudeCall `json:"tool_calls"`
}

// claudeCall is a tool call. Its response, once it has ended, is the tool's; in a batch it
// is the text that the model reads.
type claudeCall struct {
	Tool     string          `json:"tool_name"`
	Input    json.RawMessage `json:"tool_input"`
	Response json.RawMessage `json:"tool_response"`
}

// readClaude parses an event. In a terminal a subagent's dialog is hidden from the user
// while hook runs; an application on the SDK, such as an editor, shows it meanwhile.
func readClaude(data []byte, getenv func(string) string) (event, bool) {
	var in claudeEvent
	sdk := strings.HasPrefix(getenv("CLAUDE_CODE_ENTRYPOINT"), "sdk")
	if json.Unmarshal(data, &in) != nil || in.Session == "" || in.Agent != "" && !sdk {
		return event{}, false
	}
	out := event{session: in.Session, directory: in.Dir}
	if in.Agent != "" { // it continues when the session's turn stops
		out.session += "/" + in.Agent
	}
	out.host, _ = strconv.Atoi(getenv("CLAUDE_PID"))
	if dir := getenv("CLAUDE_PROJECT_DIR"); dir != "" {
		out.directory = dir
	}
	ok := false
	attended := getenv("CLAUDE_CODE_SESSION_ATTENDED") == "1"
	switch in.Event {
	case permissionRequest:
		switch {
		case !attended && out.host == 0: // another program that runs these hooks
		case in.Tool == claudeTool: // offered only where a dialog can be shown
			ok = in.asks(&out)
		default:
			ok, out.unattended = in.permission(&out), !attended
		}
	case postToolUse:
		ok = in.Tool == claudeTool && in.answers(&out)
	case postToolBatch:
		ok = in.batch(&out)
	case stopEvent:
		ok, out.last, out.end = true, true, claudeStopped
	case userPrompt:
		ok, out.prompt = true, true
	case sessionEnd:
		ok = true
		out.end = func(rec desk.Record) (desk.Outcome, bool) {
			return gone(claudeName, words.Mark("the session has ended")), rec.Outcome == nil
		}
	}
	return out, ok
}

// claudeStopped is the outcome of a dialog that is still open here when its call or the
// agent's turn has ended. The user of a question chose to talk about it: all other ends
// have events, Esc a signal. A reply of hook that closed the dialog was taken; one that answers is
// reported by PostToolUse and PostToolBatch.
func claudeStopped(rec desk.Record) (desk.Outcome, bool) {
	switch {
	case rec.Outcome != nil:
		return *rec.Outcome, rec.State != desk.Answered
	case rec.Asker.Permission():
		return gone(claudeName, words.Mark("decided there")), true
	}
	return discussed(claudeName), true
}

// claudeInput is the tool's input. Input with other members is not mirrored.
type claudeInput struct {
	Annotations map[string]any  `json:"annotations,omitempty"`
	Answers     map[string]any  `json:"answers,omitempty"`
	Metadata    json.RawMessage `json:"metadata,omitempty"`
	Questions   json.RawMessage `json:"questions"`
}

// claudeSet maps the tool's input to a set.
func claudeSet(input json.RawMessage) (in claudeInput, set *question.Set, ok bool) {
	if !strictly(input, &in) {
		return in, nil, false
	}
	set, ok = setOf(in.Questions)
	return in, set, ok
}

// asks reads the event of a dialog that opens.
func (in *claudeEvent) asks(out *event) bool {
	input, set, ok := claudeSet(in.Input)
	out.set = set
	out.print = func(rec desk.Record) []byte { return printClaude(input, rec) }
	return ok && len(input.Answers) == 0 && len(input.Annotations) == 0
}

// claudeDecision is the output of hook.
type claudeDecision struct {
	Behavior string       `json:"behavior"`
	Message  string       `json:"message,omitempty"`
	Updated  *claudeInput `json:"updatedInput,omitempty"`
}

// printClaude writes a reply as Claude Code reads it: the tool's input with the
// answers.
func printClaude(in claudeInput, rec desk.Record) []byte {
	d := claudeDecision{Behavior: "allow", Updated: &in}
	if r := rec.Reply(); r.Dismissed || r.Discuss {
		d = claudeDecision{Behavior: "deny", Message: refusal(rec)}
	} else if !in.answer(rec) {
		return nil
	}
	return marshal(d.output())
}

func (d claudeDecision) output() any {
	return map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": permissionRequest, "decision": d}}
}

// permission reads the event of a dialog that asks whether the agent may use a tool.
func (in *claudeEvent) permission(out *event) (ok bool) {
	out.permission, out.print = true, permissionPrinter(claudeDecision{Behavior: "allow"}.output(),
		func(message string) any {
			return claudeDecision{Behavior: "deny", Message: message}.output()
		})
	out.set, ok = claudePermission(in.Tool, in.Input)
	return ok
}

// claudePlan is the tool with which Claude Code has a plan approved.
const claudePlan = "ExitPlanMode"

// claudePermission asks whether the agent may use a tool. It is false for our own tools,
// which only ask.
func claudePermission(tool string, input json.RawMessage) (*question.Set, bool) {
	switch {
	case tool == "", tool == claudeTool, strings.HasPrefix(tool, "mcp__") && ourTool(tool):
		return nil, false
	case tool != claudePlan:
		return toolPermission(words.English.ClientName(claudeName), tool, input)
	}
	var members map[string]json.RawMessage
	var plan string
	if json.Unmarshal(input, &members) != nil || json.Unmarshal(members["plan"], &plan) != nil ||
		strings.TrimSpace(plan) == "" {
		return nil, false
	}
	delete(members, "plan")
	return permission(words.AllowPlan, words.GoOn, words.KeepPlanning, plan, marshal(members))
}

// leftToYou is the answer in a host's own dialog to a question that the user left to the agent.
const leftToYou = "(no choice of the user's: they left this to you)"

// answer adds the answers to the tool's input. It is false if Claude Code would read other
// answers from it.
func (in *claudeInput) answer(rec desk.Record) bool {
	answers, notes, last := map[string]any{}, map[string]string{}, ""
	for _, x := range rec.Asked() {
		if x.Note != "" {
			notes[x.Question.Text] = x.Note
		}
		if x.State == question.StateDelegated {
			answers[x.Question.Text], last = leftToYou, x.Question.Text
			continue
		}
		if x.Answer == nil && x.Note != "" {
			answers[x.Question.Text], last = notesOnly, x.Question.Text
		}
		if x.Answer == nil {
			continue
		}
		text := joinAnswers(x.Question, x.Answer)
		read := splitAnswers(x.Question, text)
		if text == "" || !slices.Equal(x.Question.Words(&read), x.Words()) {
			return false
		}
		answers[x.Question.Text], last = text, x.Question.Text
	}
	if note := rec.Reply().Note; note != "" { // about all questions
		notes[last] = strings.TrimSpace(notes[last] + "\n" + note)
	}
	in.Answers, in.Annotations = answers, map[string]any{}
	for text, note := range notes {
		in.Annotations[text] = map[string]string{"notes": note}
	}
	return len(answers) > 0
}

// sameSet selects the records that ask the questions of a set.
func sameSet(set *question.Set) func(desk.Record) bool {
	return func(rec desk.Record) bool { return reflect.DeepEqual(rec.Questions, set.Questions) }
}

// answers reads the event of a dialog that was answered.
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

// claudeOutcome returns how a dialog ended, from the tool's response.
func claudeOutcome(set *question.Set, response json.RawMessage) (desk.Outcome, bool) {
	var result struct {
		Answers     map[string]json.RawMessage `json:"answers"`
		Response    string                     `json:"response"`
		Annotations map[string]struct {
			Notes      string `json:"notes"`
			Unanswered any    `json:"unanswered"`
		} `json:"annotations"`
		Away float64 `json:"afkTimeoutMs"` // the host continued without an answer
	}
	if json.Unmarshal(response, &result) != nil {
		return desk.Outcome{}, false
	}
	if result.Away > 0 {
		seconds := strconv.Itoa(int(result.Away) / 1000)
		return desk.Outcome{Status: desk.Timeout, Surface: claudeName, Reason: seconds + "s"}, true
	}
	var r question.Reply
	for i := range set.Questions {
		q := &set.Questions[i]
		annotation := result.Annotations[q.Text]
		if how, ok := annotation.Unanswered.(string); ok && how != "" {
			continue
		}
		a, ok := claudeAnswer(q, result.Answers[q.Text])
		if ok && a.Custom == notesOnly && annotation.Notes != "" {
			if a.Custom = ""; q.Required {
				a.Custom, annotation.Notes = annotation.Notes, ""
			}
		}
		if a.QuestionID, a.Note = q.ID, annotation.Notes; ok || a.Note != "" {
			r.Answers = append(r.Answers, a)
		}
	}
	if result.Response != "" && len(r.Answers) == 0 && len(set.Questions) == 1 {
		r.Answers = []question.Answer{{QuestionID: set.Questions[0].ID, Custom: result.Response, By: question.ByUser}}
	} else if result.Response != "" {
		r.Note = result.Response
	}
	return answered(claudeName, set, r), true
}

// notesOnly is the dialog's answer to a question that has only notes.
const notesOnly = "(notes only)"

// claudeAnswer reads one answer: a string or a list.
func claudeAnswer(q *question.Question, raw json.RawMessage) (question.Answer, bool) {
	var one string
	var several []string
	switch {
	case json.Unmarshal(raw, &one) == nil && one == leftToYou:
		return question.Answer{Delegated: true}, true
	case strings.TrimSpace(one) != "":
		return splitAnswers(q, one), true
	case json.Unmarshal(raw, &several) == nil && len(several) > 0:
		return answerFromList(q, several), true
	}
	return question.Answer{}, false
}

// batch reads the event of several calls that have all ended.
func (in *claudeEvent) batch(out *event) bool {
	type call struct {
		set      *question.Set
		response string
	}
	var calls []call
	for _, c := range in.Calls {
		set, ok := claudePermission(c.Tool, c.Input)
		if c.Tool == claudeTool {
			_, set, ok = claudeSet(c.Input)
		}
		var response string
		if ok && json.Unmarshal(c.Response, &response) == nil {
			calls = append(calls, call{set, response})
			out.last = out.last || c.Tool == claudeTool
		}
	}
	find := func(rec desk.Record) int {
		return slices.IndexFunc(calls, func(c call) bool { return sameSet(c.set)(rec) })
	}
	out.concerns = func(rec desk.Record) bool { return find(rec) >= 0 }
	out.end = func(rec desk.Record) (desk.Outcome, bool) { return claudeCallOutcome(rec, calls[find(rec)].response) }
	return len(calls) > 0
}

// claudeDenied begins the text that the model receives where the user denied a permission:
// no event says so. In other words it is a permission that was decided there.
const claudeDenied = "The user doesn't want to proceed with this tool use."

// claudeCallOutcome returns how the dialog of a call ended. How that of a question did, the
// text that the model receives does not say reliably: other events report an answer and
// Esc, and [claudeStopped] decides when they had their time.
func claudeCallOutcome(rec desk.Record, response string) (desk.Outcome, bool) {
	switch {
	case !rec.Asker.Permission():
		return claudeStopped(rec)
	case rec.Reply() != nil && !granted(rec) && strings.Contains(response, refusal(rec)):
		return *rec.Outcome, true
	case strings.HasPrefix(response, claudeDenied):
		return decided(claudeName, &rec.Set, question.NoID), true
	case granted(rec):
		return *rec.Outcome, true
	}
	return gone(claudeName, words.Mark("decided there")), true // allowed, or refused by a rule
}

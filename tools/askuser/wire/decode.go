package wire

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Call is the request of one call, in any of the call forms.
type Call struct {
	Set     question.Set
	Timeout time.Duration // how long the user may take; 0: as configured
	// OnTimeout is desk.OnTimeoutDefault where the caller wants the declared
	// defaults then; that takes the user's configuration too.
	OnTimeout string
	// Session is the dialogue that the caller names for the call to continue;
	// empty where it names none.
	Session string
	Rounds  int    // of the dialogue, as the caller says; 0 where it does not
	ToolUse string // the id of the call in the caller's transcript; may be empty
	NoWait  bool   // the call returns a ticket once its questions are shown
	// Dropped says what of the call cannot be asked, and why: follow-ups that no
	// answer can bring up. The rest is asked, which spares the agent a turn.
	Dropped []string
}

// DecodeAsk reads a call in any of the call forms: {"questions": […]}, which
// may also be a JSON string; one question alone, as the call itself or as
// {"question": {…}}; a bare array of questions; and an interrupt. Each may be inside the
// call itself: {"name": …, "input": {…}}, or a tool_use block. The questions
// of a record are a call too, without the answers that its asker had. Unknown members are
// passed over: hosts add their own. The error is a [question.Violations] that lists every fault with its path,
// or a [*json.SyntaxError] where data is not JSON.
func DecodeAsk(data []byte, limits question.Limits) (Call, error) {
	d, err := decode(data, limits)
	if err != nil {
		return Call{}, err
	}
	data, toolUse := unwrap(data, "questions", "question")
	call := d.call(data)
	call.ToolUse = toolUse
	call.Dropped = d.dropped
	d.validate(&call.Set)
	return call, d.found.Err()
}

// DecodeConfirm reads the arguments of confirm_action: a set of one yes-or-no
// question. The errors are those of [DecodeAsk].
func DecodeConfirm(data []byte, limits question.Limits) (Call, error) {
	d, err := decode(data, limits)
	if err != nil {
		return Call{}, err
	}
	data, toolUse := unwrap(data, "action")
	m, _ := d.object(root, data, "an object")
	yes, _ := question.Read[*bool](&d.found, "default", m.get("default"), "true or false")
	call := d.confirm(lines(d.text("action", m.get("action"))), lines(d.text("details", m.get("details"))), yes)
	call.ToolUse = toolUse
	return call, d.found.Err()
}

// ConfirmCall returns the call that asks [Confirm]. The error is a [question.Violations].
func ConfirmCall(action, details string, yes *bool, limits question.Limits) (Call, error) {
	d := &decoder{limits: limits}
	call := d.confirm(action, details, yes)
	return call, d.found.Err()
}

func (d *decoder) confirm(action, details string, yes *bool) (call Call) {
	d.limits.Lenient = true // the header is ours
	d.names = map[string]string{only + ".question": "action", only + ".description": "details"}
	call.Set.Questions = []question.Question{Confirm(action, details, yes)}
	d.validate(&call.Set)
	return call
}

// Confirm returns the question of confirm_action. The default is what an
// empty line in the plain form would say; nil for none.
func Confirm(action, details string, yes *bool) question.Question {
	q := question.Question{ID: "q1", Text: action, Header: question.Confirmation, Description: details,
		Type: question.Boolean, Required: true, Options: question.YesAndNo()}
	for i := range q.Options {
		q.Options[i].Default = yes != nil && *yes == (q.Options[i].ID == question.YesID)
	}
	return q
}

// DecodeAwait reads the arguments of await_answer: the ids of one or more records, each
// once. The errors are those of [DecodeAsk].
func DecodeAwait(data []byte) (ids []string, noWait bool, err error) {
	d, err := decode(data, question.Limits{})
	if err != nil {
		return nil, false, err
	}
	m, _ := d.object(root, data, "an object")
	for _, path := range []string{"id", "ids", "ticket"} {
		list := []json.RawMessage{m.get(path)}
		if opens(Unquote(list[0]), '[') {
			list, _ = d.array(path, list[0], "an array of ids")
		}
		for _, raw := range list {
			id := strings.Trim(d.text(path, raw), " \t\r\n\"'`") // our own text has it in quotes
			if id != "" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	if ids == nil && d.found == nil {
		d.found.Add("id", "is required: the id that came with the pending result")
	}
	return ids, !d.flag("wait", m.get("wait"), true), d.found.Err()
}

// The limits of a call, in bytes, levels of nesting, and values. They are checked
// before the call is decoded.
const (
	maxCall     = 256 << 10
	maxMetadata = 16 << 10
	maxDepth    = 32
	maxValues   = 10_000
	maxSession  = 200 // characters
	maxRounds   = 999
)

// root is the path of the arguments as a whole, and only that of the question of a call that
// is one question.
const (
	root = "arguments"
	only = "questions[0]"
)

// decoder collects the faults of one call while it reads it.
type decoder struct {
	limits  question.Limits
	found   question.Violations
	dropped []string
	names   map[string]string // what confirm_action names its members, by our path
}

func decode(data []byte, limits question.Limits) (*decoder, error) {
	d := &decoder{limits: limits}
	if d.tooLarge(root, data, maxCall) {
		return d, d.found.Err()
	}
	return d, json.Unmarshal(data, new(json.RawMessage))
}

// unwrap returns the arguments of a call without the call around them, a tool_use block for
// example, and the id of that call. Arguments have one of these members.
func unwrap(data json.RawMessage, members ...string) (arguments json.RawMessage, toolUse string) {
	var m ordered
	if json.Unmarshal(Unquote(data), &m) != nil {
		return data, ""
	}
	toolUse, _ = word(m.get("tool_use_id"))
	isArguments := slices.ContainsFunc(members, func(name string) bool { return m.get(name) != nil })
	input := Unquote(m.get("input"))
	if !isArguments && opens(input, '{') {
		id, _ := word(m.get("id"))
		data, toolUse = input, cmp.Or(toolUse, id)
	}
	return data, ToolUse(toolUse)
}

// ToolUse returns the id of a tool call as records keep it.
func ToolUse(id string) string { return question.Cut(question.Line(id), maxSession) }

// tooLarge reports a value of more bytes than most, or too deep.
func (d *decoder) tooLarge(path string, raw json.RawMessage, most int) bool {
	var v any
	if len(raw) <= most {
		_ = json.Unmarshal(raw, &v) // invalid JSON is reported when it is read
	}
	depth, values := extent(v)
	switch n := len(raw); {
	case n > most:
		d.found.Add(path, "must be at most %d kB, is %d kB", most>>10, (n+1<<10-1)>>10)
	case depth > maxDepth:
		d.found.Add(path, "must be nested at most %d levels deep, is %d", maxDepth, depth)
	case values > maxValues:
		d.found.Add(path, "must hold at most %d values, holds %d", maxValues, values)
	default:
		return false
	}
	return true
}

// validate adds the faults of the set that are not reported yet.
func (d *decoder) validate(set *question.Set) {
	var more question.Violations // added at the end: one of them may be above another
	for _, v := range set.Validate(d.limits) {
		if name := d.names[v.Path]; name != "" {
			v.Path = name
		}
		if !d.reported(v.Path) {
			more = append(more, v)
		}
	}
	d.found = append(d.found, more...)
}

// reported reports whether a fault at or above path is known already: a value that
// could not be read is not reported as missing.
func (d *decoder) reported(path string) bool {
	return slices.ContainsFunc(d.found, func(v question.Violation) bool {
		rest, below := strings.CutPrefix(path, v.Path)
		return v.Path == root || below && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

func (d *decoder) call(data []byte) Call {
	var c Call
	if opens(data, '[') {
		c.Set.Questions = d.questions("questions", data, 0)
		identify(c.Set.Questions)
		return c
	}
	m, ok := d.object(root, data, "an object")
	if !ok {
		return c
	}
	switch raw := m.get("questions"); {
	case raw != nil:
		c.Set.Questions = d.questions("questions", raw, 0)
	case opens(Unquote(m.get("question")), '{'):
		c.Set.Questions = []question.Question{d.question(only, m.get("question"), 0)}
	case m.get("question") != nil:
		c.Set.Questions = []question.Question{d.question(only, data, 0)}
		c.Set.Questions[0].Header = strings.TrimSpace(question.Cut(c.Set.Questions[0].Header, d.limits.Header))
	default:
		d.found.Add("questions", "is required: an array of 1 to %d questions", d.limits.Questions)
		return c
	}
	identify(c.Set.Questions)
	if raw := Unquote(m.get("metadata")); !d.tooLarge("metadata", raw, maxMetadata) {
		c.Set.Metadata, _ = question.Read[map[string]any](&d.found, "metadata", raw, "an object")
	}
	c.Rounds = rounds(m, c.Set.Metadata)
	c.Timeout = d.seconds("timeout_seconds", m.get("timeout_seconds"))
	switch on := d.text("on_timeout", m.get("on_timeout")); on {
	case "", "none":
	case desk.OnTimeoutDefault:
		c.OnTimeout = on
	default:
		d.found.Add("on_timeout", "must be default or none, is %q", on)
	}
	c.NoWait = !d.flag("wait", m.get("wait"), true)
	c.Session = d.text("session_id", m.get("session_id"))
	if n := question.Count(c.Session); n > maxSession {
		d.found.Add("session_id", "must be at most %d characters long, is %d", maxSession, n)
	}
	if raw := m.get("answers"); raw != nil {
		d.collect(&c.Set, raw)
	}
	return c
}

// rounds returns how many rounds the caller says its dialogue will have, beside the
// questions or in the metadata. Other values count as none.
func rounds(m ordered, metadata map[string]any) int {
	n, _ := metadata["total_rounds"].(float64)
	if raw := m.get("total_rounds"); raw != nil {
		_ = json.Unmarshal(raw, &n)
	}
	if n < 1 || n > maxRounds {
		return 0
	}
	return int(n)
}

// collect marks the questions to which the caller brings an answer.
func (d *decoder) collect(set *question.Set, raw json.RawMessage) {
	reply, err := set.ParseReply(Unquote(raw), false)
	if v, ok := errors.AsType[question.Violations](err); ok {
		d.found = append(d.found, v...)
		return
	}
	for _, a := range reply.Answers {
		if a.Empty() {
			continue
		}
		a.By = question.ByCaller
		set.Find(a.QuestionID).Collected = &a
	}
}

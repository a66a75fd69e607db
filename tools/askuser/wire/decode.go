package wire

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Call is what one call asks for, whatever form it was written in.
type Call struct {
	Set     question.Set
	Timeout time.Duration // how long the human may take; 0: as configured
	// OnTimeout is desk.OnTimeoutDefault where the caller wants the declared
	// defaults then; that takes the user's configuration too (D14).
	OnTimeout string
}

// DecodeAsk reads a call in any of the call forms: the questions form (A, B, C
// and D's tool input; questions may also be a JSON string), D's flat form and
// its message {"question": {…}}, the single-question form (E), and a bare
// array of questions. Unknown members are passed over: hosts add their own
// (FACTS 2). The error is a [question.Violations] that lists every fault with
// its path, or a [*json.SyntaxError] where data is not JSON.
func DecodeAsk(data []byte, limits question.Limits) (Call, error) {
	if !json.Valid(data) {
		return Call{}, syntaxError(data)
	}
	d := &decoder{limits: limits}
	call := d.call(data)
	for _, v := range call.Set.Validate(limits) {
		v.Path = d.path(v.Path)
		if !d.reported(v.Path) {
			d.found = append(d.found, v)
		}
	}
	return call, d.found.Err()
}

func syntaxError(data []byte) error {
	var v json.RawMessage
	return json.Unmarshal(data, &v)
}

// root is the path of the arguments as a whole.
const root = "arguments"

// decoder collects the faults of one call while it reads it.
type decoder struct {
	limits question.Limits
	found  question.Violations
	flat   bool // the call is one question: paths have no questions[0]
}

func (d *decoder) add(path, format string, args ...any) {
	d.found = append(d.found, question.Violation{Path: path, Message: fmt.Sprintf(format, args...)})
}

// path turns a path of the questions form into one of the form at hand.
func (d *decoder) path(p string) string {
	if d.flat {
		return strings.TrimPrefix(p, "questions[0].")
	}
	return p
}

// reported says whether a fault at or above path is known already: what could
// not be read is not missing as well.
func (d *decoder) reported(path string) bool {
	return slices.ContainsFunc(d.found, func(v question.Violation) bool {
		rest, below := strings.CutPrefix(path, v.Path)
		return v.Path == root || below && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

func (d *decoder) call(data []byte) Call {
	var c Call
	if d.isArray(data) {
		c.Set.Questions = d.questions("questions", data, 0)
		identify(c.Set.Questions, "q")
		return c
	}
	m, ok := d.object("", data)
	if !ok {
		return c
	}
	switch raw := m.get("questions"); {
	case raw != nil:
		c.Set.Questions = d.questions("questions", raw, 0)
	case d.isObject(m.get("question")):
		d.flat = true // D's message: the question is an object of its own
		c.Set.Questions = []question.Question{d.question("", m.get("question"), 0)}
	case m.get("question", "question_text", "questionText") != nil:
		d.flat = true
		c.Set.Questions = []question.Question{d.question("", data, 0)}
		c.Set.Questions[0].Header = question.Cut(c.Set.Questions[0].Header, d.limits.Header) // E3
	default:
		d.add("questions", "is required: an array of 1 to %d questions", d.limits.Questions)
		return c
	}
	identify(c.Set.Questions, "q")
	if raw := m.get("metadata"); raw != nil && json.Unmarshal(raw, &c.Set.Metadata) != nil {
		d.add("metadata", "must be an object")
	}
	if raw := m.get("timeout_seconds", "timeoutSeconds"); raw != nil {
		c.Timeout = d.seconds("timeout_seconds", raw)
	}
	switch on := d.text("on_timeout", m.get("on_timeout", "onTimeout")); on {
	case "", "none":
	case desk.OnTimeoutDefault:
		c.OnTimeout = on
	default:
		d.add("on_timeout", "must be default or none, is %q", on)
	}
	if raw := m.get("answers"); raw != nil {
		d.collect(&c.Set, raw)
	}
	return c
}

// collect marks the questions to which the caller brings an answer (B1).
func (d *decoder) collect(set *question.Set, raw json.RawMessage) {
	answers, err := set.ParseAnswers(raw)
	if v, ok := err.(question.Violations); ok {
		d.found = append(d.found, v...)
		return
	}
	for i := range answers {
		a := answers[i]
		if a.Empty() {
			continue
		}
		a.By = question.ByCaller
		set.Find(a.QuestionID).Collected = &a
	}
}

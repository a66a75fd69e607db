package wire

import (
	"strings"

	"mcp-askuser/question"
)

// DecodeConfirm turns the arguments of confirm_action into a set of one
// yes-or-no question (E7).
func DecodeConfirm(args []byte, _ question.Limits) (Call, error) {
	d := &decoder{}
	m, _ := d.object("", args)
	action := lines(d.text("action", m.get("action")))
	details := lines(d.text("details", m.get("details")))
	q := Confirm(action, details, nil)
	if raw := m.get("default"); raw != nil {
		yes := d.flag("default", raw, false)
		q = Confirm(action, details, &yes)
	}
	if strings.TrimSpace(action) == "" && !d.reported("action") {
		d.add("action", "is required and must not be empty")
	}
	return Call{Set: question.Set{Questions: []question.Question{q}}}, d.found.Err()
}

// Confirm returns the question of confirm_action. The default is what an
// empty line in the plain form would say; nil for none.
func Confirm(action, details string, yes *bool) question.Question {
	q := question.Question{ID: "q1", Text: action, Header: "Confirm", Description: details, Type: question.Boolean, Required: true, Options: booleanOptions(nil)}
	if yes != nil {
		i := 1
		if *yes {
			i = 0
		}
		q.Options[i].Default = true
	}
	return q
}

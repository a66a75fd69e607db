package wire

import "mcp-askuser/question"

// DecodeConfirm reads the arguments of confirm_action: a set of one yes-or-no
// question. The errors are those of [DecodeAsk].
func DecodeConfirm(data []byte, limits question.Limits) (Call, error) {
	limits.Lenient = true // the header is ours
	d, err := decode(data, limits)
	if err != nil {
		return Call{}, err
	}
	d.flat, d.names = true, map[string]string{"question": "action"}
	m, _ := d.object(root, data, "an object")
	yes, _ := question.Read[*bool](&d.found, "default", m.get("default"), "true or false")
	call := Call{Set: question.Set{Questions: []question.Question{
		Confirm(lines(d.text("action", m.get("action"))), lines(d.text("details", m.get("details"))), yes),
	}}}
	d.validate(&call.Set)
	return call, d.found.Err()
}

// Confirm returns the question of confirm_action. The default is what an
// empty line in the plain form would say; nil for none.
func Confirm(action, details string, yes *bool) question.Question {
	q := question.Question{ID: "q1", Text: action, Header: "Confirm", Description: details, Type: question.Boolean, Required: true, Options: question.YesAndNo()}
	for i := range q.Options {
		q.Options[i].Default = yes != nil && *yes == (q.Options[i].ID == question.YesID)
	}
	return q
}

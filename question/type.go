package question

import "strings"

// Type says how a question is answered. Only this file knows what follows from it.
type Type string

// The four types of question.
const (
	SingleChoice Type = "multiple_choice" // exactly one option, or free text where allowed
	MultiChoice  Type = "checkbox"        // any number of options, and free text where allowed
	Text         Type = "text"            // free text
	Boolean      Type = "boolean"         // yes or no: the options YesID and NoID, always in this order
)

// Types returns all types of question, in the order in which they are
// published.
func Types() []Type { return []Type{SingleChoice, MultiChoice, Text, Boolean} }

// The option ids of every Boolean question.
const (
	YesID = "true"
	NoID  = "false"
)

// YesAndNo returns the options of a Boolean question.
func YesAndNo() []Option { return []Option{{ID: YesID, Label: "Yes"}, {ID: NoID, Label: "No"}} }

// MaxText is the longest free text a human may answer, in characters.
const MaxText = 10_000

// Chooses reports whether q is answered by picking options.
func (q *Question) Chooses() bool { return q.Type != Text }

// OwnOptions reports whether the options of q are its asker's own.
func (q *Question) OwnOptions() bool { return q.Type == SingleChoice || q.Type == MultiChoice }

// Several reports whether more than one option may be picked.
func (q *Question) Several() bool { return q.Type == MultiChoice }

// Confirms reports whether q is answered with yes or no.
func (q *Question) Confirms() bool { return q.Type == Boolean }

// TakesText reports whether q may be answered with a text of the human's own.
func (q *Question) TakesText() bool { return q.Type == Text || q.AllowCustom }

// longest is how many characters an answer to q may have.
func (q *Question) longest() int {
	switch {
	case q.TakesText():
		return MaxText
	case q.Several():
		return 1000
	}
	return 256
}

// expected says what an answer to q looks like.
func (q *Question) expected() string {
	switch {
	case !q.Chooses():
		return "a string"
	case q.Confirms():
		return "true or false"
	}
	what := "one of: "
	if q.Several() {
		what = "an array of any of: "
	}
	what += strings.Join(q.optionIDs(), ", ")
	if q.TakesText() {
		what += "; or a text of the user's own"
	}
	return what
}

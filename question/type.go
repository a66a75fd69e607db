package question

// Type says how a question is answered (D3).
type Type string

// The four types of question.
const (
	SingleChoice Type = "multiple_choice" // exactly one option, or free text where allowed
	MultiChoice  Type = "checkbox"        // any number of options, and free text where allowed
	Text         Type = "text"            // free text
	Boolean      Type = "boolean"         // yes or no: the options YesID and NoID, always in this order
)

// The option ids of every Boolean question.
const (
	YesID = "true"
	NoID  = "false"
)

// Chooses reports whether q is answered by picking options.
func (q *Question) Chooses() bool { return q.Type != Text }

// Several reports whether more than one option may be picked.
func (q *Question) Several() bool { return q.Type == MultiChoice }

// Confirms reports whether q is answered with yes or no.
func (q *Question) Confirms() bool { return q.Type == Boolean }

// TakesText reports whether q may be answered with a text of the human's own.
func (q *Question) TakesText() bool { return q.Type == Text || q.AllowCustom }

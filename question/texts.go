package question

// The faults of a reply, as people read them after the question or "this answer";
// [Violation.In] has them in another language.
const (
	tooLong     = "must be at most %d characters long, is %d"
	noteTooLong = "its note must be at most %d characters long, is %d"
	needed      = "an answer is required"
	noSuch      = "%q is none of the options: %s"
	noText      = "takes no free text; choose one of: %s"
	oneChoice   = "takes one choice, got %d"
	notShown    = "this question was not shown"
)

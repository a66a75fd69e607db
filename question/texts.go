package question

// What is wrong with a reply, as people are told it, after the question or "this
// answer". Whoever tells them has it in their language; see [Violation.In].
const (
	tooLong     = "must be at most %d characters long, is %d"
	noteTooLong = "its note must be at most %d characters long, is %d"
	needed      = "an answer is required"
	noSuch      = "%q is none of the options: %s"
	noText      = "takes no free text; choose one of: %s"
	oneChoice   = "takes one choice, got %d"
	notShown    = "this question was not shown"
)

package api

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// The machine codes of problems.
const (
	SessionNotFound  = "session_not_found"
	QuestionNotFound = "question_not_found"
	AmbiguousID      = "ambiguous_id"
	InvalidAnswer    = "invalid_answer"
	InvalidQuestion  = "invalid_question"
	DuplicateID      = "duplicate_question_id"
	AlreadyAnswered  = "already_answered"
	AlreadyClosed    = "already_closed"
	RoundLimit       = "recursive_limit_exceeded"
	InvalidRequest   = "invalid_request"
	Unauthorized     = "unauthorized"
	Forbidden        = "forbidden"
	NoSuchPath       = "not_found"
	TooLarge         = "payload_too_large"
	NotSentYet       = "not_sent_yet"     // kept as a draft
	Unreachable      = "desk_unreachable" // nothing was kept
	NotSupported     = "not_supported"
	UserRequired     = "user_required"  // only the user may answer this
	ProofRequired    = "proof_required" // the user must sign this answer
	Internal         = "internal_error"
)

// Done is the response to a request that was carried out.
type Done struct {
	Success bool        `json:"success"` // true
	ID      string      `json:"id,omitempty"`
	Status  desk.Status `json:"status,omitempty"`
	Message string      `json:"message"`
}

// Problem is the response to a request that was not carried out. It is an error that wraps
// its cause.
type Problem struct { //nolint:errname // as RFC 9457 calls it
	Code       string              `json:"code"`
	Message    string              `json:"message"` // a sentence for people
	Violations question.Violations `json:"violations,omitempty"`
	First      *First              `json:"first,omitempty"`

	cause error
}

// First is the outcome that a late answerer reads.
type First struct {
	Status  desk.Status       `json:"status"`
	Surface string            `json:"surface,omitempty"`
	At      time.Time         `json:"at"`
	Answers map[string]string `json:"answers,omitempty"` // by question-N
	Reason  string            `json:"reason,omitempty"`
}

func (p *Problem) Error() string { return p.Message }
func (p *Problem) Unwrap() error { return p.cause }

// Problemf returns a problem with a message for people.
func Problemf(code, format string, args ...any) *Problem {
	return &Problem{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid is the problem of an input with faults.
func Invalid(code string, found question.Violations) *Problem {
	parts := make([]string, len(found))
	for i, v := range found {
		parts[i] = v.String()
	}
	return &Problem{Code: code, Message: strings.Join(parts, "; "), Violations: found, cause: found}
}

// Late adds to a *desk.ClosedError what the first answerer of the set answered. It returns
// any other error as it is.
func Late(set *question.Set, err error) error {
	closed, ok := errors.AsType[*desk.ClosedError](err)
	if !ok {
		return err
	}
	o := closed.Outcome
	p := Problem{Code: AlreadyClosed, Message: closed.Error(), cause: closed}
	if o.Status == desk.Answered {
		p.Code = AlreadyAnswered
	}
	p.First = &First{Status: o.Status, Surface: o.Surface, At: o.At, Reason: o.Reason}
	if o.Reply != nil {
		p.First.Answers, p.First.Reason = ByKey(set.Asked(o.Reply)), o.Reply.Reason
	}
	return &p
}

// known are the errors of the desk that are problems. Their messages are for people; of the first two
// it is what the error says.
var known = []struct { //nolint:gochecknoglobals // a table, never written to
	err     error
	code    string
	message string
}{
	{desk.ErrProofRequired, ProofRequired, ""},
	{desk.ErrUserRequired, UserRequired, ""},
	{desk.ErrNotFound, QuestionNotFound, "There is no question with this id."},
	{desk.ErrAmbiguous, AmbiguousID, "This fits the ids of several questions."},
	{desk.ErrUnsent, NotSentYet, "The shared desk does not answer. The answer is kept as a draft; send it again."},
	{desk.ErrUnreachable, Unreachable, "The desk does not answer, and nothing was kept. Try again when it answers; " +
		"mcp-askuser desk status says what it lacks."},
	{desk.ErrNoFiles, NotSupported, "No file can be attached here: a host asks this question too, " +
		"or its desk keeps no files."},
}

// ProblemOf returns an error of the desk as a problem; nil for a failure that the program
// has not caused.
func ProblemOf(err error) *Problem {
	var p *Problem
	var found question.Violations
	var rounds *desk.RoundLimitError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &found):
		return Invalid(InvalidAnswer, found)
	case errors.As(err, &rounds):
		return Problemf(RoundLimit, "Finish what was answered, without asking: the limit of rounds in a row is %d. "+
			"The session may ask again after a pause, or once the user lifts the limit.", rounds.Limit)
	}
	for _, k := range known {
		if errors.Is(err, k.err) {
			message := cmp.Or(k.message, "The question stays open: "+err.Error()+".")
			return &Problem{Code: k.code, Message: message, cause: err}
		}
	}
	return nil
}

// Failure is the output of a command that failed.
type Failure struct {
	Success bool     `json:"success"` // false
	Error   *Problem `json:"error"`
}

// Refused returns the output of a command that fails with err.
func Refused(err error) Failure {
	p := Problem{Code: Internal}
	cause := ProblemOf(err)
	if cause != nil {
		p = *cause
	}
	p.Message = err.Error()
	return Failure{Error: &p}
}

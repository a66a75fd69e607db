package words

import (
	"errors"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// What is said of an answer, or of what stands in its way, in every room.
const (
	AskDismiss   = "Dismiss without answering?"
	DiscussFirst = "Discuss first"
	Sent         = "Answer sent."
	Dismissed    = "Dismissed."
	Discussed    = "Sent: you want to discuss it first."
	AwaitsPause  = "Waiting for a pause in your typing; what is typed until then does not count."
	AgentAway    = "The agent is away; it will collect your answer."
	Reopened     = "The question is open again, with your former answers filled in; the agent gets the new ones when it comes back for them."
	LimitLifted  = "The limit is lifted: the agent may go on asking in this session."
)

// Breaking says in a few words what it does that the human breaks a form off,
// as Interrupted says it afterwards.
func Breaking(closed desk.Status) string {
	switch closed {
	case desk.Dismissed:
		return "dismiss"
	case desk.Cancelled:
		return "withdraw the question"
	default:
		return "leave; the question stays open"
	}
}

// Interrupted says what it did that the human broke a form off: closed is how
// that ended the record, empty where it has not.
func Interrupted(closed desk.Status) string {
	switch closed {
	case desk.Dismissed:
		return Dismissed
	case desk.Cancelled:
		return "The question is withdrawn; nothing was sent."
	default:
		return "Nothing was sent; the question stays open."
	}
}

// Home says where an open record is kept, if that is not the desk that was
// named, and whether an answer to it waits to be sent; empty where neither.
func Home(rec desk.Record) string {
	switch {
	case rec.Unsent:
		return "answer not sent yet"
	case rec.Home != "":
		return "on this machine only"
	}
	return ""
}

// Kept is one sentence for somebody whose answer the store did not take: where
// it is kept to be sent later it says so.
func Kept(err error) string {
	if errors.Is(err, desk.ErrUnsent) {
		return "Not sent yet: the desk does not answer. It is kept here, and sent later."
	}
	return Sentence("It could not be saved: "+question.Line(err.Error())) + " Nothing is lost; try again."
}

// MoreWait says that other questions wait behind the one that is shown.
func MoreWait(n int) string { return Count(n, "more waits", "more wait") }

// LastRound says that the round limit comes after this round (D9), and what to
// press or enter to lift it.
func LastRound(key string) string {
	return "Last round: after this one the agent cannot ask again for a while. " + key + " lifts the limit for this session."
}

// LimitStays says that lifting the limit failed.
func LimitStays(err error) string { return Sentence("The limit stays: " + question.Line(err.Error())) }

// Ending says how a record ended, where, when and why, in one line.
func Ending(o *desk.Outcome, zone *time.Location) string {
	text := Outcome(o)
	if o == nil {
		return text
	}
	text += ", " + o.At.In(zone).Format("2 Jan 15:04")
	if reason := Reason(o); reason != "" {
		text += ": " + question.Line(reason)
	}
	return text
}

// Remembered says how the human answered a question before, when, and to whom:
// "3 Nov: PostgreSQL, claude-code".
func Remembered(m desk.Memory, now time.Time) string {
	return Day(m.At, now) + ": " + onOneLine(m.Words) + ", " + Client(m.Asker)
}

// Other is the option that stands for the human's own words, as the asker
// worded it or as is usual.
func Other(q *question.Question) question.Option {
	var o question.Option
	if q.Other != nil {
		o = *q.Other
	}
	if o.Label == "" {
		o.Label = "Other"
	}
	if o.Description == "" {
		o.Description = "Something else, in your own words"
	}
	return o
}
